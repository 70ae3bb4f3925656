// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "instrumented/driver/link_ptx.h"

#include <sstream>

namespace lanescope::driver {

namespace {

bool isHeader(const std::string& line)
{
    const size_t start = line.find_first_not_of(" \t");
    if (start == std::string::npos)
        return false;
    for (const char* directive : {".version", ".target", ".address_size"})
        if (line.compare(start, std::char_traits<char>::length(directive), directive) == 0)
            return true;
    return false;
}

}  // namespace

std::string linkPtx(const std::vector<std::string>& modules)
{
    std::string linked;
    for (const std::string& module : modules) {
        if (linked.empty()) {
            linked = module;
            continue;
        }
        linked += '\n';
        std::istringstream lines(module);
        for (std::string line; std::getline(lines, line);)
            if (!isHeader(line))
                linked += line + '\n';
    }
    return linked;
}

}  // namespace lanescope::driver
