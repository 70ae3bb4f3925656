// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What kernels that look for races remember of each cell of memory, and what they report. Plain C++ without the
// standard library's classes, compiled for the GPU and for the host. The rules are the simulator's (race_cells.h).
#pragma once

#include <stdint.h>

#include "core/device/touch_flags.h"

namespace lanescope::cuda {

/// What is not looked at in a program, as bits.
inline constexpr uint32_t kRaceNotAtAll = 1;     ///< it has barriers of part of a block
inline constexpr uint32_t kRaceNotOfBlocks = 2;  ///< it has fences or barriers of the grid: they may order blocks

/// A thread's time: barriers of its block, and since the last of them synchronisations of its warp.
inline constexpr uint32_t kEpochShift = 12;
inline constexpr uint32_t kFirstTime = 1u << kEpochShift;

/// Read and replaced whole.
struct alignas(16) RaceToucher {
    uint32_t time;  ///< 0: nobody
    uint32_t info;  ///< as touch_flags.h has it
    uint32_t block;
    uint32_t value;  ///< that a writer wrote

    bool operator==(const RaceToucher&) const = default;
};

/// Of 4 bytes of memory, or of one where the code accesses less than 4.
struct alignas(16) RaceCell {
    RaceToucher writer;
    RaceToucher reader;
    RaceToucher reader2;  ///< differs from `reader` in what the flags of `reader` say
    uint64_t unused[2];   ///< so that the first two lie in one sector
};
static_assert(sizeof(RaceCell) == 64);

/// Two places whose accesses nothing orders.
struct RaceEntry {
    uint64_t key;  ///< 0: free. Entries of both sides, which of them writes
    uint64_t address;
    uint64_t count;
    uint64_t harmful;     ///< of them, those in which the values differ
    uint32_t threads[2];  ///< the earlier access of this run, the later one
    uint32_t blocks[2];
    uint32_t epoch;
    uint32_t hazards;  ///< device::RaceReport::Hazard
    uint32_t atomicSide;
    uint32_t isShared;
};

constexpr uint64_t raceKey(uint32_t first, uint32_t second, bool firstWrites, bool secondWrites)
{
    return uint64_t{1} << 63 | uint64_t{first} << 32 | uint64_t{second} << 2 | (firstWrites ? 2u : 0u) |
           (secondWrites ? 1u : 0u);
}

/// Where a shared array lies.
struct RaceObject {
    uint64_t key;
    uint64_t address;
};

/// What a block has while it runs; the cells of its shared memory follow.
struct RaceSlot {
    uint32_t used;
    uint32_t returned;    ///< threads
    uint32_t time[1024];  ///< of each thread
    uint32_t unused[2];
};
static_assert(sizeof(RaceSlot) % 16 == 0);

/// What could not be looked at.
struct RaceLosses {
    uint64_t blocks;  ///< no slot was free
    uint64_t races;   ///< the table of entries was full
};

/// Constant during a launch.
struct RaceControl {
    uint64_t firstSlot;  ///< address of RaceSlot[multiprocessors][slotsPerPart], each slotBytes long
    uint64_t cellsOf;    ///< address of uint64_t[]: for each 4 GiB from firstAddress on, its RaceCells; 0: none
    uint64_t entries;    ///< address of RaceEntry[entryCount]
    uint64_t objects;    ///< address of RaceObject[]
    uint64_t losses;     ///< address of RaceLosses
    uint64_t firstAddress;
    uint64_t sharedCells;  ///< of each slot
    uint64_t slotBytes;
    uint32_t addressSlots;
    uint32_t slotsPerPart;
    uint32_t entryCount;  ///< a power of two
    uint32_t parts;       ///< multiprocessors
};

}  // namespace lanescope::cuda
