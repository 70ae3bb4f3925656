// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/exercise/shelf.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <utility>

namespace lanescope::exercise {

namespace fs = std::filesystem;

namespace {

constexpr const char* kEnding = ".exercise";

fs::path folderOf(const std::string& gallery)
{
    return fs::path(gallery) / "exercises";
}

}  // namespace

std::vector<std::string> namesIn(const std::string& gallery)
{
    std::vector<std::string> names;
    std::error_code ignored;
    for (const fs::directory_entry& entry : fs::directory_iterator(folderOf(gallery), ignored))
        if (entry.path().extension() == kEnding)
            names.push_back(entry.path().stem().string());
    std::ranges::sort(names);
    return names;
}

Result<std::string> readText(const std::string& path)
{
    std::error_code ignored;
    if (!fs::is_regular_file(path, ignored))
        return Error{Error::Code::NotFound, "no such file", path};
    std::ifstream file(path, std::ios::binary);
    std::ostringstream text;
    text << file.rdbuf();
    if (file.bad())
        return Error{Error::Code::Io, "cannot be read", path};
    return std::move(text).str();
}

Result<Task> load(const std::string& gallery, const std::string& name)
{
    const bool isPath = name.ends_with(kEnding);
    const fs::path path = isPath ? fs::path(name) : folderOf(gallery) / (name + kEnding);
    std::error_code ignored;
    if (!fs::exists(path, ignored) && !isPath)
        return Error{Error::Code::NotFound,
                     fmt::format("no exercise \"{}\", expected one of {}, or the path of a *{} file", name,
                                 fmt::join(namesIn(gallery), ", "), kEnding),
                     {}};
    const Result<std::string> text = readText(path.string());
    if (!text)
        return text.error();
    Result<Exercise> exercise = parse(text.value(), path.stem().string());
    if (!exercise)
        return exercise.error();
    fs::path program = path.parent_path() / exercise.value().program;
    if (!fs::exists(program, ignored))
        program = fs::path(gallery) / exercise.value().program;
    const Result<std::string> code = readText(program.string());
    if (!code)
        return code.error();
    Result<Sheet> sheet = Sheet::of(exercise.value(), code.value());
    if (!sheet)
        return sheet.error();
    return Task{std::move(exercise).value(), std::move(sheet).value()};
}

}  // namespace lanescope::exercise
