// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "instrumented/compiler/diagnostics.h"

#include <algorithm>
#include <sstream>

namespace lanescope::compiler {

namespace {

bool isCountLine(const std::string& line)
{
    return line.find(" generated") != std::string::npos && !line.empty() && line[0] >= '0' && line[0] <= '9';
}

bool startsMessage(const std::string& line)
{
    return line.find(": error: ") != std::string::npos || line.find(": warning: ") != std::string::npos ||
           line.find(": fatal error: ") != std::string::npos || line.rfind("error: ", 0) == 0;
}

/// One element per message: its include stack, its line, its source excerpt and notes.
std::vector<std::string> split(const std::string& text)
{
    std::vector<std::string> messages;
    std::istringstream lines(text);
    bool inIncludeStack = false;
    for (std::string line; std::getline(lines, line);) {
        if (isCountLine(line))
            continue;
        const bool includeLine = line.rfind("In file included from", 0) == 0;
        if (messages.empty() || (!inIncludeStack && (includeLine || startsMessage(line))))
            messages.emplace_back();
        inIncludeStack = includeLine;
        messages.back() += line + '\n';
    }
    return messages;
}

}  // namespace

std::string mergeDiagnostics(const std::string& first, const std::string& second)
{
    std::vector<std::string> messages = split(first);
    for (std::string& message : split(second))
        if (std::find(messages.begin(), messages.end(), message) == messages.end())
            messages.push_back(std::move(message));
    std::string text;
    for (const std::string& message : messages)
        text += message;
    return text;
}

}  // namespace lanescope::compiler
