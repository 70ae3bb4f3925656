// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "instrumented/compiler/toolkit_headers.h"

#include <algorithm>
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

Result<std::string> folderOfLinks(const Cache& cache, const std::vector<fs::path>& targets)
{
    std::string links;
    for (const fs::path& target : targets)
        links += target.string() + '\n';
    const std::string key = contentHash("links 3\n" + links);
    if (const std::optional<std::string> found = cache.find(key, kList))
        return *found;
    const Result<std::string> folder = cache.workFolder();
    if (!folder)
        return folder.error();
    const FolderGuard guard(folder.value());
    std::error_code error;
    for (const fs::path& target : targets)
        if (!error)
            fs::create_symlink(target, fs::path(folder.value()) / target.filename(), error);
    if (error)
        return Error{Error::Code::Io, "cannot be linked to: " + error.message(), targets.front().string()};
    if (Result<void> written = writeFile(folder.value() + '/' + kList, links); !written)
        return written.error();
    return cache.store(key, {}, folder.value(), kList);
}

std::vector<fs::path> librariesIn(const std::vector<fs::path>& folders)
{
    std::vector<fs::path> found;
    for (const char* library : kLibraries)
        for (const fs::path& folder : folders)
            if (std::error_code none; fs::is_directory(folder / library, none)) {
                found.push_back(folder / library);
                break;
            }
    return found;
}

}  // namespace

Result<std::string> toolkitHeaders(const Cache& cache, const std::string& toolkit)
{
    std::error_code ignored;
    const fs::path include = fs::weakly_canonical(fs::path(toolkit) / "include", ignored);
    std::vector<fs::path> targets = librariesIn({include / "cccl", include});
    for (const fs::directory_entry& entry : fs::directory_iterator(include, ignored))
        if (isReadable(entry.path().filename().string()))
            targets.push_back(entry.path());
    std::ranges::sort(targets);
    return folderOfLinks(cache, targets);
}

Result<std::string> ccclHeaders(const Cache& cache, const std::string& include)
{
    return folderOfLinks(cache, librariesIn({include}));
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
