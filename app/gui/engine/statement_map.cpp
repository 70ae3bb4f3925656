// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/engine/statement_map.h"

#include <algorithm>
#include <string>

namespace lanescope::gui {

namespace {

std::string trimmed(const std::string& bare)
{
    const size_t first = bare.find_first_not_of(" \t\r");
    const size_t last = bare.find_last_not_of(" \t\r");
    return first == std::string::npos ? std::string() : bare.substr(first, last - first + 1);
}

/// The line without comments, string contents and outer blanks. \p inComment carries over lines.
std::string bareLine(std::string_view line, bool& inComment)
{
    std::string bare;
    for (size_t i = 0; i < line.size(); ++i) {
        const std::string_view rest = line.substr(i);
        if (inComment) {
            inComment = !rest.starts_with("*/");
            i += inComment ? 0 : 1;
        } else if (rest.starts_with("/*")) {
            inComment = true;
            ++i;
        } else if (rest.starts_with("//")) {
            break;
        } else {
            bare += line[i];
        }
    }
    return trimmed(bare);
}

/// The same of Python's.
std::string barePythonLine(std::string_view line)
{
    std::string bare;
    char quote = 0;
    for (const char c : line) {
        if (quote == 0 && c == '#')
            break;
        if (quote == 0 && (c == '"' || c == '\''))
            quote = c;
        else if (c == quote)
            quote = 0;
        else if (quote == 0)
            bare += c;
    }
    return trimmed(bare);
}

bool startsControl(std::string_view bare)
{
    for (std::string_view word : {"for", "if", "while", "else", "switch", "do", "} else"})
        if (bare.starts_with(word))
            return true;
    return false;
}

int bracketBalance(std::string_view bare)
{
    int balance = 0;
    for (char c : bare)
        balance += (c == '(' || c == '[') ? 1 : (c == ')' || c == ']') ? -1 : 0;
    return balance;
}

/// A statement of Python's ends with its line, unless brackets are open.
std::vector<uint32_t> pythonStatements(std::string_view text)
{
    std::vector<uint32_t> firstLines;
    int balance = 0;
    bool goesOn = false;
    for (uint32_t line = 1; !text.empty(); ++line) {
        const size_t end = text.find('\n');
        const std::string bare = barePythonLine(text.substr(0, end));
        text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
        firstLines.push_back(goesOn ? firstLines.back() : line);
        balance = std::max(0, balance + bracketBalance(bare));
        goesOn = balance > 0 || bare.ends_with('\\');
    }
    return firstLines;
}

}  // namespace

StatementMap::StatementMap(std::string_view text, SourceLanguage language)
{
    if (language == SourceLanguage::Python) {
        m_first = pythonStatements(text);
        return;
    }
    bool inComment = false;
    bool open = false;  // the statement goes on in the next line
    bool control = false;
    int balance = 0;
    uint32_t first = 1;
    for (uint32_t line = 1; !text.empty(); ++line) {
        const size_t end = text.find('\n');
        const std::string bare = bareLine(text.substr(0, end), inComment);
        text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
        if (!open) {
            first = line;
            control = startsControl(bare);
            balance = 0;
        }
        m_first.push_back(first);
        balance += bracketBalance(bare);
        const bool preprocessor = bare.starts_with('#');
        const char last = bare.empty() ? '\0' : bare.back();
        const bool ends = bare.empty() ? !open
                                       : preprocessor || ((last == ';' || last == ':') && balance <= 0) ||
                                             last == '{' || last == '}' || (control && balance <= 0);
        open = !ends;
    }
}

uint32_t StatementMap::firstLine(uint32_t line) const
{
    return line >= 1 && line <= m_first.size() ? m_first[line - 1] : line;
}

uint32_t StatementMap::lastLine(uint32_t line) const
{
    const uint32_t first = firstLine(line);
    while (line < m_first.size() && m_first[line] == first)
        ++line;
    return line;
}

}  // namespace lanescope::gui
