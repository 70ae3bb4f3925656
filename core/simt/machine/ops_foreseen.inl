// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Accesses and branches of blocks that are foreseen (core/simt/state/foreseen_block.h), as machine code has them: of
// whole warps that nobody looks at. Where they lie, and that it is all right, is known; so they do nothing else.

/// Where the first thread of a warp has its part of an access.
struct ForeseenPart {
    const ForeseenBlock::Place& place;  ///< of the block
    int64_t way;                        ///< from there, in bytes

    [[gnu::always_inline]] ForeseenPart(Warp& warp, const MemoryInfo& info)
        : place(settled(blockOf(warp).places)[info.foreseen]),
          way(settled(settled(blockOf(warp).ways)[info.foreseenGroup * ForeseenBlock::kMostWarps + warp.id]))
    {
    }
    [[nodiscard, gnu::always_inline]] std::byte* host() const { return settled(place.host) + way; }
    [[nodiscard, gnu::always_inline]] static const ForeseenBlock& blockOf(Warp& warp)
    {
        return *settled(settled(warp.block)->foreseen);
    }
};

template <typename Memory, typename Lane>
const Instr* loadForeseen(const Instr* instr, Warp& warp)
{
    const auto& info = *reinterpret_cast<const MemoryInfo*>(instr->imm);
    const std::byte* const from = ForeseenPart(warp, info).host();
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
    warp.setScalar<Lane>(info.values[0].reg, static_cast<Lane>(peek<Memory>(ForeseenPart(warp, info).host())));
    return instr + 1;
}

/// Of a row.
template <typename Memory, typename Lane>
const Instr* storeForeseen(const Instr* instr, Warp& warp)
{
    const auto& info = *reinterpret_cast<const MemoryInfo*>(instr->imm);
    const ForeseenPart part(warp, info);
    std::byte* const to = part.host();
    if (info.values[0].form == Form::Vector) {
        convertRow<Memory, Lane, kWarpSize>(warp.vector<Lane>(info.values[0].reg), to);
    } else {
        const auto value = static_cast<Memory>(warp.scalar<Lane>(info.values[0].reg));
        fillRow(value, to);
        fillRow(value, to + sizeof(Memory) * LanePattern::kHalf);
    }
    uint8_t* const bits = settled(part.place.initialised);
    constexpr unsigned kBytes = sizeof(Memory) * kWarpSize;
    const uint64_t offset = settled(part.place.offset) + static_cast<uint64_t>(part.way);
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
