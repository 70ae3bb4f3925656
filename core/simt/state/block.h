// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The state of a block: its warps, its barriers, how it ends.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/base/ids.h"
#include "core/findings/kinds/stop_reason.h"
#include "core/simt/state/warp.h"
#include "core/simt/state/words_ahead.h"

namespace lanescope::simt {

struct BlockChecks;
class GridState;
class LateCopies;
struct Program;

/// A warp that has come to a barrier without waiting there (bar.arrive), and what it did before this time.
struct BarrierArrival {
    uint16_t warp = 0;
    uint32_t time = 0;
};

/// One of a block's sixteen named barriers (bar.sync id).
struct NamedBarrier {
    uint32_t waiting = 0;   ///< lanes that wait
    uint32_t arrived = 0;   ///< lanes that have arrived and went on (bar.arrive)
    uint32_t expected = 0;  ///< lanes it is for; 0: all that live
    uint32_t count = 0;     ///< of predicates that are true, so far
    uint32_t result = 0;    ///< the count when it was last released
    uint32_t votes = 0;     ///< lanes that have brought a predicate, so far
    uint32_t allVoted = 0;  ///< votes when it was last released
    std::vector<BarrierArrival> arrivals;

    /// As at a block's start.
    void begin()
    {
        waiting = arrived = expected = count = result = votes = allVoted = 0;
        arrivals.clear();
    }
};

struct Block;
struct ForeseenBlock;
struct RunCount;
struct Cluster;

/// Looks after blocks that run for long.
class BlockWatch {
public:
    virtual ~BlockWatch() = default;
    /// Called now and then by the thread that runs \p block. False: the block shall stop.
    virtual bool look(Block& block) = 0;
};

/// What warps have done that are no more.
struct EndedWarps {
    uint64_t instructions = 0;
    uint64_t flops = 0;
    uint64_t longest = 0;  ///< instructions of one
};

/// threadIdx.x, y and z of a warp's threads, and their lanes: as registers have them.
struct ThreadIndexes {
    uint32_t lanes[4][kWarpSize];
};

/// What is needed to begin a block's warps one after the other in one place, where each leaves it as the next wants it
/// but for what is said here: of a program for whole rows (Program) that has no variables.
struct NextWarps {
    const ThreadIndexes* threads = nullptr;  ///< by warp
    uint32_t count = 0;                      ///< of the warps that are whole
    int32_t turn = 0;                        ///< that a warp begins with (Warp::quantum)
};

/// From what replay is to compute values that it can compute.
enum class Derives : uint8_t {
    Nothing,  ///< all are recorded
    FromOwn,  ///< from variables, and what lies in the block's own memory
    FromAll,  ///< and in global memory, of which it has all, as long as nobody writes it
};

/// The state of one block; reused for one block after another by a host thread.
struct Block {
    static constexpr unsigned kBarriers = 16;
    uint64_t index = 0;
    uint32_t cellIndex = 0;  ///< what race cells call it: index, behind the blocks of launches beside its own
    Dim3 position;
    Dim3 size;  ///< in threads
    std::vector<Warp> warps;
    EndedWarps endedWarps;  ///< that are not among them
    bool isApart = false;   ///< warps run one after the other in the first's place, and leave their split to the next
    const NextWarps* nextWarps = nullptr;     ///< how machine code goes from one to the next then; null: it does not
    const ForeseenBlock* foreseen = nullptr;  ///< null: it is not
    std::byte* shared = nullptr;
    uint32_t liveLanes = 0;
    uint32_t waitingLanes = 0;
    uint32_t epoch = 0;
    const Program* program = nullptr;
    Derives derives = Derives::FromAll;
    RunCount* runs = nullptr;       ///< as Program::operations; null: they are not counted
    BlockChecks* checks = nullptr;  ///< what is kept to find mistakes, and those found
    bool stop = false;              ///< a trap or fault that ends the launch
    bool trapped = false;           ///< what stopped it was the program's own doing; the launch fails as on a GPU
    StopReason stopReason;
    NamedBarrier namedBarriers[kBarriers];
    uint32_t waitedAt = 0;      ///< bit for each of them at which lanes wait
    uint64_t clock = 0;         ///< of earlier turns, in warp instructions
    uint64_t noted = 0;         ///< warp instructions that its program has been said to have run
    GridState* grid = nullptr;  ///< what all blocks of the launch share
    BlockWatch* watch = nullptr;
    uint32_t atGridBarrier = 0;     ///< lanes that wait for all blocks
    Cluster* cluster = nullptr;     ///< that it is in, if only by itself
    uint32_t rank = 0;              ///< in the cluster
    uint32_t atClusterBarrier = 0;  ///< lanes that wait for the cluster
    bool ended = false;
    bool yields = false;          ///< waits for another block: the rest of its turn is of no use
    WordsAhead* ahead = nullptr;  ///< of its host thread
    LateCopies* late = nullptr;   ///< asynchronous copies that arrive at their wait; null: all do when they are issued
};

}  // namespace lanescope::simt
