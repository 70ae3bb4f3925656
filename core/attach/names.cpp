// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/attach/names.h"

#include <algorithm>
#include <array>
#include <cctype>

namespace lanescope::attach {

using trace::ScalarKind;
using trace::ValueType;

namespace {

std::string_view trimmed(std::string_view text)
{
    while (!text.empty() && std::isspace(static_cast<unsigned char>(text.front())))
        text.remove_prefix(1);
    while (!text.empty() && std::isspace(static_cast<unsigned char>(text.back())))
        text.remove_suffix(1);
    return text;
}

bool isOfName(char c)
{
    return std::isalnum(static_cast<unsigned char>(c)) || c == '_';
}

/// Of a list in brackets of any kind: its parts at commas that lie in no further brackets. \p open: where the list's
/// bracket is. Nothing when it is not closed.
std::optional<std::vector<std::string_view>> listAt(std::string_view text, size_t open)
{
    std::vector<std::string_view> parts;
    int depth = 0;
    size_t begin = open + 1;
    for (size_t i = open; i < text.size(); ++i) {
        const char c = text[i];
        if (c == '(' || c == '<' || c == '[' || c == '{')
            ++depth;
        else if (c == ')' || c == '>' || c == ']' || c == '}')
            --depth;
        if ((c == ',' && depth == 1) || depth == 0) {
            if (const std::string_view part = trimmed(text.substr(begin, i - begin)); !part.empty())
                parts.push_back(part);
            begin = i + 1;
        }
        if (depth == 0)
            return parts;
    }
    return std::nullopt;
}

/// Where the parameters of "void ns::matmul<int>(float const*)" begin: the last list in round brackets.
size_t parametersAt(std::string_view demangled)
{
    int depth = 0;
    for (size_t i = demangled.size(); i-- > 0;) {
        depth += demangled[i] == ')';
        depth -= demangled[i] == '(';
        if (depth == 0 && demangled[i] == '(')
            return i;
    }
    return std::string_view::npos;
}

}  // namespace

std::string plainName(const std::string& demangled)
{
    std::string_view name = std::string_view(demangled).substr(0, parametersAt(demangled));
    if (name.ends_with('>')) {
        int depth = 0;
        size_t i = name.size();
        do {
            --i;
            depth += name[i] == '>';
            depth -= name[i] == '<';
        } while (i > 0 && depth > 0);
        name = name.substr(0, i);
    }
    size_t begin = name.size();
    while (begin > 0 && isOfName(name[begin - 1]))
        --begin;
    return std::string(name.substr(begin));
}

std::vector<std::string> parameterTypes(const std::string& demangled)
{
    std::vector<std::string> types;
    const size_t open = parametersAt(demangled);
    if (open == std::string::npos)
        return types;
    if (const auto parts = listAt(demangled, open))
        types.assign(parts->begin(), parts->end());
    return types;
}

std::optional<ValueType> scalarNamed(std::string_view name)
{
    struct Known {
        std::string_view name;
        ScalarKind kind;
        uint32_t bytes;
    };
    static constexpr std::array<Known, 18> kKnown{{{"float", ScalarKind::Float, 4},
                                                   {"double", ScalarKind::Float, 8},
                                                   {"__half", ScalarKind::Float, 2},
                                                   {"int", ScalarKind::Signed, 4},
                                                   {"unsigned int", ScalarKind::Unsigned, 4},
                                                   {"long", ScalarKind::Signed, 8},
                                                   {"unsigned long", ScalarKind::Unsigned, 8},
                                                   {"long long", ScalarKind::Signed, 8},
                                                   {"unsigned long long", ScalarKind::Unsigned, 8},
                                                   {"short", ScalarKind::Signed, 2},
                                                   {"unsigned short", ScalarKind::Unsigned, 2},
                                                   {"char", ScalarKind::Char, 1},
                                                   {"signed char", ScalarKind::Signed, 1},
                                                   {"unsigned char", ScalarKind::Unsigned, 1},
                                                   {"bool", ScalarKind::Bool, 1},
                                                   {"uint", ScalarKind::Unsigned, 4},
                                                   {"uchar", ScalarKind::Unsigned, 1},
                                                   {"ushort", ScalarKind::Unsigned, 2}}};
    const auto find = [](std::string_view text) { return std::ranges::find(kKnown, text, &Known::name); };
    if (const auto* known = find(name); known != kKnown.end())
        return ValueType{known->kind, known->bytes, 1, std::string(name)};
    // float4, uint2, …
    if (name.empty() || name.back() < '2' || name.back() > '4')
        return std::nullopt;
    if (const auto* known = find(name.substr(0, name.size() - 1)); known != kKnown.end())
        return ValueType{known->kind, known->bytes, static_cast<uint32_t>(name.back() - '0'), std::string(name)};
    return std::nullopt;
}

std::optional<ValueType> pointeeOf(const std::string& type)
{
    std::string_view rest = trimmed(type);
    const auto drop = [&](std::string_view end) {
        if (!rest.ends_with(end))
            return false;
        rest = trimmed(rest.substr(0, rest.size() - end.size()));
        return true;
    };
    while (drop("const") || drop("__restrict__") || drop("volatile")) {
    }
    if (!drop("*"))
        return std::nullopt;
    while (drop("const") || drop("volatile")) {
    }
    return scalarNamed(rest);
}

std::vector<std::string> parameterNames(const std::string& source, const std::string& name, size_t count)
{
    for (size_t at = source.find(name); at != std::string::npos; at = source.find(name, at + 1)) {
        size_t open = at + name.size();
        if (name.empty() || (at > 0 && isOfName(source[at - 1])))
            continue;
        while (open < source.size() && std::isspace(static_cast<unsigned char>(source[open])))
            ++open;
        if (open >= source.size() || source[open] != '(')
            continue;
        const auto parts = listAt(source, open);
        if (!parts || parts->size() != count)
            continue;
        std::vector<std::string> names;
        for (std::string_view part : *parts) {
            part = trimmed(part.substr(0, part.find('=')));
            while (part.ends_with(']'))
                part = trimmed(part.substr(0, std::min(part.rfind('['), part.size() - 1)));
            size_t begin = part.size();
            while (begin > 0 && isOfName(part[begin - 1]))
                --begin;
            // A type comes before a parameter's name; an argument of a call stands alone.
            if (begin > 0 && begin < part.size() && trimmed(part.substr(0, begin)).size() > 0)
                names.emplace_back(part.substr(begin));
        }
        if (names.size() == count)
            return names;
    }
    return {};
}

}  // namespace lanescope::attach
