// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loops over the 32 lanes, written so that the compiler turns them into vector instructions. Included only by
// the files that are compiled once per instruction set; everything has internal linkage, so that code for one
// instruction set can never be linked into another.
#pragma once

#include "core/simt/state/warp.h"

// A loop whose rounds have nothing to do with each other.
#ifdef __clang__
#define LS_EACH_LANE _Pragma("clang loop vectorize(assume_safety) vectorize_width(32) interleave_count(1)")
#else
#define LS_EACH_LANE _Pragma("GCC ivdep")
#endif

namespace lanescope::simt {
namespace {

template <typename T>
struct VectorArg {
    const T* lanes;
    [[gnu::always_inline]] VectorArg(Warp& warp, uint32_t reg) : lanes(warp.vector<T>(reg)) {}
    [[gnu::always_inline]] T operator[](int lane) const { return lanes[lane]; }
};

template <typename T>
struct SplatArg {
    T value;
    [[gnu::always_inline]] explicit SplatArg(T everywhere) : value(everywhere) {}
    [[gnu::always_inline]] SplatArg(Warp& warp, uint32_t reg) : value(warp.scalar<T>(reg)) {}
    [[gnu::always_inline]] T operator[](int) const { return value; }
};

/// A member of what stays as it is while a block runs. The maker of machine code knows such loads by their mark, and
/// reads nothing twice.
template <typename T>
[[gnu::always_inline]] inline T settled(const T& member)
{
#ifdef LS_BITCODE
    return __builtin_nontemporal_load(&member);
#else
    return member;
#endif
}

/// Writes f(lane) to the active lanes. When all living lanes are active, dead ones are written too: cheaper, and
/// nobody reads them. \p f must therefore be defined for any bits.
template <typename R, typename F>
[[gnu::always_inline]] inline void forLanes(Warp& warp, R* out, F f)
{
#ifdef __clang__
    // A compiler that forwards what was written to whoever reads it next wants vectors, and none that may overlap.
    alignas(64) R results[kWarpSize];
    LS_EACH_LANE
    for (int i = 0; i < kWarpSize; ++i)
        results[i] = f(i);
    if (!warp.full) {
        LS_EACH_LANE
        for (int i = 0; i < kWarpSize; ++i) {
            const R now = results[i], before = out[i];
            results[i] = warp.lanes[i] ? now : before;
        }
    }
    __builtin_memcpy(out, results, sizeof results);
#else
    if (warp.full) {
        LS_EACH_LANE
        for (int i = 0; i < kWarpSize; ++i)
            out[i] = f(i);
        return;
    }
    const int32_t* active = warp.lanes;
    LS_EACH_LANE
    for (int i = 0; i < kWarpSize; ++i) {
        R result = f(i);
        out[i] = active[i] ? result : out[i];
    }
#endif
}

}  // namespace
}  // namespace lanescope::simt
