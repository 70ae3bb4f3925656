// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// libm, every function, float and double, against the host.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>
#define CK(x)                                                                                                          \
    do {                                                                                                               \
        cudaError_t e_ = (x);                                                                                          \
        if (e_ != cudaSuccess) {                                                                                       \
            printf("%s:%d %s\n", __FILE__, __LINE__, cudaGetErrorString(e_));                                          \
            exit(3);                                                                                                   \
        }                                                                                                              \
    } while (0)
template <class T>
T* up(const std::vector<T>& v)
{
    T* d;
    CK(cudaMalloc(&d, v.size() * sizeof(T)));
    CK(cudaMemcpy(d, v.data(), v.size() * sizeof(T), cudaMemcpyHostToDevice));
    return d;
}
template <class T>
std::vector<T> down(const T* d, size_t n)
{
    std::vector<T> v(n);
    CK(cudaMemcpy(v.data(), d, n * sizeof(T), cudaMemcpyDeviceToHost));
    return v;
}
#define OK(c)                                                                                                          \
    do {                                                                                                               \
        CK(cudaDeviceSynchronize());                                                                                   \
        printf("%s\n", (c) ? "ok" : "WRONG");                                                                          \
        return (c) ? 0 : 1;                                                                                            \
    } while (0)
template <class T>
__global__ void k(T* o, T x)
{
    int i = 0;
    o[i++] = sin(x);
    o[i++] = cos(x);
    o[i++] = tan(x);
    o[i++] = asin(x / 10);
    o[i++] = acos(x / 10);
    o[i++] = atan(x);
    o[i++] = atan2(x, T(2));
    o[i++] = sinh(x);
    o[i++] = cosh(x);
    o[i++] = tanh(x);
    o[i++] = exp(x);
    o[i++] = exp2(x);
    o[i++] = expm1(x);
    o[i++] = log(x);
    o[i++] = log2(x);
    o[i++] = log10(x);
    o[i++] = log1p(x);
    o[i++] = pow(x, T(1.7));
    o[i++] = sqrt(x);
    o[i++] = cbrt(x);
    o[i++] = hypot(x, T(3));
    o[i++] = erf(x);
    o[i++] = erfc(x);
    o[i++] = tgamma(x);
    o[i++] = lgamma(x);
    o[i++] = floor(x);
    o[i++] = ceil(x);
    o[i++] = round(x);
    o[i++] = trunc(x);
    o[i++] = rint(x);
    o[i++] = fmod(x, T(.7));
    o[i++] = remainder(x, T(.7));
    o[i++] = fdim(x, T(1));
    o[i++] = fma(x, x, x);
    o[i++] = fmin(x, T(1));
    o[i++] = fmax(x, T(1));
    o[i++] = copysign(x, T(-1));
    int e;
    o[i++] = frexp(x, &e);
    o[i++] = e;
    o[i++] = ldexp(x, 3);
    T w;
    o[i++] = modf(x, &w);
    o[i++] = w;
    o[i++] = asinh(x);
    o[i++] = acosh(x);
    o[i++] = atanh(x / 10);
    o[i++] = nextafter(x, T(9));
    o[i++] = ilogb(x);
    o[i++] = logb(x);
    o[i++] = rsqrt(x) * sqrt(x);
    o[i++] = normcdf(T(0));
    o[i++] = erfinv(erf(T(.3)));
    o[i++] = sinpi(T(.5));
    o[i++] = abs(-x);
    T s, c;
    sincos(x, &s, &c);
    o[i++] = s * s + c * c;
    o[i++] = j0(x);
    o[i++] = lrint(x);
    o[i++] = llround(x);
    o[i++] = isnan(x) + isinf(x) + signbit(-x);
    o[i++] = exp10(x);
    o[i++] = normcdfinv(T(.5));
    o[i++] = erfcinv(T(1.));
    o[i++] = rcbrt(x);
    o[i++] = norm3d(T(1), T(2), T(2));
    o[i++] = scalbn(x, 2);
}
template <class T>
int host(T* o, T x)
{
    int i = 0;
    o[i++] = std::sin(x);
    o[i++] = std::cos(x);
    o[i++] = std::tan(x);
    o[i++] = std::asin(x / 10);
    o[i++] = std::acos(x / 10);
    o[i++] = std::atan(x);
    o[i++] = std::atan2(x, T(2));
    o[i++] = std::sinh(x);
    o[i++] = std::cosh(x);
    o[i++] = std::tanh(x);
    o[i++] = std::exp(x);
    o[i++] = std::exp2(x);
    o[i++] = std::expm1(x);
    o[i++] = std::log(x);
    o[i++] = std::log2(x);
    o[i++] = std::log10(x);
    o[i++] = std::log1p(x);
    o[i++] = std::pow(x, T(1.7));
    o[i++] = std::sqrt(x);
    o[i++] = std::cbrt(x);
    o[i++] = std::hypot(x, T(3));
    o[i++] = std::erf(x);
    o[i++] = std::erfc(x);
    o[i++] = std::tgamma(x);
    o[i++] = std::lgamma(x);
    o[i++] = std::floor(x);
    o[i++] = std::ceil(x);
    o[i++] = std::round(x);
    o[i++] = std::trunc(x);
    o[i++] = std::rint(x);
    o[i++] = std::fmod(x, T(.7));
    o[i++] = std::remainder(x, T(.7));
    o[i++] = std::fdim(x, T(1));
    o[i++] = std::fma(x, x, x);
    o[i++] = std::fmin(x, T(1));
    o[i++] = std::fmax(x, T(1));
    o[i++] = std::copysign(x, T(-1));
    int e;
    o[i++] = std::frexp(x, &e);
    o[i++] = e;
    o[i++] = std::ldexp(x, 3);
    T w;
    o[i++] = std::modf(x, &w);
    o[i++] = w;
    o[i++] = std::asinh(x);
    o[i++] = std::acosh(x);
    o[i++] = std::atanh(x / 10);
    o[i++] = std::nextafter(x, T(9));
    o[i++] = std::ilogb(x);
    o[i++] = std::logb(x);
    o[i++] = 1;
    o[i++] = .5;
    o[i++] = .3;
    o[i++] = 1;
    o[i++] = x;
    o[i++] = 1;
    o[i++] = ::j0((double)x);
    o[i++] = std::lrint(x);
    o[i++] = std::llround(x);
    o[i++] = 1;
    o[i++] = std::pow(T(10), x);
    o[i++] = 0;
    o[i++] = 0;
    o[i++] = 1 / std::cbrt(x);
    o[i++] = 3;
    o[i++] = x * 4;
    return i;
}
template <class T>
bool run(T x, double tol)
{
    T* d;
    CK(cudaMalloc(&d, 100 * sizeof(T)));
    k<T><<<1, 1>>>(d, x);
    auto r = down(d, 100);
    T h[100];
    int n = host(h, x);
    bool ok = true;
    for (int i = 0; i < n; i++)
        if (!(fabs(r[i] - h[i]) <= tol * std::max(1.0, fabs((double)h[i])))) {
            printf("%d: %g %g\n", i, (double)r[i], (double)h[i]);
            ok = false;
        }
    return ok;
}
int main()
{
    bool ok = run<float>(2.3f, 1e-6) && run<double>(1.9, 1e-14);
    OK(ok);
}
