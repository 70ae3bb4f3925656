// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The mbarrier objects of a block: who has arrived in the phase that runs, which bytes have come, who waits. They are
// kept for what is said when nobody can go on.
#pragma once

#include <bitset>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "core/simt/code/instruction.h"
#include "core/simt/state/block.h"

namespace lanescope::simt {

/// What is known of one object.
struct PhaseBarrier {
    static constexpr size_t kMostThreads = 1024;
    uint32_t expected = 0;  ///< arrivals that a phase takes
    uint32_t pending = 0;   ///< of them, still to come
    uint32_t phase = 0;     ///< number of the one that runs
    int64_t bytesExpected = 0;
    int64_t bytesCame = 0;
    uint32_t initSite = 0;  ///< static site of the store that initialised it
    enum class State : uint8_t { NeverMade, Valid, Invalidated };
    State state = State::NeverMade;
    bool isTouched = false;             ///< by anything since it was initialised
    uint32_t changedAt = 0;             ///< static site of what made it so
    uint32_t madeBy = 0;                ///< the thread that initialised it
    std::bitset<kMostThreads> arrived;  ///< in the phase that runs
    std::bitset<kMostThreads> before;   ///< in one before it

    void endPhaseIfComplete();
};

/// In place of a thread: one of another block of the cluster.
inline constexpr uint32_t kOtherBlocksThread = UINT32_MAX;

class PhaseBarriers {
public:
    /// \p thread did \p operation to the object at \p address; \p amount: of arrivals or bytes, or of Wait whether the
    /// thread goes on waiting. \p staticSite: of the operation.
    void note(PhaseOperation operation, uint64_t address, uint32_t amount, uint32_t thread, uint32_t staticSite);
    /// To be called before \p operation is noted: tells of one on an object that was invalidated, of mbarrier.inval of
    /// what is none, and of mbarrier.init of what is one already. Threads that all initialise it at one place, before
    /// anything is done to it, do no harm.
    void checkState(Warp& warp, int lane, PhaseOperation operation, uint64_t address, uint32_t staticSite);
    void clear();
    /// To be called after \p operation was noted: whether the object at \p address still is what operations on it have
    /// made of it. That an ordinary store or a copy lies over it is reported.
    void checkObject(Warp& warp, int lane, PhaseOperation operation, uint64_t address, uint32_t staticSite);

    struct Wait {
        uint64_t address = 0;  ///< 0: waits for none
        uint32_t staticSite = 0;
    };
    [[nodiscard]] Wait waitOf(uint32_t thread) const { return thread < m_waits.size() ? m_waits[thread] : Wait(); }
    [[nodiscard]] const std::map<uint64_t, PhaseBarrier>& all() const { return m_all; }

private:
    std::map<uint64_t, PhaseBarrier> m_all;  ///< by address
    std::vector<Wait> m_waits;               ///< by thread
};

/// Says in the findings, as kind "barrier-deadlock", that threads of a block that cannot go on wait for phases: which,
/// what came of them and what did not, who is missing and where that thread is, and the cycle if they wait for each
/// other. Returns why the block is stopped; empty where nobody waits for a phase.
StopReason reportPhaseDeadlock(Block& block);

}  // namespace lanescope::simt
