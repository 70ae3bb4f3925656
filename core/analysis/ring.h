// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How a block hands stages of shared memory from those who fill them to those who read them, by mbarrier objects or by
// groups of cp.async:
// what state each stage is in when, who waits for whom, and, where the block hangs, who is missing. Derived from the
// recorded operations on the barriers and accesses of memory alone.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/replay/replay.h"

namespace lanescope::analysis {

/// An mbarrier object, as it is at the end of the recording.
struct RingBarrier {
    enum class Kind : uint8_t {
        Full,   ///< its phases end when a stage has been filled
        Empty,  ///< when a stage has been read
        Other,  ///< its threads do neither
    };
    std::string name;  ///< "full[1]"
    BufferId buffer;
    uint64_t offset = 0;  ///< bytes
    Kind kind = Kind::Other;
    static constexpr uint32_t kNoStage = UINT32_MAX;
    uint32_t stage = kNoStage;  ///< index in Ring::stages
    uint32_t expected = 0;      ///< arrivals that a phase takes
    uint32_t arrived = 0;       ///< of them, in the phase that runs
    uint64_t bytesExpected = 0;
    uint64_t bytesCame = 0;
    uint32_t phase = 0;  ///< that runs; its parity is the lowest bit
};

enum class StageState : uint8_t {
    Empty,
    Armed,    ///< bytes are expected, none has come
    Filling,  ///< some have come, or threads store
    Full,
    Read,      ///< somebody has begun to read it
    Released,  ///< all who had to arrive at its empty barrier have
};

struct StageSpan {
    uint32_t stage = 0;
    StageState state = StageState::Empty;
    StepIndex first = 0;
    StepIndex end = 0;        ///< half-open
    uint32_t generation = 0;  ///< how often the stage was filled before
    uint64_t bytesExpected = 0;
    uint64_t bytesCame = 0;
    uint32_t expected = 0;  ///< arrivals: of Armed and Filling at the full barrier, of Read at the empty one
    uint32_t arrived = 0;
    std::vector<uint16_t> warps;  ///< that fill or read it, ascending
    SiteId site;                  ///< where it began
};

enum class WarpActivity : uint8_t { Copies, Products, Stores, Reads, Writes, Waits };

/// What a warp does from one step to another; the times between are its own.
struct WarpSpan {
    uint16_t warp = 0;
    WarpActivity activity = WarpActivity::Reads;
    StepIndex first = 0;
    StepIndex end = 0;
    std::optional<uint32_t> stage;
    std::optional<uint32_t> barrier;  ///< Waits: index in Ring::barriers
    uint32_t phase = 0;               ///< Waits: number of the phase
    bool isEndless = false;           ///< Waits: to the end of the recording
    SiteId site;
};

/// An arrival of a warp, or the end of a phase that it brought about.
struct RingArrival {
    StepIndex step = 0;
    uint16_t warp = 0;
    uint32_t barrier = 0;
    uint32_t phase = 0;
    bool ends = false;  ///< the phase
};

/// That a stage is filled again, and what makes sure that nobody reads it any more.
struct StageReuse {
    enum class Order : uint8_t {
        Phase,         ///< of `barrier`, in which all readers arrived, and which who fills it has waited for
        BlockBarrier,  ///< __syncthreads
        Nothing,
    };
    uint32_t stage = 0;
    uint32_t generation = 0;  ///< that begins
    StepIndex step = 0;
    uint16_t warp = 0;  ///< that fills it
    Order order = Order::Nothing;
    uint32_t barrier = 0;
    SiteId site;
    std::optional<uint16_t> unordered;  ///< Nothing: a warp that read it
};

/// A barrier that threads wait for when the recording ends.
struct RingHang {
    struct Missing {
        uint32_t thread = 0;               ///< linear
        trace::SourceLocation where;       ///< where it stands
        trace::SourceLocation calledFrom;  ///< where it was last in another function; line 0: nowhere
        std::optional<uint32_t> waitsFor;  ///< index in Ring::barriers
        bool hasEnded = false;
    };
    uint32_t barrier = 0;
    std::vector<uint16_t> waiting;  ///< warps
    trace::SourceLocation where;    ///< of the wait
    std::vector<Missing> missing;   ///< a few of them
    uint32_t missingCount = 0;      ///< arrivals still to come
    bool isOnCycle = false;         ///< who is missing waits, by way of others, for who waits here
};

struct RingRole {
    std::string name;  ///< "copies", "products, reads"
    bool fills = false;
    std::vector<uint16_t> warps;
};

struct Ring {
    struct Stage {
        std::string name;    ///< "stage 1"
        std::string memory;  ///< "a_shared[1], b_shared[1]"; empty: not known
    };
    std::vector<Stage> stages;
    std::vector<RingBarrier> barriers;
    std::vector<RingRole> roles;
    std::vector<StageSpan> spans;       ///< by first step
    std::vector<WarpSpan> activities;   ///< by first step
    std::vector<RingArrival> arrivals;  ///< by step
    std::vector<StageReuse> reuses;     ///< by step
    std::vector<RingHang> hangs;        ///< those on a cycle first
    StepIndex steps = 0;                ///< of the block
};

/// Of the barriers of \p block, or, where there are none, of its groups of cp.async into arrays whose first extent
/// counts stages: those are full at the block's barrier before they are read, and released at the next one. Empty (no
/// stages): it has neither, or the trace is older than those that say which accesses are operations on barriers. Cost:
/// decodes the block twice.
Result<Ring> traceRing(replay::Session& session, LaunchId launch, BlockIndex block);

}  // namespace lanescope::analysis
