// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/remote/sent_files.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <optional>
#include <regex>

namespace lanescope::cli {

namespace fs = std::filesystem;

namespace {

std::vector<std::string> includedBy(const std::string& path)
{
    // Conditions are not looked at: a file too many does no harm.
    static const std::regex pattern(R"re(^\s*#\s*(?:include|include_next|embed)\s*["<]([^">]+)[">])re");
    std::vector<std::string> names;
    std::ifstream file(path);
    std::smatch match;
    for (std::string line; std::getline(file, line);)
        if (std::regex_search(line, match, pattern))
            names.push_back(match[1]);
    return names;
}

std::optional<std::string> findIn(const std::vector<fs::path>& folders, const std::string& name)
{
    std::error_code ignored;
    for (const fs::path& folder : folders)
        if (const fs::path path = (folder / name).lexically_normal(); fs::is_regular_file(path, ignored))
            return path.string();
    return std::nullopt;
}

}  // namespace

std::vector<std::string> filesOf(const std::string& source, const std::vector<std::string>& includeDirectories)
{
    std::vector<std::string> files{fs::absolute(source).lexically_normal().string()};
    for (size_t i = 0; i < files.size(); ++i) {
        std::vector<fs::path> folders{fs::path(files[i]).parent_path()};
        for (const std::string& folder : includeDirectories)
            folders.push_back(fs::absolute(folder));
        for (const std::string& name : includedBy(files[i]))
            if (const std::optional<std::string> found = findIn(folders, name);
                found && std::ranges::find(files, *found) == files.end())
                files.push_back(*found);
    }
    return files;
}

}  // namespace lanescope::cli
