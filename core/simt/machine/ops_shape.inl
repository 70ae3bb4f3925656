// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Subscripts against the extents an array was declared with.

/// Whether the dimension's subscripts of all active lanes are inside. A negative one is a large unsigned one.
[[gnu::always_inline]] inline bool isInside(Warp& warp, const ShapeDim& dim)
{
    if (dim.value == ShapeDim::Value::Constant)
        return static_cast<uint64_t>(dim.constant) < dim.extent;
    if (dim.index.operand.form == Form::Scalar)
        return static_cast<uint64_t>(termValue<int64_t>(warp, dim.index)) < dim.extent;
    if (dim.index.wide) {
        const uint64_t* lanes = warp.vector<uint64_t>(dim.index.operand.reg);
        uint64_t highest = 0;
        for (int i = 0; i < kWarpSize; ++i)
            highest = warp.lanes[i] && lanes[i] > highest ? lanes[i] : highest;
        return highest < dim.extent;
    }
    if (dim.extent > UINT32_MAX)
        return true;
    // A comparison of each lane, where a maximum of all of them would wait for itself five times.
    const uint32_t* lanes = warp.vector<uint32_t>(dim.index.operand.reg);
    const auto extent = static_cast<uint32_t>(dim.extent);
    LaneVector outside{};
    for (int i = 0; i < kWarpSize; i += kVectorLanes) {
        const LaneVector active = loadVector(reinterpret_cast<const uint32_t*>(warp.lanes) + i);
        outside |= reinterpret_cast<LaneVector>((loadVector(lanes + i) & active) >= extent);
    }
    return !anySet(outside);
}

inline const Instr* checkShape(const Instr* instr, Warp& warp)
{
    const auto& check = *reinterpret_cast<const ShapeCheck*>(instr->imm);
    bool inside = true;
    for (const ShapeDim& dim : check.dims)
        if (dim.limited)
            inside &= isInside(warp, dim);
    if (!inside) [[unlikely]]
        reportShape(warp, check);
    return instr + 1;
}
