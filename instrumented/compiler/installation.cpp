// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "instrumented/compiler/installation.h"

#include <cstdlib>
#include <filesystem>
#include <initializer_list>
#include <vector>

namespace lanescope::compiler {

namespace fs = std::filesystem;

namespace {

std::string firstThatExists(const char* environment, const std::string& marker, std::initializer_list<fs::path> places)
{
    if (const char* value = std::getenv(environment); value && *value)
        return value;
    for (const fs::path& place : places) {
        std::error_code ignored;
        if (fs::exists(place / marker, ignored))
            return fs::weakly_canonical(place, ignored).string();
    }
    return places.begin()->string();
}

/// Of the toolkit that the environment names, else of those in the usual places.
std::string findDeviceMath()
{
    if (const char* chosen = std::getenv("LANESCOPE_LIBDEVICE"); chosen && *chosen)
        return chosen;
    std::vector<fs::path> places;
    for (const char* name : {"CUDA_HOME", "CUDA_PATH"})
        if (const char* toolkit = std::getenv(name); toolkit && *toolkit)
            places.emplace_back(fs::path(toolkit) / "nvvm/libdevice/libdevice.10.bc");
    places.emplace_back("/usr/local/cuda/nvvm/libdevice/libdevice.10.bc");
    places.emplace_back("/usr/lib/nvidia-cuda-toolkit/libdevice/libdevice.10.bc");
    for (const fs::path& place : places) {
        std::error_code ignored;
        if (fs::exists(place, ignored))
            return place.string();
    }
    return {};
}

}  // namespace

Installation findInstallation()
{
    std::error_code ignored;
    const fs::path executable = fs::read_symlink("/proc/self/exe", ignored);
    const fs::path folder = executable.parent_path();
    const fs::path sources = LANESCOPE_SOURCE_DIR;

    Installation found;
    found.executable = executable.string();
    found.include = firstThatExists("LANESCOPE_INCLUDE", "cuda_runtime.h",
                                    {folder / "../share/lanescope/include", folder / "../../../instrumented/include",
                                     sources / "instrumented/include"});
    found.library = firstThatExists(
        "LANESCOPE_LIBRARY", "liblanescope_runtime.so",
        {folder / "../lib/lanescope", folder / "../lib", folder / "../../lib", folder / "../../../lib"});
    found.kernels =
        firstThatExists("LANESCOPE_KERNELS", "14_matmul_tiled.cu",
                        {folder / "../share/lanescope/kernels", folder / "../../../kernels", sources / "kernels"});
    found.instrument = firstThatExists("LANESCOPE_INSTRUMENT", "lanescope-instrument",
                                       {found.library, folder, folder / "../../bin", folder / "../../../bin"});
    if (fs::is_directory(found.instrument, ignored))
        found.instrument += "/lanescope-instrument";
    found.deviceMath = findDeviceMath();
    return found;
}

}  // namespace lanescope::compiler
