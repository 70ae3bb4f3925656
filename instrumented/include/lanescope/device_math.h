// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Device math. What LLVM has an intrinsic for goes through a clang builtin; the rest are calls of external functions
// named __ls_math_<libm name>, which whoever runs the code provides. Must come before <cmath>.
#pragma once

#if __has_include(<features.h>)
#include <features.h>
#endif

#include "../host_defines.h"

// What CUDA has added to libm C23 has as well, and so has the host's from these versions on.
#ifdef __GLIBC_PREREQ
#define LS_LIBM_HAS_SINPI __GLIBC_PREREQ(2, 41)
#define LS_LIBM_HAS_RSQRT __GLIBC_PREREQ(2, 42)
#else
#define LS_LIBM_HAS_SINPI 0
#define LS_LIBM_HAS_RSQRT 0
#endif

// clang-format off
#define LS_EXTERNAL1(name)                                                                                             \
    extern "C" __device__ __attribute__((const, nothrow)) float __ls_math_##name##f(float);                            \
    extern "C" __device__ __attribute__((const, nothrow)) double __ls_math_##name(double);                             \
    LS_DEVICE float name##f(float x) { return __ls_math_##name##f(x); }                                                \
    LS_DEVICE float name(float x) { return __ls_math_##name##f(x); }                                                   \
    LS_DEVICE double name(double x) { return __ls_math_##name(x); }
#define LS_EXTERNAL2(name)                                                                                             \
    extern "C" __device__ __attribute__((const, nothrow)) float __ls_math_##name##f(float, float);                     \
    extern "C" __device__ __attribute__((const, nothrow)) double __ls_math_##name(double, double);                     \
    LS_DEVICE float name##f(float x, float y) { return __ls_math_##name##f(x, y); }                                    \
    LS_DEVICE float name(float x, float y) { return __ls_math_##name##f(x, y); }                                       \
    LS_DEVICE double name(double x, double y) { return __ls_math_##name(x, y); }
#define LS_BUILTIN1(name)                                                                                              \
    LS_DEVICE float name##f(float x) { return __builtin_##name##f(x); }                                                \
    LS_DEVICE float name(float x) { return __builtin_##name##f(x); }                                                   \
    LS_DEVICE double name(double x) { return __builtin_##name(x); }
#define LS_BUILTIN2(name)                                                                                              \
    LS_DEVICE float name##f(float x, float y) { return __builtin_##name##f(x, y); }                                    \
    LS_DEVICE float name(float x, float y) { return __builtin_##name##f(x, y); }                                       \
    LS_DEVICE double name(double x, double y) { return __builtin_##name(x, y); }
// clang-format on

LS_BUILTIN1(sqrt)
LS_BUILTIN1(fabs)
LS_BUILTIN1(floor)
LS_BUILTIN1(ceil)
LS_BUILTIN1(trunc)
LS_BUILTIN1(rint)
LS_BUILTIN1(nearbyint)
LS_BUILTIN1(round)
LS_BUILTIN1(sin)
LS_BUILTIN1(cos)
LS_BUILTIN1(exp)
LS_BUILTIN1(exp2)
LS_BUILTIN1(log)
LS_BUILTIN1(log2)
LS_BUILTIN1(log10)
LS_BUILTIN2(pow)
LS_BUILTIN2(fmin)
LS_BUILTIN2(fmax)
LS_BUILTIN2(copysign)
LS_EXTERNAL1(exp10)
LS_EXTERNAL1(expm1)
LS_EXTERNAL1(log1p)
LS_EXTERNAL1(logb)
LS_EXTERNAL1(tan)
LS_EXTERNAL1(asin)
LS_EXTERNAL1(acos)
LS_EXTERNAL1(atan)
LS_EXTERNAL1(sinh)
LS_EXTERNAL1(cosh)
LS_EXTERNAL1(tanh)
LS_EXTERNAL1(asinh)
LS_EXTERNAL1(acosh)
LS_EXTERNAL1(atanh)
LS_EXTERNAL1(cbrt)
LS_EXTERNAL1(erf)
LS_EXTERNAL1(erfc)
LS_EXTERNAL1(lgamma)
LS_EXTERNAL1(tgamma)
LS_EXTERNAL1(j0)
LS_EXTERNAL1(j1)
LS_EXTERNAL1(y0)
LS_EXTERNAL1(y1)
LS_EXTERNAL1(erfinv)
LS_EXTERNAL1(erfcinv)
LS_EXTERNAL1(erfcx)
LS_EXTERNAL1(normcdf)
LS_EXTERNAL1(normcdfinv)
LS_EXTERNAL1(sinpi)
LS_EXTERNAL1(cospi)
LS_EXTERNAL1(cyl_bessel_i0)
LS_EXTERNAL1(cyl_bessel_i1)
LS_EXTERNAL2(atan2)
LS_EXTERNAL2(hypot)
LS_EXTERNAL2(fmod)
LS_EXTERNAL2(remainder)
LS_EXTERNAL2(fdim)
LS_EXTERNAL2(nextafter)

#undef LS_EXTERNAL1
#undef LS_EXTERNAL2
#undef LS_BUILTIN1
#undef LS_BUILTIN2

extern "C" __device__ __attribute__((const, nothrow)) float __ls_math_fast_tanhf(float);
extern "C" __device__ __attribute__((const, nothrow)) double __ls_math_ldexp(double, int);
extern "C" __device__ __attribute__((const, nothrow)) float __ls_math_ldexpf(float, int);
extern "C" __device__ __attribute__((const, nothrow)) int __ls_math_ilogb(double);
extern "C" __device__ __attribute__((const, nothrow)) int __ls_math_ilogbf(float);
extern "C" __device__ __attribute__((const, nothrow)) int __ls_math_remquo_quotient(double, double);
extern "C" __device__ __attribute__((const, nothrow)) int __ls_math_remquo_quotientf(float, float);
extern "C" __device__ __attribute__((const, nothrow)) double __ls_math_jn(int, double);
extern "C" __device__ __attribute__((const, nothrow)) float __ls_math_jnf(int, float);
extern "C" __device__ __attribute__((const, nothrow)) double __ls_math_yn(int, double);
extern "C" __device__ __attribute__((const, nothrow)) float __ls_math_ynf(int, float);

// clang-format off
LS_DEVICE float fmaf(float x, float y, float z) { return __builtin_fmaf(x, y, z); }
LS_DEVICE float fma(float x, float y, float z) { return __builtin_fmaf(x, y, z); }
LS_DEVICE double fma(double x, double y, double z) { return __builtin_fma(x, y, z); }
LS_DEVICE double ldexp(double x, int n) { return __ls_math_ldexp(x, n); }
LS_DEVICE float ldexp(float x, int n) { return __ls_math_ldexpf(x, n); }
LS_DEVICE float ldexpf(float x, int n) { return __ls_math_ldexpf(x, n); }
LS_DEVICE double scalbn(double x, int n) { return __ls_math_ldexp(x, n); }
LS_DEVICE float scalbn(float x, int n) { return __ls_math_ldexpf(x, n); }
LS_DEVICE float scalbnf(float x, int n) { return __ls_math_ldexpf(x, n); }
LS_DEVICE int ilogb(double x) { return __ls_math_ilogb(x); }
LS_DEVICE int ilogb(float x) { return __ls_math_ilogbf(x); }
LS_DEVICE int ilogbf(float x) { return __ls_math_ilogbf(x); }
LS_DEVICE double frexp(double x, int* e)
{
    const bool plain = x != 0 && __builtin_isfinite(x);
    *e = plain ? __ls_math_ilogb(x) + 1 : 0;
    return plain ? __ls_math_ldexp(x, -*e) : x;
}
LS_DEVICE float frexpf(float x, int* e)
{
    const bool plain = x != 0 && __builtin_isfinite(x);
    *e = plain ? __ls_math_ilogbf(x) + 1 : 0;
    return plain ? __ls_math_ldexpf(x, -*e) : x;
}
LS_DEVICE float frexp(float x, int* e) { return frexpf(x, e); }
LS_DEVICE double remquo(double x, double y, int* q) { *q = __ls_math_remquo_quotient(x, y); return remainder(x, y); }
LS_DEVICE float remquof(float x, float y, int* q) { *q = __ls_math_remquo_quotientf(x, y); return remainderf(x, y); }
LS_DEVICE float remquo(float x, float y, int* q) { return remquof(x, y, q); }
LS_DEVICE double jn(int n, double x) { return __ls_math_jn(n, x); }
LS_DEVICE float jnf(int n, float x) { return __ls_math_jnf(n, x); }
LS_DEVICE double yn(int n, double x) { return __ls_math_yn(n, x); }
LS_DEVICE float ynf(int n, float x) { return __ls_math_ynf(n, x); }
LS_DEVICE double scalbln(double x, long n) { return __ls_math_ldexp(x, n > 99999 ? 99999 : n < -99999 ? -99999 : (int)n); }
LS_DEVICE float scalblnf(float x, long n) { return __ls_math_ldexpf(x, n > 99999 ? 99999 : n < -99999 ? -99999 : (int)n); }
LS_DEVICE double nan(const char*) { return __builtin_nan(""); }
LS_DEVICE float nanf(const char*) { return __builtin_nanf(""); }
LS_DEVICE double modf(double x, double* whole) { *whole = __builtin_trunc(x); return __builtin_copysign(x - *whole, x); }
LS_DEVICE float modf(float x, float* whole) { *whole = __builtin_truncf(x); return __builtin_copysignf(x - *whole, x); }
LS_DEVICE float modff(float x, float* whole) { *whole = __builtin_truncf(x); return __builtin_copysignf(x - *whole, x); }
LS_DEVICE void sincos(double x, double* s, double* c) { *s = __builtin_sin(x); *c = __builtin_cos(x); }
LS_DEVICE void sincosf(float x, float* s, float* c) { *s = __builtin_sinf(x); *c = __builtin_cosf(x); }
LS_DEVICE void sincos(float x, float* s, float* c) { *s = __builtin_sinf(x); *c = __builtin_cosf(x); }
LS_DEVICE void sincospi(double x, double* s, double* c) { *s = sinpi(x); *c = cospi(x); }
LS_DEVICE void sincospif(float x, float* s, float* c) { *s = sinpif(x); *c = cospif(x); }
LS_DEVICE long lrint(double x) { return (long)__builtin_rint(x); }
LS_DEVICE long lrintf(float x) { return (long)__builtin_rintf(x); }
LS_DEVICE long long llrint(double x) { return (long long)__builtin_rint(x); }
LS_DEVICE long long llrintf(float x) { return (long long)__builtin_rintf(x); }
LS_DEVICE long lround(double x) { return (long)__builtin_round(x); }
LS_DEVICE long lround(float x) { return (long)__builtin_roundf(x); }
LS_DEVICE long lroundf(float x) { return (long)__builtin_roundf(x); }
LS_DEVICE long long llround(double x) { return (long long)__builtin_round(x); }
LS_DEVICE long long llroundf(float x) { return (long long)__builtin_roundf(x); }
LS_DEVICE int abs(int x) { return __builtin_abs(x); }
LS_DEVICE long abs(long x) { return __builtin_labs(x); }
LS_DEVICE long long abs(long long x) { return __builtin_llabs(x); }
LS_DEVICE float abs(float x) { return __builtin_fabsf(x); }
LS_DEVICE double abs(double x) { return __builtin_fabs(x); }
LS_DEVICE long labs(long x) { return __builtin_labs(x); }
LS_DEVICE long long llabs(long long x) { return __builtin_llabs(x); }
LS_DEVICE float powif(float x, int n) { return __builtin_powf(x, (float)n); }
LS_DEVICE double powi(double x, int n) { return __builtin_pow(x, (double)n); }
LS_DEVICE float pow(float x, int n) { return __builtin_powf(x, (float)n); }
LS_DEVICE double pow(double x, int n) { return __builtin_pow(x, (double)n); }
LS_DEVICE bool isnan(float x) { return __builtin_isnan(x); }
LS_DEVICE bool isnan(double x) { return __builtin_isnan(x); }
LS_DEVICE bool isinf(float x) { return __builtin_isinf(x); }
LS_DEVICE bool isinf(double x) { return __builtin_isinf(x); }
LS_DEVICE bool isfinite(float x) { return __builtin_isfinite(x); }
LS_DEVICE bool isfinite(double x) { return __builtin_isfinite(x); }
LS_DEVICE bool signbit(float x) { return __builtin_signbitf(x); }
LS_DEVICE bool signbit(double x) { return __builtin_signbit(x); }

// CUDA's own additions to libm, for both sides as nvcc has them.
LS_DEVICE float rsqrtf(float x) { return __nvvm_rsqrt_approx_f(x); }
LS_DEVICE float rsqrt(float x) { return rsqrtf(x); }
LS_DEVICE double rsqrt(double x) { return 1.0 / __builtin_sqrt(x); }
LS_HOST_DEVICE float fdividef(float x, float y) { return x / y; }
LS_HOST_DEVICE double fdivide(double x, double y) { return x / y; }
LS_DEVICE float rcbrtf(float x) { return 1.0f / cbrtf(x); }
LS_DEVICE double rcbrt(double x) { return 1.0 / cbrt(x); }
LS_DEVICE float rhypotf(float x, float y) { return 1.0f / hypotf(x, y); }
LS_DEVICE double rhypot(double x, double y) { return 1.0 / hypot(x, y); }
LS_DEVICE float norm3df(float a, float b, float c) { return __builtin_sqrtf(a * a + b * b + c * c); }
LS_DEVICE double norm3d(double a, double b, double c) { return __builtin_sqrt(a * a + b * b + c * c); }
LS_DEVICE float norm4df(float a, float b, float c, float d) { return __builtin_sqrtf(a * a + b * b + c * c + d * d); }
LS_DEVICE double norm4d(double a, double b, double c, double d) { return __builtin_sqrt(a * a + b * b + c * c + d * d); }
LS_DEVICE float rnorm3df(float a, float b, float c) { return 1.0f / norm3df(a, b, c); }
LS_DEVICE double rnorm3d(double a, double b, double c) { return 1.0 / norm3d(a, b, c); }

LS_DEVICE float rnorm4df(float a, float b, float c, float d) { return 1.0f / norm4df(a, b, c, d); }
LS_DEVICE double rnorm4d(double a, double b, double c, double d) { return 1.0 / norm4d(a, b, c, d); }
LS_DEVICE float normf(int n, const float* p)
{
    float sum = 0;
    for (int i = 0; i < n; ++i)
        sum += p[i] * p[i];
    return __builtin_sqrtf(sum);
}
LS_DEVICE double norm(int n, const double* p)
{
    double sum = 0;
    for (int i = 0; i < n; ++i)
        sum += p[i] * p[i];
    return __builtin_sqrt(sum);
}
LS_DEVICE float rnormf(int n, const float* p) { return 1.0f / normf(n, p); }
LS_DEVICE double rnorm(int n, const double* p) { return 1.0 / norm(n, p); }

// The same on the host; the runtime has what glibc has not.
#define LS_HOST static __inline__ __attribute__((host, unused))
#define LS_HOST_OVERLOAD(name)                                                                                         \
    extern "C" double __ls_host_##name(double);                                                                        \
    LS_HOST float name(float x) { return (float)__ls_host_##name(x); }
#define LS_HOST1(name)                                                                                                 \
    LS_HOST_OVERLOAD(name)                                                                                             \
    LS_HOST float name##f(float x) { return (float)__ls_host_##name(x); }                                              \
    LS_HOST double name(double x) { return __ls_host_##name(x); }
#if LS_LIBM_HAS_SINPI
LS_HOST_OVERLOAD(sinpi)
LS_HOST_OVERLOAD(cospi)
#else
LS_HOST1(sinpi)
LS_HOST1(cospi)
#endif
LS_HOST1(erfinv)
LS_HOST1(erfcinv)
LS_HOST1(erfcx)
LS_HOST1(normcdf)
LS_HOST1(normcdfinv)
LS_HOST1(cyl_bessel_i0)
LS_HOST1(cyl_bessel_i1)
#undef LS_HOST1
#undef LS_HOST_OVERLOAD
LS_HOST void sincospi(double x, double* s, double* c) { *s = __ls_host_sinpi(x); *c = __ls_host_cospi(x); }
LS_HOST void sincospif(float x, float* s, float* c) { *s = sinpi(x); *c = cospi(x); }
#if !LS_LIBM_HAS_RSQRT
LS_HOST float rsqrtf(float x) { return 1.0f / __builtin_sqrtf(x); }
LS_HOST double rsqrt(double x) { return 1.0 / __builtin_sqrt(x); }
#endif
LS_HOST float rsqrt(float x) { return 1.0f / __builtin_sqrtf(x); }
LS_HOST float rcbrtf(float x) { return 1.0f / __builtin_cbrtf(x); }
LS_HOST double rcbrt(double x) { return 1.0 / __builtin_cbrt(x); }
LS_HOST float rhypotf(float x, float y) { return 1.0f / __builtin_hypotf(x, y); }
LS_HOST double rhypot(double x, double y) { return 1.0 / __builtin_hypot(x, y); }
LS_HOST float norm3df(float a, float b, float c) { return __builtin_sqrtf(a * a + b * b + c * c); }
LS_HOST double norm3d(double a, double b, double c) { return __builtin_sqrt(a * a + b * b + c * c); }
LS_HOST float norm4df(float a, float b, float c, float d) { return __builtin_sqrtf(a * a + b * b + c * c + d * d); }
LS_HOST double norm4d(double a, double b, double c, double d) { return __builtin_sqrt(a * a + b * b + c * c + d * d); }
LS_HOST float rnorm3df(float a, float b, float c) { return 1.0f / norm3df(a, b, c); }
LS_HOST double rnorm3d(double a, double b, double c) { return 1.0 / norm3d(a, b, c); }
#undef LS_HOST

LS_HOST_DEVICE float saturate(float x) { return x < 0.0f ? 0.0f : x > 1.0f ? 1.0f : x == x ? x : 0.0f; }

#define LS_MIN_MAX(type)                                                                                               \
    LS_HOST_DEVICE type min(type a, type b) { return __builtin_elementwise_min(a, b); }                                \
    LS_HOST_DEVICE type max(type a, type b) { return __builtin_elementwise_max(a, b); }
LS_MIN_MAX(int)
LS_MIN_MAX(unsigned int)
LS_MIN_MAX(long)
LS_MIN_MAX(unsigned long)
LS_MIN_MAX(long long)
LS_MIN_MAX(unsigned long long)
#undef LS_MIN_MAX
#define LS_MIN_MAX_MIXED(unsignedType, signedType)                                                                     \
    LS_HOST_DEVICE unsignedType min(unsignedType a, signedType b) { return min(a, (unsignedType)b); }                  \
    LS_HOST_DEVICE unsignedType min(signedType a, unsignedType b) { return min((unsignedType)a, b); }                  \
    LS_HOST_DEVICE unsignedType max(unsignedType a, signedType b) { return max(a, (unsignedType)b); }                  \
    LS_HOST_DEVICE unsignedType max(signedType a, unsignedType b) { return max((unsignedType)a, b); }
LS_MIN_MAX_MIXED(unsigned int, int)
LS_MIN_MAX_MIXED(unsigned long, long)
LS_MIN_MAX_MIXED(unsigned long long, long long)
#undef LS_MIN_MAX_MIXED
LS_HOST_DEVICE float min(float a, float b) { return __builtin_fminf(a, b); }
LS_HOST_DEVICE float max(float a, float b) { return __builtin_fmaxf(a, b); }
LS_HOST_DEVICE double min(double a, double b) { return __builtin_fmin(a, b); }
LS_HOST_DEVICE double max(double a, double b) { return __builtin_fmax(a, b); }
LS_HOST_DEVICE double min(float a, double b) { return __builtin_fmin(a, b); }
LS_HOST_DEVICE double min(double a, float b) { return __builtin_fmin(a, b); }
LS_HOST_DEVICE double max(float a, double b) { return __builtin_fmax(a, b); }
LS_HOST_DEVICE double max(double a, float b) { return __builtin_fmax(a, b); }
LS_HOST_DEVICE unsigned int umin(unsigned int a, unsigned int b) { return min(a, b); }
LS_HOST_DEVICE unsigned int umax(unsigned int a, unsigned int b) { return max(a, b); }
LS_HOST_DEVICE long long llmin(long long a, long long b) { return min(a, b); }
LS_HOST_DEVICE long long llmax(long long a, long long b) { return max(a, b); }
LS_HOST_DEVICE unsigned long long ullmin(unsigned long long a, unsigned long long b) { return min(a, b); }
LS_HOST_DEVICE unsigned long long ullmax(unsigned long long a, unsigned long long b) { return max(a, b); }
// clang-format on
