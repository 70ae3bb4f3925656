// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Instructions that come after each other again and again, run by one handler: what inner loops that are unrolled
// consist of. The fused handler stands in the first instruction, the others keep their own: whoever gets there
// otherwise, or goes step by step, runs those. Where an access is more than a copy, the fused handler runs the first
// instruction alone.

[[gnu::always_inline]] inline Row<float> fusedMultiplyAdd(Row<float> a, Row<float> b, Row<float> c)
{
#if defined(__AVX512F__)
    return reinterpret_cast<Row<float>>(
        _mm512_fmadd_ps(reinterpret_cast<__m512>(a), reinterpret_cast<__m512>(b), reinterpret_cast<__m512>(c)));
#else
    float from[3][LanePattern::kHalf];
    __builtin_memcpy(from[0], &a, sizeof a);
    __builtin_memcpy(from[1], &b, sizeof b);
    __builtin_memcpy(from[2], &c, sizeof c);
    for (int i = 0; i < LanePattern::kHalf; ++i)
        from[2][i] = std::fma(from[0][i], from[1][i], from[2][i]);
    return readRow<float>(from[2]);
#endif
}

/// Loads a half into its register, and returns it.
[[gnu::always_inline]] inline Row<float> loadFloats(const EvenAccess& at, uint32_t start, int half, uint32_t* out)
{
    const EvenHalf from{at.object->host + at.first(half, start), at.step(half)};
    return reinterpret_cast<Row<float>>(loadHalf<uint32_t>(from, out + half * LanePattern::kHalf));
}

/// Two loads and the multiply-add of what they load; as often as that comes in a row. A sum that goes from one to the
/// next does not have to be read back.
inline const Instr* multiplyAddLoaded(const Instr* instr, Warp& warp)
{
    constexpr Handler kAlone = loadEven<uint32_t, uint32_t, false>;
    constexpr int kHalf = LanePattern::kHalf;
    if (warp.recorder || warp.tracked)
        return kAlone(instr, warp);
    uint32_t held = UINT32_MAX;  // the register whose values these are
    Row<float> low{}, high{};
    do {
        const auto& first = *reinterpret_cast<const MemoryInfo*>(instr[0].imm);
        const auto& second = *reinterpret_cast<const MemoryInfo*>(instr[1].imm);
        const Instr& sum = instr[2];
        EvenAccess a, b;
        uint32_t startA, startB;
        if (!locateEven(warp, first, a, startA) || !locateEven(warp, second, b, startB) ||
            !isPlainRead(warp, first, a, startA) || !isPlainRead(warp, second, b, startB)) [[unlikely]]
            return kAlone(instr, warp);
        if (held != sum.c) {
            low = readRow<float>(warp.vector<float>(sum.c));
            high = readRow<float>(warp.vector<float>(sum.c) + kHalf);
        }
        auto* x = warp.vector<uint32_t>(first.values[0].reg);
        auto* y = warp.vector<uint32_t>(second.values[0].reg);
        auto* out = warp.vector<float>(sum.dst);
        low = fusedMultiplyAdd(loadFloats(a, startA, 0, x), loadFloats(b, startB, 0, y), low);
        high = fusedMultiplyAdd(loadFloats(a, startA, 1, x), loadFloats(b, startB, 1, y), high);
        __builtin_memcpy(out, &low, sizeof low);
        __builtin_memcpy(out + kHalf, &high, sizeof high);
        held = sum.dst;
        instr += 3;
    } while (instr->run == multiplyAddLoaded);
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
