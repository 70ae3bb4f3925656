// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// make_float4 and its family.
#pragma once

#include "vector_types.h"

// clang-format off
#define LS_MAKE(name, type)                                                                                            \
    LS_HOST_DEVICE name##1 make_##name##1(type x) { name##1 made = {x}; return made; }                                 \
    LS_HOST_DEVICE name##2 make_##name##2(type x, type y) { name##2 made = {x, y}; return made; }                      \
    LS_HOST_DEVICE name##3 make_##name##3(type x, type y, type z) { name##3 made = {x, y, z}; return made; }           \
    LS_HOST_DEVICE name##4 make_##name##4(type x, type y, type z, type w) { name##4 made = {x, y, z, w}; return made; }
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
    LS_HOST_DEVICE name##4_16a make_##name##4_16a(type x, type y, type z, type w) { name##4_16a made = {x, y, z, w}; return made; }\
    LS_HOST_DEVICE name##4_32a make_##name##4_32a(type x, type y, type z, type w) { name##4_32a made = {x, y, z, w}; return made; }
// clang-format on

LS_MAKE_ALIGNED(long, long)
LS_MAKE_ALIGNED(ulong, unsigned long)
LS_MAKE_ALIGNED(longlong, long long)
LS_MAKE_ALIGNED(ulonglong, unsigned long long)
LS_MAKE_ALIGNED(double, double)

#undef LS_MAKE_ALIGNED
