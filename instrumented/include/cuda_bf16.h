// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// bfloat16 and its pair, bit for bit as the hardware computes them, on both sides.
#pragma once

#ifndef __CUDA_BF16_H__
#define __CUDA_BF16_H__

#include "cuda_fp16.h"

#include "lanescope/hide_macros.h"
#include "lanescope/narrow_convert.h"

// clang-format off
struct __nv_bfloat16_raw { unsigned short x; };
struct __nv_bfloat162_raw { unsigned short x, y; };

LS_HOST_DEVICE float __ls_bfloat_to_float(unsigned short x) { return __builtin_bit_cast(float, (unsigned int)x << 16); }
LS_HOST_DEVICE unsigned short __ls_float_to_bfloat(float x)
{
    const unsigned int bits = __builtin_bit_cast(unsigned int, x);
    return x != x ? (unsigned short)0x7fff : (unsigned short)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}
LS_HOST_DEVICE unsigned short __ls_double_to_bfloat(double x) { return __ls_float_to_bfloat(__ls_float_to_odd(x)); }

struct alignas(2) __nv_bfloat16 {
    unsigned short __x;

    __nv_bfloat16() = default;
    LS_INLINE constexpr __nv_bfloat16(__nv_bfloat16_raw raw) : __x(raw.x) {}
    LS_INLINE explicit __nv_bfloat16(__half x) : __x(__ls_float_to_bfloat(__half2float(x))) {}
    LS_INLINE __nv_bfloat16(float x) : __x(__ls_float_to_bfloat(x)) {}
    LS_INLINE __nv_bfloat16(double x) : __x(__ls_double_to_bfloat(x)) {}
    LS_INLINE __nv_bfloat16(int x) : __x(__ls_double_to_bfloat(x)) {}
    LS_INLINE __nv_bfloat16(unsigned int x) : __x(__ls_double_to_bfloat(x)) {}
    LS_INLINE __nv_bfloat16(short x) : __x(__ls_float_to_bfloat(x)) {}
    LS_INLINE __nv_bfloat16(unsigned short x) : __x(__ls_float_to_bfloat(x)) {}
    LS_INLINE __nv_bfloat16(long x) : __x(__ls_float_to_bfloat(__ls_signed_to_odd(x))) {}
    LS_INLINE __nv_bfloat16(unsigned long x) : __x(__ls_float_to_bfloat(__ls_unsigned_to_odd(x))) {}
    LS_INLINE __nv_bfloat16(long long x) : __x(__ls_float_to_bfloat(__ls_signed_to_odd(x))) {}
    LS_INLINE __nv_bfloat16(unsigned long long x) : __x(__ls_float_to_bfloat(__ls_unsigned_to_odd(x))) {}
    LS_INLINE operator __nv_bfloat16_raw() const { return {__x}; }
    LS_INLINE operator __nv_bfloat16_raw() const volatile { return {__x}; }
    LS_INLINE operator float() const { return __ls_bfloat_to_float(__x); }
    LS_INLINE explicit operator double() const { return __ls_bfloat_to_float(__x); }
    LS_INLINE explicit operator bool() const { return (__x & 0x7fff) != 0; }
    LS_INLINE explicit operator char() const { return (char)__ls_to_char(__ls_bfloat_to_float(__x)); }
    LS_INLINE explicit operator signed char() const { return __ls_to_char(__ls_bfloat_to_float(__x)); }
    LS_INLINE explicit operator unsigned char() const { return __ls_to_uchar(__ls_bfloat_to_float(__x)); }
    LS_INLINE explicit operator short() const { return __ls_to_short(__ls_bfloat_to_float(__x)); }
    LS_INLINE explicit operator unsigned short() const { return __ls_to_ushort(__ls_bfloat_to_float(__x)); }
    LS_INLINE explicit operator int() const { return __ls_to_int(__ls_bfloat_to_float(__x)); }
    LS_INLINE explicit operator unsigned int() const { return __ls_to_uint(__ls_bfloat_to_float(__x)); }
    LS_INLINE explicit operator long() const { return __ls_to_ll(__ls_bfloat_to_float(__x)); }
    LS_INLINE explicit operator unsigned long() const { return __ls_to_ull(__ls_bfloat_to_float(__x)); }
    LS_INLINE explicit operator long long() const { return __ls_to_ll(__ls_bfloat_to_float(__x)); }
    LS_INLINE explicit operator unsigned long long() const { return __ls_to_ull(__ls_bfloat_to_float(__x)); }
};
struct alignas(4) __nv_bfloat162 {
    __nv_bfloat16 x, y;

    __nv_bfloat162() = default;
    LS_INLINE __nv_bfloat162(const __nv_bfloat16& a, const __nv_bfloat16& b) : x(a), y(b) {}
};
LS_INLINE inline __half::__half(__nv_bfloat16 x) : __x(__ls_float_to_half(__ls_bfloat_to_float(x.__x))) {}
typedef __nv_bfloat16 nv_bfloat16;
typedef __nv_bfloat162 nv_bfloat162;

// As __ls_make_half.
LS_HOST_DEVICE __nv_bfloat16 __ls_make_bfloat(unsigned short bits) { __nv_bfloat16 made; made.__x = bits; return made; }
LS_HOST_DEVICE float __bfloat162float(__nv_bfloat16 x) { return __ls_bfloat_to_float(x.__x); }
LS_HOST_DEVICE __nv_bfloat16 __float2bfloat16(float x) { return __ls_make_bfloat(__ls_float_to_bfloat(x)); }
LS_HOST_DEVICE __nv_bfloat16 __float2bfloat16_rn(float x) { return __float2bfloat16(x); }
LS_HOST_DEVICE __nv_bfloat16 __double2bfloat16(double x) { return __ls_make_bfloat(__ls_double_to_bfloat(x)); }
#define LS_DIRECTED(suffix, mode)                                                                                      \
    LS_HOST_DEVICE __nv_bfloat16 __float2bfloat16_##suffix(float x)                                                    \
    {                                                                                                                  \
        const unsigned short bits = __ls_float_to_bfloat(x);                                                           \
        return __ls_make_bfloat(__ls_redirect(bits, __ls_bfloat_to_float(bits), x, mode));                             \
    }
LS_DIRECTED(rz, 1)
LS_DIRECTED(rd, 2)
LS_DIRECTED(ru, 3)
#undef LS_DIRECTED

LS_HOST_DEVICE __nv_bfloat16 __ls_fuse_bfloat(__nv_bfloat16 a, __nv_bfloat16 b, __nv_bfloat16 c)
{
#if defined(__CUDA_ARCH__)
    return __ls_make_bfloat(__builtin_bit_cast(
        unsigned short, __nvvm_fma_rn_bf16(__builtin_bit_cast(__bf16, a.__x), __builtin_bit_cast(__bf16, b.__x),
                                           __builtin_bit_cast(__bf16, c.__x))));
#else
    return __double2bfloat16(__ls_fuse_to_odd(__bfloat162float(a), __bfloat162float(b), __bfloat162float(c)));
#endif
}

#define LS_NARROW __nv_bfloat16
#define LS_FORMAT bf16
#define LS_NARROW2 __nv_bfloat162
#define LS_WIDEN __bfloat162float
#define LS_ROUND __float2bfloat16
#define LS_FUSE __ls_fuse_bfloat
#include "lanescope/narrow_float.inc"

#undef LS_NARROW
#undef LS_FORMAT
#undef LS_NARROW2
#undef LS_WIDEN
#undef LS_ROUND
#undef LS_FUSE

#define LS_FROM_INTEGER(name, toOdd, type)                                                                             \
    LS_HOST_DEVICE __nv_bfloat16 __##name##2bfloat16_rn(type x) { return __float2bfloat16(toOdd(x)); }               \
    LS_HOST_DEVICE __nv_bfloat16 __##name##2bfloat16_rz(type x) { return __float2bfloat16_rz(toOdd(x)); }               \
    LS_HOST_DEVICE __nv_bfloat16 __##name##2bfloat16_rd(type x) { return __float2bfloat16_rd(toOdd(x)); }               \
    LS_HOST_DEVICE __nv_bfloat16 __##name##2bfloat16_ru(type x) { return __float2bfloat16_ru(toOdd(x)); }               \
    LS_HOST_DEVICE type __bfloat162##name##_rn(__nv_bfloat16 x) { return __ls_to_##name(__builtin_rintf(__bfloat162float(x))); } \
    LS_HOST_DEVICE type __bfloat162##name##_rz(__nv_bfloat16 x) { return __ls_to_##name(__bfloat162float(x)); }                  \
    LS_HOST_DEVICE type __bfloat162##name##_rd(__nv_bfloat16 x) { return __ls_to_##name(__builtin_floorf(__bfloat162float(x))); } \
    LS_HOST_DEVICE type __bfloat162##name##_ru(__nv_bfloat16 x) { return __ls_to_##name(__builtin_ceilf(__bfloat162float(x))); }
LS_FROM_INTEGER(int, __ls_signed_to_odd, int)
LS_FROM_INTEGER(uint, __ls_unsigned_to_odd, unsigned int)
LS_FROM_INTEGER(short, __ls_signed_to_odd, short)
LS_FROM_INTEGER(ushort, __ls_unsigned_to_odd, unsigned short)
LS_FROM_INTEGER(ll, __ls_signed_to_odd, long long)
LS_FROM_INTEGER(ull, __ls_unsigned_to_odd, unsigned long long)
#undef LS_FROM_INTEGER
LS_HOST_DEVICE signed char __bfloat162char_rz(__nv_bfloat16 x) { return __ls_to_char(__bfloat162float(x)); }
LS_HOST_DEVICE unsigned char __bfloat162uchar_rz(__nv_bfloat16 x) { return __ls_to_uchar(__bfloat162float(x)); }

LS_HOST_DEVICE __nv_bfloat162 make_bfloat162(__nv_bfloat16 x, __nv_bfloat16 y) { return {x, y}; }
LS_HOST_DEVICE __nv_bfloat162 __halves2bfloat162(__nv_bfloat16 x, __nv_bfloat16 y) { return {x, y}; }
LS_HOST_DEVICE __nv_bfloat162 __bfloat162bfloat162(__nv_bfloat16 x) { return {x, x}; }
LS_HOST_DEVICE __nv_bfloat162 __float2bfloat162_rn(float x) { return {__float2bfloat16(x), __float2bfloat16(x)}; }
LS_HOST_DEVICE __nv_bfloat162 __floats2bfloat162_rn(float x, float y) { return {__float2bfloat16(x), __float2bfloat16(y)}; }
LS_HOST_DEVICE __nv_bfloat162 __float22bfloat162_rn(float2 v) { return {__float2bfloat16(v.x), __float2bfloat16(v.y)}; }
LS_HOST_DEVICE float2 __bfloat1622float2(__nv_bfloat162 v) { return {__bfloat162float(v.x), __bfloat162float(v.y)}; }
LS_HOST_DEVICE float __low2float(__nv_bfloat162 v) { return __bfloat162float(v.x); }
LS_HOST_DEVICE float __high2float(__nv_bfloat162 v) { return __bfloat162float(v.y); }
LS_HOST_DEVICE __nv_bfloat16 __low2bfloat16(__nv_bfloat162 v) { return v.x; }
LS_HOST_DEVICE __nv_bfloat16 __high2bfloat16(__nv_bfloat162 v) { return v.y; }
LS_HOST_DEVICE __nv_bfloat162 __low2bfloat162(__nv_bfloat162 v) { return {v.x, v.x}; }
LS_HOST_DEVICE __nv_bfloat162 __high2bfloat162(__nv_bfloat162 v) { return {v.y, v.y}; }
LS_HOST_DEVICE __nv_bfloat162 __lows2bfloat162(__nv_bfloat162 a, __nv_bfloat162 b) { return {a.x, b.x}; }
LS_HOST_DEVICE __nv_bfloat162 __highs2bfloat162(__nv_bfloat162 a, __nv_bfloat162 b) { return {a.y, b.y}; }
LS_HOST_DEVICE __nv_bfloat162 __lowhigh2highlow(__nv_bfloat162 v) { return {v.y, v.x}; }
LS_HOST_DEVICE short __bfloat16_as_short(__nv_bfloat16 x) { return (short)x.__x; }
LS_HOST_DEVICE unsigned short __bfloat16_as_ushort(__nv_bfloat16 x) { return x.__x; }
LS_HOST_DEVICE __nv_bfloat16 __short_as_bfloat16(short x) { return __ls_make_bfloat((unsigned short)x); }
LS_HOST_DEVICE __nv_bfloat16 __ushort_as_bfloat16(unsigned short x) { return __ls_make_bfloat(x); }

#define CUDART_INF_BF16 __ushort_as_bfloat16((unsigned short)0x7F80U)
#define CUDART_NAN_BF16 __ushort_as_bfloat16((unsigned short)0x7FFFU)
#define CUDART_MAX_NORMAL_BF16 __ushort_as_bfloat16((unsigned short)0x7F7FU)
#define CUDART_ONE_BF16 __ushort_as_bfloat16((unsigned short)0x3F80U)
#define CUDART_ZERO_BF16 __ushort_as_bfloat16((unsigned short)0x0000U)
// clang-format on

#include "lanescope/restore_macros.h"

#endif  // __CUDA_BF16_H__
