// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What lanes that lie far apart will read next. Where each thread goes along a row of its own, a warp reads a word of
// 32 rows at a time: 32 lines of the cache, which are all in one set of it where rows are a power of two long. So
// whole lines are read at once, turned, and kept as the rows of 32 words that the following reads want.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/base/ids.h"

namespace lanescope::simt {

/// What one host thread has read ahead.
struct WordsAhead {
    static constexpr unsigned kLineBytes = 64;
    static constexpr unsigned kPlacesShift = 3;
    static constexpr unsigned kPlaces = 1u << kPlacesShift;

    /// Of each lane a line, \p step bytes from that of the lane before, of memory that nobody writes.
    struct Lines {
        const std::byte* first = nullptr;  ///< the first lane's, aligned; null: none
        const std::byte* asked = nullptr;  ///< the one that was read of last
        int32_t step = 0;
        uint32_t bytes = 0;  ///< of a word

        /// Whether it is those that begin at \p at, and are as far apart.
        [[nodiscard, gnu::always_inline]] bool areOf(const std::byte* at, int32_t apart, uint32_t wordBytes) const
        {
            return first == at && step == apart && bytes == wordBytes;
        }
    };
    using Rows = std::byte[kLineBytes * kWarpSize];  ///< by word, all lanes'

    /// By the page that the first lane's line is in.
    [[nodiscard, gnu::always_inline]] static unsigned placeOf(const std::byte* line)
    {
        constexpr unsigned kPageShift = 12;
        return static_cast<unsigned>((reinterpret_cast<uintptr_t>(line) >> kPageShift) * 0x9e3779b97f4a7c15u >>
                                     (64 - kPlacesShift));
    }

    Lines lines[kPlaces];
    alignas(kLineBytes) Rows rows[kPlaces];
};

}  // namespace lanescope::simt
