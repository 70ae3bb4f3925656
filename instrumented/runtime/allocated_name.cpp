// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "instrumented/runtime/allocated_name.h"

#include <fstream>
#include <regex>

namespace lanescope::runtime {

namespace {

/// \p call: a line of source, from the call on.
std::string firstArgument(const std::string& call)
{
    // A call that allocates, casts, the address of a variable, member or element.
    static const std::regex kCall(
        R"(\bcuda(?:Malloc|Host)\w*\s*(?:<[^<>]*>)?\s*\(\s*(?:\(\s*\w+\s*\*\s*\*\s*\)\s*|reinterpret_cast\s*<[^<>]*>\s*\(\s*)*&\s*([A-Za-z_][\w.\[\]>-]*))");
    std::smatch found;
    return std::regex_search(call, found, kCall) ? found[1].str() : std::string();
}

}  // namespace

std::string allocatedNameAt(const simt::CodePlace& place)
{
    std::ifstream source(place.file);
    std::string line;
    for (uint32_t number = 0; number < place.line; ++number)
        if (!std::getline(source, line))
            return "";
    const bool isKnown = place.line != 0 && place.column != 0 && place.column <= line.size();
    return isKnown ? firstArgument(line.substr(place.column - 1)) : std::string();
}

}  // namespace lanescope::runtime
