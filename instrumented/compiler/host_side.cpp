// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "instrumented/compiler/host_side.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <set>
#include <utility>

namespace lanescope::compiler {

namespace fs = std::filesystem;

namespace {

constexpr std::array<const char*, 3> kHostFiles = {"host.o", "host.o.d", "host.txt"};

bool copyAll(const std::string& from, const std::string& to)
{
    return std::ranges::all_of(kHostFiles, [&](const std::string& file) {
        std::error_code error;
        fs::copy_file(fs::path(from) / file, fs::path(to) / file, fs::copy_options::overwrite_existing, error);
        return !error;
    });
}

}  // namespace

std::string workingPlace(const CompileRequest& request)
{
    std::error_code ignored;
    const fs::path here = fs::current_path(ignored), source = request.source;
    // Any of these may be a path from there.
    const bool namesOthers = !request.includeDirectories.empty() || !request.systemDirectories.empty() ||
                             !request.preprocessing.empty() || !request.hostFlags.empty() || !request.toolkit.empty();
    const auto [left, right] = std::mismatch(here.begin(), here.end(), source.begin(), source.end());
    if (namesOthers || source.is_relative() || left == here.end())
        return here.string();
    fs::path common;
    for (auto part = here.begin(); part != left; ++part)
        common /= *part;
    return common.string();
}

HostSide::HostSide(const Cache& cache, const Clang& clang, const CompileRequest& request,
                   const Installation& installation, const Variant& variant, std::string folder)
    : m_cache(cache), m_folder(std::move(folder)),
      m_command(hostCommand(clang, request, installation, variant, m_folder + "/placeholder", m_folder + "/host.o"))
{
    if (!variant.standIns.empty())  // which lie in this folder
        return;
    const std::vector<std::string> known = hostCommand(clang, request, installation, variant, "placeholder", "host.o");
    m_key = contentHash(
        fmt::format("host side 1\n{}\n{}\n{}", workingPlace(request), clang.identity, fmt::join(known, "\n")));
}

bool HostSide::take() const
{
    const std::optional<std::string> found = m_key.empty() ? std::nullopt : m_cache.find(m_key, "host.o");
    return found && copyAll(*found, m_folder);
}

void HostSide::keep() const
{
    const Result<std::string> folder = m_key.empty() ? Error{Error::Code::NotFound, {}, {}} : m_cache.workFolder();
    if (!folder)
        return;
    const FolderGuard guard(folder.value());
    std::set<std::string> files;
    readDependencies(m_folder + "/host.o.d", files);
    files.erase(m_folder + "/placeholder");
    if (copyAll(m_folder, folder.value()) && writeFile(folder.value() + "/host.o.d", dependencyText("host.o", files)))
        (void)m_cache.store(m_key, {files.begin(), files.end()}, folder.value(), "host.o");
}

}  // namespace lanescope::compiler
