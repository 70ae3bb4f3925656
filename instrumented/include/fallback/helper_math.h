// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Arithmetic of vector types, with the names that NVIDIA's samples gave it in their helper_math.h, for programs that
// bring no such file.
#pragma once

#include "cuda_runtime.h"

#include <math.h>

#include "../lanescope/hide_macros.h"

typedef unsigned int uint;
typedef unsigned short ushort;

#define LS_HELPER inline __host__ __device__

#ifndef __CUDACC__
LS_HELPER int max(int a, int b)
{
    return a > b ? a : b;
}
LS_HELPER int min(int a, int b)
{
    return a < b ? a : b;
}
#endif

// clang-format off
LS_HELPER float lerp(float a, float b, float t) { return a + t * (b - a); }
LS_HELPER float clamp(float f, float a, float b) { return fmaxf(a, fminf(f, b)); }
LS_HELPER int clamp(int f, int a, int b) { return f < a ? a : f > b ? b : f; }
LS_HELPER uint clamp(uint f, uint a, uint b) { return f < a ? a : f > b ? b : f; }
LS_HELPER float smoothstep(float a, float b, float x)
{
    const float y = clamp((x - a) / (b - a), 0.0f, 1.0f);
    return y * y * (3.0f - 2.0f * y);
}

// Each of these takes an expression of a component c of its operands.
#define LS_EACH2(type, e) make_##type(e(x), e(y))
#define LS_EACH3(type, e) make_##type(e(x), e(y), e(z))
#define LS_EACH4(type, e) make_##type(e(x), e(y), e(z), e(w))
#define LS_VV(op, c) (a.c op b.c)
#define LS_VS(op, c) (a.c op b)
#define LS_SV(op, c) (a op b.c)

#define LS_ADD_VV(c) LS_VV(+, c)
#define LS_ADD_VS(c) LS_VS(+, c)
#define LS_ADD_SV(c) LS_SV(+, c)
#define LS_SUB_VV(c) LS_VV(-, c)
#define LS_SUB_VS(c) LS_VS(-, c)
#define LS_SUB_SV(c) LS_SV(-, c)
#define LS_MUL_VV(c) LS_VV(*, c)
#define LS_MUL_VS(c) LS_VS(*, c)
#define LS_MUL_SV(c) LS_SV(*, c)
#define LS_DIV_VV(c) LS_VV(/, c)
#define LS_DIV_VS(c) LS_VS(/, c)
#define LS_DIV_SV(c) LS_SV(/, c)
#define LS_OPERATOR(each, type, scalar, op, name)                                                                      \
    LS_HELPER type operator op(type a, type b) { return each(type, LS_##name##_VV); }                                  \
    LS_HELPER type operator op(type a, scalar b) { return each(type, LS_##name##_VS); }                                \
    LS_HELPER type operator op(scalar a, type b) { return each(type, LS_##name##_SV); }                                \
    LS_HELPER void operator op##=(type& a, type b) { a = a op b; }                                                     \
    LS_HELPER void operator op##=(type& a, scalar b) { a = a op b; }

#define LS_MIN_F(c) fminf(a.c, b.c)
#define LS_MAX_F(c) fmaxf(a.c, b.c)
#define LS_MIN_I(c) (a.c < b.c ? a.c : b.c)
#define LS_MAX_I(c) (a.c > b.c ? a.c : b.c)
#define LS_CLAMP_VV(c) clamp(v.c, a.c, b.c)
#define LS_CLAMP_VS(c) clamp(v.c, a, b)
#define LS_NEGATE(c) (-a.c)
#define LS_SAME(c) s
#define LS_DOT2 a.x * b.x + a.y * b.y
#define LS_DOT3 LS_DOT2 + a.z * b.z
#define LS_DOT4 LS_DOT3 + a.w * b.w

#define LS_ANY_TYPE(n, type, scalar, kind)                                                                             \
    LS_HELPER type make_##type(scalar s) { return LS_EACH##n(type, LS_SAME); }                                         \
    LS_OPERATOR(LS_EACH##n, type, scalar, +, ADD)                                                                      \
    LS_OPERATOR(LS_EACH##n, type, scalar, -, SUB)                                                                      \
    LS_OPERATOR(LS_EACH##n, type, scalar, *, MUL)                                                                      \
    LS_HELPER type clamp(type v, type a, type b) { return LS_EACH##n(type, LS_CLAMP_VV); }                             \
    LS_HELPER type clamp(type v, scalar a, scalar b) { return LS_EACH##n(type, LS_CLAMP_VS); }                         \
    LS_HELPER scalar dot(type a, type b) { return LS_DOT##n; }                                                         \
    LS_HELPER type min(type a, type b) { return LS_EACH##n(type, LS_MIN_##kind); }                                     \
    LS_HELPER type max(type a, type b) { return LS_EACH##n(type, LS_MAX_##kind); }
LS_ANY_TYPE(2, float2, float, F) LS_ANY_TYPE(3, float3, float, F) LS_ANY_TYPE(4, float4, float, F)
LS_ANY_TYPE(2, int2, int, I) LS_ANY_TYPE(3, int3, int, I) LS_ANY_TYPE(4, int4, int, I)
LS_ANY_TYPE(2, uint2, uint, I) LS_ANY_TYPE(3, uint3, uint, I) LS_ANY_TYPE(4, uint4, uint, I)

#define LS_SIGNED_TYPE(n, type) LS_HELPER type operator-(type a) { return LS_EACH##n(type, LS_NEGATE); }
LS_SIGNED_TYPE(2, float2) LS_SIGNED_TYPE(3, float3) LS_SIGNED_TYPE(4, float4)
LS_SIGNED_TYPE(2, int2) LS_SIGNED_TYPE(3, int3) LS_SIGNED_TYPE(4, int4)

#define LS_FLOOR(c) floorf(a.c)
#define LS_FRAC(c) (a.c - floorf(a.c))
#define LS_FABS(c) fabsf(a.c)
#define LS_FMOD(c) fmodf(a.c, b.c)
#define LS_SMOOTH(c) smoothstep(a.c, b.c, v.c)
#define LS_FLOAT_TYPE(n, type)                                                                                         \
    LS_OPERATOR(LS_EACH##n, type, float, /, DIV)                                                                       \
    LS_HELPER type lerp(type a, type b, float t) { return a + t * (b - a); }                                           \
    LS_HELPER float length(type a) { return sqrtf(dot(a, a)); }                                                        \
    LS_HELPER type normalize(type a) { return a * rsqrtf(dot(a, a)); }                                                 \
    LS_HELPER type floorf(type a) { return LS_EACH##n(type, LS_FLOOR); }                                               \
    LS_HELPER type fracf(type a) { return LS_EACH##n(type, LS_FRAC); }                                                 \
    LS_HELPER type fabs(type a) { return LS_EACH##n(type, LS_FABS); }                                                  \
    LS_HELPER type fmodf(type a, type b) { return LS_EACH##n(type, LS_FMOD); }                                         \
    LS_HELPER type fminf(type a, type b) { return LS_EACH##n(type, LS_MIN_F); }                                        \
    LS_HELPER type fmaxf(type a, type b) { return LS_EACH##n(type, LS_MAX_F); }                                        \
    LS_HELPER type reflect(type i, type normal) { return i - 2.0f * normal * dot(normal, i); }                         \
    LS_HELPER type smoothstep(type a, type b, type v) { return LS_EACH##n(type, LS_SMOOTH); }
LS_HELPER float fracf(float v) { return v - floorf(v); }
LS_FLOAT_TYPE(2, float2) LS_FLOAT_TYPE(3, float3) LS_FLOAT_TYPE(4, float4)

#define LS_ABS(c) (a.c < 0 ? -a.c : a.c)
LS_HELPER int2 abs(int2 a) { return LS_EACH2(int2, LS_ABS); }
LS_HELPER int3 abs(int3 a) { return LS_EACH3(int3, LS_ABS); }
LS_HELPER int4 abs(int4 a) { return LS_EACH4(int4, LS_ABS); }
LS_HELPER float3 cross(float3 a, float3 b) { return make_float3(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x); }

// From one type to another.
#define LS_SHAPES(name)                                                                                         \
    LS_HELPER name##2 make_##name##2(name##3 a) { return make_##name##2(a.x, a.y); }                                   \
    LS_HELPER name##3 make_##name##3(name##2 a) { return make_##name##3(a.x, a.y, 0); }                                \
    LS_HELPER name##3 make_##name##3(name##2 a, name s) { return make_##name##3(a.x, a.y, s); }                        \
    LS_HELPER name##3 make_##name##3(name##4 a) { return make_##name##3(a.x, a.y, a.z); }                              \
    LS_HELPER name##4 make_##name##4(name##3 a) { return make_##name##4(a.x, a.y, a.z, 0); }                           \
    LS_HELPER name##4 make_##name##4(name##3 a, name s) { return make_##name##4(a.x, a.y, a.z, s); }
LS_SHAPES(float) LS_SHAPES(int) LS_SHAPES(uint)
#define LS_CONVERT(name, other)                                                                                        \
    LS_HELPER name##2 make_##name##2(other##2 a) { return make_##name##2((name)a.x, (name)a.y); }                      \
    LS_HELPER name##3 make_##name##3(other##3 a) { return make_##name##3((name)a.x, (name)a.y, (name)a.z); }           \
    LS_HELPER name##4 make_##name##4(other##4 a) { return make_##name##4((name)a.x, (name)a.y, (name)a.z, (name)a.w); }
LS_CONVERT(float, int) LS_CONVERT(float, uint) LS_CONVERT(int, float) LS_CONVERT(int, uint) LS_CONVERT(uint, int)
// clang-format on

#undef LS_HELPER
#undef LS_EACH2
#undef LS_EACH3
#undef LS_EACH4
#undef LS_VV
#undef LS_VS
#undef LS_SV
#undef LS_ADD_VV
#undef LS_ADD_VS
#undef LS_ADD_SV
#undef LS_SUB_VV
#undef LS_SUB_VS
#undef LS_SUB_SV
#undef LS_MUL_VV
#undef LS_MUL_VS
#undef LS_MUL_SV
#undef LS_DIV_VV
#undef LS_DIV_VS
#undef LS_DIV_SV
#undef LS_OPERATOR
#undef LS_MIN_F
#undef LS_MAX_F
#undef LS_MIN_I
#undef LS_MAX_I
#undef LS_CLAMP_VV
#undef LS_CLAMP_VS
#undef LS_NEGATE
#undef LS_SAME
#undef LS_DOT2
#undef LS_DOT3
#undef LS_DOT4
#undef LS_ANY_TYPE
#undef LS_SIGNED_TYPE
#undef LS_FLOOR
#undef LS_FRAC
#undef LS_FABS
#undef LS_FMOD
#undef LS_SMOOTH
#undef LS_FLOAT_TYPE
#undef LS_ABS
#undef LS_SHAPES
#undef LS_CONVERT

#include "../lanescope/restore_macros.h"
