// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "instrumented/compiler/toolkit_headers.h"

#include <filesystem>
#include <fstream>
#include <optional>

namespace lanescope::compiler {

namespace fs = std::filesystem;

namespace {

constexpr char kList[] = "links.txt";

/// Since CUDA 13 these are in a folder of their own.
constexpr const char* kLibraries[] = {"thrust", "cub", "cuda", "nv"};

bool isReadable(const std::string& header)
{
    for (const char* prefix : {"cuda_fp16.h", "cuda_bf16.h", "cuda_fp8.h", "cuda_fp6.h", "cuda_fp4.h", "curand_"})
        if (header.starts_with(prefix))
            return true;
    return false;
}

}  // namespace

Result<std::string> toolkitHeaders(const Cache& cache, const std::string& toolkit)
{
    std::error_code error;
    const fs::path include = fs::weakly_canonical(fs::path(toolkit) / "include", error);
    const std::string key = contentHash("toolkit 1\n" + include.string());
    if (const std::optional<std::string> found = cache.find(key, kList))
        return *found;
    const Result<std::string> folder = cache.workFolder();
    if (!folder)
        return folder.error();
    const FolderGuard guard(folder.value());
    const fs::path place = folder.value();
    std::string links;
    const auto link = [&](const fs::path& to) {
        if (!error)
            fs::create_symlink(to, place / to.filename(), error);
        links += to.string() + '\n';
    };
    for (const char* library : kLibraries)
        for (const fs::path& parent : {include / "cccl", include})
            if (std::error_code none; fs::is_directory(parent / library, none)) {
                link(parent / library);
                break;
            }
    std::error_code unreadable;
    for (const fs::directory_entry& entry : fs::directory_iterator(include, unreadable))
        if (isReadable(entry.path().filename().string()))
            link(entry.path());
    if (error)
        return Error{Error::Code::Io, "cannot be linked to: " + error.message(), include.string()};
    if (Result<void> written = writeFile(place / kList, links); !written)
        return written.error();
    return cache.store(key, {}, folder.value(), kList);
}

std::vector<std::string> toolkitFlags(const std::string& headers)
{
    std::vector<std::string> flags{"-isystem", headers};
    std::ifstream links(fs::path(headers) / kList);
    for (std::string link; std::getline(links, link);)
        flags.push_back("-ffile-prefix-map=" + (fs::path(headers) / fs::path(link).filename()).string() + '=' + link);
    return flags;
}

}  // namespace lanescope::compiler
