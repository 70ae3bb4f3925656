// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/simt/state/block_snapshot.h"

#include <algorithm>
#include <cstring>

#include "core/simt/code/program.h"

namespace lanescope::simt {
namespace {

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

/// What threads that leave a barrier find there.
std::vector<uint32_t> votesOf(const Block& block)
{
    std::vector<uint32_t> votes;
    for (const NamedBarrier& barrier : block.namedBarriers)
        votes.insert(votes.end(), {barrier.arrived, barrier.count, barrier.result, barrier.votes, barrier.allVoted});
    return votes;
}

}  // namespace

void WarpSnapshot::take(const Warp& warp)
{
    m_current = warp.current;
    m_splits = warp.splits;
    m_joins = warp.joins;
    m_spilled = warp.spilled;
    m_registers.assign(warp.regs, warp.regs + warp.block->program->registerBytes);
}

bool WarpSnapshot::is(const Warp& warp) const
{
    return m_current == warp.current &&
           std::equal(m_splits.begin(), m_splits.end(), warp.splits.begin(), warp.splits.end(), sameSplit) &&
           joinsAre(warp.joins) && m_spilled == warp.spilled &&
           std::memcmp(m_registers.data(), warp.regs, m_registers.size()) == 0;
}

/// Unused ones at the end may have come or gone.
bool WarpSnapshot::joinsAre(const std::vector<Join>& joins) const
{
    const Join none;
    for (size_t i = 0; i < std::max(joins.size(), m_joins.size()); ++i)
        if (!sameJoin(i < joins.size() ? joins[i] : none, i < m_joins.size() ? m_joins[i] : none))
            return false;
    return true;
}

void BlockSnapshot::take(const Block& block)
{
    m_warps.resize(block.warps.size());
    for (size_t i = 0; i < m_warps.size(); ++i)
        m_warps[i].take(block.warps[i]);
    m_votes = votesOf(block);
}

bool BlockSnapshot::is(const Block& block) const
{
    return m_votes == votesOf(block) &&
           std::equal(m_warps.begin(), m_warps.end(), block.warps.begin(), block.warps.end(),
                      [](const WarpSnapshot& snapshot, const Warp& warp) { return snapshot.is(warp); });
}

}  // namespace lanescope::simt
