// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Complex numbers as CUDA's C headers have them.
#pragma once

#ifndef CU_COMPLEX_H_
#define CU_COMPLEX_H_

#include <math.h>

#include "vector_functions.h"

#include "lanescope/hide_macros.h"

typedef float2 cuFloatComplex;
typedef double2 cuDoubleComplex;
typedef cuFloatComplex cuComplex;

// clang-format off
#define LS_COMPLEX(Complex, real, suffix, hypotenuse)                                                                  \
    LS_HOST_DEVICE real cuCreal##suffix(Complex x) { return x.x; }                                                     \
    LS_HOST_DEVICE real cuCimag##suffix(Complex x) { return x.y; }                                                     \
    LS_HOST_DEVICE Complex cuConj##suffix(Complex x) { Complex r = {x.x, -x.y}; return r; }                            \
    LS_HOST_DEVICE Complex cuCadd##suffix(Complex a, Complex b) { Complex r = {a.x + b.x, a.y + b.y}; return r; }      \
    LS_HOST_DEVICE Complex cuCsub##suffix(Complex a, Complex b) { Complex r = {a.x - b.x, a.y - b.y}; return r; }      \
    LS_HOST_DEVICE Complex cuCmul##suffix(Complex a, Complex b)                                                        \
    {                                                                                                                  \
        Complex r = {a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x};                                                    \
        return r;                                                                                                      \
    }                                                                                                                  \
    LS_HOST_DEVICE Complex cuCdiv##suffix(Complex a, Complex b)                                                        \
    {                                                                                                                  \
        const real s = (b.x < 0 ? -b.x : b.x) + (b.y < 0 ? -b.y : b.y);                                                \
        const real ax = a.x / s, ay = a.y / s, bx = b.x / s, by = b.y / s, n = bx * bx + by * by;                      \
        Complex r = {(ax * bx + ay * by) / n, (ay * bx - ax * by) / n};                                                \
        return r;                                                                                                      \
    }                                                                                                                  \
    LS_HOST_DEVICE real cuCabs##suffix(Complex x) { return hypotenuse(x.x, x.y); }                                     \
    LS_HOST_DEVICE Complex cuCfma##suffix(Complex a, Complex b, Complex c)                                             \
    {                                                                                                                  \
        Complex r = {a.x * b.x + c.x - a.y * b.y, a.x * b.y + c.y + a.y * b.x};                                        \
        return r;                                                                                                      \
    }
LS_COMPLEX(cuFloatComplex, float, f, hypotf)
LS_COMPLEX(cuDoubleComplex, double, , hypot)
#undef LS_COMPLEX
LS_HOST_DEVICE cuFloatComplex make_cuFloatComplex(float x, float y) { cuFloatComplex r = {x, y}; return r; }
LS_HOST_DEVICE cuDoubleComplex make_cuDoubleComplex(double x, double y) { cuDoubleComplex r = {x, y}; return r; }
LS_HOST_DEVICE cuComplex make_cuComplex(float x, float y) { cuComplex r = {x, y}; return r; }
LS_HOST_DEVICE cuDoubleComplex cuComplexFloatToDouble(cuFloatComplex c) { return make_cuDoubleComplex(c.x, c.y); }
LS_HOST_DEVICE cuFloatComplex cuComplexDoubleToFloat(cuDoubleComplex c)
{
    return make_cuFloatComplex((float)c.x, (float)c.y);
}
// clang-format on

#include "lanescope/restore_macros.h"

#endif  // CU_COMPLEX_H_
