// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/simt/ptx/parameter_names.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <llvm/Demangle/Demangle.h>

namespace lanescope::simt {
namespace {

/// The parameter that a register holds: which was loaded into it, or into what it is a copy of.
std::string parameterIn(const PtxText& body, const std::string& wanted, int depth = 0)
{
    constexpr int kDeepest = 8;
    for (const PtxStatement& each : body.statements) {
        if (depth > kDeepest || !each.label.empty() || each.operands.size() != 2 || each.operands[0].name != wanted)
            continue;
        const std::string& opcode = each.opcode.front();
        if (opcode == "ld" && each.opcode.size() > 1 && each.opcode[1].starts_with("param"))
            return each.operands[1].name;
        if (opcode == "cvta" || opcode == "mov")
            return parameterIn(body, each.operands[1].name, depth + 1);
    }
    return {};
}

/// The entry's parameter that a variable is; npos: none that is told.
size_t indexOf(const PtxFunction& entry, const PtxSourceVariable& variable)
{
    for (const PtxSourceVariable::Place& place : variable.places) {
        const std::string name = place.name.starts_with('%') ? parameterIn(entry.body, place.name) : place.name;
        const auto found = std::ranges::find(entry.parameters, name, &PtxVariable::name);
        if (found != entry.parameters.end())
            return static_cast<size_t>(found - entry.parameters.begin());
    }
    return std::string::npos;
}

}  // namespace

std::vector<const PtxSourceVariable*> parametersOf(const PtxFunction& entry, const PtxDebugInfo& info)
{
    const PtxSourceFunction* function = info.find(entry.name);
    if (!function)
        return {};
    std::vector<const PtxSourceVariable*> all;
    std::vector<const PtxSourceVariable*> placed(entry.parameters.size());
    for (const PtxSourceVariable& variable : function->variables) {
        if (!variable.isParameter)
            continue;
        all.push_back(&variable);
        if (const size_t index = indexOf(entry, variable); index != std::string::npos)
            placed[index] = &variable;
    }
    if (all.size() == entry.parameters.size())
        return all;
    const bool isAnyPlaced = std::ranges::any_of(placed, [](const auto* each) { return each != nullptr; });
    return isAnyPlaced ? placed : std::vector<const PtxSourceVariable*>{};
}

namespace {

constexpr size_t kLongestDefinition = 8192;

/// Behind the bracket that closes the one at \p at; npos: there is none.
size_t behindBracket(const std::string& text, size_t at)
{
    int depth = 0;
    for (; at < text.size(); ++at) {
        if (text[at] == '(' || text[at] == '[' || text[at] == '{')
            ++depth;
        if ((text[at] == ')' || text[at] == ']' || text[at] == '}') && --depth == 0)
            return at + 1;
    }
    return std::string::npos;
}

bool isLetter(char c)
{
    return std::isalnum(static_cast<unsigned char>(c)) || c == '_';
}

/// "const T* __restrict__ a[3] = x" is a.
std::string nameInC(const std::string& parameter)
{
    size_t last = std::min(parameter.find_first_of("=["), parameter.size());
    while (last > 0 && !isLetter(parameter[last - 1]))
        --last;
    size_t first = last;
    while (first > 0 && isLetter(parameter[first - 1]))
        --first;
    return parameter.substr(first, last - first);
}

/// "mut a: T = x" is a; "" for what is no parameter of a launch.
std::string nameOf(const std::string& parameter)
{
    const size_t end = std::min(parameter.find_first_of(":="), parameter.size());
    if (parameter.find("constexpr") != std::string::npos || parameter.find('*') < end)
        return {};
    size_t last = end;
    while (last > 0 && !isLetter(parameter[last - 1]))
        --last;
    size_t first = last;
    while (first > 0 && isLetter(parameter[first - 1]))
        --first;
    return parameter.substr(first, last - first);
}

std::string withoutComments(const std::string& text)
{
    std::string result;
    bool isComment = false;
    for (const char c : text) {
        isComment = c == '#' || (isComment && c != '\n');
        if (!isComment)
            result += c;
    }
    return result;
}

}  // namespace

std::vector<std::string> namesInDefinition(const std::string& definition)
{
    const bool isC = !definition.starts_with("def ") && !definition.starts_with("fn ");
    const std::string text = isC ? definition : withoutComments(definition);
    size_t at = text.find_first_of(isC ? "(" : "([");
    if (at != std::string::npos && text[at] == '[')
        at = behindBracket(text, at);
    if (at != std::string::npos)
        at = text.find('(', at);
    if (at == std::string::npos)
        return {};
    const size_t end = behindBracket(text, at);
    if (end == std::string::npos)
        return {};
    std::vector<std::string> names;
    const auto add = [&](size_t first, size_t last) {
        const std::string parameter = text.substr(first, last - first);
        if (std::string name = isC ? nameInC(parameter) : nameOf(parameter); !name.empty())
            names.push_back(std::move(name));
    };
    size_t first = at + 1;
    for (size_t i = first; i < end - 1; ++i) {
        if (text[i] == '(' || text[i] == '[' || text[i] == '{') {
            i = behindBracket(text, i);
            if (i == std::string::npos || i >= end)
                return {};
            --i;
        } else if (text[i] == ',') {
            add(first, i);
            first = i + 1;
        }
    }
    add(first, end - 1);
    return names;
}

namespace {

/// Where in a line a definition of the function begins; npos: it does not.
size_t definitionIn(const std::string& line, const std::string& function, bool isC)
{
    if (isC) {
        const size_t at = line.find(function + "(");
        return at != std::string::npos && (at == 0 || !isLetter(line[at - 1])) ? at : std::string::npos;
    }
    const size_t begin = std::min(line.find_first_not_of(" \t"), line.size());
    const bool isDefinition = line.compare(begin, 4, "def ") == 0 || line.compare(begin, 3, "fn ") == 0;
    return isDefinition ? begin : std::string::npos;
}

}  // namespace

std::vector<std::string> namesOfParts(const std::vector<std::string>& names, const std::string& demangled)
{
    const size_t begin = demangled.rfind("](") == std::string::npos ? demangled.find('(') : demangled.rfind("](") + 1;
    if (begin == std::string::npos || !demangled.ends_with(')'))
        return {};
    std::vector<std::string> types;
    int depth = 0;
    size_t first = begin + 1;
    for (size_t i = first; i < demangled.size(); ++i) {
        const bool isLast = i + 1 == demangled.size();
        depth += demangled[i] == '<' ? 1 : demangled[i] == '>' ? -1 : 0;
        if (isLast || (depth == 0 && demangled[i] == ',')) {
            const size_t start = demangled.find_first_not_of(' ', first);
            types.push_back(demangled.substr(std::min(start, i), i - std::min(start, i)));
            first = i + 1;
        }
    }
    if (types.size() != names.size())
        return {};
    std::vector<std::string> parts;
    for (size_t i = 0; i < types.size(); ++i) {
        if (!types[i].starts_with("Array<")) {
            parts.push_back(names[i]);
            continue;
        }
        const size_t comma = types[i].find(", ");
        const int rank = comma == std::string::npos ? 0 : std::atoi(types[i].c_str() + comma + 2);
        for (const char* part : {".meminfo", ".parent", ".nitems", ".itemsize", ""})
            parts.push_back(names[i] + part);
        for (const char* part : {".shape", ".strides"})
            for (int k = 0; k < std::min(rank, 32); ++k)
                parts.push_back(names[i] + part + "[" + std::to_string(k) + "]");
    }
    return parts;
}

std::vector<std::string> namesInSource(const llvm::DISubprogram& function, size_t count)
{
    constexpr size_t kTritonsOwn = 2;
    constexpr uint32_t kMostBefore = 20;  // decorators, and a body whose first lines have no code
    const llvm::DIFile* file = function.getFile();
    const std::filesystem::path path = std::filesystem::path(file->getDirectory().str()) / file->getFilename().str();
    const bool isC = path.extension() == ".cu" || path.extension() == ".cuh" || path.extension() == ".cpp";
    if (!isC && path.extension() != ".py" && path.extension() != ".mojo")
        return {};
    std::ifstream stream(path);
    std::string line, text;
    for (uint32_t number = 1; std::getline(stream, line) && text.size() < kLongestDefinition; ++number) {
        if (text.empty() && number >= function.getLine() + kMostBefore)
            return {};
        if (number < function.getLine())
            continue;
        const size_t begin = text.empty() ? definitionIn(line, function.getName().str(), isC) : 0;
        if (begin != std::string::npos)
            text += line.substr(begin) + "\n";
    }
    std::vector<std::string> names = namesInDefinition(text);
    if (std::vector<std::string> parts = namesOfParts(names, llvm::demangle(function.getLinkageName().str()));
        parts.size() == count)
        return parts;
    if (names.size() != count && (isC || names.size() + kTritonsOwn != count))
        return {};
    return names;
}

}  // namespace lanescope::simt
