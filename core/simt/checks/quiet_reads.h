// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reads of shared memory that nobody has written yet in this epoch. Most epochs end so: a tile is filled, the block
// meets, all read, the block meets again; who read what is then of no interest. So such reads are only put on a list,
// and entered in the cells when something comes that may have to do with them.
#pragma once

#include <array>
#include <cstdint>

namespace lanescope::simt {

struct Block;
struct MemoryInfo;
struct ObjectEntry;
struct ProductRow;
struct Warp;

/// By all lanes of a warp; their offsets go up evenly in each half.
struct QuietRead {
    const ObjectEntry* object = nullptr;
    const MemoryInfo* info = nullptr;
    Warp* warp = nullptr;
    uint32_t first[2] = {};
    int32_t step[2] = {};
    const ProductRow* row = nullptr;  ///< all loads of one of its operands; the offsets are the first one's
    uint32_t operand = 0;
};

struct QuietReads {
    static constexpr unsigned kMost = 256;
    unsigned count = 0;
    void (*enter)(Block& block) = nullptr;  ///< enters all of them, and empties the list
    std::array<QuietRead, kMost> reads;
};

}  // namespace lanescope::simt
