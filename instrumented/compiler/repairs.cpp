// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "instrumented/compiler/repairs.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <optional>
#include <sstream>
#include <string_view>
#include <tuple>
#include <vector>

#include "instrumented/compiler/cache.h"

namespace lanescope::compiler {

namespace {

/// Line and column count from 1, columns in bytes.
struct Complaint {
    std::string file;
    size_t line = 0;
    size_t column = 0;
    std::string message;
    std::string marks;  ///< what clang draws below the line: '^' at the column, '~' below the operands
    std::string notes;  ///< all that follows, up to the next complaint
};

/// "    7 |   q = p + 4;" and the line after it, which draws below: "      |       ~ ^"
std::string marksBelow(std::string_view source, std::string_view marks)
{
    const size_t bar = source.find(" | ");
    const bool drawn = bar != std::string_view::npos && marks.size() > bar + 3 && marks.substr(bar, 3) == " | " &&
                       marks.find_first_not_of(' ') == bar + 1;
    return drawn ? std::string(marks.substr(bar + 3)) : std::string();
}

/// "file:line:column: error: message"
std::optional<Complaint> complaintOf(const std::string& text)
{
    constexpr std::string_view kError = ": error: ";
    const size_t error = text.find(kError);
    if (error == std::string::npos || error == 0)
        return std::nullopt;
    const size_t column = text.rfind(':', error - 1);
    const size_t line = column == std::string::npos || column == 0 ? column : text.rfind(':', column - 1);
    if (column == std::string::npos || line == std::string::npos)
        return std::nullopt;
    Complaint complaint;
    complaint.file = text.substr(0, line);
    complaint.line = std::strtoul(text.c_str() + line + 1, nullptr, 10);
    complaint.column = std::strtoul(text.c_str() + column + 1, nullptr, 10);
    complaint.message = text.substr(error + kError.size());
    if (complaint.line == 0 || complaint.column == 0)
        return std::nullopt;
    return complaint;
}

/// "__shared__ alignas(16) float a[4];": clang wants alignas first, and its _Alignas anywhere.
bool repairAlignas(std::string& text, const Complaint&, size_t place, size_t)
{
    constexpr std::string_view kWord = "alignas";
    if (text.compare(place, kWord.size(), kWord) != 0)
        return false;
    text.replace(place, kWord.size(), "_Alignas");
    return true;
}

/// asm("mov.u32 %0, %smid;" : …): clang wants %%smid. The column is that of the '%' or a little behind.
bool repairRegister(std::string& text, const Complaint&, size_t place, size_t lineBegin)
{
    const size_t percent = text.rfind('%', place);
    if (percent == std::string::npos || percent < lineBegin)
        return false;
    text.insert(percent, 1, '%');
    return true;
}

/// "p + 4", "p += 4" with a void* p: nvcc counts in bytes. The operand is underlined.
bool repairVoidArithmetic(std::string& text, const Complaint& complaint, size_t place, size_t lineBegin)
{
    const std::string& marks = complaint.marks;
    const size_t column = complaint.column - 1;
    const size_t last = column == 0 ? std::string::npos : marks.find_last_not_of(' ', column - 1);
    if (last == std::string::npos || marks[last] != '~' || (text[place] != '+' && text[place] != '-'))
        return false;
    const size_t before = marks.find_last_not_of('~', last);
    const size_t first = before == std::string::npos ? 0 : before + 1;
    const bool assigns = text.compare(place + 1, 1, "=") == 0;
    text.insert(lineBegin + last + 1, 1, ')');
    text.insert(lineBegin + first, std::string(assigns ? "(char*&)(" : "(char*)("));
    return true;
}

/// Where the `>>>` of the `<<<` at \p open is; npos when there is none.
size_t endOfConfiguration(const std::string& text, size_t open)
{
    int depth = 0;
    for (size_t at = open + 3; at < text.size(); ++at) {
        if (text[at] == '(' || text[at] == '{' || text[at] == '[')
            ++depth;
        else if (text[at] == ')' || text[at] == '}' || text[at] == ']')
            --depth;
        else if (depth == 0 && text.compare(at, 3, ">>>") == 0)
            return at;
        else if (text[at] == ';')
            break;
    }
    return std::string::npos;
}

/// "name<<<grid, block>>>(…)" in device code: "::lanescope::child<name>(grid, block)(…)". See child_launch.h.
bool repairChildLaunch(std::string& text, const Complaint&, size_t place, size_t)
{
    const size_t open = text.find("<<<", place);
    if (open == std::string::npos || text.substr(place, open - place).find_first_of(";(){}") != std::string::npos)
        return false;
    const size_t close = endOfConfiguration(text, open);
    if (close == std::string::npos)
        return false;
    const auto isName = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == ':'; };
    size_t begin = place;
    while (begin > 0 && isName(text[begin - 1]))
        --begin;
    text.replace(close, 3, ")");
    text.replace(open, 3, " >(");
    text.insert(begin, "::lanescope::child<");
    return true;
}

/// A name that stands for several kernels, or for a template of them, has no candidate that device code may call.
bool repairChildTemplate(std::string& text, const Complaint& complaint, size_t place, size_t lineBegin)
{
    return complaint.notes.find("call to __global__ function from") != std::string::npos &&
           repairChildLaunch(text, complaint, place, lineBegin);
}

/// "k << <1, 32 >> > (p);", as some editors format it: the three belong together. Columns stay.
bool repairSplitLaunch(std::string& text, const Complaint&, size_t place, size_t lineBegin)
{
    const char bracket = text[place];
    const size_t pair = place == 0 ? std::string::npos : text.find_last_not_of(" \t", place - 1);
    if ((bracket != '<' && bracket != '>') || pair == std::string::npos || pair <= lineBegin || text[pair] != bracket ||
        text[pair - 1] != bracket)
        return false;
    text.replace(pair - 1, place - pair + 2, std::string(place - pair - 1, ' ') + std::string(3, bracket));
    return true;
}

/// "T::R<int>" where T is a template's: nvcc knows from what follows that R is a template.
bool repairDependentTemplate(std::string& text, const Complaint&, size_t place, size_t)
{
    text.insert(place, "template ");
    return true;
}

/// "Wrap<T>::cast<n>(x)", seen when T is known: clang took the '<' to compare. The name is underlined up to it.
bool repairDependentCall(std::string& text, const Complaint& complaint, size_t place, size_t lineBegin)
{
    const std::string& marks = complaint.marks;
    const size_t column = complaint.column - 1;
    const size_t drawn = marks.find_first_not_of('~', column + 1);
    const size_t end = lineBegin + std::min(drawn, marks.size());
    const size_t qualifier = end > text.size() ? std::string::npos : text.rfind("::", end);
    if (qualifier == std::string::npos || qualifier < place ||
        text.find_first_not_of(" \t", end) != text.find('<', end))
        return false;
    text.insert(qualifier + 2, "template ");
    return true;
}

/// "data" with "using namespace std": there is a std::data since C++17, which nvcc's older standards have not.
bool repairNewName(std::string& text, const Complaint& complaint, size_t place, size_t)
{
    const size_t begin = complaint.message.find('\'') + 1;
    const std::string name = complaint.message.substr(begin, complaint.message.find('\'', begin) - begin);
    const auto isCandidate = [&](const std::string& candidate) {
        return complaint.notes.find("candidate found by name lookup is '" + candidate + "'") != std::string::npos;
    };
    if (text.compare(place, name.size(), name) != 0 || !isCandidate(name) || !isCandidate("std::" + name))
        return false;
    text.insert(place, "::");
    return true;
}

/// asm("…" : "=r"(a) "=r"(b)): nvcc takes operands without the comma between them.
bool repairAsmOperands(std::string& text, const Complaint&, size_t place, size_t)
{
    const size_t before = place == 0 ? std::string::npos : text.find_last_not_of(" \t\r\n", place - 1);
    const size_t statement = text.rfind("asm", place);
    if (text[place] != '"' || before == std::string::npos || text[before] != ')' || statement == std::string::npos ||
        text.substr(statement, place - statement).find(");") != std::string::npos)
        return false;
    text.insert(before + 1, 1, ',');
    return true;
}

struct Repair {
    std::string_view message;
    /// Changes the text at \p place, in the line from \p lineBegin on; false when it finds something else there.
    bool (*change)(std::string& text, const Complaint& complaint, size_t place, size_t lineBegin);
};
constexpr Repair kRepairs[] = {{"an attribute list cannot appear here", repairAlignas},
                               {"'alignas' attribute cannot be applied to types", repairAlignas},
                               {"invalid % escape in inline assembly string", repairRegister},
                               {"arithmetic on a pointer to void", repairVoidArithmetic},
                               {"expected expression", repairSplitLaunch},
                               {"expected ')'", repairAsmOperands},
                               {"use 'template' keyword to treat", repairDependentTemplate},
                               {"missing 'template' keyword prior to dependent", repairDependentTemplate},
                               {"reference to overloaded function could not be resolved", repairDependentCall},
                               {"reference to '", repairNewName},
                               {"reference to __global__ function", repairChildLaunch},
                               {"no matching function for call to", repairChildTemplate}};

std::optional<size_t> beginOfLine(const std::string& text, size_t line)
{
    size_t begin = 0;
    for (; line > 1; --line) {
        begin = text.find('\n', begin);
        if (begin == std::string::npos)
            return std::nullopt;
        ++begin;
    }
    return begin;
}

/// As far as it is repaired; empty when it cannot be read.
std::string textOf(const std::string& file, const RepairedFiles& files)
{
    if (const auto taken = files.find(file); taken != files.end())
        return taken->second;
    Result<std::string> original = readFile(file);
    return original ? std::move(original.value()) : std::string();
}

bool apply(const Complaint& complaint, RepairedFiles& files)
{
    const auto* known = std::find_if(std::begin(kRepairs), std::end(kRepairs), [&](const Repair& candidate) {
        return complaint.message.rfind(candidate.message, 0) == 0;
    });
    if (known == std::end(kRepairs))
        return false;
    std::string text = textOf(complaint.file, files);
    const std::optional<size_t> begin = beginOfLine(text, complaint.line);
    if (!begin || *begin + complaint.column - 1 >= text.size())
        return false;
    if (!known->change(text, complaint, *begin + complaint.column - 1, *begin))
        return false;
    files[complaint.file] = std::move(text);
    return true;
}

}  // namespace

bool repair(const std::string& messages, RepairedFiles& files)
{
    std::vector<std::string> lines;
    std::istringstream text(messages);
    for (std::string line; std::getline(text, line);)
        lines.push_back(std::move(line));
    std::vector<Complaint> complaints;
    for (size_t i = 0; i < lines.size(); ++i)
        if (std::optional<Complaint> complaint = complaintOf(lines[i])) {
            if (i + 2 < lines.size())
                complaint->marks = marksBelow(lines[i + 1], lines[i + 2]);
            complaints.push_back(std::move(*complaint));
        } else if (!complaints.empty()) {
            complaints.back().notes += lines[i] + '\n';
        }
    // From the end of each line on, so that columns stay right; both sides may complain of one place.
    const auto place = [](const Complaint& c) { return std::tie(c.file, c.line, c.column); };
    std::sort(complaints.begin(), complaints.end(),
              [&](const Complaint& a, const Complaint& b) { return place(b) < place(a); });
    complaints.erase(std::unique(complaints.begin(), complaints.end(),
                                 [&](const Complaint& a, const Complaint& b) { return place(a) == place(b); }),
                     complaints.end());
    bool changed = false;
    for (const Complaint& complaint : complaints)
        changed |= apply(complaint, files);
    return changed;
}

bool leaveOut(const std::string& place, RepairedFiles& files)
{
    const std::optional<Complaint> at = complaintOf(place.substr(0, place.find(": ")) + ": error: ");
    std::string text = at ? textOf(at->file, files) : std::string();
    const std::optional<size_t> begin = text.empty() ? std::nullopt : beginOfLine(text, at->line);
    const size_t end = begin ? std::min(text.find('\n', *begin), text.size()) : 0;
    if (!begin || *begin == end)
        return false;
    text.erase(*begin, end - *begin);
    files[at->file] = std::move(text);
    return true;
}

}  // namespace lanescope::compiler
