// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reads of shared memory that nobody has written yet in this epoch. Most epochs end so: a tile is filled, the block
// meets, all read, the block meets again; who read what is then of no interest. So such reads are only put on a list,
// and entered in the cells when something comes that may have to do with them. Where one half of an array is read
// while the other is written, nothing does.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "core/base/ids.h"

namespace lanescope::simt {

struct Block;
struct MemoryInfo;
struct ObjectEntry;
struct ProductRow;
struct Warp;

/// By all lanes of a warp, whose offsets go up evenly in each half; or by some, or lanes that read here and there.
/// Nothing is said of one by default: there is a list of many.
struct QuietRead {
    const ObjectEntry* object;
    const MemoryInfo* info;
    Warp* warp;
    uint32_t first[2];
    int32_t step[2];
    const ProductRow* row;  ///< all loads of one of its operands; the offsets are the first one's
    uint32_t operand;
    LaneMask lanes;  ///< with offsets of their own (QuietReads::offsets); none: all, evenly
};

/// What each lane of a warp adds to an object's address; of lanes that read nothing it says nothing.
using LaneOffsets = std::array<uint32_t, kWarpSize>;

/// Bytes of an object, from the first of them on.
struct ByteSpan {
    uint64_t first = UINT64_MAX, end = 0;

    [[nodiscard]] bool meets(const ByteSpan& other) const { return first < other.end && other.first < end; }
    void add(const ByteSpan& other)
    {
        first = std::min(first, other.first);
        end = std::max(end, other.end);
    }
    static ByteSpan all() { return {0, UINT64_MAX}; }
};

/// What is known of an object of shared memory in one epoch: nothing in others, and where its number is another one.
struct EpochSpans {
    uint32_t writtenIn = 0;  ///< the epoch's beginning; 0: somebody has written who does not say where
    ByteSpan written;        ///< all that was, and perhaps more
    uint64_t listed = 0;     ///< QuietReads::number of the list that the reads are on
    ByteSpan read;           ///< by those, and perhaps more
};

struct QuietReads {
    static constexpr unsigned kMost = 2048;
    unsigned count = 0;
    unsigned spanned = 0;                   ///< so many of them are in EpochSpans::read of their objects
    uint64_t number = 1;                    ///< of the list: another one once it has been emptied
    void (*enter)(Block& block) = nullptr;  ///< enters all of them, and empties the list
    std::array<QuietRead, kMost> reads;
    std::vector<LaneOffsets> offsets;  ///< of those that have lanes, in order
    unsigned spannedOffsets = 0;       ///< as spanned
    /// How often in a row reads of single lanes had to be entered after all, soon, mostly; and then, how often the list
    /// has been forgotten since.
    unsigned inVain = 0;

    static constexpr unsigned kOften = 4, kPause = 16;
    /// Whether it is worth while to list reads of single lanes.
    [[nodiscard]] bool isForLanes() const { return inVain < kOften; }
    /// What was read is of no interest any more.
    void forget()
    {
        if (!offsets.empty())
            inVain = 0;
        else if (!isForLanes() && ++inVain == kOften + kPause)
            inVain = kOften - 1;
        clear();
    }
    void clear()
    {
        offsets.clear();
        count = spanned = spannedOffsets = 0;
        ++number;
    }
};

}  // namespace lanescope::simt
