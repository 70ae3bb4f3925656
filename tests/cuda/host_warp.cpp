// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/cuda/host_warp.h"

#include <ucontext.h>

#include <algorithm>
#include <array>
#include <bit>
#include <vector>

namespace lanescope::cuda {

namespace {

constexpr size_t kStackBytes = 128 << 10;

enum class Instruction { Vote, Shuffle, Barrier };

/// What a lane waits for: the lanes of `mask` at the same instruction, each with a value and a place to take one from.
struct Meeting {
    Instruction instruction = Instruction::Barrier;
    uint32_t mask = 0;
    uint32_t value = 0;
    uint32_t result = 0;  ///< of a vote
};

struct Lane {
    ucontext_t context{};
    std::vector<char> stack;
    Meeting meeting;
    bool done = true;
};

class HostWarp {
public:
    static HostWarp& instance()
    {
        static HostWarp warp;
        return warp;
    }

    bool run(uint32_t mask, const std::function<void(uint32_t)>& body, const HostPlace& place)
    {
        m_active = mask;
        m_place = place;
        m_body = &body;
        for (uint32_t i = 0; i < 32; ++i)
            start(i, (mask >> i & 1) != 0);
        while (resumeReady()) {
        }
        return std::all_of(m_lanes.begin(), m_lanes.end(), [](const Lane& lane) { return lane.done; });
    }

    /// The values of the lanes of \p mask, once all have come.
    const std::array<uint32_t, 32>& meet(Instruction instruction, uint32_t mask, uint32_t value)
    {
        Lane& lane = m_lanes[m_current];
        lane.meeting.instruction = instruction;
        lane.meeting.mask = mask;
        lane.meeting.value = value;
        swapcontext(&lane.context, &m_scheduler);
        return m_values;
    }

    [[nodiscard]] uint32_t current() const { return m_current; }
    [[nodiscard]] uint32_t active() const { return m_active; }
    [[nodiscard]] const HostPlace& place() const { return m_place; }

private:
    static void enter()
    {
        HostWarp& warp = instance();
        (*warp.m_body)(warp.m_current);
        warp.m_lanes[warp.m_current].done = true;
        swapcontext(&warp.m_lanes[warp.m_current].context, &warp.m_scheduler);
    }

    void start(uint32_t number, bool active)
    {
        Lane& lane = m_lanes[number];
        lane.done = !active;
        lane.meeting = {};
        if (!active)
            return;
        lane.stack.resize(kStackBytes);
        getcontext(&lane.context);
        lane.context.uc_stack.ss_sp = lane.stack.data();
        lane.context.uc_stack.ss_size = lane.stack.size();
        makecontext(&lane.context, enter, 0);
        resume(number);
    }

    void resume(uint32_t number)
    {
        m_current = number;
        m_lanes[number].meeting.mask = 0;
        swapcontext(&m_scheduler, &m_lanes[number].context);
    }

    /// One group of lanes that has met goes on.
    bool resumeReady()
    {
        for (const Lane& lane : m_lanes) {
            const uint32_t mask = lane.done ? 0 : lane.meeting.mask;
            if (mask == 0 || !haveMet(lane.meeting.instruction, mask))
                continue;
            for (size_t i = 0; i < 32; ++i)
                m_values[i] = m_lanes[i].meeting.value;
            for (uint32_t rest = mask; rest != 0; rest &= rest - 1)
                resume(static_cast<uint32_t>(std::countr_zero(rest)));
            return true;
        }
        return false;
    }

    [[nodiscard]] bool haveMet(Instruction instruction, uint32_t mask) const
    {
        for (uint32_t rest = mask; rest != 0; rest &= rest - 1) {
            const Lane& lane = m_lanes[static_cast<size_t>(std::countr_zero(rest))];
            if (lane.done || lane.meeting.instruction != instruction || lane.meeting.mask != mask)
                return false;
        }
        return true;
    }

    std::array<Lane, 32> m_lanes;
    std::array<uint32_t, 32> m_values{};
    ucontext_t m_scheduler{};
    const std::function<void(uint32_t)>* m_body = nullptr;
    uint32_t m_current = 0;
    uint32_t m_active = 0;
    HostPlace m_place;
};

uint32_t votes(uint32_t mask, bool predicate)
{
    const std::array<uint32_t, 32>& values = HostWarp::instance().meet(Instruction::Vote, mask, predicate);
    uint32_t result = 0;
    for (uint32_t i = 0; i < 32; ++i)
        result |= (mask >> i & 1 & values[i]) << i;
    return result;
}

}  // namespace

const char* sharedAt(uint32_t offset)
{
    return reinterpret_cast<const char*>(HostWarp::instance().place().sharedFirst + offset);
}

bool runWarp(uint32_t mask, const std::function<void(uint32_t)>& lane, const HostPlace& place)
{
    return HostWarp::instance().run(mask, lane, place);
}

}  // namespace lanescope::cuda

using lanescope::cuda::HostWarp;
using lanescope::cuda::Instruction;

int __nvvm_read_ptx_sreg_laneid()
{
    return static_cast<int>(HostWarp::instance().current());
}
int __nvvm_read_ptx_sreg_lanemask_lt()
{
    return static_cast<int>((uint32_t{1} << HostWarp::instance().current()) - 1);
}
int __nvvm_read_ptx_sreg_smid()
{
    return 0;
}
int __nvvm_activemask()
{
    return static_cast<int>(HostWarp::instance().active());
}
int __nvvm_vote_ballot_sync(uint32_t mask, bool predicate)
{
    return static_cast<int>(lanescope::cuda::votes(mask, predicate));
}
bool __nvvm_vote_all_sync(uint32_t mask, bool predicate)
{
    return lanescope::cuda::votes(mask, predicate) == mask;
}
int __nvvm_shfl_sync_idx_i32(uint32_t mask, int value, int lane, int)
{
    const auto& values = HostWarp::instance().meet(Instruction::Shuffle, mask, static_cast<uint32_t>(value));
    return static_cast<int>(values[static_cast<size_t>(lane)]);
}
void __nvvm_bar_warp_sync(uint32_t mask)
{
    HostWarp::instance().meet(Instruction::Barrier, mask, 0);
}
bool __nvvm_isspacep_shared(const void* pointer)
{
    const auto address = reinterpret_cast<uint64_t>(pointer);
    return address >= HostWarp::instance().place().sharedFirst && address < HostWarp::instance().place().sharedEnd;
}
bool __nvvm_isspacep_local(const void*)
{
    return false;
}
int __nvvm_read_ptx_sreg_ctaid_x()
{
    return static_cast<int>(HostWarp::instance().place().block);
}
int __nvvm_read_ptx_sreg_ctaid_y()
{
    return 0;
}
int __nvvm_read_ptx_sreg_ctaid_z()
{
    return 0;
}
int __nvvm_read_ptx_sreg_nctaid_x()
{
    return static_cast<int>(HostWarp::instance().place().blocks);
}
int __nvvm_read_ptx_sreg_nctaid_y()
{
    return 1;
}
int __nvvm_read_ptx_sreg_nctaid_z()
{
    return 1;
}
int __nvvm_read_ptx_sreg_tid_x()
{
    return static_cast<int>(HostWarp::instance().place().warp * 32 + HostWarp::instance().current());
}
int __nvvm_read_ptx_sreg_tid_y()
{
    return 0;
}
int __nvvm_read_ptx_sreg_tid_z()
{
    return 0;
}
int __nvvm_read_ptx_sreg_ntid_x()
{
    return static_cast<int>(HostWarp::instance().place().warps * 32);
}
int __nvvm_read_ptx_sreg_ntid_y()
{
    return 1;
}
int __nvvm_read_ptx_sreg_ntid_z()
{
    return 1;
}
