// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Questions about all lanes at once that loops answer badly: compilers turn "or of all lanes" into a ladder of
// shuffles, where one test instruction would do. Included as lane_loops.h is, and internal as that is.
#pragma once

#include <utility>

#ifdef __AVX2__
#include <immintrin.h>
#endif

namespace lanescope::simt {
namespace {

#if defined(__AVX512F__)
constexpr int kVectorBytes = 64;
#elif defined(__AVX2__)
constexpr int kVectorBytes = 32;
#else
constexpr int kVectorBytes = 16;
#endif
constexpr int kVectorLanes = kVectorBytes / 4;

using LaneVector [[gnu::vector_size(kVectorBytes)]] = uint32_t;
using LongVector [[gnu::vector_size(kVectorBytes)]] = uint64_t;  ///< half as many lanes

[[gnu::always_inline]] inline LaneVector loadVector(const uint32_t* from)
{
    LaneVector vector;
    __builtin_memcpy(&vector, from, sizeof vector);
    return vector;
}

[[gnu::always_inline]] inline LongVector loadVector(const uint64_t* from)
{
    LongVector vector;
    __builtin_memcpy(&vector, from, sizeof vector);
    return vector;
}

/// Whether any bit of any lane is set.
[[gnu::always_inline]] inline bool anySet(LaneVector vector)
{
#if defined(__AVX512F__)
    return _mm512_test_epi32_mask(reinterpret_cast<__m512i>(vector), reinterpret_cast<__m512i>(vector)) != 0;
#elif defined(__AVX2__)
    return !_mm256_testz_si256(reinterpret_cast<__m256i>(vector), reinterpret_cast<__m256i>(vector));
#else
    const auto halves = reinterpret_cast<LongVector>(vector);
    return (halves[0] | halves[1]) != 0;
#endif
}

/// 0, 1, 2, … Not by a loop, which clang leaves one where it is told to make vectors first.
template <typename Vector, typename T, T... lanes>
[[gnu::always_inline]] constexpr Vector countingVector(std::integer_sequence<T, lanes...>)
{
    return Vector{lanes...};
}
[[gnu::always_inline]] constexpr LaneVector countingVector()
{
    return countingVector<LaneVector>(std::make_integer_sequence<uint32_t, kVectorLanes>());
}

/// The low words of a warp's next lanes.
[[gnu::always_inline]] inline LaneVector lowWords(LongVector first, LongVector second)
{
    const auto a = reinterpret_cast<LaneVector>(first);
    const auto b = reinterpret_cast<LaneVector>(second);
#if defined(__AVX512F__)
    return __builtin_shufflevector(a, b, 0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
#elif defined(__AVX2__)
    return __builtin_shufflevector(a, b, 0, 2, 4, 6, 8, 10, 12, 14);
#else
    return __builtin_shufflevector(a, b, 0, 2, 4, 6);
#endif
}

/// All bits of the lanes in which a comparison holds.
template <typename Comparison>
[[gnu::always_inline]] inline LaneVector maskOf(Comparison comparison)
{
    return reinterpret_cast<LaneVector>(comparison);
}

/// Whether each of the first \p lanes offsets lies \p bytes behind the one before.
[[gnu::always_inline]] inline bool isConsecutive(const uint32_t* offsets, unsigned lanes, unsigned bytes)
{
    LaneVector differs{};
    unsigned i = 0;
    for (; i + kVectorLanes <= lanes; i += kVectorLanes)
        differs |= loadVector(offsets + i) ^ ((countingVector() + i) * bytes + offsets[0]);
    uint32_t rest = 0;
    for (; i < lanes; ++i)
        rest |= offsets[i] ^ (offsets[0] + i * bytes);
    return rest == 0 && !anySet(differs);
}

/// Lanes whose value is \p wanted.
[[gnu::always_inline]] inline LaneMask lanesEqual(const uint32_t* values, uint32_t wanted)
{
    LaneMask lanes = 0;
#if defined(__AVX512F__)
    for (int i = 0; i < kWarpSize; i += kVectorLanes)
        lanes |= LaneMask{_mm512_cmpeq_epi32_mask(reinterpret_cast<__m512i>(loadVector(values + i)),
                                                  _mm512_set1_epi32(static_cast<int>(wanted)))}
                 << i;
#elif defined(__AVX2__)
    for (int i = 0; i < kWarpSize; i += kVectorLanes)
        lanes |= static_cast<LaneMask>(_mm256_movemask_ps(reinterpret_cast<__m256>(loadVector(values + i) == wanted)))
                 << i;
#else
    for (int i = 0; i < kWarpSize; ++i)
        lanes |= static_cast<LaneMask>(values[i] == wanted) << i;
#endif
    return lanes;
}

}  // namespace
}  // namespace lanescope::simt
