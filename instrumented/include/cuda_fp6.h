// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Six-bit floating point, e2m3 and e3m2: all codes are numbers; what is too large becomes the greatest. A number has a
// byte.
#pragma once

#ifndef __CUDA_FP6_H__
#define __CUDA_FP6_H__

#include "cuda_fp8.h"

#include "lanescope/hide_macros.h"

#define __CUDA_FP6_TYPES_EXIST__

typedef __nv_fp8_storage_t __nv_fp6_storage_t;
typedef __nv_fp8x2_storage_t __nv_fp6x2_storage_t;
typedef __nv_fp8x4_storage_t __nv_fp6x4_storage_t;
typedef enum __nv_fp6_interpretation_t { __NV_E2M3, __NV_E3M2 } __nv_fp6_interpretation_t;

// clang-format off
LS_HOST_DEVICE __nv_fp6_storage_t __nv_cvt_float_to_fp6(float x, __nv_fp6_interpretation_t kind, enum cudaRoundMode rounding)
{
    assert(rounding == cudaRoundNearest || rounding == cudaRoundZero);
    const bool wide = kind == __NV_E3M2;
    return __ls_finite_tiny_code(x, wide ? 2 : 3, wide ? 3 : 1, 0x1fu, rounding == cudaRoundZero);
}
LS_HOST_DEVICE float __ls_fp6_to_float(unsigned int code, __nv_fp6_interpretation_t kind)
{
    const bool wide = kind == __NV_E3M2;
    return __ls_finite_tiny_value(code, wide ? 2 : 3, wide ? 3 : 1, 0x1fu);
}

LS_HOST_DEVICE __nv_fp6x2_storage_t __nv_cvt_float2_to_fp6x2(float2 x, __nv_fp6_interpretation_t kind, enum cudaRoundMode rounding)
{
    return (__nv_fp6x2_storage_t)(__nv_cvt_float_to_fp6(x.x, kind, rounding) | __nv_cvt_float_to_fp6(x.y, kind, rounding) << 8);
}
LS_HOST_DEVICE __half_raw __nv_cvt_fp6_to_halfraw(__nv_fp6_storage_t x, __nv_fp6_interpretation_t kind) { return __half_raw(__float2half(__ls_fp6_to_float(x, kind))); }
LS_HOST_DEVICE __half2_raw __nv_cvt_fp6x2_to_halfraw2(__nv_fp6x2_storage_t x, __nv_fp6_interpretation_t kind)
{
    return {__nv_cvt_fp6_to_halfraw((__nv_fp6_storage_t)x, kind).x, __nv_cvt_fp6_to_halfraw((__nv_fp6_storage_t)(x >> 8), kind).x};
}

#define LS_FROM(name, argument, result, wide)                                                                          \
    LS_HOST_DEVICE result __nv_cvt_##name(argument x, __nv_fp6_interpretation_t kind, enum cudaRoundMode rounding)     \
    {                                                                                                                  \
        return wide(__ls_widen(x), kind, rounding);                                                                    \
    }
LS_FROM(double_to_fp6, double, __nv_fp6_storage_t, __nv_cvt_float_to_fp6)
LS_FROM(halfraw_to_fp6, __half_raw, __nv_fp6_storage_t, __nv_cvt_float_to_fp6)
LS_FROM(bfloat16raw_to_fp6, __nv_bfloat16_raw, __nv_fp6_storage_t, __nv_cvt_float_to_fp6)
LS_FROM(double2_to_fp6x2, double2, __nv_fp6x2_storage_t, __nv_cvt_float2_to_fp6x2)
LS_FROM(halfraw2_to_fp6x2, __half2_raw, __nv_fp6x2_storage_t, __nv_cvt_float2_to_fp6x2)
LS_FROM(bfloat16raw2_to_fp6x2, __nv_bfloat162_raw, __nv_fp6x2_storage_t, __nv_cvt_float2_to_fp6x2)
#undef LS_FROM
// clang-format on

#define LS_STORE __nv_fp6_storage_t
#define LS_STORE2 __nv_fp6x2_storage_t
#define LS_STORE4 __nv_fp6x4_storage_t
#define LS_BITS 8
#define LS_TRUE(code) (((code) & 0x1f) != 0)
#define LS_TINY __nv_fp6_e2m3
#define LS_TINY2 __nv_fp6x2_e2m3
#define LS_TINY4 __nv_fp6x4_e2m3
#define LS_CODE(x) __nv_cvt_float_to_fp6(x, __NV_E2M3, cudaRoundNearest)
#define LS_CODE_OF_DOUBLE(x) LS_CODE(__ls_float_to_odd(x))
#define LS_VALUE(code) __ls_fp6_to_float(code, __NV_E2M3)
#include "lanescope/tiny_float.inc"
#define LS_TINY __nv_fp6_e3m2
#define LS_TINY2 __nv_fp6x2_e3m2
#define LS_TINY4 __nv_fp6x4_e3m2
#define LS_CODE(x) __nv_cvt_float_to_fp6(x, __NV_E3M2, cudaRoundNearest)
#define LS_CODE_OF_DOUBLE(x) LS_CODE(__ls_float_to_odd(x))
#define LS_VALUE(code) __ls_fp6_to_float(code, __NV_E3M2)
#include "lanescope/tiny_float.inc"
#undef LS_TRUE
#undef LS_BITS
#undef LS_STORE
#undef LS_STORE2
#undef LS_STORE4

#include "lanescope/restore_macros.h"

#endif  // __CUDA_FP6_H__
