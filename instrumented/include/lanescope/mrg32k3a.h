// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// MRG32k3a, as cuRAND has it: substreams 2^76 numbers apart, streams 2^127. Source: L'Ecuyer, "Good parameters and
// implementations for combined multiple recursive random number generators" (1999). Part of curand_kernel.h.
#pragma once

struct curandStateMRG32k3a {
    unsigned int s1[3];
    unsigned int s2[3];
    int boxmuller_flag;  ///< boxmuller_extra holds the second of two normal numbers
    int boxmuller_flag_double;
    float boxmuller_extra;
    double boxmuller_extra_double;
};
typedef struct curandStateMRG32k3a curandStateMRG32k3a_t;

#define LS_MRG_MODULUS1 4294967087u
#define LS_MRG_MODULUS2 4294944443u

struct __lsMrgMatrix {
    unsigned int at[3][3];
};

// What advances each half of the state by 1, 2^76 and 2^127.
static __device__ const __lsMrgMatrix __lsMrgJumps[3][2] = {
    {{{{0u, 1u, 0u}, {0u, 0u, 1u}, {4294156359u, 1403580u, 0u}}},
     {{{0u, 1u, 0u}, {0u, 0u, 1u}, {4293573854u, 0u, 527612u}}}},
    {{{{82758667u, 1871391091u, 4127413238u},
       {3672831523u, 69195019u, 1871391091u},
       {3672091415u, 3528743235u, 69195019u}}},
     {{{1511326704u, 3759209742u, 1610795712u},
       {4292754251u, 1511326704u, 3889917532u},
       {3859662829u, 4292754251u, 3708466080u}}}},
    {{{{2427906178u, 3580155704u, 949770784u},
       {226153695u, 1230515664u, 3580155704u},
       {1988835001u, 986791581u, 1230515664u}}},
     {{{1464411153u, 277697599u, 1610723613u},
       {32183930u, 1464411153u, 1022607788u},
       {2824425944u, 32183930u, 2093834863u}}}},
};

LS_RANDOM unsigned int __lsMrgMultiply(unsigned int a, unsigned int b, unsigned int modulus)
{
    return (unsigned int)((unsigned long long)a * b % modulus);
}

LS_RANDOM void __lsMrgJump(unsigned int* s, __lsMrgMatrix matrix, unsigned long long times, unsigned int modulus)
{
    for (; times; times >>= 1) {
        if (times & 1) {
            unsigned int next[3] = {0, 0, 0};
            for (int i = 0; i < 3; ++i)
                for (int k = 0; k < 3; ++k)
                    next[i] = (unsigned int)((next[i] + (unsigned long long)matrix.at[i][k] * s[k]) % modulus);
            for (int i = 0; i < 3; ++i)
                s[i] = next[i];
        }
        if (times == 1)
            return;
        __lsMrgMatrix square = {};
        for (int i = 0; i < 3; ++i)
            for (int j = 0; j < 3; ++j)
                for (int k = 0; k < 3; ++k)
                    square.at[i][j] =
                        (unsigned int)((square.at[i][j] + (unsigned long long)matrix.at[i][k] * matrix.at[k][j]) %
                                       modulus);
        matrix = square;
    }
}

LS_RANDOM void __lsMrgSkip(unsigned long long n, curandStateMRG32k3a* state, int jump)
{
    __lsMrgJump(state->s1, __lsMrgJumps[jump][0], n, LS_MRG_MODULUS1);
    __lsMrgJump(state->s2, __lsMrgJumps[jump][1], n, LS_MRG_MODULUS2);
}
LS_RANDOM void skipahead(unsigned long long n, curandStateMRG32k3a* state)
{
    __lsMrgSkip(n, state, 0);
}
LS_RANDOM void skipahead_subsequence(unsigned long long n, curandStateMRG32k3a* state)
{
    __lsMrgSkip(n, state, 1);
}
LS_RANDOM void skipahead_sequence(unsigned long long n, curandStateMRG32k3a* state)
{
    __lsMrgSkip(n, state, 2);
}

LS_RANDOM void curand_init(unsigned long long seed, unsigned long long subsequence, unsigned long long offset,
                           curandStateMRG32k3a* state)
{
    const unsigned int mixed[2] = {(unsigned int)seed ^ 0x55555555u, (unsigned int)(seed >> 32) ^ 0xaaaaaaaau};
    for (int i = 0; i < 3; ++i) {
        state->s1[i] = seed ? __lsMrgMultiply(mixed[i & 1], 12345u, LS_MRG_MODULUS1) : 12345u;
        state->s2[i] = seed ? __lsMrgMultiply(mixed[~i & 1], 12345u, LS_MRG_MODULUS2) : 12345u;
    }
    state->boxmuller_flag = 0;
    state->boxmuller_flag_double = 0;
    state->boxmuller_extra = 0;
    state->boxmuller_extra_double = 0;
    skipahead_subsequence(subsequence, state);
    skipahead(offset, state);
}

/// 1 … the first modulus.
LS_RANDOM unsigned int __lsMrgNext(curandStateMRG32k3a* state)
{
    const long long a = (1403580ll * state->s1[1] - 810728ll * state->s1[0]) % (long long)LS_MRG_MODULUS1;
    const long long b = (527612ll * state->s2[2] - 1370589ll * state->s2[0]) % (long long)LS_MRG_MODULUS2;
    const unsigned int first = (unsigned int)(a < 0 ? a + LS_MRG_MODULUS1 : a);
    const unsigned int second = (unsigned int)(b < 0 ? b + LS_MRG_MODULUS2 : b);
    state->s1[0] = state->s1[1];
    state->s1[1] = state->s1[2];
    state->s1[2] = first;
    state->s2[0] = state->s2[1];
    state->s2[1] = state->s2[2];
    state->s2[2] = second;
    return first > second ? first - second : first - second + LS_MRG_MODULUS1;
}

/// All 32 bits; the factor as cuRAND rounds it.
LS_RANDOM unsigned int curand(curandStateMRG32k3a* state)
{
    return (unsigned int)(__lsMrgNext(state) * 1.000000048662);
}
LS_RANDOM double curand_uniform_double(curandStateMRG32k3a* state)
{
    return __lsMrgNext(state) * (1.0 / LS_MRG_MODULUS1);
}
LS_RANDOM float curand_uniform(curandStateMRG32k3a* state)
{
    return (float)curand_uniform_double(state);
}

/// Box-Muller on the whole range of a number, of which 32 bits would lose some.
LS_RANDOM float2 curand_normal2(curandStateMRG32k3a* state)
{
    const float u = curand_uniform(state);
    const float v = curand_uniform(state) * 6.2831853f;
    const float s = sqrtf(-2.0f * logf(u));
    return float2{sinf(v) * s, cosf(v) * s};
}
LS_RANDOM double2 curand_normal2_double(curandStateMRG32k3a* state)
{
    const double u = curand_uniform_double(state);
    const double v = curand_uniform_double(state) * 6.2831853071795860;
    const double s = sqrt(-2.0 * log(u));
    return double2{sin(v) * s, cos(v) * s};
}

#undef LS_MRG_MODULUS1
#undef LS_MRG_MODULUS2
