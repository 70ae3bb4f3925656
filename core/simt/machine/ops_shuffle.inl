// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Shuffles that the whole warp takes part in: a few vector instructions. All others go by way of runWarpCall.

/// out[lane] = values[sources[lane]], of sources below 32.
[[gnu::always_inline]] inline void permuteLanes(const uint32_t* values, const uint32_t* sources, uint32_t* out)
{
#if defined(__AVX512F__)
    const auto low = reinterpret_cast<__m512i>(loadVector(values));
    const auto high = reinterpret_cast<__m512i>(loadVector(values + kVectorLanes));
    for (int i = 0; i < kWarpSize; i += kVectorLanes) {
        const __m512i permuted =
            _mm512_permutex2var_epi32(low, reinterpret_cast<__m512i>(loadVector(sources + i)), high);
        __builtin_memcpy(out + i, &permuted, sizeof permuted);
    }
#else
    uint32_t permuted[kWarpSize];
    for (int i = 0; i < kWarpSize; ++i)
        permuted[i] = values[sources[i]];
    __builtin_memcpy(out, permuted, sizeof permuted);
#endif
}

/// shfl.sync: dst = the lane of vector a that vectors b and c tell, as of PTX; imm: WarpCall, whose members are all
/// lanes. \p asksMembers: or may be others, which goes by way of runWarpCall.
template <ShuffleMode mode, bool asksMembers>
const Instr* shuffleLanes(const Instr* instr, Warp& warp)
{
#ifndef LS_BITCODE  // which is of whole warps, and of none that is tracked
    if (warp.mask != ~LaneMask{0} || warp.tracked)
        return runWarpCall(instr, warp);
#endif
    if constexpr (asksMembers) {
        const uint32_t* const members = warp.vector<uint32_t>(reinterpret_cast<const WarpCall*>(instr->imm)->members);
        LaneMask inAll = ~LaneMask{0};
        LS_EACH_LANE
        for (int i = 0; i < kWarpSize; ++i)
            inAll &= members[i];
        if (inAll != ~LaneMask{0})
            return runWarpCall(instr, warp);
    }
    const uint32_t* const offsets = warp.vector<uint32_t>(instr->b);
    const uint32_t* const bounds = warp.vector<uint32_t>(instr->c);
    alignas(64) uint32_t sources[kWarpSize];
    LS_EACH_LANE
    for (int i = 0; i < kWarpSize; ++i) {
        const ShuffleSource source = sourceOf(mode, i, offsets[i], bounds[i]);
        sources[i] = source.isInside ? static_cast<uint32_t>(source.lane) : static_cast<uint32_t>(i);
    }
    permuteLanes(warp.vector<uint32_t>(instr->a), sources, warp.vector<uint32_t>(instr->dst));
    return instr + 1;
}

template <bool asksMembers>
constexpr Handler selectShuffle(ShuffleMode mode)
{
    switch (mode) {
    case ShuffleMode::Index:
        return shuffleLanes<ShuffleMode::Index, asksMembers>;
    case ShuffleMode::Up:
        return shuffleLanes<ShuffleMode::Up, asksMembers>;
    case ShuffleMode::Down:
        return shuffleLanes<ShuffleMode::Down, asksMembers>;
    case ShuffleMode::Butterfly:
        return shuffleLanes<ShuffleMode::Butterfly, asksMembers>;
    }
    return nullptr;
}

constexpr Handler selectShuffle(ShuffleMode mode, bool asksMembers)
{
    return asksMembers ? selectShuffle<true>(mode) : selectShuffle<false>(mode);
}
