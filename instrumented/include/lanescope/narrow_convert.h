// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Conversions that half and bfloat16 are made of, for host and device.
#pragma once

#include "../host_defines.h"

// clang-format off
/// a × b + c, with its last bit odd when it is not exact: rounding that again, to fewer digits, rounds rightly.
LS_HOST_DEVICE double __ls_fuse_to_odd(double a, double b, double c)
{
    const double product = a * b;  // exact: the factors have few digits
    const double sum = product + c;
    const double back = sum - product;
    const double lost = (product - (sum - back)) + (c - back);
    unsigned long long bits = __builtin_bit_cast(unsigned long long, sum);
    if (lost != 0.0 && !(bits & 1) && sum - sum == 0.0)
        bits = (lost > 0.0) == (sum > 0.0) ? bits + 1 : bits - 1;
    return __builtin_bit_cast(double, bits);
}

/// To float, with the last bit odd when that is not exact.
LS_HOST_DEVICE float __ls_float_to_odd(double x)
{
    const float f = (float)x;
    const double back = (double)f;
    unsigned int bits = __builtin_bit_cast(unsigned int, f);
    if (back == x || x != x || (bits & 1))
        return f;
    if (f - f != 0.0f)
        return f > 0.0f ? __FLT_MAX__ : -__FLT_MAX__;
    bits = (x > back) == (f > 0.0f || (f == 0.0f && x > 0.0)) ? bits + 1 : bits - 1;
    return __builtin_bit_cast(float, bits);
}

/// To an integer, towards zero and as hardware does it: the nearest that there is, and for NaN 0, or of 64 bits the one
/// with the first bit alone.
#define LS_SATURATE(name, type, low, high, nan)                                                                        \
    LS_HOST_DEVICE type __ls_to_##name(float x)                                                                        \
    {                                                                                                                  \
        return x != x ? (type)(nan) : x >= (float)(high) ? (high) : x <= (float)(low) ? (low) : (type)x;               \
    }
LS_SATURATE(char, signed char, -128, 127, 0)
LS_SATURATE(uchar, unsigned char, 0, 255, 0)
LS_SATURATE(short, short, -32768, 32767, 0)
LS_SATURATE(ushort, unsigned short, 0, 65535, 0)
LS_SATURATE(int, int, -2147483647 - 1, 2147483647, 0)
LS_SATURATE(uint, unsigned int, 0, 4294967295u, 0)
LS_SATURATE(ll, long long, -9223372036854775807ll - 1, 9223372036854775807ll, 0x8000000000000000ull)
LS_SATURATE(ull, unsigned long long, 0, 18446744073709551615ull, 0x8000000000000000ull)
#undef LS_SATURATE

/// An integer as a float, with its last bit odd when that is not exact.
LS_HOST_DEVICE float __ls_unsigned_to_odd(unsigned long long x)
{
    // 53 bits fit a double; of more, the last ones only say that there were some.
    return __ls_float_to_odd((double)(x >> 53 ? (x | ((x & 0x7ff) ? 0x800 : 0)) & ~0x7ffull : x));
}
LS_HOST_DEVICE float __ls_signed_to_odd(long long x)
{
    return x < 0 ? -__ls_unsigned_to_odd(0 - (unsigned long long)x) : __ls_unsigned_to_odd((unsigned long long)x);
}

/// The neighbour of a rounded value that another rounding mode gives. \p bits: rounded to nearest; \p rounded: its
/// value; \p exact: what was rounded. \p mode: 1 towards zero, 2 down, 3 up.
LS_HOST_DEVICE unsigned short __ls_redirect(unsigned short bits, double rounded, double exact, int mode)
{
    if (!(rounded < exact) && !(rounded > exact))
        return bits;
    const bool tooHigh = rounded > exact;
    const bool wantLower = mode == 2 || (mode == 1 && exact > 0);
    if (tooHigh == wantLower)
        return (unsigned short)((bits & 0x7fff) == 0 ? (tooHigh ? 0x8001 : 0x0001)
                                : (bits >> 15) == tooHigh ? bits + 1 : bits - 1);
    return bits;
}
// clang-format on
