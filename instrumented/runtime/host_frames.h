// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where in the program the runtime was called from: kept as addresses, which is quick, and looked up when needed.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "core/simt/ir/code_places.h"

namespace lanescope::runtime {

struct HostFrames {
    std::array<void*, 32> address{};  ///< return addresses, innermost first
    int count = 0;

    /// Of the caller. Some microseconds where this thread has not been called from there lately.
    static HostFrames here();
    /// The same, for handlers of signals: nothing is remembered.
    static HostFrames inHandler();
};

struct HostCall {
    std::string function;                 ///< of ours that was called: "cudaMalloc"; empty when not known
    std::vector<simt::CodePlace> places;  ///< the call in the program, innermost inlined function first

    /// The call itself; line 0 when the program's debug information does not say.
    [[nodiscard]] simt::CodePlace place() const { return places.empty() ? simt::CodePlace{} : places.front(); }
};

/// \p file: relative where the program was compiled in a folder above it.
bool isBelow(const std::string& file, const std::string& folder);

/// The innermost frames in the program itself; functions of headers under \p ourHeaders are passed over.
HostCall hostCallOf(const HostFrames& frames, const std::string& ourHeaders);

}  // namespace lanescope::runtime
