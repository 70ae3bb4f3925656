// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "instrumented/driver/link_ptx.h"

#include <algorithm>
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

/// Adds \p more to the number of a file behind each \p word in \p line; returns the largest number there is then.
unsigned long renumber(std::string& line, const std::string& word, unsigned long more)
{
    unsigned long largest = 0;
    for (size_t at = line.find(word); at != std::string::npos; at = line.find(word, at + 1)) {
        const size_t begin = line.find_first_not_of(" \t", at + word.size());
        if (begin == at + word.size() || begin == std::string::npos || line[begin] < '0' || line[begin] > '9')
            continue;
        const size_t end = line.find_first_not_of("0123456789", begin);
        const unsigned long number = std::stoul(line.substr(begin, std::min<size_t>(end - begin, 9))) + more;
        line.replace(begin, end - begin, std::to_string(number));
        largest = std::max(largest, number);
    }
    return largest;
}

}  // namespace

std::string linkPtx(const std::vector<std::string>& modules)
{
    std::string linked;
    unsigned long files = 0;
    for (const std::string& module : modules) {
        const bool isFirst = linked.empty();
        unsigned long largest = files;
        std::istringstream lines(module);
        for (std::string line; std::getline(lines, line);) {
            if (!isFirst && isHeader(line))
                continue;
            for (const char* word : {".file", ".loc", "inlined_at"})
                largest = std::max(largest, renumber(line, word, files));
            linked += line + '\n';
        }
        files = largest;
    }
    return linked;
}

}  // namespace lanescope::driver
