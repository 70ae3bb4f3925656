// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What is kept of a running block to find mistakes, and the mistakes found in it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/device/launch.h"
#include "core/device/reports.h"
#include "core/simt/checks/phase_barriers.h"
#include "core/simt/checks/quiet_reads.h"
#include "core/simt/checks/race_cells.h"
#include "core/simt/checks/repeated_rows.h"
#include "core/simt/state/block.h"

namespace lanescope::simt {

struct LaunchPeers;
class SyncOrder;

/// How much of a shared array is known to be defined, from its beginning on. Once it is all of it, loads need not look.
struct SharedDefinedness {
    ObjectEntry* object = nullptr;
    std::byte* bits = nullptr;  ///< what object->defined is while not all is defined
    uint64_t bytes = 0;
    uint64_t known = 0;

    void begin()
    {
        object->defined = bits;
        known = 0;
    }
    /// To be called now and then; each byte is looked at once.
    void settle();
    /// Something undefined is about to be stored at \p offset.
    void doubt(uint64_t offset);
};

/// What a warp did last to words that lie apart. To do it again is no news as long as the words' locks have the mark
/// that it left there.
struct RepeatedAccess {
    static constexpr unsigned kBitsOfWarp = 1;  ///< log2 of how many are kept of each warp

    const RaceCells* cells = nullptr;
    uint32_t block = 0;
    uint32_t mark = 0;  ///< never 0, once there are cells
    LaneMask lanes = 0;
    uint32_t bytes = 0;         ///< of each lane
    uint32_t times[2] = {};     ///< of the read, of the write; 0: there was none
    uint32_t touchers[2] = {};  ///< of the first lane
    uint32_t offsets[kWarpSize] = {};
};
using RepeatedAccesses =
    std::array<std::array<RepeatedAccess, 1u << RepeatedAccess::kBitsOfWarp>, WarpOrder::kMostWarps>;

/// When a thread executed fence.proxy.async, ascending. Of many the oldest are forgotten.
struct ProxyFences {
    static constexpr size_t kMost = 64;
    std::vector<uint32_t> times;

    void add(uint32_t time)
    {
        if (times.size() == kMost)
            times.erase(times.begin(), times.begin() + kMost / 2);
        times.push_back(time);
    }
    /// The first after \p time; 0: there was none.
    [[nodiscard]] uint32_t firstAfter(uint32_t time) const
    {
        const auto found = std::upper_bound(times.begin(), times.end(), time);
        return found == times.end() ? 0 : *found;
    }
};

struct BlockChecks {
    bool bounds = true;  ///< accesses are looked at: bounds, alignment, lifetime
    std::vector<device::AccessFault> faults;
    std::vector<device::ProgramFault> programFaults;
    std::vector<device::BarrierReport> barriers;
    std::unique_ptr<PhaseBarriers> phaseBarriers;  ///< only when the kernel has some

    // Races. Times move on at every synchronisation and never go back.
    uint32_t time = 1;
    uint32_t epochStart = 1;                     ///< when the current epoch began
    uint32_t launchStart = 1;                    ///< older times are of other launches
    uint32_t gridMet = 0;                        ///< what all blocks did up to then comes before; 0: they have not met
    const LaunchPeers* peers = nullptr;          ///< launches beside this one; null: there are none
    device::Overlap overlap;                     ///< none any more once everybody comes after its end
    std::unique_ptr<WarpOrder> warpOrder;        ///< only when warps met in smaller groups
    SyncOrder* order = nullptr;                  ///< what fences and flags order; null: the kernel has no fences
    bool acrossBlocks = false;                   ///< an unordered pair of accesses of two blocks was seen
    QuietReads quietReads;                       ///< before anything else is done to cells of shared memory: enterReads
    std::unique_ptr<RepeatedAccesses> repeated;  ///< only when there were any
    std::unique_ptr<RepeatedRows> repeatedRows;  ///< likewise
    std::vector<device::RaceReport> races;
    std::unique_ptr<SameValueWrites> sameValueWrites;  ///< only when there were any
    std::vector<BulkCopy> bulkCopies;                  ///< into the block's shared memory, that nobody has waited for
    std::vector<ProxyFences> proxyFences;              ///< by thread; empty: nobody has executed fence.proxy.async
    std::vector<uint32_t>
        gridWaits;            ///< by thread: when it first waited for that launch; 0: not yet; empty: nobody has
    uint32_t blockStart = 1;  ///< older times of shared memory are of other blocks

    // Definedness.
    bool tracksDefinedness = false;
    std::vector<SharedDefinedness> sharedDefined;  ///< empty when not tracked
    /// Lanes whose local object is no more, its block or function having ended; by slot and warp.
    std::unordered_map<uint64_t, LaneMask> endedLocals;
    bool copiedUndefined = false;  ///< undefined bytes were stored in global memory
    std::vector<device::UninitialisedUse> uninitialised;
    /// Undefined values copied to global memory, by where: a mistake once the host copies them.
    std::vector<std::pair<uint64_t, device::UninitialisedUse>> undefinedCopies;
    /// What was computed from undefined values and stored in shared memory, by address: a mistake if it is used.
    std::unordered_map<uint64_t, device::UninitialisedUse> undefinedShared;
};

/// To be called before anything is done to cells of shared memory.
[[gnu::always_inline]] inline void enterReads(Block& block)
{
    if (block.checks->quietReads.count)
        block.checks->quietReads.enter(block);
}

}  // namespace lanescope::simt
