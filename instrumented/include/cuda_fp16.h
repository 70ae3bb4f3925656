// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// half and half2, bit for bit as the hardware computes them, on both sides.
#pragma once

#ifndef __CUDA_FP16_H__
#define __CUDA_FP16_H__

#include "cuda_runtime.h"

#include "lanescope/hide_macros.h"
#include "lanescope/narrow_convert.h"

// clang-format off
struct __half_raw { unsigned short x; };
struct __half2_raw { unsigned short x, y; };

LS_HOST_DEVICE float __ls_half_to_float(unsigned short x) { return (float)__builtin_bit_cast(_Float16, x); }
LS_HOST_DEVICE unsigned short __ls_float_to_half(float x)
{
#if defined(__CUDA_ARCH__)
    return __builtin_bit_cast(unsigned short, (_Float16)x);
#else
    return x != x ? (unsigned short)0x7fff : __builtin_bit_cast(unsigned short, (_Float16)x);
#endif
}
LS_HOST_DEVICE unsigned short __ls_double_to_half(double x) { return __ls_float_to_half(__ls_float_to_odd(x)); }

struct __nv_bfloat16;
struct alignas(2) __half {
    unsigned short __x;

    __half() = default;
    LS_INLINE constexpr __half(__half_raw raw) : __x(raw.x) {}
    LS_INLINE explicit __half(__nv_bfloat16 x);  // in cuda_bf16.h
    LS_INLINE __half(float x) : __x(__ls_float_to_half(x)) {}
    LS_INLINE __half(double x) : __x(__ls_double_to_half(x)) {}
    LS_INLINE __half(int x) : __x(__ls_double_to_half(x)) {}
    LS_INLINE __half(unsigned int x) : __x(__ls_double_to_half(x)) {}
    LS_INLINE __half(short x) : __x(__ls_float_to_half(x)) {}
    LS_INLINE __half(unsigned short x) : __x(__ls_float_to_half(x)) {}
    LS_INLINE __half(long x) : __x(__ls_double_to_half((double)x)) {}
    LS_INLINE __half(unsigned long x) : __x(__ls_double_to_half((double)x)) {}
    LS_INLINE __half(long long x) : __x(__ls_double_to_half((double)x)) {}
    LS_INLINE __half(unsigned long long x) : __x(__ls_double_to_half((double)x)) {}
    LS_INLINE operator __half_raw() const { return {__x}; }
    LS_INLINE operator __half_raw() const volatile { return {__x}; }
    LS_INLINE operator float() const { return __ls_half_to_float(__x); }
    LS_INLINE explicit operator double() const { return __ls_half_to_float(__x); }
    LS_INLINE explicit operator bool() const { return (__x & 0x7fff) != 0; }
    LS_INLINE explicit operator char() const { return (char)__ls_to_char(__ls_half_to_float(__x)); }
    LS_INLINE explicit operator signed char() const { return __ls_to_char(__ls_half_to_float(__x)); }
    LS_INLINE explicit operator unsigned char() const { return __ls_to_uchar(__ls_half_to_float(__x)); }
    LS_INLINE explicit operator short() const { return __ls_to_short(__ls_half_to_float(__x)); }
    LS_INLINE explicit operator unsigned short() const { return __ls_to_ushort(__ls_half_to_float(__x)); }
    LS_INLINE explicit operator int() const { return __ls_to_int(__ls_half_to_float(__x)); }
    LS_INLINE explicit operator unsigned int() const { return __ls_to_uint(__ls_half_to_float(__x)); }
    LS_INLINE explicit operator long() const { return __ls_to_ll(__ls_half_to_float(__x)); }
    LS_INLINE explicit operator unsigned long() const { return __ls_to_ull(__ls_half_to_float(__x)); }
    LS_INLINE explicit operator long long() const { return __ls_to_ll(__ls_half_to_float(__x)); }
    LS_INLINE explicit operator unsigned long long() const { return __ls_to_ull(__ls_half_to_float(__x)); }
};
struct alignas(4) __half2 {
    __half x, y;

    __half2() = default;
    LS_INLINE __half2(const __half& a, const __half& b) : x(a), y(b) {}
};
typedef __half half;
typedef __half2 half2;
typedef __half __nv_half;
typedef __half2 __nv_half2;
typedef __half nv_half;
typedef __half2 nv_half2;

// Not by a constructor: what has its address passed around is no register at -O0.
LS_HOST_DEVICE __half __ls_make_half(unsigned short bits) { __half made; made.__x = bits; return made; }
LS_HOST_DEVICE float __half2float(__half x) { return __ls_half_to_float(x.__x); }
LS_HOST_DEVICE __half __float2half(float x) { return __ls_make_half(__ls_float_to_half(x)); }
LS_HOST_DEVICE __half __float2half_rn(float x) { return __float2half(x); }
LS_HOST_DEVICE __half __double2half(double x) { return __ls_make_half(__ls_double_to_half(x)); }
#define LS_DIRECTED(suffix, mode)                                                                                      \
    LS_HOST_DEVICE __half __float2half_##suffix(float x)                                                               \
    {                                                                                                                  \
        const unsigned short bits = __ls_float_to_half(x);                                                             \
        return __ls_make_half(__ls_redirect(bits, __ls_half_to_float(bits), x, mode));                                 \
    }
LS_DIRECTED(rz, 1)
LS_DIRECTED(rd, 2)
LS_DIRECTED(ru, 3)
#undef LS_DIRECTED

LS_HOST_DEVICE __half __ls_fuse_half(__half a, __half b, __half c)
{
#if defined(__CUDA_ARCH__)
    return __ls_make_half(__builtin_bit_cast(
        unsigned short, __builtin_fmaf16(__builtin_bit_cast(_Float16, a.__x), __builtin_bit_cast(_Float16, b.__x),
                                         __builtin_bit_cast(_Float16, c.__x))));
#else
    return __double2half(__ls_fuse_to_odd(__half2float(a), __half2float(b), __half2float(c)));
#endif
}

#define LS_NARROW __half
#define LS_FORMAT f16
#define LS_NARROW2 __half2
#define LS_WIDEN __half2float
#define LS_ROUND __float2half
#define LS_FUSE __ls_fuse_half
#include "lanescope/narrow_float.inc"

#undef LS_NARROW
#undef LS_FORMAT
#undef LS_NARROW2
#undef LS_WIDEN
#undef LS_ROUND
#undef LS_FUSE

#define LS_FROM_INTEGER(name, toOdd, type)                                                                             \
    LS_HOST_DEVICE __half __##name##2half_rn(type x) { return __float2half(toOdd(x)); }                                \
    LS_HOST_DEVICE __half __##name##2half_rz(type x) { return __float2half_rz(toOdd(x)); }                             \
    LS_HOST_DEVICE __half __##name##2half_rd(type x) { return __float2half_rd(toOdd(x)); }                             \
    LS_HOST_DEVICE __half __##name##2half_ru(type x) { return __float2half_ru(toOdd(x)); }                             \
    LS_HOST_DEVICE type __half2##name##_rn(__half x) { return __ls_to_##name(__builtin_rintf(__half2float(x))); }                \
    LS_HOST_DEVICE type __half2##name##_rz(__half x) { return __ls_to_##name(__half2float(x)); }                                 \
    LS_HOST_DEVICE type __half2##name##_rd(__half x) { return __ls_to_##name(__builtin_floorf(__half2float(x))); }               \
    LS_HOST_DEVICE type __half2##name##_ru(__half x) { return __ls_to_##name(__builtin_ceilf(__half2float(x))); }
LS_FROM_INTEGER(int, __ls_signed_to_odd, int)
LS_FROM_INTEGER(uint, __ls_unsigned_to_odd, unsigned int)
LS_FROM_INTEGER(short, __ls_signed_to_odd, short)
LS_FROM_INTEGER(ushort, __ls_unsigned_to_odd, unsigned short)
LS_FROM_INTEGER(ll, __ls_signed_to_odd, long long)
LS_FROM_INTEGER(ull, __ls_unsigned_to_odd, unsigned long long)
#undef LS_FROM_INTEGER
LS_HOST_DEVICE signed char __half2char_rz(__half x) { return __ls_to_char(__half2float(x)); }
LS_HOST_DEVICE unsigned char __half2uchar_rz(__half x) { return __ls_to_uchar(__half2float(x)); }

LS_HOST_DEVICE __half2 make_half2(__half x, __half y) { return {x, y}; }
LS_HOST_DEVICE __half2 __halves2half2(__half x, __half y) { return {x, y}; }
LS_HOST_DEVICE __half2 __half2half2(__half x) { return {x, x}; }
LS_HOST_DEVICE __half2 __float2half2_rn(float x) { return {__float2half(x), __float2half(x)}; }
LS_HOST_DEVICE __half2 __floats2half2_rn(float x, float y) { return {__float2half(x), __float2half(y)}; }
LS_HOST_DEVICE __half2 __float22half2_rn(float2 v) { return {__float2half(v.x), __float2half(v.y)}; }
LS_HOST_DEVICE float2 __half22float2(__half2 v) { return {__half2float(v.x), __half2float(v.y)}; }
LS_HOST_DEVICE float __low2float(__half2 v) { return __half2float(v.x); }
LS_HOST_DEVICE float __high2float(__half2 v) { return __half2float(v.y); }
LS_HOST_DEVICE __half __low2half(__half2 v) { return v.x; }
LS_HOST_DEVICE __half __high2half(__half2 v) { return v.y; }
LS_HOST_DEVICE __half2 __low2half2(__half2 v) { return {v.x, v.x}; }
LS_HOST_DEVICE __half2 __high2half2(__half2 v) { return {v.y, v.y}; }
LS_HOST_DEVICE __half2 __lows2half2(__half2 a, __half2 b) { return {a.x, b.x}; }
LS_HOST_DEVICE __half2 __highs2half2(__half2 a, __half2 b) { return {a.y, b.y}; }
LS_HOST_DEVICE __half2 __lowhigh2highlow(__half2 v) { return {v.y, v.x}; }
LS_HOST_DEVICE short __half_as_short(__half x) { return (short)x.__x; }
LS_HOST_DEVICE unsigned short __half_as_ushort(__half x) { return x.__x; }
LS_HOST_DEVICE __half __short_as_half(short x) { return __ls_make_half((unsigned short)x); }
LS_HOST_DEVICE __half __ushort_as_half(unsigned short x) { return __ls_make_half(x); }

#define CUDART_INF_FP16 __ushort_as_half((unsigned short)0x7C00U)
#define CUDART_NAN_FP16 __ushort_as_half((unsigned short)0x7FFFU)
#define CUDART_MAX_NORMAL_FP16 __ushort_as_half((unsigned short)0x7BFFU)
#define CUDART_MIN_DENORM_FP16 __ushort_as_half((unsigned short)0x0001U)
#define CUDART_ONE_FP16 __ushort_as_half((unsigned short)0x3C00U)
#define CUDART_ZERO_FP16 __ushort_as_half((unsigned short)0x0000U)
#define CUDART_NEG_ZERO_FP16 __ushort_as_half((unsigned short)0x8000U)
// clang-format on

#include "lanescope/restore_macros.h"

#endif  // __CUDA_FP16_H__
