// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Branches. A branch ends a basic block: it counts the block's instructions and, when the warp's turn is over,
// hands back to the scheduler. Divergence itself is handled out of line (divergence.cpp).

[[gnu::always_inline]] inline const Instr* endBlock(Warp& warp, const Instr* next, uint32_t instructions,
                                                    uint32_t flops)
{
    warp.instructions += instructions;
    warp.flops += uint64_t{flops} * static_cast<unsigned>(__builtin_popcount(warp.mask));
    if (--warp.quantum > 0)
        return next;
    warp.splits[warp.current].ip = next;
    return nullptr;
}

inline const Instr* jumpTo(const Instr* instr, Warp& warp)
{
    return endBlock(warp, reinterpret_cast<const Instr*>(instr->imm), instr->a, instr->b);
}

template <bool recording>
const Instr* branchScalar(const Instr* instr, Warp& warp)
{
    const auto& info = *reinterpret_cast<const BranchInfo*>(instr->imm);
    bool taken = warp.scalar<uint32_t>(instr->a) != 0;
    if constexpr (recording)
        if (warp.recorder)
            warp.recorder->branch(info.site, warp.id, warp.mask, taken ? warp.mask : 0);
    return endBlock(warp, taken ? info.ifTrue : info.ifFalse, info.instructions, info.flops);
}

template <bool recording>
const Instr* branchLanes(const Instr* instr, Warp& warp)
{
    const auto& info = *reinterpret_cast<const BranchInfo*>(instr->imm);
    const uint32_t* condition = warp.vector<uint32_t>(instr->a);
    const LaneMask taken = warp.mask & ~lanesEqual(condition, 0);
    if constexpr (recording)
        if (warp.recorder)
            warp.recorder->branch(info.site, warp.id, warp.mask, taken);
    if (taken == warp.mask)
        return endBlock(warp, info.ifTrue, info.instructions, info.flops);
    if (taken == 0)
        return endBlock(warp, info.ifFalse, info.instructions, info.flops);
    return runDiverge(instr, warp, taken);
}

/// What machine code does first at a place where lanes meet: goes on where there is nobody to meet, else stays.
inline const Instr* passJoin(const Instr* instr, Warp& warp)
{
    return warp.splits[warp.current].join < 0 ? instr + 1 : instr;
}

/// What machine code does first where a whole warp ends that it has run from its beginning: where the block's next warp
/// takes its place (NextWarps) it begins that, else stays.
inline const Instr* beginNextWarp(const Instr* instr, Warp& warp)
{
    Block& block = *warp.block;
    const NextWarps* const next = block.nextWarps;
    const uint32_t id = uint32_t{warp.id} + 1;
    if (!next || !block.isApart || id >= next->count || block.stop)
        return instr;
    enterReads(block);
    const uint64_t instructions = warp.instructions + instr->a;
    EndedWarps& ended = block.endedWarps;
    ended.instructions += instructions;
    ended.flops += warp.flops + uint64_t{static_cast<uint32_t>(instr->imm)} * kWarpSize;
    ended.longest = ended.longest > instructions ? ended.longest : instructions;
    block.liveLanes -= kWarpSize;
    warp.instructions = warp.flops = 0;
    warp.quantum = next->turn;
    warp.id = static_cast<uint16_t>(id);
    const ThreadIndexes& threads = next->threads[id];
    __builtin_memcpy(warp.regs + kThreadIdxReg, threads.lanes[0], sizeof threads.lanes[0]);
    warp.setScalar(kWarpIdScalar, uint64_t{id});
    warp.setScalar(kThreadRowScalar, uint64_t{threads.lanes[1][0]});
    warp.setScalar(kThreadRowScalar + 1, uint64_t{threads.lanes[2][0]});
    return instr + 1;
}

/// A switch on narrow values that differ: one comparison of all lanes for each case.
inline const Instr* switchLanes(const Instr* instr, Warp& warp)
{
    const auto& info = *reinterpret_cast<const SwitchInfo*>(instr->imm);
    if (info.wide || info.cases.size() > kWarpSize)
        return runSwitch(instr, warp);
    const uint32_t* values = warp.vector<uint32_t>(instr->a);
    SwitchGroups groups;
    LaneMask rest = warp.mask;
    for (const auto& [constant, target] : info.cases) {
        const LaneMask lanes = rest & lanesEqual(values, static_cast<uint32_t>(constant));
        rest &= ~lanes;
        groups.add(target, lanes);
    }
    groups.add(info.fallback, rest);
    return runSwitchGroups(instr, warp, groups);
}

constexpr Handler selectBranch(Form condition, bool recording)
{
    if (condition == Form::Scalar)
        return recording ? branchScalar<true> : branchScalar<false>;
    return recording ? branchLanes<true> : branchLanes<false>;
}

constexpr Handler selectJump(bool)
{
    return jumpTo;
}
