// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Subscripts against the extents an array was declared with.

/// Whether the subscripts of all active lanes are inside. A negative one is a large unsigned one.
[[gnu::always_inline]] inline bool isInside(Warp& warp, const SubscriptLimits::Limit& limit)
{
    const AddressTerm& index = limit.index;
    if (index.operand.form == Form::Scalar)
        return static_cast<uint64_t>(termValue<int64_t>(warp, index)) < limit.extent;
    if (index.wide) {
        const uint64_t* lanes = warp.vector<uint64_t>(index.operand.reg);
        uint64_t highest = 0;
        for (int i = 0; i < kWarpSize; ++i)
            highest = warp.lanes[i] && lanes[i] > highest ? lanes[i] : highest;
        return highest < limit.extent;
    }
    if (limit.extent > UINT32_MAX)
        return true;
    // A comparison of each lane, where a maximum of all of them would wait for itself five times.
    const uint32_t* lanes = warp.vector<uint32_t>(index.operand.reg);
    const auto extent = static_cast<uint32_t>(limit.extent);
    const bool isWhole = warp.mask == ~LaneMask{0};
    LaneVector outside{};
    for (int i = 0; i < kWarpSize; i += kVectorLanes) {
        const auto subscripts = loadVector(lanes + i);
        const auto active = loadVector(reinterpret_cast<const uint32_t*>(warp.lanes) + i);
        outside |= reinterpret_cast<LaneVector>((isWhole ? subscripts : subscripts & active) >= extent);
    }
    return !anySet(outside);
}

inline const Instr* checkShape(const Instr* instr, Warp& warp)
{
    const auto& check = *reinterpret_cast<const ShapeCheck*>(instr->imm);
    bool inside = check.limits.isFull;
    for (unsigned i = 0; i < check.limits.count; ++i)
        inside &= isInside(warp, check.limits.limits[i]);
    if (!inside) [[unlikely]]
        reportShape(warp, check);
    return instr + 1;
}
