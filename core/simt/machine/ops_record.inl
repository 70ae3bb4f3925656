// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What goes into the trace and nowhere else: values of variables, and rows of memory. As parts of machine code: what is
// not recorded is nothing there, and what is, is a few stores into the recorder's log.

/// 32 values of a register, as wide as they are in memory, behind each other.
template <typename Memory, typename Lane>
[[gnu::always_inline]] inline void putLanes(const Lane* from, uint8_t* to)
{
    LS_EACH_LANE
    for (int i = 0; i < kWarpSize; ++i)
        reinterpret_cast<Aliased<Memory>*>(to)[i].value = static_cast<Memory>(from[i]);
}

[[gnu::always_inline]] inline void recordLanes(const Instr* instr, Warp& warp)
{
    uint8_t* const to =
        warp.recorder->variableWrite(SiteId{instr->c}, warp.id, warp.mask, static_cast<uint8_t>(instr->b));
    if (warp.mask == 0)
        return;
    const bool isWide = (instr->imm & kWideRecord) != 0;
    switch (instr->b) {
    case 1:
        return isWide ? putLanes<uint8_t>(warp.vector<uint64_t>(instr->a), to)
                      : putLanes<uint8_t>(warp.vector<uint32_t>(instr->a), to);
    case 2:
        return isWide ? putLanes<uint16_t>(warp.vector<uint64_t>(instr->a), to)
                      : putLanes<uint16_t>(warp.vector<uint32_t>(instr->a), to);
    case 4:
        return isWide ? putLanes<uint32_t>(warp.vector<uint64_t>(instr->a), to)
                      : putLanes<uint32_t>(warp.vector<uint32_t>(instr->a), to);
    case 8:
        return putLanes<uint64_t>(warp.vector<uint64_t>(instr->a), to);
    default:
        break;
    }
    for (int i = 0; i < kWarpSize; ++i)
        __builtin_memcpy(to + static_cast<uint32_t>(i) * instr->b,
                         warp.regs + instr->a + static_cast<uint32_t>(i) * (isWide ? 8 : 4), instr->b);
}

inline const Instr* recordVariable(const Instr* instr, Warp& warp)
{
    if (warp.recorder)
        recordLanes(instr, warp);
    return instr + 1;
}

/// Whether an active lane holds a NaN. \p Signed: an integer as wide as the floats. Without its sign a NaN's is above
/// infinity's.
template <typename Signed>
[[gnu::always_inline]] inline bool anyNan(const Signed* bits, LaneMask mask)
{
    constexpr Signed kInfinity = sizeof(Signed) == 4 ? Signed(0x7f800000) : Signed(0x7ff0000000000000);
    constexpr Signed kMagnitude = sizeof(Signed) == 4 ? Signed(0x7fffffff) : Signed(0x7fffffffffffffff);
    Signed signs = 0;
    for (int i = 0; i < kWarpSize; ++i) {
        // Below 0 for a NaN.
        const Signed room = kInfinity - (bits[i] & kMagnitude);
        signs |= room & (Signed{0} - static_cast<Signed>(mask >> i & 1U));
    }
    return signs < 0;
}

inline const Instr* recordDerived(const Instr* instr, Warp& warp)
{
    if (!warp.recorder)
        return instr + 1;
    // Which of two NaNs an operation keeps is the compiler's choice; everything else has one right answer.
    const auto hasNan = [&] {
        return (instr->imm & kWideRecord) != 0 ? anyNan(warp.vector<int64_t>(instr->a), warp.mask)
                                               : anyNan(warp.vector<int32_t>(instr->a), warp.mask);
    };
    const Derives needed = (instr->imm & kAsksOthers) != 0 ? Derives::FromAll : Derives::FromOwn;
    if (warp.block->derives < needed || ((instr->imm & kNeverNan) == 0 && hasNan()))
        recordLanes(instr, warp);
    else
        warp.recorder->variableWrite(SiteId{instr->c}, warp.id, warp.mask, uint8_t{0});
    return instr + 1;
}

inline const Instr* recordUniform(const Instr* instr, Warp& warp)
{
    if (!warp.recorder)
        return instr + 1;
    if (instr->b <= sizeof(uint64_t)) {
        const uint64_t value = warp.scalar<uint64_t>(instr->a);
        const uint64_t kept = instr->b < sizeof value ? value & ((uint64_t{1} << 8 * instr->b) - 1) : value;
        warp.recorder->variableWriteUniform(SiteId{instr->c}, warp.id, warp.mask, kept, static_cast<uint8_t>(instr->b));
    } else {
        warp.recorder->variableWriteUniform(SiteId{instr->c}, warp.id, warp.mask, warp.scalars + instr->a,
                                            static_cast<uint8_t>(instr->b));
    }
    return instr + 1;
}

inline const Instr* recordConstant(const Instr* instr, Warp& warp)
{
    if (warp.recorder)
        warp.recorder->variableWriteUniform(SiteId{instr->c}, warp.id, warp.mask, instr->imm,
                                            static_cast<uint8_t>(instr->b));
    return instr + 1;
}

constexpr Handler selectRecord(RecordedValue value)
{
    switch (value) {
    case RecordedValue::Lanes:
        return recordVariable;
    case RecordedValue::Derived:
        return recordDerived;
    case RecordedValue::Uniform:
        return recordUniform;
    case RecordedValue::Constant:
        return recordConstant;
    }
    return nullptr;
}
