// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Barriers, fences, votes, matches and shuffles. __syncthreads itself is a clang builtin.
#pragma once

#include "../device_launch_parameters.h"

// clang-format off
LS_DEVICE int __syncthreads_count(int predicate) { return __nvvm_bar0_popc(predicate); }
LS_DEVICE int __syncthreads_and(int predicate) { return __nvvm_bar0_and(predicate); }
LS_DEVICE int __syncthreads_or(int predicate) { return __nvvm_bar0_or(predicate); }
LS_DEVICE void __threadfence_block() { __nvvm_membar_cta(); }
LS_DEVICE void __threadfence() { __nvvm_membar_gl(); }
LS_DEVICE void __threadfence_system() { __nvvm_membar_sys(); }
LS_DEVICE void __syncwarp(unsigned int mask = 0xffffffffu) { __nvvm_bar_warp_sync(mask); }

LS_DEVICE int __all_sync(unsigned int mask, int predicate) { return __nvvm_vote_all_sync(mask, predicate); }
LS_DEVICE int __any_sync(unsigned int mask, int predicate) { return __nvvm_vote_any_sync(mask, predicate); }
LS_DEVICE int __uni_sync(unsigned int mask, int predicate) { return __nvvm_vote_uni_sync(mask, predicate); }
LS_DEVICE unsigned int __ballot_sync(unsigned int mask, int predicate) { return __nvvm_vote_ballot_sync(mask, predicate); }
LS_DEVICE unsigned int __activemask() { return __nvvm_activemask(); }

LS_DEVICE unsigned int __fns(unsigned int mask, unsigned int base, int offset)
{
    // The offset-th set bit of mask from base on (downwards when negative), or all ones.
    int at = (int)base;
    const int step = offset < 0 ? -1 : 1;
    int left = offset < 0 ? -offset : offset;
    if (offset == 0)
        return base < 32 && (mask >> base & 1u) ? base : 0xffffffffu;
    for (; at >= 0 && at < 32; at += step)
        if ((mask >> at & 1u) && --left == 0)
            return (unsigned int)at;
    return 0xffffffffu;
}

#define LS_REDUCE(name, type, intrinsic)                                                                               \
    LS_DEVICE type __reduce_##name##_sync(unsigned int mask, type value)                                               \
    {                                                                                                                  \
        return (type)__nvvm_redux_sync_##intrinsic((int)value, (int)mask);                                             \
    }
LS_REDUCE(add, unsigned int, add)
LS_REDUCE(add, int, add)
LS_REDUCE(min, unsigned int, umin)
LS_REDUCE(min, int, min)
LS_REDUCE(max, unsigned int, umax)
LS_REDUCE(max, int, max)
LS_REDUCE(and, unsigned int, and)
LS_REDUCE(or, unsigned int, or)
LS_REDUCE(xor, unsigned int, xor)
#undef LS_REDUCE

#define LS_MATCH(type, bits, intrinsicBits)                                                                              \
    LS_DEVICE unsigned int __match_any_sync(unsigned int mask, type value)                                             \
    {                                                                                                                  \
        return __nvvm_match_any_sync_i##intrinsicBits(mask, __builtin_bit_cast(bits, value));                          \
    }                                                                                                                  \
    LS_DEVICE unsigned int __match_all_sync(unsigned int mask, type value, int* predicate)                             \
    {                                                                                                                  \
        return __nvvm_match_all_sync_i##intrinsicBits##p(mask, __builtin_bit_cast(bits, value), predicate);            \
    }
LS_MATCH(int, unsigned int, 32)
LS_MATCH(unsigned int, unsigned int, 32)
LS_MATCH(float, unsigned int, 32)
LS_MATCH(long, unsigned long long, 64)
LS_MATCH(unsigned long, unsigned long long, 64)
LS_MATCH(long long, unsigned long long, 64)
LS_MATCH(unsigned long long, unsigned long long, 64)
LS_MATCH(double, unsigned long long, 64)
#undef LS_MATCH

// The last operand packs the segment's lanes ((32 - width) << 8) and the clamp (0 for up, else 31).
#define LS_SHUFFLE(name, mode, clamp, offsetType)                                                                      \
    LS_DEVICE int name(unsigned int mask, int v, offsetType o, int width = warpSize)                                   \
    {                                                                                                                  \
        return __nvvm_shfl_sync_##mode##_i32(mask, v, o, ((warpSize - width) << 8) | clamp);                           \
    }                                                                                                                  \
    LS_DEVICE unsigned int name(unsigned int mask, unsigned int v, offsetType o, int width = warpSize)                 \
    {                                                                                                                  \
        return (unsigned int)__nvvm_shfl_sync_##mode##_i32(mask, (int)v, o, ((warpSize - width) << 8) | clamp);        \
    }                                                                                                                  \
    LS_DEVICE float name(unsigned int mask, float v, offsetType o, int width = warpSize)                               \
    {                                                                                                                  \
        return __nvvm_shfl_sync_##mode##_f32(mask, v, o, ((warpSize - width) << 8) | clamp);                           \
    }                                                                                                                  \
    LS_DEVICE unsigned long long name(unsigned int mask, unsigned long long v, offsetType o, int width = warpSize)     \
    {                                                                                                                  \
        const unsigned int low = name(mask, (unsigned int)v, o, width);                                                \
        const unsigned int high = name(mask, (unsigned int)(v >> 32), o, width);                                       \
        return ((unsigned long long)high << 32) | low;                                                                 \
    }                                                                                                                  \
    LS_DEVICE long long name(unsigned int mask, long long v, offsetType o, int width = warpSize)                       \
    {                                                                                                                  \
        return (long long)name(mask, (unsigned long long)v, o, width);                                                 \
    }                                                                                                                  \
    LS_DEVICE unsigned long name(unsigned int mask, unsigned long v, offsetType o, int width = warpSize)               \
    {                                                                                                                  \
        return (unsigned long)name(mask, (unsigned long long)v, o, width);                                             \
    }                                                                                                                  \
    LS_DEVICE long name(unsigned int mask, long v, offsetType o, int width = warpSize)                                 \
    {                                                                                                                  \
        return (long)name(mask, (unsigned long long)v, o, width);                                                      \
    }                                                                                                                  \
    LS_DEVICE double name(unsigned int mask, double v, offsetType o, int width = warpSize)                             \
    {                                                                                                                  \
        return __builtin_bit_cast(double, name(mask, __builtin_bit_cast(unsigned long long, v), o, width));            \
    }
LS_SHUFFLE(__shfl_sync, idx, 0x1f, int)
LS_SHUFFLE(__shfl_up_sync, up, 0, unsigned int)
LS_SHUFFLE(__shfl_down_sync, down, 0x1f, unsigned int)
LS_SHUFFLE(__shfl_xor_sync, bfly, 0x1f, int)
#undef LS_SHUFFLE

// The forms without a mask, as programs for older GPUs have them: the lanes that are there take part.
#define LS_OLD_SHUFFLE(name, offsetType)                                                                               \
    template <class T>                                                                                                 \
    LS_DEVICE T name(T v, offsetType o, int width = warpSize)                                                          \
    {                                                                                                                  \
        return name##_sync(__nvvm_activemask(), v, o, width);                                                          \
    }
LS_OLD_SHUFFLE(__shfl, int)
LS_OLD_SHUFFLE(__shfl_up, unsigned int)
LS_OLD_SHUFFLE(__shfl_down, unsigned int)
LS_OLD_SHUFFLE(__shfl_xor, int)
#undef LS_OLD_SHUFFLE
LS_DEVICE int __all(int predicate) { return __nvvm_vote_all_sync(__nvvm_activemask(), predicate); }
LS_DEVICE int __any(int predicate) { return __nvvm_vote_any_sync(__nvvm_activemask(), predicate); }
LS_DEVICE unsigned int __ballot(int predicate) { return __nvvm_vote_ballot_sync(__nvvm_activemask(), predicate); }
// clang-format on
