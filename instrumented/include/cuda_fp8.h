// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Eight-bit floating point: e4m3 and e5m2, rounded to nearest even, and e8m0, the powers of two.
#pragma once

#ifndef __CUDA_FP8_H__
#define __CUDA_FP8_H__

#include <assert.h>

#include "cuda_bf16.h"
#include "cuda_fp16.h"

#include "lanescope/hide_macros.h"
#include "lanescope/tiny_float.h"

#define __CUDA_FP8_TYPES_EXIST__

typedef unsigned char __nv_fp8_storage_t;
typedef unsigned short __nv_fp8x2_storage_t;
typedef unsigned int __nv_fp8x4_storage_t;
typedef enum __nv_saturation_t { __NV_NOSAT, __NV_SATFINITE } __nv_saturation_t;
typedef enum __nv_fp8_interpretation_t { __NV_E4M3, __NV_E5M2 } __nv_fp8_interpretation_t;

// clang-format off
LS_HOST_DEVICE __nv_fp8_storage_t __nv_cvt_float_to_fp8(float x, __nv_saturation_t saturate, __nv_fp8_interpretation_t kind)
{
    if (x != x)
        return (__nv_fp8_storage_t)0x7f;
    const bool wide = kind == __NV_E5M2;
    const unsigned int greatest = wide ? 0x7bu : 0x7eu;
    unsigned int code = __ls_tiny_code(x, wide ? 2 : 3, wide ? 15 : 7, false);
    if (code > greatest)
        code = saturate == __NV_SATFINITE ? greatest : wide ? 0x7cu : 0x7fu;
    return (__nv_fp8_storage_t)(code | (__builtin_bit_cast(unsigned int, x) >> 24 & 0x80u));
}
/// Of NaN it keeps the sign and e5m2's digits, which a float's does not: that is how NVIDIA's functions have it.
LS_HOST_DEVICE __nv_fp8_storage_t __nv_cvt_double_to_fp8(double x, __nv_saturation_t saturate, __nv_fp8_interpretation_t kind)
{
    const unsigned long long bits = __builtin_bit_cast(unsigned long long, x);
    if (x != x)
        return (__nv_fp8_storage_t)((kind == __NV_E5M2 ? 0x7eu | (bits >> 50 & 3u) : 0x7fu) | (bits >> 56 & 0x80u));
    return __nv_cvt_float_to_fp8(__ls_float_to_odd(x), saturate, kind);
}
LS_HOST_DEVICE float __ls_fp8_to_float(unsigned int code, __nv_fp8_interpretation_t kind)
{
    const bool wide = kind == __NV_E5M2;
    const unsigned int size = code & 0x7fu;
    if (wide ? size > 0x7cu : size == 0x7fu)
        return __builtin_bit_cast(float, 0x7fffffffu);
    const float value = wide && size == 0x7cu ? __builtin_inff() : __ls_tiny_value(size, wide ? 2 : 3, wide ? 15 : 7);
    return __ls_with_sign(value, (code & 0x80u) != 0);
}

LS_HOST_DEVICE __nv_fp8x2_storage_t __nv_cvt_float2_to_fp8x2(float2 x, __nv_saturation_t saturate, __nv_fp8_interpretation_t kind)
{
    return (__nv_fp8x2_storage_t)(__nv_cvt_float_to_fp8(x.x, saturate, kind) | __nv_cvt_float_to_fp8(x.y, saturate, kind) << 8);
}
LS_HOST_DEVICE __nv_fp8x2_storage_t __nv_cvt_double2_to_fp8x2(double2 x, __nv_saturation_t saturate, __nv_fp8_interpretation_t kind)
{
    return (__nv_fp8x2_storage_t)(__nv_cvt_double_to_fp8(x.x, saturate, kind) | __nv_cvt_double_to_fp8(x.y, saturate, kind) << 8);
}
LS_HOST_DEVICE __half_raw __nv_cvt_fp8_to_halfraw(__nv_fp8_storage_t x, __nv_fp8_interpretation_t kind) { return __half_raw(__float2half(__ls_fp8_to_float(x, kind))); }
LS_HOST_DEVICE __half2_raw __nv_cvt_fp8x2_to_halfraw2(__nv_fp8x2_storage_t x, __nv_fp8_interpretation_t kind)
{
    return {__nv_cvt_fp8_to_halfraw((__nv_fp8_storage_t)x, kind).x, __nv_cvt_fp8_to_halfraw((__nv_fp8_storage_t)(x >> 8), kind).x};
}

#define LS_FROM(name, argument, result, wide)                                                                          \
    LS_HOST_DEVICE result __nv_cvt_##name(argument x, __nv_saturation_t saturate, __nv_fp8_interpretation_t kind)      \
    {                                                                                                                  \
        return wide(__ls_widen(x), saturate, kind);                                                                    \
    }
LS_FROM(halfraw_to_fp8, __half_raw, __nv_fp8_storage_t, __nv_cvt_float_to_fp8)
LS_FROM(bfloat16raw_to_fp8, __nv_bfloat16_raw, __nv_fp8_storage_t, __nv_cvt_float_to_fp8)
LS_FROM(halfraw2_to_fp8x2, __half2_raw, __nv_fp8x2_storage_t, __nv_cvt_float2_to_fp8x2)
LS_FROM(bfloat16raw2_to_fp8x2, __nv_bfloat162_raw, __nv_fp8x2_storage_t, __nv_cvt_float2_to_fp8x2)
#undef LS_FROM

/// The exponent of |x|, the next one if \p rounding is up and digits follow; 255 for NaN and what does not fit.
LS_HOST_DEVICE __nv_fp8_storage_t __nv_cvt_float_to_e8m0(float x, __nv_saturation_t saturate, enum cudaRoundMode rounding)
{
    assert(rounding == cudaRoundZero || rounding == cudaRoundPosInf);
    if (x != x)
        return (__nv_fp8_storage_t)0xff;
    const unsigned int size = __builtin_bit_cast(unsigned int, x) & 0x7fffffffu;
    unsigned int code = size >> 23;
    // The smallest is 2^-127, a subnormal float.
    if (rounding == cudaRoundPosInf && (size & 0x7fffffu) != 0 && size > 0x400000u)
        ++code;
    return (__nv_fp8_storage_t)(code == 0xff && saturate == __NV_SATFINITE ? 0xfe : code);
}
LS_HOST_DEVICE __nv_fp8x2_storage_t __nv_cvt_float2_to_e8m0x2(float2 x, __nv_saturation_t saturate, enum cudaRoundMode rounding)
{
    return (__nv_fp8x2_storage_t)(__nv_cvt_float_to_e8m0(x.x, saturate, rounding) | __nv_cvt_float_to_e8m0(x.y, saturate, rounding) << 8);
}
#define LS_FROM(name, argument, result, wide)                                                                          \
    LS_HOST_DEVICE result __nv_cvt_##name(argument x, __nv_saturation_t saturate, enum cudaRoundMode rounding)         \
    {                                                                                                                  \
        return wide(__ls_widen(x), saturate, rounding);                                                                \
    }
LS_FROM(double_to_e8m0, double, __nv_fp8_storage_t, __nv_cvt_float_to_e8m0)
LS_FROM(bfloat16raw_to_e8m0, __nv_bfloat16_raw, __nv_fp8_storage_t, __nv_cvt_float_to_e8m0)
LS_FROM(double2_to_e8m0x2, double2, __nv_fp8x2_storage_t, __nv_cvt_float2_to_e8m0x2)
LS_FROM(bfloat162raw_to_e8m0x2, __nv_bfloat162_raw, __nv_fp8x2_storage_t, __nv_cvt_float2_to_e8m0x2)
#undef LS_FROM
LS_HOST_DEVICE __nv_bfloat16_raw __nv_cvt_e8m0_to_bf16raw(__nv_fp8_storage_t x)
{
    return {(unsigned short)(x == 0xff ? 0x7fff : x == 0 ? 0x40 : x << 7)};
}
LS_HOST_DEVICE __nv_bfloat162_raw __nv_cvt_e8m0x2_to_bf162raw(__nv_fp8x2_storage_t x)
{
    return {__nv_cvt_e8m0_to_bf16raw((__nv_fp8_storage_t)x).x, __nv_cvt_e8m0_to_bf16raw((__nv_fp8_storage_t)(x >> 8)).x};
}
// clang-format on

#define LS_STORE __nv_fp8_storage_t
#define LS_STORE2 __nv_fp8x2_storage_t
#define LS_STORE4 __nv_fp8x4_storage_t
#define LS_BITS 8
#define LS_TRUE(code) (((code) & 0x7f) != 0)
#define LS_TINY __nv_fp8_e4m3
#define LS_TINY2 __nv_fp8x2_e4m3
#define LS_TINY4 __nv_fp8x4_e4m3
#define LS_CODE(x) __nv_cvt_float_to_fp8(x, __NV_SATFINITE, __NV_E4M3)
#define LS_CODE_OF_DOUBLE(x) __nv_cvt_double_to_fp8(x, __NV_SATFINITE, __NV_E4M3)
#define LS_VALUE(code) __ls_fp8_to_float(code, __NV_E4M3)
#include "lanescope/tiny_float.inc"
#define LS_TINY __nv_fp8_e5m2
#define LS_TINY2 __nv_fp8x2_e5m2
#define LS_TINY4 __nv_fp8x4_e5m2
#define LS_CODE(x) __nv_cvt_float_to_fp8(x, __NV_SATFINITE, __NV_E5M2)
#define LS_CODE_OF_DOUBLE(x) __nv_cvt_double_to_fp8(x, __NV_SATFINITE, __NV_E5M2)
#define LS_VALUE(code) __ls_fp8_to_float(code, __NV_E5M2)
#include "lanescope/tiny_float.inc"
#undef LS_TRUE
#define LS_TRUE(code) ((void)(code), true)
#define LS_TINY __nv_fp8_e8m0
#define LS_TINY2 __nv_fp8x2_e8m0
#define LS_TINY4 __nv_fp8x4_e8m0
#define LS_CODE(x) __nv_cvt_float_to_e8m0(x, __NV_SATFINITE, cudaRoundPosInf)
#define LS_CODE_OF_DOUBLE(x) LS_CODE(__ls_float_to_odd(x))
#define LS_VALUE(code) __bfloat162float(__nv_cvt_e8m0_to_bf16raw((__nv_fp8_storage_t)(code)))
#include "lanescope/tiny_float.inc"
#undef LS_TRUE
#undef LS_BITS
#undef LS_STORE
#undef LS_STORE2
#undef LS_STORE4

#include "lanescope/restore_macros.h"

#endif  // __CUDA_FP8_H__
