// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/exercise/sheet.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace lanescope::exercise {

namespace {

constexpr std::string_view kBegin = "// >>> your code, exercise ";
constexpr std::string_view kEnd = "// <<< your code";

/// Each with its line feed, the last one with one, too.
std::vector<std::string> linesOf(const std::string& text)
{
    std::vector<std::string> lines;
    for (size_t at = 0; at < text.size();) {
        const size_t end = text.find('\n', at);
        lines.push_back(text.substr(at, end == std::string::npos ? end : end - at) + '\n');
        at = end == std::string::npos ? text.size() : end + 1;
    }
    return lines;
}

std::string joined(const std::vector<std::string>& lines, size_t first, size_t last)
{
    std::string text;
    for (size_t i = first; i < last; ++i)
        text += lines[i];
    return text;
}

size_t findLine(const std::vector<std::string>& lines, size_t first, std::string_view part)
{
    while (first < lines.size() && lines[first].find(part) == std::string::npos)
        ++first;
    return first;
}

std::string indentOf(const std::string& line)
{
    return line.substr(0, std::min(line.find_first_not_of(" \t"), line.size()));
}

/// The number of lines that the program's first comment takes.
size_t firstCommentOf(const std::vector<std::string>& lines)
{
    size_t count = 0;
    while (count < lines.size() && lines[count].starts_with("//"))
        ++count;
    return count;
}

std::string headOf(const Exercise& exercise)
{
    return fmt::format("// {}: {}.\n// {}.\n// Write between the marks; everything else stays as it is.\n",
                       exercise.isRepair ? "A repair" : "A puzzle", exercise.title, exercise.summary);
}

}  // namespace

Result<Sheet> Sheet::of(const Exercise& exercise, const std::string& program)
{
    const std::vector<std::string> lines = linesOf(program);
    const size_t first = findLine(lines, 0, exercise.from);
    const size_t last = findLine(lines, first, exercise.to);
    if (last >= lines.size())
        return Error{Error::Code::BadInput,
                     fmt::format("{} has no lines from \"{}\" to \"{}\"", exercise.program, exercise.from, exercise.to),
                     exercise.name};
    const std::string indent = indentOf(lines[first]);
    Sheet sheet;
    sheet.m_before = headOf(exercise) + joined(lines, firstCommentOf(lines), first) + indent + std::string(kBegin) +
                     exercise.name + '\n';
    sheet.m_after = indent + std::string(kEnd) + '\n' + joined(lines, last + 1, lines.size());
    sheet.m_start = exercise.start.code;
    sheet.m_solution = exercise.solution.empty() ? joined(lines, first, last + 1) : exercise.solution;
    return sheet;
}

std::string Sheet::with(const std::string& code) const
{
    return m_before + code + (code.empty() || code.ends_with('\n') ? "" : "\n") + m_after;
}

Result<std::string> Sheet::codeOf(const std::string& file) const
{
    const std::vector<std::string> lines = linesOf(file);
    const std::vector<std::string> before = linesOf(m_before);
    const std::vector<std::string> after = linesOf(m_after);
    const auto changed = [](size_t line, const std::string& found, const std::string& expected) {
        return Error{Error::Code::BadInput,
                     fmt::format("line {} is outside the hole and was changed: found \"{}\", expected \"{}\"", line + 1,
                                 found.substr(0, found.find('\n')), expected.substr(0, expected.find('\n'))),
                     {}};
    };
    for (size_t i = 0; i < before.size(); ++i)
        if (i >= lines.size() || lines[i] != before[i])
            return changed(i, i < lines.size() ? lines[i] : "", before[i]);
    const size_t end = std::max(before.size(), lines.size() - std::min(lines.size(), after.size()));
    for (size_t i = 0; i < after.size(); ++i) {
        // From the end, since the hole is of any length.
        const size_t at = end + after.size() - 1 - i;
        const std::string& wanted = after[after.size() - 1 - i];
        if (at >= lines.size() || lines[at] != wanted)
            return changed(at, at < lines.size() ? lines[at] : "", wanted);
    }
    return joined(lines, before.size(), end);
}

std::optional<std::string> exerciseNamedIn(const std::string& file)
{
    const size_t mark = file.find(kBegin);
    if (mark == std::string::npos)
        return std::nullopt;
    const size_t name = mark + kBegin.size();
    return file.substr(name, file.find_first_of(" \r\n", name) - name);
}

std::optional<HoleLines> holeLinesOf(const std::string& file)
{
    const std::vector<std::string> lines = linesOf(file);
    const size_t begin = findLine(lines, 0, kBegin);
    const size_t end = findLine(lines, begin, kEnd);
    if (end >= lines.size())
        return std::nullopt;
    return HoleLines{static_cast<uint32_t>(begin) + 2, static_cast<uint32_t>(end)};
}

}  // namespace lanescope::exercise
