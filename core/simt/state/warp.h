// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The state of a warp: registers, the splits that its lanes run in, the joins where these wait for each other.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "core/base/ids.h"
#include "core/simt/code/instruction.h"
#include "core/simt/memory/object_entry.h"
#include "core/simt/state/async_copies.h"
#include "core/simt/state/lane_order.h"

namespace lanescope::trace {
class BlockRecorder;
}

namespace lanescope::simt {

struct Block;
class ProductRegisters;
class Tracker;

struct CallFrame {
    const Instr* returnTo = nullptr;
};

/// Lanes of a warp that share a program counter.
struct Split {
    enum class State : uint8_t { Ready, AtBarrier, AtWarpCall, AtGridBarrier, AtClusterBarrier };

    const Instr* ip = nullptr;
    LaneMask mask = 0;
    int join = -1;  ///< innermost join these lanes head for; -1 = none
    State state = State::Ready;
    std::vector<CallFrame> calls;
    std::vector<uint64_t> scalars;
    SiteId barrierSite = kNoSite;
    uint32_t passedMark = 0;          ///< of the barrier it waits at
    uint8_t barrier = 0;              ///< which of the block's barriers it waits at
    LaneMask served = 0;              ///< at a warp call: lanes whose operation is done
    uint64_t quanta = 0;              ///< scheduling turns since it last made way, for forward progress
    const Instr* polledBy = nullptr;  ///< the last atomic that tried for a lock in vain, and where
    uint64_t polled = 0;
    uint32_t lastRead = UINT32_MAX;  ///< static site of what it read last while it was watched (livelock.h)
};

/// A place where diverged lanes wait for each other.
struct Join {
    const Instr* at = nullptr;
    LaneMask expected = 0;
    LaneMask arrived = 0;
    int parent = -1;
    uint32_t depth = 0;  ///< call depth at which it was made
    bool used = false;
    // Kept from an arrival, for when the missing lanes exit instead of arriving.
    std::vector<CallFrame> calls;
    std::vector<uint64_t> scalars;
};

/// Shifts by the lane would be done one by one where vectors cannot be shifted by a vector.
inline constexpr std::array<LaneMask, kWarpSize> kLaneBits = [] {
    std::array<LaneMask, kWarpSize> bits{};
    for (size_t i = 0; i < bits.size(); ++i)
        bits[i] = LaneMask{1} << i;
    return bits;
}();

/// Of four lanes by their bits in a mask: −1 where it is set, else 0.
alignas(64) inline constexpr auto kFourLanes = [] {
    std::array<std::array<int32_t, 4>, 16> lanes{};
    for (unsigned mask = 0; mask < lanes.size(); ++mask)
        for (unsigned lane = 0; lane < 4; ++lane)
            lanes[mask][lane] = (mask >> lane & 1) != 0 ? -1 : 0;
    return lanes;
}();

/// As popcount, which without an instruction for it is a call.
constexpr uint32_t laneCount(LaneMask lanes)
{
    lanes -= lanes >> 1 & 0x55555555u;
    lanes = (lanes & 0x33333333u) + (lanes >> 2 & 0x33333333u);
    return ((lanes + (lanes >> 4)) & 0x0f0f0f0fu) * 0x01010101u >> 24;
}

struct Warp {
    // What handlers read on every instruction.
    std::byte* regs = nullptr;
    uint64_t* scalars = nullptr;
    const ObjectEntry* objects = nullptr;  ///< indexed by slot − kSlotBase
    LanePattern* patterns = nullptr;       ///< indexed by MemoryInfo::pattern
    trace::BlockRecorder* recorder = nullptr;
    LaneMask mask = 0;
    bool full = false;  ///< all lanes that are still alive are active: dead lanes may be written
    uint16_t id = 0;
    int32_t quantum = 1;
    LaneMask live = 0;
    // Both are counted at once: they must not lie across two lines of the cache.
    alignas(16) uint64_t instructions = 0;
    uint64_t flops = 0;
    alignas(64) int32_t lanes[kWarpSize] = {};  ///< −1 where active, else 0
    Block* block = nullptr;

    // Order among lanes, for the race check.
    uint32_t syncTime = 0;                                              ///< block time at which all its lanes last met
    std::unique_ptr<LaneOrder> laneOrder;                               ///< only when lanes met in smaller groups
    std::unique_ptr<AsyncCopies> asyncCopies;                           ///< only when it has issued any
    std::array<std::unique_ptr<AsyncReads>, kAsyncStreams> asyncReads;  ///< likewise

    /// Accesses of \p other before this time are ordered before what \p lane does now.
    [[nodiscard]] uint32_t metSince(int lane, uint32_t other) const
    {
        return laneOrder && laneOrder->met[lane][other] > syncTime ? laneOrder->met[lane][other] : syncTime;
    }

    // The last mark behind a conditional barrier that each lane passed, and in which epoch.
    std::array<uint32_t, kWarpSize> passedMark{};
    std::array<uint32_t, kWarpSize> passedEpoch{};
    LaneMask launched = 0;  ///< lanes there were at the start

    // Definedness (definedness.h).
    bool tracked = false;
    bool bySteps = false;  ///< somebody looks at it after each instruction: no handler may run several
    std::shared_ptr<Tracker> tracker;
    const Instr* resumeAt = nullptr;  ///< where a warp that has just become tracked goes on

    // Registers of products (product_registers.h); null before the first one.
    std::shared_ptr<ProductRegisters> products;

    // The cluster's barrier: lanes that have arrived in the phase that runs; which phase they have waited for, and when
    // they fenced last.
    LaneMask clusterArrived = 0;
    uint32_t clusterPhase = 0;
    uint32_t fencedAt = 0;

    // Divergence.
    size_t current = 0;
    std::vector<Split> splits;
    std::vector<Join> joins;
    std::vector<std::vector<uint64_t>> spareScalars;  ///< of splits that are gone: diverging allocates nothing

    // Registers that recursive functions keep: a stack for each lane.
    std::vector<std::vector<uint64_t>> spilled;
    uint64_t slept = 0;  ///< instructions' worth of time spent in __nanosleep

    template <typename T>
    [[nodiscard, gnu::always_inline]] T* vector(uint32_t reg)
    {
        return reinterpret_cast<T*>(regs + reg);
    }
    template <typename T>
    [[nodiscard, gnu::always_inline]] T scalar(uint32_t reg) const
    {
        T value;
        __builtin_memcpy(&value, scalars + reg, sizeof(T));
        return value;
    }
    template <typename T>
    [[gnu::always_inline]] void setScalar(uint32_t reg, T value)
    {
        uint64_t bits = 0;
        __builtin_memcpy(&bits, &value, sizeof(T));
        scalars[reg] = bits;
    }
    static constexpr size_t kNoSplit = ~size_t{0};

    /// Makes splits[index] the running one.
    void activate(size_t index)
    {
        current = index;
        scalars = splits[index].scalars.data();
        setMask(splits[index].mask);
    }
    void setMask(LaneMask newMask)
    {
        full = newMask == live;
        if (newMask == mask)
            return;
        mask = newMask;
        // Four at a time: of a loop over lanes compilers that know no wide vectors make multiplications.
        for (int i = 0; i < kWarpSize; i += 4)
            __builtin_memcpy(lanes + i, kFourLanes[newMask >> i & 15].data(), sizeof kFourLanes[0]);
    }
    /// Room for the scalars of a split: what another has left, if any.
    std::vector<uint64_t> takeScalars()
    {
        std::vector<uint64_t> room;
        if (!spareScalars.empty()) {
            room.swap(spareScalars.back());
            spareScalars.pop_back();
        }
        return room;
    }
};

}  // namespace lanescope::simt
