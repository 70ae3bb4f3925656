// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs the blocks of one launch on the host's threads.
#pragma once

#include <atomic>
#include <mutex>
#include <vector>

#include "core/simt/grid_state.h"
#include "core/simt/object_table.h"
#include "core/simt/program.h"

namespace lanescope::simt {

/// What the blocks of a launch share; read-only while they run, but for the counters.
struct LaunchPlan {
    const Program& program;
    const LaunchOptions& options;
    trace::Launch launch;
    GridState& grid;
    uint64_t sharedBytes = 0;             ///< static and dynamic
    std::vector<uint64_t> sharedOffsets;  ///< of program.shared, in the block's shared memory
    std::vector<uint64_t> scalars;        ///< the program's, with arguments, blockDim and gridDim filled in
    ObjectTable objects;                  ///< shared and local hosts are filled in per thread
    std::vector<std::vector<std::byte>> parameterBytes;  ///< by-value structs that are only read, by parameter
    std::vector<std::pair<int, std::vector<std::byte>>>
        localParameters;          ///< (local object, bytes): copied to each lane
    bool atomicsOrdered = false;  ///< the order of atomics of different blocks shows in their results
    uint32_t startTime = 0;       ///< of the race check: times of earlier launches are at most this
};

/// Warp instructions of a launch where nobody says how many: what takes a laptop some minutes.
inline constexpr uint64_t kDefaultMaxSteps = uint64_t{1} << 37;

struct LaunchOutcome {
    uint64_t warpInstructions = 0;
    uint64_t flops = 0;
    uint64_t blocksRecorded = 0;
    uint64_t blocksDropped = 0;
    std::vector<AccessFault> faults;                                   ///< ascending by block
    std::vector<std::pair<uint64_t, RaceReport>> races;                ///< (block, race), ascending by block
    std::vector<std::pair<uint64_t, BarrierReport>> barriers;          ///< likewise
    std::vector<std::pair<uint64_t, UninitialisedUse>> uninitialised;  ///< likewise
    /// Where undefined values were copied in global memory: (block, (address, copy)), ascending by block.
    std::vector<std::pair<uint64_t, std::pair<uint64_t, UninitialisedUse>>> undefinedCopies;
    bool copiedUndefined = false;  ///< undefined bytes were stored in global memory
    uint32_t endTime = 0;
    bool racesAcrossBlocks = false;           ///< what follows depends on the order in which blocks ran
    std::vector<ProgramFault> programFaults;  ///< ascending by block
    uint64_t longestBlock = 0;                ///< instructions of the warp that ran most
    bool trapped = false;
    std::string stopReason;
    uint64_t stopBlock = 0;
};

/// The same outcome and memory whatever the number of host threads: where blocks turn out to race with each other, the
/// launch starts over with one (not noticed when plan.options.races is off).
LaunchOutcome runBlocks(const LaunchPlan& plan);

}  // namespace lanescope::simt
