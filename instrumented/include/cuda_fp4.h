// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Four-bit floating point, e2m1: all codes are numbers; what is too large becomes the greatest. The numbers of a pair
// share a byte.
#pragma once

#ifndef __CUDA_FP4_H__
#define __CUDA_FP4_H__

#include "cuda_fp8.h"

#include "lanescope/hide_macros.h"

#define __CUDA_FP4_TYPES_EXIST__

typedef __nv_fp8_storage_t __nv_fp4_storage_t;
typedef __nv_fp8_storage_t __nv_fp4x2_storage_t;
typedef __nv_fp8x2_storage_t __nv_fp4x4_storage_t;
typedef enum __nv_fp4_interpretation_t { __NV_E2M1 } __nv_fp4_interpretation_t;

// clang-format off
LS_HOST_DEVICE __nv_fp4_storage_t __nv_cvt_float_to_fp4(float x, __nv_fp4_interpretation_t kind, enum cudaRoundMode rounding)
{
    assert(rounding == cudaRoundNearest || rounding == cudaRoundZero);
    (void)kind;
    return __ls_finite_tiny_code(x, 1, 1, 0x7u, rounding == cudaRoundZero);
}
LS_HOST_DEVICE float __ls_fp4_to_float(unsigned int code, __nv_fp4_interpretation_t kind)
{
    (void)kind;
    return __ls_finite_tiny_value(code, 1, 1, 0x7u);
}

LS_HOST_DEVICE __nv_fp4x2_storage_t __nv_cvt_float2_to_fp4x2(float2 x, __nv_fp4_interpretation_t kind, enum cudaRoundMode rounding)
{
    return (__nv_fp4x2_storage_t)(__nv_cvt_float_to_fp4(x.x, kind, rounding) | __nv_cvt_float_to_fp4(x.y, kind, rounding) << 4);
}
LS_HOST_DEVICE __half_raw __nv_cvt_fp4_to_halfraw(__nv_fp4_storage_t x, __nv_fp4_interpretation_t kind) { return __half_raw(__float2half(__ls_fp4_to_float(x, kind))); }
LS_HOST_DEVICE __half2_raw __nv_cvt_fp4x2_to_halfraw2(__nv_fp4x2_storage_t x, __nv_fp4_interpretation_t kind)
{
    return {__nv_cvt_fp4_to_halfraw((__nv_fp4_storage_t)x, kind).x, __nv_cvt_fp4_to_halfraw((__nv_fp4_storage_t)(x >> 4), kind).x};
}

#define LS_FROM(name, argument, result, wide)                                                                          \
    LS_HOST_DEVICE result __nv_cvt_##name(argument x, __nv_fp4_interpretation_t kind, enum cudaRoundMode rounding)     \
    {                                                                                                                  \
        return wide(__ls_widen(x), kind, rounding);                                                                    \
    }
LS_FROM(double_to_fp4, double, __nv_fp4_storage_t, __nv_cvt_float_to_fp4)
LS_FROM(halfraw_to_fp4, __half_raw, __nv_fp4_storage_t, __nv_cvt_float_to_fp4)
LS_FROM(bfloat16raw_to_fp4, __nv_bfloat16_raw, __nv_fp4_storage_t, __nv_cvt_float_to_fp4)
LS_FROM(double2_to_fp4x2, double2, __nv_fp4x2_storage_t, __nv_cvt_float2_to_fp4x2)
LS_FROM(halfraw2_to_fp4x2, __half2_raw, __nv_fp4x2_storage_t, __nv_cvt_float2_to_fp4x2)
LS_FROM(bfloat16raw2_to_fp4x2, __nv_bfloat162_raw, __nv_fp4x2_storage_t, __nv_cvt_float2_to_fp4x2)
#undef LS_FROM
// clang-format on

#define LS_STORE __nv_fp4_storage_t
#define LS_STORE2 __nv_fp4x2_storage_t
#define LS_STORE4 __nv_fp4x4_storage_t
#define LS_BITS 4
#define LS_TRUE(code) (((code) & 0x7) != 0)
#define LS_TINY __nv_fp4_e2m1
#define LS_TINY2 __nv_fp4x2_e2m1
#define LS_TINY4 __nv_fp4x4_e2m1
#define LS_CODE(x) __nv_cvt_float_to_fp4(x, __NV_E2M1, cudaRoundNearest)
#define LS_CODE_OF_DOUBLE(x) LS_CODE(__ls_float_to_odd(x))
#define LS_VALUE(code) __ls_fp4_to_float(code, __NV_E2M1)
#include "lanescope/tiny_float.inc"
#undef LS_TRUE
#undef LS_BITS
#undef LS_STORE
#undef LS_STORE2
#undef LS_STORE4

#include "lanescope/restore_macros.h"

#endif  // __CUDA_FP4_H__
