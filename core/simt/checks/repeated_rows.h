// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What lanes side by side did to rows of words in a loop: to do it again enters nothing, and finds what it has found.
#pragma once

#include <cstddef>
#include <cstdint>

namespace lanescope::simt {

struct RaceCells;

/// What a warp did last to a row of cells that left them as they were. To do it again is no news as long as the lock of
/// the cells has the mark that it left there.
struct RepeatedRow {
    static constexpr unsigned kMostTold = 3;
    /// A race that was reported, each time for all lanes.
    struct Told {
        uint32_t race = 0;  ///< of BlockChecks::races
        uint32_t kind = 0;  ///< of its instances
    };
    struct Side {
        uint32_t time = 0;     ///< 0: there was none
        uint32_t toucher = 0;  ///< of the first lane
        uint32_t toldCount = 0;
        Told told[kMostTold];
    };

    const RaceCells* cells = nullptr;
    uint64_t firstCell = 0;
    uint32_t count = 0;  ///< of cells, each another lane's
    uint32_t block = 0;
    uint32_t mark = 0;  ///< never 0, once there are cells
    Side sides[2];      ///< the read, the write
};

struct RepeatedRows {
    static constexpr unsigned kBits = 4;
    RepeatedRow rows[1u << kBits];

    /// Where it is kept what was done last to such cells.
    [[nodiscard, gnu::always_inline]] RepeatedRow& of(const RaceCells* cells, uint64_t firstCell)
    {
        const uint64_t mixed = (reinterpret_cast<uintptr_t>(cells) >> 6) ^ firstCell;
        return rows[mixed * 0x9e3779b97f4a7c15u >> (64 - kBits)];
    }
};

}  // namespace lanescope::simt
