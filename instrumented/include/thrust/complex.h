// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// thrust::complex: std::complex's functions on both sides.
#pragma once

#include <cmath>
#include <complex>
#include <iostream>

#include "../lanescope/hide_macros.h"

namespace thrust {

// clang-format off
template <class T> struct complex {
    using value_type = T;
    LS_INLINE constexpr complex(const T& re = T(), const T& im = T()) : m_re(re), m_im(im) {}
    template <class U> LS_INLINE constexpr complex(const complex<U>& z) : m_re((T)z.real()), m_im((T)z.imag()) {}
    template <class U> LS_INLINE constexpr complex(const std::complex<U>& z) : m_re((T)z.real()), m_im((T)z.imag()) {}
    LS_INLINE constexpr T real() const { return m_re; }
    LS_INLINE constexpr T imag() const { return m_im; }
    LS_INLINE void real(T re) { m_re = re; }
    LS_INLINE void imag(T im) { m_im = im; }
    LS_INLINE operator std::complex<T>() const { return std::complex<T>(m_re, m_im); }
    LS_INLINE complex& operator+=(const complex& z) { m_re += z.m_re; m_im += z.m_im; return *this; }
    LS_INLINE complex& operator-=(const complex& z) { m_re -= z.m_re; m_im -= z.m_im; return *this; }
    LS_INLINE complex& operator*=(const complex& z)
    {
        const T re = m_re * z.m_re - m_im * z.m_im;
        m_im = m_re * z.m_im + m_im * z.m_re;
        m_re = re;
        return *this;
    }
    LS_INLINE complex& operator/=(const complex& z)
    {
        // Scaled, so that the squares neither overflow nor vanish.
        const T s = (z.m_re < 0 ? -z.m_re : z.m_re) + (z.m_im < 0 ? -z.m_im : z.m_im);
        const T a = m_re / s, b = m_im / s, c = z.m_re / s, d = z.m_im / s, n = c * c + d * d;
        m_re = (a * c + b * d) / n;
        m_im = (b * c - a * d) / n;
        return *this;
    }

private:
    T m_re, m_im;
};

#define LS_BINARY(op)                                                                                                  \
    template <class T> LS_INLINE complex<T> operator op(complex<T> a, const complex<T>& b) { return a op##= b; }       \
    template <class T> LS_INLINE complex<T> operator op(complex<T> a, const std::common_type_t<T>& b) { return a op##= complex<T>(b); } \
    template <class T> LS_INLINE complex<T> operator op(const std::common_type_t<T>& a, const complex<T>& b) { complex<T> r(a); return r op##= b; }
LS_BINARY(+) LS_BINARY(-) LS_BINARY(*) LS_BINARY(/)
#undef LS_BINARY
template <class T> LS_INLINE complex<T> operator-(const complex<T>& z) { return complex<T>(-z.real(), -z.imag()); }
template <class T> LS_INLINE complex<T> operator+(const complex<T>& z) { return z; }
template <class T> LS_INLINE bool operator==(const complex<T>& a, const complex<T>& b) { return a.real() == b.real() && a.imag() == b.imag(); }
template <class T> LS_INLINE bool operator!=(const complex<T>& a, const complex<T>& b) { return !(a == b); }
template <class T> LS_INLINE T norm(const complex<T>& z) { return z.real() * z.real() + z.imag() * z.imag(); }
template <class T> LS_INLINE T abs(const complex<T>& z) { return ::hypot(z.real(), z.imag()); }
template <class T> LS_INLINE T arg(const complex<T>& z) { return ::atan2(z.imag(), z.real()); }
template <class T> LS_INLINE complex<T> conj(const complex<T>& z) { return complex<T>(z.real(), -z.imag()); }
template <class T> LS_INLINE complex<T> polar(const T& size, const T& angle = T()) { return complex<T>(size * ::cos(angle), size * ::sin(angle)); }
template <class T> LS_INLINE complex<T> exp(const complex<T>& z) { return polar<T>(::exp(z.real()), z.imag()); }
template <class T> LS_INLINE complex<T> log(const complex<T>& z) { return complex<T>(::log(abs(z)), arg(z)); }
template <class T> LS_INLINE complex<T> sqrt(const complex<T>& z) { return polar<T>(::sqrt(abs(z)), arg(z) / 2); }
template <class T> LS_INLINE complex<T> pow(const complex<T>& z, const complex<T>& w) { return exp(log(z) * w); }
template <class T> LS_INLINE complex<T> pow(const complex<T>& z, const std::common_type_t<T>& w) { return polar<T>(::pow(abs(z), w), arg(z) * w); }
template <class T> LS_INLINE complex<T> sin(const complex<T>& z) { return complex<T>(::sin(z.real()) * ::cosh(z.imag()), ::cos(z.real()) * ::sinh(z.imag())); }
template <class T> LS_INLINE complex<T> cos(const complex<T>& z) { return complex<T>(::cos(z.real()) * ::cosh(z.imag()), -::sin(z.real()) * ::sinh(z.imag())); }
template <class T> std::ostream& operator<<(std::ostream& out, const complex<T>& z) { return out << std::complex<T>(z); }
// clang-format on

}  // namespace thrust

#include "../lanescope/restore_macros.h"
