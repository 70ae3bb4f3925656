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

/// A half of what is loaded; \p keeps: \p out gets it as well.
[[gnu::always_inline]] inline FloatRow loadFloats(const EvenAccess& at, uint32_t start, int half, bool keeps,
                                                  uint32_t* out)
{
    const EvenHalf from{at.object->host + at.first(half, start), at.step(half)};
    out += half * LanePattern::kHalf;
    FloatRow row;
    if (from.step == sizeof(float)) {
        row.read(from.from);
    } else if (from.step == 0) {
        row.fill(peek<uint32_t>(from.from));
    } else {
        loadSteps<uint32_t>(from, out);
        row.read(out);
        return row;
    }
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
        instr += 3;
    } while (instr->run == multiplyAddLoaded);
    keep();
    return instr;
}

/// Whether [at, at + 3) are two loads and the multiply-add of what they load. None may change what another reads by
/// another name.
inline bool isMultiplyAddLoaded(const Instr* at)
{
    constexpr Handler kLoad = loadEven<uint32_t, uint32_t, false>;
    if (at[0].run != kLoad || at[1].run != kLoad || at[2].run != ternaryLanes<TernaryOp::Fma, float>)
        return false;
    const auto& first = *reinterpret_cast<const MemoryInfo*>(at[0].imm);
    const auto& second = *reinterpret_cast<const MemoryInfo*>(at[1].imm);
    const uint32_t x = first.values[0].reg, y = second.values[0].reg;
    const uint32_t a = at[2].a, b = at[2].b, c = at[2].c;
    return first.components == 1 && second.components == 1 && x != y && c != x && c != y &&
           ((a == x && b == y) || (a == y && b == x));
}

/// Puts fused handlers in place of others.
inline void fuse(Instr* begin, Instr* end)
{
    constexpr std::ptrdiff_t kLength = 3;
    for (Instr* at = begin; end - at >= kLength;) {
        const bool fits = isMultiplyAddLoaded(at);
        if (fits)
            at->run = multiplyAddLoaded;
        at += fits ? kLength : 1;
    }
}

#else

/// Without an instruction for it, multiply-adds are what takes long.
inline void fuse(Instr*, Instr*) {}

#endif
