// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/simt/machine/outlook.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <optional>
#include <utility>
#include <vector>

#include "core/simt/checks/definedness.h"
#include "core/simt/machine/handlers.h"
#include "core/simt/machine/scheduler.h"
#include "core/simt/memory/address_slots.h"
#include "core/simt/state/block_snapshot.h"
#include "core/simt/state/lane_memory.h"

namespace lanescope::simt {
namespace {

/// Times that lanes are let go, or barriers opened, in one look.
constexpr unsigned kMostReleases = 256;

/// What an instruction does besides to the registers of its warp.
enum class Effect : uint8_t {
    None,
    Store,   ///< imm is its MemoryInfo
    Atomic,  ///< imm is its AtomicInfo
    Other    ///< or it reads what changes by itself
};

std::optional<FlowKind> flowKindOf(const Program& program, const Instr* instr)
{
    const CodeSpan span = program.spanOf(instr);
    const uint32_t flow = span.slots ? span.slotsOf(instr).inner : 0;
    if (flow == 0 || program.flows[flow - 1].assigns.empty())
        return std::nullopt;
    return program.flows[flow - 1].assigns.front().kind;
}

Effect effectOf(const Program& program, const Instr* instr)
{
    constexpr Handler kOthers[] = {
        runClock,       runMemoryCopy,    runMemorySet,       runPrint,           runAssertFail,   runTrap,
        runDeviceFree,  runLaunch,        runWaitForChildren, runDeviceMalloc,    runAsyncBegin,   runAsyncWrite,
        runAsyncCopied, runAsyncWait,     runEnterFrame,      runForgetObjects,   runBeginObjects, runAsyncCommit,
        runTensorCopy,  runAsyncBulk,     runAsyncRead,       runAsyncReadCommit, runProxyFence,   runProductsFence,
        runGridWait,    runBarrierArrive, runClusterArrive,   runClusterWait,     runAsyncUpdate};
    if (instr->run == runAtomic)
        return Effect::Atomic;
    if (std::find(std::begin(kOthers), std::end(kOthers), instr->run) != std::end(kOthers))
        return Effect::Other;
    return flowKindOf(program, instr) == FlowKind::Store ? Effect::Store : Effect::None;
}

/// The static site of what an instruction reads; none for one that reads no memory.
uint32_t siteRead(const Program& program, const Instr* instr)
{
    if (instr->run == runAtomic)
        return reinterpret_cast<const AtomicInfo*>(instr->imm)->memory.staticSite;
    return flowKindOf(program, instr) == FlowKind::Load ? reinterpret_cast<const MemoryInfo*>(instr->imm)->staticSite
                                                        : UINT32_MAX;
}

/// What is in memory where the active lanes are about to write.
class Target {
public:
    /// \p instr stores, or is atomic.
    Target(Warp& warp, const Instr* instr, Effect effect)
    {
        if (effect == Effect::Atomic) {
            // Its address is in a register, not in its MemoryInfo.
            const uint64_t* addresses = warp.vector<uint64_t>(instr->a);
            keep(warp, reinterpret_cast<const AtomicInfo*>(instr->imm)->memory,
                 [&](int lane) { return addresses[lane]; });
        } else {
            const auto& info = *reinterpret_cast<const MemoryInfo*>(instr->imm);
            keep(warp, info, [&](int lane) { return laneAddress(warp, info, lane); });
        }
    }
    [[nodiscard]] bool isUnchanged() const
    {
        return std::all_of(m_pieces.begin(), m_pieces.end(), [](const auto& piece) {
            return std::memcmp(piece.first, piece.second.data(), piece.second.size()) == 0;
        });
    }

private:
    template <typename AddressOf>
    void keep(const Warp& warp, const MemoryInfo& info, AddressOf addressOf)
    {
        const size_t bytes = size_t{info.bytes} * info.components;
        for (LaneMask rest = warp.mask; rest; rest &= rest - 1) {
            const int lane = std::countr_zero(rest);
            if (const std::byte* at = hostAddress(warp, lane, addressOf(lane), bytes, true))
                m_pieces.emplace_back(at, std::vector<std::byte>(at, at + bytes));
        }
    }

    std::vector<std::pair<const std::byte*, std::vector<std::byte>>> m_pieces;
};

/// One look at a block.
class Look {
public:
    Look(Block& block, unsigned turns, bool letsLanesGo, PolledMemory* polled)
        : m_block(block), m_program(*block.program), m_turnsLeft(turns), m_letsLanesGo(letsLanesGo), m_polled(polled)
    {
    }

    Outlook run()
    {
        setBySteps(true);
        const Outlook outlook = look();
        setBySteps(false);
        return outlook;
    }

private:
    void setBySteps(bool bySteps)
    {
        for (Warp& warp : m_block.warps)
            warp.bySteps = bySteps;
    }

    Outlook look()
    {
        BlockSnapshot before;  // at an earlier opening of barriers, see below
        for (unsigned release = 0; release < kMostReleases; ++release) {
            bool goesRound = false;
            for (Warp& warp : m_block.warps)
                if (!settle(warp, goesRound))
                    return Outlook::Open;
            if (m_block.liveLanes == 0)
                return Outlook::Open;
            if (m_letsLanesGo && std::any_of(m_block.warps.begin(), m_block.warps.end(),
                                             [](Warp& warp) { return releaseWaiting(warp); }))
                continue;
            if (!releaseBarriers(m_block))
                return goesRound ? Outlook::GoesRound : Outlook::Waits;
            // Threads may go round through barriers: then all of them are the same again at one.
            if (before.is(m_block))
                return Outlook::GoesRound;
            if (std::has_single_bit(release + 1))
                before.take(m_block);
        }
        return Outlook::Open;
    }

    /// Runs \p warp until each of its splits waits or has come round; false when one did anything else.
    bool settle(Warp& warp, bool& goesRound)
    {
        // Each split gets to be the one that is preferred.
        for (size_t shown = 0; continueWarp(warp); ++shown) {
            if (shown > warp.splits.size()) {
                goesRound = true;
                return true;
            }
            if (!comesRound(warp))
                return false;
            if (warp.splits.empty())
                return true;
            std::rotate(warp.splits.begin(), warp.splits.end() - 1, warp.splits.end());
        }
        return true;
    }

    /// Runs \p warp until it is as it was before, or none of its splits is ready; false when memory changes or that
    /// takes too long. Brent, "An improved Monte Carlo factorization algorithm" (1980): states are compared with one
    /// that is renewed at powers of two.
    bool comesRound(Warp& warp)
    {
        WarpSnapshot state;
        const auto renew = [&] {
            state.take(warp);
            for (Split& split : warp.splits)
                split.lastRead = UINT32_MAX;
        };
        renew();
        for (unsigned turn = 1; m_turnsLeft > 0; ++turn, --m_turnsLeft) {
            if (!runBasicBlock(warp) || m_block.stop)
                return false;
            if (warp.current == Warp::kNoSplit && !continueWarp(warp))
                return true;
            if (state.is(warp))
                return true;
            if (std::has_single_bit(turn))
                renew();
        }
        return false;
    }

    /// False when it does what others may notice, or reads what others do.
    bool runBasicBlock(Warp& warp)
    {
        warp.quantum = 1;
        const Instr* instr = warp.splits[warp.current].ip;
        while (instr) {
            const Effect effect = effectOf(m_program, instr);
            if (effect == Effect::None) {
                instr = step(warp, instr);
                continue;
            }
            bool unchanged = false;
            if (effect == Effect::Other) {
                instr = step(warp, instr);
            } else {
                const Target target(warp, instr, effect);
                instr = step(warp, instr);
                unchanged = target.isUnchanged();
            }
            if (!unchanged) {
                // The turn is not over: what follows is left to the scheduler.
                if (instr)
                    warp.splits[warp.current].ip = instr;
                return false;
            }
        }
        return true;
    }

    const Instr* step(Warp& warp, const Instr* instr)
    {
        if (const uint32_t site = siteRead(m_program, instr); site != UINT32_MAX) {
            warp.splits[warp.current].lastRead = site;
            if (m_polled)
                notePolled(warp, instr);
        }
        return stepWatched(warp, instr);
    }

    void notePolled(Warp& warp, const Instr* instr)
    {
        const bool atomic = instr->run == runAtomic;
        const MemoryInfo& info = atomic ? reinterpret_cast<const AtomicInfo*>(instr->imm)->memory
                                        : *reinterpret_cast<const MemoryInfo*>(instr->imm);
        const size_t bytes = size_t{info.bytes} * info.components;
        for (LaneMask rest = warp.mask; rest; rest &= rest - 1) {
            const int lane = std::countr_zero(rest);
            const uint64_t address = atomic ? warp.vector<uint64_t>(instr->a)[lane] : laneAddress(warp, info, lane);
            if (address >> 32 >= kSharedSlot)
                continue;
            if (const std::byte* at = hostAddress(warp, lane, address, bytes, false))
                m_polled->add(at, bytes);
        }
    }

    Block& m_block;
    const Program& m_program;
    unsigned m_turnsLeft;
    bool m_letsLanesGo;
    PolledMemory* m_polled;
};

}  // namespace

Outlook outlookOf(Block& block, unsigned turns, bool letsLanesGo, PolledMemory* polled)
{
    return Look(block, turns, letsLanesGo, polled).run();
}

}  // namespace lanescope::simt
