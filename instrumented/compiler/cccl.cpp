// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "instrumented/compiler/cccl.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <vector>

#include "instrumented/compiler/cache.h"
#include "instrumented/compiler/clang.h"
#include "instrumented/compiler/process.h"

namespace lanescope::compiler {

namespace fs = std::filesystem;

namespace {

/// Where a version is defined, as a number that ends in two digits for the patch, and three (CCCL's own) or one and
/// two for what comes before.
struct VersionPlace {
    const char* file;
    const char* macro;
    unsigned long perMajor, perMinor;
};
constexpr VersionPlace kVersions[] = {{"cuda/std/__cccl/version.h", "#define CCCL_VERSION ", 1000000, 1000},
                                      {"thrust/version.h", "#define THRUST_VERSION ", 100000, 100},
                                      {"cub/version.cuh", "#define CUB_VERSION ", 100000, 100}};

bool isThere(const fs::path& path)
{
    std::error_code ignored;
    return fs::exists(path, ignored);
}

bool holdsCccl(const fs::path& folder)
{
    return isThere(folder / "thrust/version.h") && isThere(folder / "cub/version.cuh");
}

/// The one of \p include and its folder cccl (CUDA 13's place) that holds a CCCL; empty: neither.
std::string ccclBelow(const fs::path& include)
{
    for (const fs::path& folder : {include / "cccl", include})
        if (holdsCccl(folder)) {
            std::error_code ignored;
            return fs::weakly_canonical(folder, ignored).string();
        }
    return {};
}

std::vector<fs::path> foldersIn(const fs::path& folder, const std::string& prefix)
{
    std::vector<fs::path> found;
    std::error_code error;
    for (const fs::directory_entry& entry : fs::directory_iterator(folder, error))
        if (entry.path().filename().string().starts_with(prefix))
            found.push_back(entry.path());
    std::ranges::sort(found, std::greater<>());  // the newest version first
    return found;
}

/// What pip has installed below \p prefix, an environment of Python's: for CUDA 12 in nvidia/cuda_cccl, since then in
/// nvidia/cu13.
std::string pipsBelow(const fs::path& prefix)
{
    for (const fs::path& python : foldersIn(prefix / "lib", "python3"))
        for (const char* packages : {"site-packages", "dist-packages"})
            for (const fs::path& package : foldersIn(python / packages / "nvidia", "cu"))
                if (std::string found = ccclBelow(package / "include"); !found.empty())
                    return found;
    return {};
}

std::string pipsInEnvironment(const char* variable)
{
    const char* prefix = std::getenv(variable);
    return prefix && *prefix ? pipsBelow(prefix) : std::string();
}

/// Of the python3 that PATH has, which may be a link, or pyenv's stand-in for one of its versions.
std::string pipsOfPython()
{
    const fs::path program = findProgram("python3");
    if (program.empty())
        return {};
    std::error_code ignored;
    std::vector<fs::path> prefixes{program.parent_path().parent_path(),
                                   fs::weakly_canonical(program, ignored).parent_path().parent_path()};
    if (program.parent_path().filename() == "shims")
        std::ranges::copy(foldersIn(prefixes.front() / "versions", ""), std::back_inserter(prefixes));
    if (const char* home = std::getenv("HOME"); home && *home)
        prefixes.insert(prefixes.begin(), fs::path(home) / ".local");
    prefixes.emplace_back("/usr/local");
    for (const fs::path& prefix : prefixes)
        if (std::string found = pipsBelow(prefix); !found.empty())
            return found;
    return {};
}

std::string installedCccl()
{
    if (const char* chosen = std::getenv("LANESCOPE_CCCL"); chosen && *chosen)
        return ccclBelow(chosen);
    for (const char* variable : {"VIRTUAL_ENV", "CONDA_PREFIX"})
        if (std::string found = pipsInEnvironment(variable); !found.empty())
            return found;
    if (holdsCccl("/usr/include"))
        return "/usr/include";
    return pipsOfPython();
}

/// "2.8.2"; empty when no file below \p folder says it.
std::string versionOf(const std::string& folder)
{
    for (const auto& [file, macro, perMajor, perMinor] : kVersions) {
        const std::string text = textOf((fs::path(folder) / file).string());
        const size_t begin = text.find(macro);
        if (begin == std::string::npos)
            continue;
        const unsigned long version = std::strtoul(text.c_str() + begin + std::string(macro).size(), nullptr, 10);
        return fmt::format("{}.{}.{}", version / perMajor, version % perMajor / perMinor, version % perMinor);
    }
    return {};
}

/// The folder below which \p file belongs to one of the libraries; empty: it belongs to none.
std::string includeFolderOf(const std::string& file)
{
    for (const char* library : {"/thrust/", "/cub/"})
        if (const size_t at = file.find(library); at != std::string::npos)
            return file.substr(0, at);
    if (const size_t at = file.find("/cuda/"); at != std::string::npos && isThere(file.substr(0, at) + "/cuda/std"))
        return file.substr(0, at);
    return {};
}

}  // namespace

bool holdsPartOfCccl(const std::string& folder)
{
    return std::ranges::any_of(kVersions,
                               [&](const VersionPlace& place) { return isThere(fs::path(folder) / place.file); }) ||
           isThere(fs::path(folder) / "cuda/std/version");
}

std::string findCccl(const CompileRequest& request)
{
    if (!request.toolkit.empty())
        return {};
    bool hasPart = false;
    for (const std::vector<std::string>* folders : {&request.includeDirectories, &request.systemDirectories})
        for (const std::string& folder : *folders) {
            if (std::string found = ccclBelow(folder); !found.empty())
                return found;
            hasPart |= holdsPartOfCccl(folder);
        }
    return hasPart ? std::string() : installedCccl();
}

std::string ccclIn(const std::set<std::string>& files, const std::string& ours)
{
    std::set<std::string> folders;
    for (const std::string& file : files)
        if (const std::string folder = includeFolderOf(file); !folder.empty())
            folders.insert(folder);
    std::set<std::string> names;
    for (const std::string& folder : folders) {
        std::error_code ignored;
        if (fs::equivalent(folder, ours, ignored))
            names.insert("Lanescope's own");
        else if (const std::string version = versionOf(folder); !version.empty())
            names.insert(
                fmt::format("CCCL {} of {}", version,
                            fs::weakly_canonical(fs::path(folder) / "thrust", ignored).parent_path().string()));
    }
    std::string text;
    for (const std::string& name : names)
        text += (text.empty() ? "" : ", ") + name;
    return text;
}

}  // namespace lanescope::compiler
