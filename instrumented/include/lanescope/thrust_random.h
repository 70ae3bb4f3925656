// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Thrust's random engines and distributions. Part of the headers in thrust/.
#pragma once

#include "thrust_iterators.h"

#include "hide_macros.h"

namespace thrust {
namespace random {

// clang-format off
template <class T, unsigned A, unsigned C, unsigned M> class linear_congruential_engine {
public:
    using result_type = T;
    static constexpr T min = C == 0 ? 1 : 0, max = M - 1, default_seed = 1;
    LS_INLINE explicit linear_congruential_engine(T value = default_seed) { seed(value); }
    LS_INLINE void seed(T value = default_seed) { m_state = C == 0 && value % M == 0 ? 1 : value % M; }
    LS_INLINE T operator()() { return m_state = (T)(((unsigned long long)m_state * A + C) % M); }
    LS_INLINE void discard(unsigned long long steps)
    {
        unsigned long long factor = A, summand = C, byFactor = 1, bySummand = 0;
        for (; steps > 0; steps /= 2) {
            if (steps % 2) {
                byFactor = byFactor * factor % M;
                bySummand = (bySummand * factor + summand) % M;
            }
            summand = (factor + 1) * summand % M;
            factor = factor * factor % M;
        }
        m_state = (T)((byFactor * m_state + bySummand) % M);
    }
private:
    T m_state;
};
using minstd_rand0 = linear_congruential_engine<unsigned, 16807, 0, 2147483647>;
using minstd_rand = linear_congruential_engine<unsigned, 48271, 0, 2147483647>;
using default_random_engine = minstd_rand;

template <class T = double> class uniform_real_distribution {
public:
    using result_type = T;
    LS_INLINE explicit uniform_real_distribution(T a = 0, T b = 1) : m_a(a), m_b(b) {}
    template <class E> LS_INLINE T operator()(E& engine)
    {
        T x = (T)(engine() - E::min);
        x /= (T)(E::max - E::min) + T(1);
        return x * (m_b - m_a) + m_a;
    }
private:
    T m_a, m_b;
};
template <class T = int> class uniform_int_distribution {
public:
    using result_type = T;
    LS_INLINE explicit uniform_int_distribution(T a = 0, T b = 2147483647) : m_a(a), m_b(b) {}
    template <class E> LS_INLINE T operator()(E& engine)
    {
        uniform_real_distribution<double> real((double)m_a, (double)m_b + 1);
        return (T)__builtin_floor(real(engine));
    }
private:
    T m_a, m_b;
};
template <class T = double> class normal_distribution {
public:
    using result_type = T;
    LS_INLINE explicit normal_distribution(T mean = 0, T deviation = 1) : m_mean(mean), m_deviation(deviation) {}
    template <class E> LS_INLINE T operator()(E& engine)
    {
        uniform_real_distribution<double> uniform;
        const double u = 1 - uniform(engine), v = uniform(engine);
        // Of the global namespace: complex.h declares functions of these names in namespace thrust, which hide those.
        return (T)(m_mean + m_deviation * ::sqrt(-2 * ::log(u)) * ::cos(6.283185307179586 * v));
    }
private:
    T m_mean, m_deviation;
};
// clang-format on

}  // namespace random
using namespace random;
}  // namespace thrust

#include "restore_macros.h"
