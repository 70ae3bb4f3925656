// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What floats of eight bits and fewer have in common, for host and device: a sign, an exponent, and two or three digits
// at most. `digits` are those that are stored, `bias` is the exponent's.
#pragma once

#include "../cuda_bf16.h"
#include "../cuda_fp16.h"

#include "narrow_convert.h"

// clang-format off
/// The code of |x|, as if codes had no end: what is greater than the greatest code did not fit. Not for NaN.
LS_HOST_DEVICE unsigned int __ls_tiny_code(float x, int digits, int bias, bool towardsZero)
{
    const unsigned int bits = __builtin_bit_cast(unsigned int, x);
    int exponent = (int)(bits >> 23 & 0xffu) - 127;
    if (exponent > 60)
        return 0xffffu;
    if (exponent < 1 - bias)
        exponent = 1 - bias;
    // In units of the last place, which are powers of two: nothing is lost before it is rounded.
    const float inverse = __builtin_bit_cast(float, (unsigned int)(127 + digits - exponent) << 23);
    const float exact = __builtin_fabsf(x) * inverse;
    const float units = towardsZero ? __builtin_truncf(exact) : __builtin_rintf(exact);
    return (unsigned int)(((exponent + bias) << digits) + (int)units - (1 << digits));
}

/// What a code without its sign stands for, where all codes are numbers.
LS_HOST_DEVICE float __ls_tiny_value(unsigned int code, int digits, int bias)
{
    const int exponent = (int)(code >> digits), fraction = (int)code & ((1 << digits) - 1);
    const int shift = (exponent ? exponent : 1) - bias - digits;
    const float unit = __builtin_bit_cast(float, (unsigned int)(127 + shift) << 23);
    return (float)(exponent ? fraction + (1 << digits) : fraction) * unit;
}

LS_HOST_DEVICE float __ls_with_sign(float size, bool negative)
{
    return __builtin_bit_cast(float, __builtin_bit_cast(unsigned int, size) | (negative ? 0x80000000u : 0u));
}

/// Formats without infinity and NaN: what is too large is the greatest number, NaN the greatest positive one.
/// \p greatest: its code; the sign is the bit above.
LS_HOST_DEVICE unsigned char __ls_finite_tiny_code(float x, int digits, int bias, unsigned int greatest, bool towardsZero)
{
    if (x != x)
        return (unsigned char)greatest;
    const unsigned int code = __ls_tiny_code(x, digits, bias, towardsZero);
    const unsigned int sign = __builtin_bit_cast(unsigned int, x) >> 31 ? greatest + 1 : 0;
    return (unsigned char)(sign | (code > greatest ? greatest : code));
}
LS_HOST_DEVICE float __ls_finite_tiny_value(unsigned int code, int digits, int bias, unsigned int greatest)
{
    return __ls_with_sign(__ls_tiny_value(code & greatest, digits, bias), (code & (greatest + 1)) != 0);
}

// What any wider format is as float: exactly, or rounded to odd, so that rounding it again rounds rightly.
LS_HOST_DEVICE float __ls_widen(double x) { return __ls_float_to_odd(x); }
LS_HOST_DEVICE float __ls_widen(__half_raw x) { return __ls_half_to_float(x.x); }
LS_HOST_DEVICE float __ls_widen(__nv_bfloat16_raw x) { return __ls_bfloat_to_float(x.x); }
LS_HOST_DEVICE float2 __ls_widen(double2 x) { return make_float2(__ls_float_to_odd(x.x), __ls_float_to_odd(x.y)); }
LS_HOST_DEVICE float2 __ls_widen(__half2_raw x) { return make_float2(__ls_half_to_float(x.x), __ls_half_to_float(x.y)); }
LS_HOST_DEVICE float2 __ls_widen(__nv_bfloat162_raw x) { return make_float2(__ls_bfloat_to_float(x.x), __ls_bfloat_to_float(x.y)); }
// clang-format on
