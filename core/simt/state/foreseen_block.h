// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A block of which it is known before it runs that all its foreseen accesses (core/simt/ir/foreseen.h) are inside their
// buffers, where nothing is asked but what is there, and that all its threads go the foreseen ways.
#pragma once

#include <cstddef>
#include <cstdint>

namespace lanescope::simt {

struct ForeseenBlock {
    static constexpr unsigned kMostWarps = 32;
    /// Of the block's first thread.
    struct Place {
        std::byte* host = nullptr;
        uint64_t offset = 0;             ///< in the buffer
        uint8_t* initialised = nullptr;  ///< as of ObjectEntry, of a store to what is not all written; else null
    };
    const Place* places = nullptr;  ///< by MemoryInfo::foreseen
    const int64_t* ways = nullptr;  ///< bytes from there to a warp's first thread: by group, by warp of kMostWarps
};

}  // namespace lanescope::simt
