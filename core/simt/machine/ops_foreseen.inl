// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Accesses and branches of blocks that are foreseen (core/simt/state/foreseen_block.h), as machine code has them: of
// whole warps that nobody looks at. Where they lie, and that it is all right, is known; so they do nothing else.

[[gnu::always_inline]] inline std::byte* foreseenPlace(Warp& warp, const MemoryInfo& info, int64_t& way)
{
    const ForeseenBlock& block = *settled(settled(warp.block)->foreseen);
    way = settled(settled(block.ways)[info.foreseenGroup * ForeseenBlock::kMostWarps + warp.id]);
    return settled(settled(block.places)[info.foreseen].host) + way;
}

template <typename Memory, typename Lane>
const Instr* loadForeseen(const Instr* instr, Warp& warp)
{
    const auto& info = *reinterpret_cast<const MemoryInfo*>(instr->imm);
    int64_t way;
    const std::byte* const from = foreseenPlace(warp, info, way);
    Lane* const out = warp.vector<Lane>(info.values[0].reg);
    if (info.isForeseenRow) {
        convertRow<Lane, Memory, kWarpSize>(from, out);
    } else {
        const auto value = static_cast<Lane>(peek<Memory>(from));
        fillRow(value, out);
        fillRow(value, out + LanePattern::kHalf);
    }
    return instr + 1;
}

template <typename Memory, typename Lane>
const Instr* loadScalarForeseen(const Instr* instr, Warp& warp)
{
    const auto& info = *reinterpret_cast<const MemoryInfo*>(instr->imm);
    int64_t way;
    warp.setScalar<Lane>(info.values[0].reg, static_cast<Lane>(peek<Memory>(foreseenPlace(warp, info, way))));
    return instr + 1;
}

/// Of a row.
template <typename Memory, typename Lane>
const Instr* storeForeseen(const Instr* instr, Warp& warp)
{
    const auto& info = *reinterpret_cast<const MemoryInfo*>(instr->imm);
    int64_t way;
    std::byte* const to = foreseenPlace(warp, info, way);
    if (info.values[0].form == Form::Vector) {
        convertRow<Memory, Lane, kWarpSize>(warp.vector<Lane>(info.values[0].reg), to);
    } else {
        const auto value = static_cast<Memory>(warp.scalar<Lane>(info.values[0].reg));
        fillRow(value, to);
        fillRow(value, to + sizeof(Memory) * LanePattern::kHalf);
    }
    const ForeseenBlock::Place& place = settled(settled(settled(warp.block)->foreseen)->places)[info.foreseen];
    uint8_t* const bits = settled(place.initialised);
    constexpr unsigned kBytes = sizeof(Memory) * kWarpSize;
    const uint64_t offset = settled(place.offset) + static_cast<uint64_t>(way);
    if (bits && !isRunInitialised<kBytes>(bits, offset))
        setInitialised(bits, offset, kBytes);
    return instr + 1;
}

/// Instead of a branch: all threads go that way.
template <bool way>
const Instr* goForeseen(const Instr* instr, Warp& warp)
{
    const auto& info = *reinterpret_cast<const BranchInfo*>(instr->imm);
    return endBlock(warp, way ? info.ifTrue : info.ifFalse, info.instructions, info.flops);
}
