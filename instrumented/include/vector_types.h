// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// CUDA's vector types: char1 … double4 with CUDA's alignments, dim3.
#pragma once

#include "host_defines.h"

// clang-format off
#define LS_VECTORS(name, type, align2, align4)                                                                         \
    struct name##1 { type x; };                                                                                        \
    struct __align__(align2) name##2 { type x, y; };                                                                   \
    struct name##3 { type x, y, z; };                                                                                  \
    struct __align__(align4) name##4 { type x, y, z, w; };                                                             \
    typedef struct name##1 name##1;                                                                                    \
    typedef struct name##2 name##2;                                                                                    \
    typedef struct name##3 name##3;                                                                                    \
    typedef struct name##4 name##4;
// clang-format on

LS_VECTORS(char, signed char, 2, 4)
LS_VECTORS(uchar, unsigned char, 2, 4)
LS_VECTORS(short, short, 4, 8)
LS_VECTORS(ushort, unsigned short, 4, 8)
LS_VECTORS(int, int, 8, 16)
LS_VECTORS(uint, unsigned int, 8, 16)
LS_VECTORS(long, long, 16, 16)
LS_VECTORS(ulong, unsigned long, 16, 16)
LS_VECTORS(longlong, long long, 16, 16)
LS_VECTORS(ulonglong, unsigned long long, 16, 16)
LS_VECTORS(float, float, 8, 16)
LS_VECTORS(double, double, 16, 16)

#undef LS_VECTORS

// CUDA 13's names, which say the alignment.
// clang-format off
#define LS_ALIGNED(name, type)                                                                                         \
    struct __align__(16) name##4_16a { type x, y, z, w; };                                                             \
    struct __align__(32) name##4_32a { type x, y, z, w; };                                                             \
    typedef struct name##4_16a name##4_16a;                                                                            \
    typedef struct name##4_32a name##4_32a;
// clang-format on

LS_ALIGNED(long, long)
LS_ALIGNED(ulong, unsigned long)
LS_ALIGNED(longlong, long long)
LS_ALIGNED(ulonglong, unsigned long long)
LS_ALIGNED(double, double)

#undef LS_ALIGNED

struct dim3 {
    unsigned int x, y, z;

#ifdef __cplusplus
    LS_INLINE constexpr dim3(unsigned int vx = 1, unsigned int vy = 1, unsigned int vz = 1) : x(vx), y(vy), z(vz) {}
    LS_INLINE constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
    LS_INLINE constexpr operator uint3() const { return uint3{x, y, z}; }
#endif
};
typedef struct dim3 dim3;
