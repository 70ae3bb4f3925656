// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sobol sequences of 32 and 64 bits, plain and scrambled, in kernels, with cuRAND's values: points in the order of
// their Gray codes (I. A. Antonov and V. M. Saleev, 1979). A part of curand_kernel.h.
#pragma once

template <class Word, int kBits, bool kIsScrambled>
struct __lsSobolState {
    Word i;  ///< of the next point
    Word x;  ///< the next point
    Word c;  ///< what the first point is
    Word direction_vectors[kBits];
};
typedef __lsSobolState<unsigned int, 32, false> curandStateSobol32;
typedef __lsSobolState<unsigned int, 32, true> curandStateScrambledSobol32;
typedef __lsSobolState<unsigned long long, 64, false> curandStateSobol64;
typedef __lsSobolState<unsigned long long, 64, true> curandStateScrambledSobol64;
typedef curandStateSobol32 curandStateSobol32_t;
typedef curandStateScrambledSobol32 curandStateScrambledSobol32_t;
typedef curandStateSobol64 curandStateSobol64_t;
typedef curandStateScrambledSobol64 curandStateScrambledSobol64_t;

template <class Word, int kBits, bool kIsScrambled>
LS_RANDOM void __lsSkip(unsigned long long n, __lsSobolState<Word, kBits, kIsScrambled>* state)
{
    state->i += (Word)n;
    const Word gray = state->i ^ (state->i >> 1);
    state->x = state->c;
    for (int bit = 0; bit < kBits; ++bit)
        if (gray >> bit & 1)
            state->x ^= state->direction_vectors[bit];
}

/// Also called as skipahead<curandStateSobol32_t*>(n, state).
template <class State>
LS_RANDOM auto skipahead(unsigned long long n, State state) -> decltype(__lsSkip(n, state))
{
    __lsSkip(n, state);
}

template <class Word, int kBits, bool kIsScrambled>
LS_RANDOM void __lsStart(const Word* vectors, Word constant, Word offset,
                         __lsSobolState<Word, kBits, kIsScrambled>* state)
{
    state->i = 0;
    state->c = constant;
    for (int bit = 0; bit < kBits; ++bit)
        state->direction_vectors[bit] = vectors[bit];
    __lsSkip(offset, state);
}
LS_RANDOM void curand_init(curandDirectionVectors32_t vectors, unsigned int offset, curandStateSobol32* state)
{
    __lsStart(vectors, 0u, offset, state);
}
LS_RANDOM void curand_init(curandDirectionVectors32_t vectors, unsigned int constant, unsigned int offset,
                           curandStateScrambledSobol32* state)
{
    __lsStart(vectors, constant, offset, state);
}
LS_RANDOM void curand_init(curandDirectionVectors64_t vectors, unsigned long long offset, curandStateSobol64* state)
{
    __lsStart(vectors, 0ull, offset, state);
}
LS_RANDOM void curand_init(curandDirectionVectors64_t vectors, unsigned long long constant, unsigned long long offset,
                           curandStateScrambledSobol64* state)
{
    __lsStart(vectors, constant, offset, state);
}

/// From a Gray code to the next one bit changes: the lowest 0 of the number.
template <class Word, int kBits, bool kIsScrambled>
LS_RANDOM Word curand(__lsSobolState<Word, kBits, kIsScrambled>* state)
{
    const Word result = state->x;
    const int lowest = kBits == 32 ? __ffs((int)~state->i) : __ffsll((long long)~state->i);
    state->x ^= state->direction_vectors[lowest ? lowest - 1 : kBits - 1];
    ++state->i;
    return result;
}

LS_RANDOM double __lsUniformDouble(unsigned int x)
{
    return x * 2.3283064365386963e-10 + 2.3283064365386963e-10;
}
LS_RANDOM double __lsUniformDouble(unsigned long long x)
{
    return (x >> 11) * 1.1102230246251565e-16 + 1.1102230246251565e-16 / 2.0;
}
template <class Word, int kBits, bool kIsScrambled>
LS_RANDOM double curand_uniform_double(__lsSobolState<Word, kBits, kIsScrambled>* state)
{
    return __lsUniformDouble(curand(state));
}

/// The normal number below which x 2^-bits of all lie, by the half in which it is precise. One point, one number:
/// Box-Muller would pair points that belong apart.
LS_RANDOM float __lsNormalOf(unsigned int x)
{
    const bool isUpper = x > 0x80000000u;
    const float p = __lsUniform(isUpper ? ~x : x);
    const float deviation = 1.4142135f * erfcinvf(2.0f * p);
    return isUpper ? deviation : -deviation;
}
LS_RANDOM float __lsNormalOf(unsigned long long x)
{
    return __lsNormalOf((unsigned int)(x >> 32));
}
LS_RANDOM double __lsNormalDoubleOf(unsigned int x)
{
    const bool isUpper = x > 0x80000000u;
    const double p = (isUpper ? ~x : x) * 2.3283064365386963e-10 + 2.3283064365386963e-10 / 2.0;
    const double deviation = 1.4142135623730951 * erfcinv(2.0 * p);
    return isUpper ? deviation : -deviation;
}
LS_RANDOM double __lsNormalDoubleOf(unsigned long long x)
{
    const unsigned long long top = x >> 11;
    const bool isUpper = top > 1ull << 52;
    const double p = (isUpper ? (1ull << 53) - 1 - top : top) * 1.1102230246251565e-16 + 1.1102230246251565e-16 / 2.0;
    const double deviation = 1.4142135623730951 * erfcinv(2.0 * p);
    return isUpper ? deviation : -deviation;
}
template <class Word, int kBits, bool kIsScrambled>
LS_RANDOM float curand_normal(__lsSobolState<Word, kBits, kIsScrambled>* state)
{
    return __lsNormalOf(curand(state));
}
template <class Word, int kBits, bool kIsScrambled>
LS_RANDOM double curand_normal_double(__lsSobolState<Word, kBits, kIsScrambled>* state)
{
    return __lsNormalDoubleOf(curand(state));
}

LS_RANDOM double __lsBelowOne(unsigned int x)
{
    return x * 2.3283064365386963e-10 + 2.3283064365386963e-10 / 2.0;
}
LS_RANDOM double __lsBelowOne(unsigned long long x)
{
    return (x >> 11) * 1.1102230246251565e-16 + 1.1102230246251565e-16 / 4.0;
}
/// The least count that a part u of all does not exceed, in steps that do not underflow.
LS_RANDOM unsigned int __lsPoissonOf(double u, double lambda)
{
    unsigned int count = 0;
    double term = 1.0;
    double sum = 1.0;
    for (double left = lambda; left > 0.0; left -= 500.0) {
        const double factor = exp(left < 500.0 ? -left : -500.0);
        term *= factor;
        for (sum *= factor; u > sum; sum += term)
            term *= lambda / ++count;
    }
    return count;
}
template <class Word, int kBits, bool kIsScrambled>
LS_RANDOM unsigned int curand_poisson(__lsSobolState<Word, kBits, kIsScrambled>* state, double lambda)
{
    if (lambda >= 1000)
        return (unsigned int)(sqrt(lambda) * curand_normal_double(state) + lambda + 0.5);
    return __lsPoissonOf(__lsBelowOne(curand(state)), lambda);
}
