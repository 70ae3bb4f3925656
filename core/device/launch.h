// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How a kernel is to be launched, and what came of it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/ids.h"
#include "core/base/result.h"
#include "core/trace/model.h"

namespace lanescope::trace {
class TraceWriter;
}

namespace lanescope::device {

struct Allocation;
class LaunchDevice;

/// Blocks of a grid, half-open in each direction.
struct BlockBox {
    Dim3 first{0, 0, 0};
    Dim3 last{UINT32_MAX, UINT32_MAX, UINT32_MAX};
};

enum class Schedule {
    Lockstep,
    Sequential,  ///< block after block, warp after warp up to the next barrier
    Reverse,     ///< the same, last first
    Random,      ///< the same, in an order of the seed's
    Lanes,       ///< the same for the lanes of a warp too; seed 0: first lane first, 1: last first, else shuffled
};

/// How far a launch has come.
struct LaunchProgress {
    uint64_t blocksDone = 0;
    uint64_t blocks = 0;
    uint64_t warpInstructions = 0;
    double seconds = 0;
};

/// Follows a launch while it runs: told some times a second, by the threads that run blocks, one at a time.
class LaunchWatch {
public:
    virtual ~LaunchWatch() = default;
    /// False: the launch shall end as soon as it can.
    virtual bool goesOn(const LaunchProgress& progress) = 0;
    /// All that has been found so far, whenever that is more than before. The launch's result has it again.
    virtual void found(const std::vector<trace::Finding>& findings) = 0;
};

/// An earlier launch that may still be under way when this one begins, as programmatic dependent launches are: its
/// accesses have times of the race check after `begin`, up to `end`. Until a thread waits for it, nothing orders the
/// two.
struct Overlap {
    uint32_t begin = 0;
    uint32_t end = 0;  ///< 0: there is none
};

/// Blocks of a launch that run here; the others run elsewhere, or not at all.
struct LaunchPart {
    uint64_t number = 0;  ///< from 0
    uint64_t of = 0;      ///< parts, alike in size, of the blocks that are selected; 0: all blocks of the launch run
};

struct LaunchOptions {
    Schedule schedule = Schedule::Lockstep;
    uint64_t seed = 0;
    bool checks = true;  ///< bounds, alignment, lifetime
    bool races = true;   ///< unordered accesses of shared and global memory
    /// Which buffers get race cells although the launch only reads them, so that they tell all that it touched; null =
    /// none.
    std::function<bool(const Allocation& buffer)> watchesReads;
    /// Which buffers' cells somebody looks at when the launch is over, or while another one is under way, so that they
    /// have to tell all that it wrote; null = all of them.
    std::function<bool(const Allocation& buffer)> asksForWrites;
    uint32_t deviceNumber = 0;  ///< which device runs it
    /// Whether that device may touch memory of another one; null = all of it.
    std::function<bool(const Allocation& buffer)> reaches;
    bool definedness = true;               ///< uninitialised reads
    uint64_t maxSteps = 0;                 ///< warp instructions per launch; 0 = a large default
    unsigned hostThreads = 0;              ///< 0 = one per core
    trace::TraceWriter* writer = nullptr;  ///< null: not recorded
    bool recordVariables = true;
    /// Which blocks are recorded; null = all.
    std::function<bool(Dim3 block)> selects;
    BlockBox selectedBox;  ///< the same, for a device
    LaunchPart part;       ///< of a launch whose blocks do not wait for each other; else the launch is refused
    /// Device printf and friends; null = stdout.
    std::function<void(std::string_view)> output;
    /// Runs the blocks instead of the simulator; null = the simulator. Findings are then only what it reports.
    LaunchDevice* device = nullptr;
    Dim3 cluster{0, 0, 0};     ///< blocks of one, which run together; empty: the launch has none
    bool cooperative = false;  ///< all blocks are resident at once
    Overlap overlap;           ///< with the launch that comes before
    /// Which launches, begun while another one was paused (BegunLaunch), this one comes after; null = all that have
    /// ended.
    std::function<bool(LaunchId)> comesAfter;
    unsigned depth = 0;            ///< of kernels that launched each other; those at the limit launch nothing
    LaunchWatch* watch = nullptr;  ///< null: nobody does
    /// Messages of failed device assertions; null = nowhere.
    std::function<void(std::string_view)> errorOutput;
    /// What findings are to call a source by, where nothing is recorded; null = by the module's own number.
    std::function<SourceId(const std::string& path)> sourceId;
};

/// What a GPU would answer from a launch on in which a kernel did such things. Small violations inside known buffers go
/// unnoticed by hardware, and so here.
enum class LaunchError : uint8_t { None, Assertion, Misaligned, IllegalAddress, Other };

/// A launch that a kernel asked for.
struct ChildLaunch {
    std::string kernel;  ///< mangled
    Dim3 grid;
    Dim3 block;
    uint64_t dynamicSharedBytes = 0;
    bool last = false;                              ///< after all others of its parent
    std::vector<std::vector<std::byte>> arguments;  ///< one per parameter
};

struct LaunchResult {
    uint64_t warpInstructions = 0;
    double seconds = 0;  ///< of running the blocks
    /// Bounds violations and the like, one per (kind, pair of sites).
    std::vector<trace::Finding> findings;
    bool trapped = false;  ///< ended by __trap or a failed assertion; the launch fails, the program goes on
    LaunchError error = LaunchError::None;
    /// What is to be launched now, one after the other, each with what it launches itself.
    std::vector<ChildLaunch> children;
    /// Set when a limit, an unsupported instruction or a deadlock stopped the launch.
    std::optional<Error> stopped;
};

}  // namespace lanescope::device
