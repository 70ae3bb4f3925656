// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/simt/livelock.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/simt/definedness.h"
#include "core/simt/memory_access.h"
#include "core/simt/program.h"
#include "core/simt/scheduler.h"

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
    constexpr Handler kOthers[] = {runClock,           runMemoryCopy,   runMemorySet,   runPrint,
                                   runAssertFail,      runTrap,         runDeviceFree,  runLaunch,
                                   runWaitForChildren, runDeviceMalloc, runAsyncCopied, runAsyncWait,
                                   runEnterFrame,      runForgetFrame,  runAsyncCommit, runBarrierArrive};
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
    Target(const Warp& warp, const MemoryInfo& info)
    {
        const size_t bytes = size_t{info.bytes} * info.components;
        for (LaneMask rest = warp.mask; rest; rest &= rest - 1) {
            const int lane = std::countr_zero(rest);
            if (const std::byte* at = hostAddress(warp, lane, laneAddress(warp, info, lane), bytes, true))
                m_pieces.emplace_back(at, std::vector<std::byte>(at, at + bytes));
        }
    }
    [[nodiscard]] bool isUnchanged() const
    {
        return std::all_of(m_pieces.begin(), m_pieces.end(), [](const auto& piece) {
            return std::memcmp(piece.first, piece.second.data(), piece.second.size()) == 0;
        });
    }

private:
    std::vector<std::pair<const std::byte*, std::vector<std::byte>>> m_pieces;
};

bool sameCalls(const std::vector<CallFrame>& a, const std::vector<CallFrame>& b)
{
    return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                      [](const CallFrame& x, const CallFrame& y) { return x.returnTo == y.returnTo; });
}

bool sameSplit(const Split& a, const Split& b)
{
    return a.ip == b.ip && a.mask == b.mask && a.join == b.join && a.state == b.state && a.barrier == b.barrier &&
           a.served == b.served && a.scalars == b.scalars && sameCalls(a.calls, b.calls);
}

bool sameJoin(const Join& a, const Join& b)
{
    if (!a.used || !b.used)
        return a.used == b.used;
    return a.at == b.at && a.expected == b.expected && a.arrived == b.arrived && a.parent == b.parent &&
           a.depth == b.depth && (a.arrived == 0 || (a.scalars == b.scalars && sameCalls(a.calls, b.calls)));
}

/// All that decides what a warp does next, but for memory and for whose turn it is.
class WarpState {
public:
    void take(const Warp& warp)
    {
        m_current = warp.current;
        m_splits = warp.splits;
        m_joins = warp.joins;
        m_spilled = warp.spilled;
        m_registers.assign(warp.regs, warp.regs + warp.block->program->registerBytes);
    }
    [[nodiscard]] bool is(const Warp& warp) const
    {
        return m_current == warp.current &&
               std::equal(m_splits.begin(), m_splits.end(), warp.splits.begin(), warp.splits.end(), sameSplit) &&
               joinsAre(warp.joins) && m_spilled == warp.spilled &&
               std::memcmp(m_registers.data(), warp.regs, m_registers.size()) == 0;
    }

private:
    /// Unused ones at the end may have come or gone.
    [[nodiscard]] bool joinsAre(const std::vector<Join>& joins) const
    {
        const Join none;
        for (size_t i = 0; i < std::max(joins.size(), m_joins.size()); ++i)
            if (!sameJoin(i < joins.size() ? joins[i] : none, i < m_joins.size() ? m_joins[i] : none))
                return false;
        return true;
    }

    size_t m_current = 0;
    std::vector<Split> m_splits;
    std::vector<Join> m_joins;
    std::vector<std::vector<uint64_t>> m_spilled;
    std::vector<std::byte> m_registers;
};

class BlockState {
public:
    void take(const Block& block)
    {
        m_warps.resize(block.warps.size());
        for (size_t i = 0; i < m_warps.size(); ++i)
            m_warps[i].take(block.warps[i]);
        m_votes = votesOf(block);
    }
    [[nodiscard]] bool is(const Block& block) const
    {
        return m_votes == votesOf(block) &&
               std::equal(m_warps.begin(), m_warps.end(), block.warps.begin(), block.warps.end(),
                          [](const WarpState& state, const Warp& warp) { return state.is(warp); });
    }

private:
    /// What threads that leave a barrier find there.
    static std::vector<uint32_t> votesOf(const Block& block)
    {
        std::vector<uint32_t> votes;
        for (const NamedBarrier& barrier : block.namedBarriers)
            votes.insert(votes.end(),
                         {barrier.arrived, barrier.count, barrier.result, barrier.votes, barrier.allVoted});
        return votes;
    }

    std::vector<WarpState> m_warps;
    std::vector<uint32_t> m_votes;
};

/// One look at a block.
class Look {
public:
    Look(Block& block, unsigned turns, bool letsLanesGo)
        : m_block(block), m_program(*block.program), m_turnsLeft(turns), m_letsLanesGo(letsLanesGo)
    {
    }

    Outlook run()
    {
        BlockState before;  // at an earlier opening of barriers, see below
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

private:
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
        WarpState state;
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
                const Target target(warp, effect == Effect::Atomic
                                              ? reinterpret_cast<const AtomicInfo*>(instr->imm)->memory
                                              : *reinterpret_cast<const MemoryInfo*>(instr->imm));
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
        if (const uint32_t site = siteRead(m_program, instr); site != UINT32_MAX)
            warp.splits[warp.current].lastRead = site;
        const Instr* next = warp.tracked ? warp.tracker->step(instr, warp) : instr->run(instr, warp);
        // A warp that has just become tracked goes on there.
        return next ? next : std::exchange(warp.resumeAt, nullptr);
    }

    Block& m_block;
    const Program& m_program;
    unsigned m_turnsLeft;
    bool m_letsLanesGo;
};

uint32_t lineOf(const Program& program, const Instr* at)
{
    const CodeSpan span = program.spanOf(at);
    // What stands before it is of the same line, or near.
    for (const Instr* instr = at; span.holds(instr); --instr)
        for (const uint32_t flow : {span.slotsOf(instr).inner, span.slotsOf(instr).outer})
            if (flow != 0 && program.flows[flow - 1].where.line != 0)
                return program.flows[flow - 1].where.line;
    return 0;
}

/// The line at which the threads of \p split wait; of those that do not, where they happen to be.
uint32_t lineOf(const Program& program, const Split& split)
{
    if (split.state == Split::State::AtWarpCall)
        return program.sites[reinterpret_cast<const WarpCall*>(split.ip->imm)->staticSite].where.line;
    // Who waits at a barrier goes on behind it.
    if (split.state == Split::State::AtBarrier || split.state == Split::State::AtGridBarrier)
        if (const auto site = std::ranges::find(program.sites, split.barrierSite, &trace::Site::id);
            site != program.sites.end())
            return site->where.line;
    return lineOf(program, split.ip);
}

using ThreadsAtLines = std::map<uint32_t, unsigned>;

/// "64 threads WORDS line 12, 1 thread WORD line 30"
std::string textOf(const ThreadsAtLines& lines, const char* word, const char* words)
{
    constexpr size_t kShown = 3;
    std::vector<std::pair<uint32_t, unsigned>> most(lines.begin(), lines.end());
    std::stable_sort(most.begin(), most.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
    most.resize(std::min(most.size(), kShown));
    std::string text;
    for (const auto& [line, count] : most)
        text += fmt::format("{}{} {} line {}", text.empty() ? "" : ", ", count, count == 1 ? word : words, line);
    return text;
}

}  // namespace

Outlook outlookOf(Block& block, unsigned turns, bool letsLanesGo)
{
    return Look(block, turns, letsLanesGo).run();
}

std::string reportLivelock(Block& block)
{
    ThreadsAtLines round, waiting;
    for (Warp& warp : block.warps) {
        for (const Split& split : warp.splits) {
            const bool waits = split.state != Split::State::Ready;
            uint32_t line = lineOf(*block.program, split);
            if (!waits && split.lastRead != UINT32_MAX) {
                // What they read says more than where in the loop they happen to be.
                line = block.program->sites[split.lastRead].where.line;
                for (LaneMask rest = split.mask; rest; rest &= rest - 1)
                    reportProgramFault(warp, "livelock", split.lastRead, std::countr_zero(rest),
                                       "threads go round for ever: no thread that runs changes what they read here");
            }
            (waits ? waiting : round)[line] += laneCount(split.mask);
        }
        for (const Join& join : warp.joins)
            if (join.used && join.arrived)
                waiting[lineOf(*block.program, join.at)] += laneCount(join.arrived);
    }
    std::string text = "livelock: no thread changes anything any more";
    for (const std::string& part : {textOf(round, "thread goes round at", "threads go round at"),
                                    textOf(waiting, "thread waits at", "threads wait at")})
        if (!part.empty())
            text += "; " + part;
    return text;
}

std::string whereThreadsAre(const Block& block)
{
    ThreadsAtLines threads;
    for (const Warp& warp : block.warps)
        for (const Split& split : warp.splits)
            if (const uint32_t line = lineOf(*block.program, split))
                threads[line] += laneCount(split.mask);
    return textOf(threads, "thread at", "threads at");
}

}  // namespace lanescope::simt
