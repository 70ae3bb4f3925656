// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// printf on the device: the format and the packed arguments as they lie in memory, to text.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

namespace lanescope::simt {

struct PrintedText {
    std::string text;
    int arguments = 0;  ///< conversions done; −1 when the format is bad, as CUDA's printf returns
};

/// \p arguments: address of the arguments, each at its natural alignment: int, long long, double and pointers as a
/// call with a variable number of arguments promotes them. \p string reads a C string; \p bytes copies memory out
/// and returns false when it cannot be read.
PrintedText formatPrintf(const std::string& format, uint64_t arguments,
                         const std::function<std::string(uint64_t address)>& string,
                         const std::function<bool(uint64_t address, unsigned count, void* out)>& bytes);

}  // namespace lanescope::simt
