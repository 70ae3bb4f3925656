// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/attach/sanitizer_api.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <sstream>
#include <vector>

namespace lanescope::attach {

namespace fs = std::filesystem;

namespace {

std::string libraryOf(const std::string& toolkit)
{
    return toolkit + "/compute-sanitizer/libsanitizer-public.so";
}

/// PATH's folder `toolkit/bin`, or `toolkit/compute-sanitizer`, that has the command.
std::string toolkitInPath()
{
    const char* path = std::getenv("PATH");
    std::istringstream folders(path ? path : "");
    std::error_code error;
    for (std::string folder; std::getline(folders, folder, ':');) {
        const fs::path command = fs::canonical(fs::path(folder) / "compute-sanitizer", error);
        if (!error)
            return command.parent_path().parent_path().string();
    }
    return {};
}

const SanitizerApi* g_api = nullptr;
Context g_context = nullptr;
StreamHandle g_stream = nullptr;

cuda::Driver makeMemoryDriver()
{
    cuda::Driver driver;
    driver.allocate = [](cuda::DevicePointer* at, size_t bytes) {
        void* memory = nullptr;
        const SanitizerStatus status = g_api->allocate(g_context, &memory, bytes);
        *at = reinterpret_cast<cuda::DevicePointer>(memory);
        return status;
    };
    driver.free = [](cuda::DevicePointer at) { return g_api->free(g_context, reinterpret_cast<void*>(at)); };
    driver.allocateHost = [](void** at, size_t bytes, unsigned) { return g_api->allocateHost(g_context, at, bytes); };
    driver.freeHost = [](void* at) { return g_api->freeHost(g_context, at); };
    driver.copyToDevice = [](cuda::DevicePointer to, const void* from, size_t bytes) {
        const SanitizerStatus status = g_api->copyToDevice(reinterpret_cast<void*>(to), from, bytes, g_stream);
        return status ? status : g_api->waitForStream(g_stream);
    };
    driver.copyToHost = [](void* to, cuda::DevicePointer from, size_t bytes) {
        return g_api->copyToHost(to, reinterpret_cast<const void*>(from), bytes, g_stream);
    };
    driver.errorName = [](cuda::DriverStatus, const char** text) {
        *text = "the Sanitizer API";
        return 0;
    };
    driver.errorText = [](cuda::DriverStatus status, const char** text) { return g_api->resultText(status, text); };
    return driver;
}

}  // namespace

Result<std::string> findToolkit()
{
    std::vector<std::string> tried;
    std::vector<std::string> folders;
    for (const char* name : {"LANESCOPE_TOOLKIT", "CUDA_HOME", "CUDA_PATH"})
        if (const char* value = std::getenv(name); value && *value)
            folders.emplace_back(value);
    if (const std::string found = toolkitInPath(); !found.empty())
        folders.push_back(found);
    folders.emplace_back("/usr/local/cuda");
    std::error_code error;
    for (const std::string& folder : folders) {
        if (fs::exists(libraryOf(folder), error))
            return folder;
        if (std::ranges::find(tried, libraryOf(folder)) == tried.end())
            tried.push_back(libraryOf(folder));
    }
    return Error{Error::Code::NotFound,
                 fmt::format("no CUDA toolkit with compute-sanitizer: there is no {}; install it, or set CUDA_HOME to "
                             "the toolkit's folder",
                             fmt::join(tried, ", no ")),
                 ""};
}

Result<const SanitizerApi*> SanitizerApi::load(const std::string& toolkit)
{
    void* library = dlopen(libraryOf(toolkit).c_str(), RTLD_NOW | RTLD_GLOBAL);
    if (!library)
        return Error{Error::Code::NotFound, dlerror(), libraryOf(toolkit)};
    auto api = std::make_unique<SanitizerApi>();
#define LS_SANITIZER_LOAD(exported, name, parameters)                                                                  \
    api->name = reinterpret_cast<decltype(api->name)>(dlsym(library, exported));                                       \
    if (!api->name)                                                                                                    \
        return Error{Error::Code::NotFound, "the Sanitizer API is too old: it has no " exported, libraryOf(toolkit)};
    LS_SANITIZER_FUNCTIONS(LS_SANITIZER_LOAD)
#undef LS_SANITIZER_LOAD
    return api.release();  // as long as the process
}

std::string SanitizerApi::text(SanitizerStatus status) const
{
    const char* text = nullptr;
    return resultText(status, &text) == 0 && text ? text : std::to_string(status);
}

Error SanitizerApi::error(SanitizerStatus status, const std::string& what) const
{
    return {Error::Code::Unsupported, fmt::format("{}: {}", what, text(status)), ""};
}

const cuda::Driver& memoryDriver(const SanitizerApi& api)
{
    g_api = &api;
    static const cuda::Driver driver = makeMemoryDriver();
    return driver;
}

void useForMemory(Context context, StreamHandle stream)
{
    g_context = context;
    g_stream = stream;
}

}  // namespace lanescope::attach
