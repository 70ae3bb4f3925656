// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// make_float4 and its family.
#pragma once

#include "vector_types.h"

// clang-format off
#define LS_MAKE(name, type)                                                                                            \
    LS_HOST_DEVICE name##1 make_##name##1(type x) { return {x}; }                                                      \
    LS_HOST_DEVICE name##2 make_##name##2(type x, type y) { return {x, y}; }                                           \
    LS_HOST_DEVICE name##3 make_##name##3(type x, type y, type z) { return {x, y, z}; }                                \
    LS_HOST_DEVICE name##4 make_##name##4(type x, type y, type z, type w) { return {x, y, z, w}; }
// clang-format on

LS_MAKE(char, signed char)
LS_MAKE(uchar, unsigned char)
LS_MAKE(short, short)
LS_MAKE(ushort, unsigned short)
LS_MAKE(int, int)
LS_MAKE(uint, unsigned int)
LS_MAKE(long, long)
LS_MAKE(ulong, unsigned long)
LS_MAKE(longlong, long long)
LS_MAKE(ulonglong, unsigned long long)
LS_MAKE(float, float)
LS_MAKE(double, double)

#undef LS_MAKE

// clang-format off
#define LS_MAKE_ALIGNED(name, type)                                                                                    \
    LS_HOST_DEVICE name##4_16a make_##name##4_16a(type x, type y, type z, type w) { return {x, y, z, w}; }             \
    LS_HOST_DEVICE name##4_32a make_##name##4_32a(type x, type y, type z, type w) { return {x, y, z, w}; }
// clang-format on

LS_MAKE_ALIGNED(long, long)
LS_MAKE_ALIGNED(ulong, unsigned long)
LS_MAKE_ALIGNED(longlong, long long)
LS_MAKE_ALIGNED(ulonglong, unsigned long long)
LS_MAKE_ALIGNED(double, double)

#undef LS_MAKE_ALIGNED
