// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Instructions that come after each other again and again, run by one handler: what inner loops that are unrolled
// consist of. The fused handler stands in the first instruction, the others keep their own: whoever gets there
// otherwise, or goes step by step, runs those. Where an access is more than a copy, the fused handler runs the first
// instruction alone.

#ifdef __FMA__

using FloatVector [[gnu::vector_size(kVectorBytes)]] = float;

/// Half a warp's floats.
struct FloatRow {
    static constexpr int kParts = LanePattern::kHalf / kVectorLanes;
    FloatVector parts[kParts];

    [[gnu::always_inline]] void read(const void* from)
    {
        for (int i = 0; i < kParts; ++i)
            __builtin_memcpy(&parts[i], static_cast<const float*>(from) + i * kVectorLanes, sizeof parts[i]);
    }
    [[gnu::always_inline]] void write(void* to) const
    {
        for (int i = 0; i < kParts; ++i)
            __builtin_memcpy(static_cast<float*>(to) + i * kVectorLanes, &parts[i], sizeof parts[i]);
    }
    [[gnu::always_inline]] void fill(uint32_t bits)
    {
        for (FloatVector& part : parts)
            part = reinterpret_cast<FloatVector>(LaneVector{} + bits);
    }
    /// Adds products, each rounded with the sum.
    [[gnu::always_inline]] void addProducts(const FloatRow& a, const FloatRow& b)
    {
        for (int i = 0; i < kParts; ++i)
#ifdef __AVX512F__
            parts[i] = _mm512_fmadd_ps(a.parts[i], b.parts[i], parts[i]);
#else
            parts[i] = _mm256_fmadd_ps(a.parts[i], b.parts[i], parts[i]);
#endif
    }
};

/// A half of what is loaded; \p out: the half's part of the load's register, for what comes in other steps.
[[gnu::always_inline]] inline void loadRow(const std::byte* from, int32_t step, uint32_t* out, FloatRow& row)
{
    if (step == sizeof(float)) {
        row.read(from);
    } else if (step == 0) {
        row.fill(peek<uint32_t>(from));
    } else {
        loadSteps<uint32_t>(EvenHalf{const_cast<std::byte*>(from), step}, out);
        row.read(out);
    }
}

/// As loadRow; \p keeps: \p out gets it as well.
[[gnu::always_inline]] inline FloatRow loadFloats(const EvenAccess& at, uint32_t start, int half, bool keeps,
                                                  uint32_t* out)
{
    out += half * LanePattern::kHalf;
    FloatRow row;
    loadRow(at.object->host + at.first(half, start), at.step(half), out, row);
    if (keeps)
        row.write(out);
    return row;
}

/// Two loads and the multiply-add of what they load; as often as that comes in a row. The lowering has noted which
/// values nobody else reads (a of loads, imm of multiply-adds): these stay out of their registers.
inline const Instr* multiplyAddLoaded(const Instr* instr, Warp& warp)
{
    constexpr Handler kAlone = loadEven<uint32_t, uint32_t, false>;
    constexpr int kHalf = LanePattern::kHalf;
    if (warp.recorder || warp.tracked)
        return kAlone(instr, warp);
    const Instr* last = nullptr;  // the multiply-add that has made these
    FloatRow low{}, high{};
    const auto keep = [&] {
        low.write(warp.vector<float>(last->dst));
        high.write(warp.vector<float>(last->dst) + kHalf);
    };
    do {
        const auto& first = *reinterpret_cast<const MemoryInfo*>(instr[0].imm);
        const auto& second = *reinterpret_cast<const MemoryInfo*>(instr[1].imm);
        const Instr& sum = instr[2];
        EvenAccess a, b;
        uint32_t startA, startB;
        if (!locateEven(warp, first, a, startA) || !locateEven(warp, second, b, startB) ||
            !isPlainRead(warp, first, a, startA) || !isPlainRead(warp, second, b, startB)) [[unlikely]] {
            if (last)
                keep();
            return kAlone(instr, warp);
        }
        const bool goesOn = last && last->dst == sum.c;
        if (last && !(goesOn && last->imm))
            keep();
        if (!goesOn) {
            low.read(warp.vector<float>(sum.c));
            high.read(warp.vector<float>(sum.c) + kHalf);
        }
        auto* x = warp.vector<uint32_t>(first.values[0].reg);
        auto* y = warp.vector<uint32_t>(second.values[0].reg);
        low.addProducts(loadFloats(a, startA, 0, !instr[0].a, x), loadFloats(b, startB, 0, !instr[1].a, y));
        high.addProducts(loadFloats(a, startA, 1, !instr[0].a, x), loadFloats(b, startB, 1, !instr[1].a, y));
        last = &sum;
        instr += FusedHandlers::kLength;
    } while (instr->run == multiplyAddLoaded);
    keep();
    return instr;
}

/// Where the loads of a row's operand begin.
struct RowStart {
    const ObjectEntry* object = nullptr;  ///< null: not all of them are known to be copies
    const std::byte* half[2] = {};
    uint32_t first[2] = {};  ///< in the object
    int32_t step[2] = {};
    bool isTwice = false;  ///< both halves load the same
};

[[gnu::always_inline]] inline RowStart locateRow(Warp& warp, const ProductRow::Operand& operand)
{
    const MemoryInfo& info = *operand.first;
    const LanePattern& pattern = warp.patterns[info.pattern];
    const uint64_t base = scalarAddress(warp, info);
    const uint64_t lowest = base + static_cast<uint64_t>(pattern.lowest + operand.lowest);
    const uint64_t highest = base + static_cast<uint64_t>(pattern.highest + operand.highest);
    const auto start = static_cast<uint32_t>(base);
    const ObjectEntry* object = objectAt(warp, lowest >> 32);
    if (!pattern.even || !object || (lowest ^ highest) >> 32 != 0 ||
        (highest & UINT32_MAX) + sizeof(float) > object->bytes ||
        ((start | pattern.low | operand.bits) & (info.alignment - 1)) != 0)
        return {};
    if (object->defined || object->partlyUndefined || object->laneStride ||
        (object->races && !mayList(*warp.block, *object->races)))
        return {};
    const EvenAccess at{object, &pattern};
    RowStart found;
    found.object = object;
    found.isTwice = at.isTwice();
    for (int half = 0; half < 2; ++half) {
        found.first[half] = at.first(half, start);
        found.half[half] = object->host + found.first[half];
        found.step[half] = at.step(half);
    }
    return found;
}

[[gnu::always_inline]] inline void listRow(Warp& warp, const ProductRow& row, uint32_t operand, const RowStart& at)
{
    if (at.object->races)
        list(*warp.block,
             {at.object, nullptr, &warp, {at.first[0], at.first[1]}, {at.step[0], at.step[1]}, &row, operand, 0});
}

[[gnu::always_inline]] inline trace::EventRun::Place placeOf(const RowStart& at)
{
    return {at.object->buffer,
            {{at.first[0], at.first[1]}, {static_cast<uint32_t>(at.step[0]), static_cast<uint32_t>(at.step[1])}}};
}

/// Both halves.
struct FloatRows {
    FloatRow low, high;

    [[nodiscard, gnu::always_inline]] bool hasNan() const
    {
        LaneVector differs{};
        for (int i = 0; i < FloatRow::kParts; ++i)
            differs |= reinterpret_cast<LaneVector>(low.parts[i] != low.parts[i]) |
                       reinterpret_cast<LaneVector>(high.parts[i] != high.parts[i]);
        return anySet(differs);
    }

    [[gnu::always_inline]] void load(const RowStart& at, int32_t offset, uint32_t* out)
    {
        loadRow(at.half[0] + offset, at.step[0], out, low);
        if (at.isTwice)
            high = low;
        else
            loadRow(at.half[1] + offset, at.step[1], out + LanePattern::kHalf, high);
    }
    [[gnu::always_inline]] void read(const uint32_t* lanes)
    {
        low.read(lanes);
        high.read(lanes + LanePattern::kHalf);
    }
    [[gnu::always_inline]] void write(uint32_t* lanes) const
    {
        low.write(lanes);
        high.write(lanes + LanePattern::kHalf);
    }
};

/// The row's products added up; whether that may stay. \p recorded: a sum with a NaN may not, and is left out.
template <bool recorded>
[[gnu::always_inline]] inline bool addRow(Warp& warp, const ProductRow& row, const RowStart& a, const RowStart& b)
{
    FloatRows sum{}, x, y;
    for (const ProductRow::Step& step : row.steps) {
        auto* const loadedX = warp.vector<uint32_t>(step.loaded[0]);
        auto* const loadedY = warp.vector<uint32_t>(step.loaded[1]);
        if (step.from != ProductRow::kInRegisters)
            sum.read(warp.vector<uint32_t>(step.from));
        x.load(a, step.offset[0], loadedX);
        y.load(b, step.offset[1], loadedY);
        if (step.keeps[0])
            x.write(loadedX);
        if (step.keeps[1])
            y.write(loadedY);
        sum.low.addProducts(x.low, y.low);
        sum.high.addProducts(x.high, y.high);
        if (step.to == ProductRow::kInRegisters)
            continue;
        if (recorded && sum.hasNan())
            return false;
        sum.write(warp.vector<uint32_t>(step.to));
    }
    return true;
}

/// As multiplyAddRow where it is recorded. NaNs are recorded one by one; once a sum has one, it stays.
[[gnu::noinline]] const Instr* recordMultiplyAddRow(const Instr* instr, Warp& warp, const ProductRow& row,
                                                    const RowStart& a, const RowStart& b)
{
    if (!row.isOneSum || warp.block->derives < (row.asksOthers ? Derives::FromAll : Derives::FromOwn) ||
        !a.object->valuesDerivable || !b.object->valuesDerivable || !addRow<true>(warp, row, a, b))
        return multiplyAddLoaded(instr, warp);
    listRow(warp, row, 0, a);
    listRow(warp, row, 1, b);
    warp.recorder->run(row.events, warp.id, {placeOf(a), placeOf(b)});
    return instr + row.length;
}

/// A whole row of those, located at once.
inline const Instr* multiplyAddRow(const Instr* instr, Warp& warp)
{
    const ProductRow& row = *reinterpret_cast<const MemoryInfo*>(instr->imm)->row;
    if (warp.tracked || warp.mask != ~LaneMask{0})
        return multiplyAddLoaded(instr, warp);
    const RowStart a = locateRow(warp, row.operands[0]);
    const RowStart b = locateRow(warp, row.operands[1]);
    if (!a.object || !b.object) [[unlikely]]
        return multiplyAddLoaded(instr, warp);
    if (warp.recorder)
        return recordMultiplyAddRow(instr, warp, row, a, b);
    listRow(warp, row, 0, a);
    listRow(warp, row, 1, b);
    addRow<false>(warp, row, a, b);
    return instr + row.length;
}

constexpr FusedHandlers kFused{.load = loadEven<uint32_t, uint32_t, false>,
                               .multiplyAdd = ternaryLanes<TernaryOp::Fma, float>,
                               .recordDerived = selectRecord(RecordedValue::Derived),
                               .recordConstant = selectRecord(RecordedValue::Constant),
                               .loaded = multiplyAddLoaded,
                               .row = multiplyAddRow};

#else

/// Without an instruction for it, multiply-adds are what takes long.
constexpr FusedHandlers kFused;

#endif
