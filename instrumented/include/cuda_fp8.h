// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Eight-bit floating point, e4m3 and e5m2: conversions, rounded to nearest even.
#pragma once

#ifndef __CUDA_FP8_H__
#define __CUDA_FP8_H__

#include "cuda_bf16.h"
#include "cuda_fp16.h"

#include "lanescope/hide_macros.h"

typedef unsigned char __nv_fp8_storage_t;
typedef unsigned short __nv_fp8x2_storage_t;
typedef unsigned int __nv_fp8x4_storage_t;
enum __nv_saturation_t { __NV_NOSAT, __NV_SATFINITE };
enum __nv_fp8_interpretation_t { __NV_E4M3, __NV_E5M2 };

// clang-format off
LS_HOST_DEVICE __nv_fp8_storage_t __nv_cvt_float_to_fp8(float x, __nv_saturation_t saturate, __nv_fp8_interpretation_t kind)
{
    const bool wide = kind == __NV_E5M2;
    const int mantissa = wide ? 2 : 3, bias = wide ? 15 : 7;
    const unsigned int bits = __builtin_bit_cast(unsigned int, x), sign = bits >> 24 & 0x80u;
    if (x != x)
        return (__nv_fp8_storage_t)0x7f;
    int exponent = (int)(bits >> 23 & 0xffu) - 127;
    if (exponent < 1 - bias)
        exponent = 1 - bias;
    // In units of the last place, which are powers of two: nothing is lost before it is rounded.
    const float inverse = __builtin_bit_cast(float, (unsigned int)(127 + mantissa - (exponent < 100 ? exponent : 100)) << 23);
    const float units = __builtin_rintf(__builtin_fabsf(x) * inverse);
    const unsigned int greatest = wide ? 0x7bu : 0x7eu;
    unsigned int code = exponent > 60 ? 0xffu : (unsigned int)(((exponent + bias) << mantissa) + (int)units - (1 << mantissa));
    if (code > greatest)
        code = saturate == __NV_SATFINITE ? greatest : wide ? 0x7cu : 0x7fu;
    return (__nv_fp8_storage_t)(sign | code);
}
LS_HOST_DEVICE __nv_fp8_storage_t __nv_cvt_double_to_fp8(double x, __nv_saturation_t saturate, __nv_fp8_interpretation_t kind)
{
    return __nv_cvt_float_to_fp8(__ls_float_to_odd(x), saturate, kind);
}
LS_HOST_DEVICE __nv_fp8_storage_t __nv_cvt_halfraw_to_fp8(__half_raw x, __nv_saturation_t saturate, __nv_fp8_interpretation_t kind)
{
    return __nv_cvt_float_to_fp8(__half2float(__half(x)), saturate, kind);
}
LS_HOST_DEVICE __nv_fp8_storage_t __nv_cvt_bfloat16raw_to_fp8(__nv_bfloat16_raw x, __nv_saturation_t saturate, __nv_fp8_interpretation_t kind)
{
    return __nv_cvt_float_to_fp8(__bfloat162float(__nv_bfloat16(x)), saturate, kind);
}
LS_HOST_DEVICE float __ls_fp8_to_float(unsigned int code, __nv_fp8_interpretation_t kind)
{
    const bool wide = kind == __NV_E5M2;
    const int mantissa = wide ? 2 : 3, bias = wide ? 15 : 7;
    const unsigned int sign = (code & 0x80u) << 24, size = code & 0x7fu;
    const int exponent = (int)(size >> mantissa), fraction = (int)size & ((1 << mantissa) - 1);
    if (wide ? exponent == 31 : size == 0x7fu)
        return __builtin_bit_cast(float, wide && fraction == 0 ? sign | 0x7f800000u : 0x7fc00000u);
    const int shift = (exponent ? exponent : 1) - bias - mantissa;
    const float unit = __builtin_bit_cast(float, (unsigned int)(127 + shift) << 23);
    const float value = (float)(exponent ? fraction + (1 << mantissa) : fraction) * unit;
    return __builtin_bit_cast(float, __builtin_bit_cast(unsigned int, value) | sign);
}
LS_HOST_DEVICE __half_raw __nv_cvt_fp8_to_halfraw(__nv_fp8_storage_t x, __nv_fp8_interpretation_t kind) { return __half_raw(__float2half(__ls_fp8_to_float(x, kind))); }
LS_HOST_DEVICE __nv_fp8x2_storage_t __nv_cvt_float2_to_fp8x2(float2 x, __nv_saturation_t saturate, __nv_fp8_interpretation_t kind)
{
    return (__nv_fp8x2_storage_t)(__nv_cvt_float_to_fp8(x.x, saturate, kind) | __nv_cvt_float_to_fp8(x.y, saturate, kind) << 8);
}
LS_HOST_DEVICE __nv_fp8x2_storage_t __nv_cvt_halfraw2_to_fp8x2(__half2_raw x, __nv_saturation_t saturate, __nv_fp8_interpretation_t kind)
{
    return __nv_cvt_float2_to_fp8x2(__half22float2(__builtin_bit_cast(__half2, x)), saturate, kind);
}
LS_HOST_DEVICE __half2_raw __nv_cvt_fp8x2_to_halfraw2(__nv_fp8x2_storage_t x, __nv_fp8_interpretation_t kind)
{
    return __builtin_bit_cast(__half2_raw, __floats2half2_rn(__ls_fp8_to_float(x & 0xffu, kind), __ls_fp8_to_float(x >> 8, kind)));
}

#define LS_FP8(suffix, kind)                                                                                           \
    struct __nv_fp8_##suffix {                                                                                         \
        __nv_fp8_storage_t __x;                                                                                        \
        __nv_fp8_##suffix() = default;                                                                                 \
        LS_INLINE explicit __nv_fp8_##suffix(float x) : __x(__nv_cvt_float_to_fp8(x, __NV_SATFINITE, kind)) {}         \
        LS_INLINE explicit __nv_fp8_##suffix(double x) : __x(__nv_cvt_double_to_fp8(x, __NV_SATFINITE, kind)) {}       \
        LS_INLINE explicit __nv_fp8_##suffix(__half x) : __nv_fp8_##suffix(__half2float(x)) {}                         \
        LS_INLINE explicit __nv_fp8_##suffix(__nv_bfloat16 x) : __nv_fp8_##suffix(__bfloat162float(x)) {}              \
        LS_INLINE explicit __nv_fp8_##suffix(int x) : __nv_fp8_##suffix((double)x) {}                                  \
        LS_INLINE explicit __nv_fp8_##suffix(unsigned int x) : __nv_fp8_##suffix((double)x) {}                         \
        LS_INLINE explicit operator float() const { return __ls_fp8_to_float(__x, kind); }                             \
        LS_INLINE explicit operator double() const { return __ls_fp8_to_float(__x, kind); }                            \
        LS_INLINE explicit operator __half() const { return __float2half(__ls_fp8_to_float(__x, kind)); }              \
        LS_INLINE explicit operator __nv_bfloat16() const { return __float2bfloat16(__ls_fp8_to_float(__x, kind)); }   \
        LS_INLINE explicit operator int() const { return (int)__ls_fp8_to_float(__x, kind); }                          \
        LS_INLINE explicit operator bool() const { return (__x & 0x7f) != 0; }                                         \
    };                                                                                                                 \
    struct __nv_fp8x2_##suffix {                                                                                       \
        __nv_fp8x2_storage_t __x;                                                                                      \
        __nv_fp8x2_##suffix() = default;                                                                               \
        LS_INLINE explicit __nv_fp8x2_##suffix(float2 x) : __x(__nv_cvt_float2_to_fp8x2(x, __NV_SATFINITE, kind)) {}   \
        LS_INLINE explicit __nv_fp8x2_##suffix(__half2 x) : __nv_fp8x2_##suffix(__half22float2(x)) {}                  \
        LS_INLINE explicit __nv_fp8x2_##suffix(__nv_bfloat162 x) : __nv_fp8x2_##suffix(__bfloat1622float2(x)) {}       \
        LS_INLINE explicit operator float2() const                                                                     \
        {                                                                                                              \
            return make_float2(__ls_fp8_to_float(__x & 0xffu, kind), __ls_fp8_to_float(__x >> 8, kind));               \
        }                                                                                                              \
        LS_INLINE explicit operator __half2() const { return __float22half2_rn((float2) * this); }                     \
    };                                                                                                                 \
    struct __nv_fp8x4_##suffix {                                                                                       \
        __nv_fp8x4_storage_t __x;                                                                                      \
        __nv_fp8x4_##suffix() = default;                                                                               \
        LS_INLINE explicit __nv_fp8x4_##suffix(float4 x)                                                               \
            : __x(__nv_cvt_float2_to_fp8x2(make_float2(x.x, x.y), __NV_SATFINITE, kind) |                              \
                  (unsigned int)__nv_cvt_float2_to_fp8x2(make_float2(x.z, x.w), __NV_SATFINITE, kind) << 16)           \
        {                                                                                                              \
        }                                                                                                              \
        LS_INLINE explicit __nv_fp8x4_##suffix(double4 x)                                                              \
            : __nv_fp8x4_##suffix(make_float4((float)x.x, (float)x.y, (float)x.z, (float)x.w))                         \
        {                                                                                                              \
        }                                                                                                              \
        LS_INLINE explicit __nv_fp8x4_##suffix(__half2 low, __half2 high)                                              \
            : __x(__nv_fp8x2_##suffix(low).__x | (unsigned int)__nv_fp8x2_##suffix(high).__x << 16)                    \
        {                                                                                                              \
        }                                                                                                              \
        LS_INLINE explicit __nv_fp8x4_##suffix(__nv_bfloat162 low, __nv_bfloat162 high)                                \
            : __x(__nv_fp8x2_##suffix(low).__x | (unsigned int)__nv_fp8x2_##suffix(high).__x << 16)                    \
        {                                                                                                              \
        }                                                                                                              \
        LS_INLINE explicit operator float4() const                                                                     \
        {                                                                                                              \
            return make_float4(__ls_fp8_to_float(__x & 0xffu, kind), __ls_fp8_to_float(__x >> 8 & 0xffu, kind),        \
                               __ls_fp8_to_float(__x >> 16 & 0xffu, kind), __ls_fp8_to_float(__x >> 24, kind));        \
        }                                                                                                              \
    };
LS_FP8(e4m3, __NV_E4M3)
LS_FP8(e5m2, __NV_E5M2)
#undef LS_FP8
// clang-format on

#include "lanescope/restore_macros.h"

#endif  // __CUDA_FP8_H__
