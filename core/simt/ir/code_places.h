// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Source places of code addresses in a host program, from its debug information.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace lanescope::simt {

struct CodePlace {
    std::string function;  ///< demangled
    std::string file;      ///< as given to the compiler
    uint32_t line = 0;     ///< 1-based; 0 when unknown
    uint32_t column = 0;
};

/// What is at \p offset (bytes from the load address) of \p executable: the innermost inlined function first. Empty
/// when nothing is known. The first call reads the debug information, some milliseconds.
std::vector<CodePlace> codePlacesOf(const std::string& executable, uint64_t offset);

}  // namespace lanescope::simt
