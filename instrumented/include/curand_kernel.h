// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Random numbers in kernels: XORWOW, Philox4x32-10, MRG32k3a and Sobol's, with cuRAND's sequences. Sources: Marsaglia,
// "Xorshift RNGs" (2003); Salmon et al., "Parallel random numbers: as easy as 1, 2, 3" (2011); the cuRAND
// documentation.
#pragma once

#ifndef CURAND_KERNEL_H_
#define CURAND_KERNEL_H_

#include "cuda_runtime.h"
#include "lanescope/random_types.h"
#include "lanescope/xorwow_jumps.h"

#include "lanescope/hide_macros.h"

#define LS_RANDOM static __inline__ __attribute__((device, nodebug, unused))

struct curandStateXORWOW {
    unsigned int d;
    unsigned int v[5];
    int boxmuller_flag;  ///< boxmuller_extra holds the second of two normal numbers
    int boxmuller_flag_double;
    float boxmuller_extra;
    double boxmuller_extra_double;
};
typedef struct curandStateXORWOW curandStateXORWOW_t;
typedef struct curandStateXORWOW curandState;
typedef struct curandStateXORWOW curandState_t;

struct curandStatePhilox4_32_10 {
    uint4 ctr;
    uint4 output;
    uint2 key;
    unsigned int STATE;  ///< next of the four outputs
    int boxmuller_flag;
    int boxmuller_flag_double;
    float boxmuller_extra;
    double boxmuller_extra_double;
};
typedef struct curandStatePhilox4_32_10 curandStatePhilox4_32_10_t;

LS_RANDOM void __lsStep(curandStateXORWOW* state)
{
    const unsigned int t = state->v[0] ^ (state->v[0] >> 2);
    state->v[0] = state->v[1];
    state->v[1] = state->v[2];
    state->v[2] = state->v[3];
    state->v[3] = state->v[4];
    state->v[4] = (state->v[4] ^ (state->v[4] << 4)) ^ (t ^ (t << 1));
}

/// Advances the shift register by steps << shift.
LS_RANDOM void __lsJump(curandStateXORWOW* state, unsigned long long steps, int shift)
{
    for (int bit = 0; steps; ++bit, steps >>= 1) {
        if (!(steps & 1))
            continue;
        unsigned int sum[5] = {0, 0, 0, 0, 0};
        for (int i = 0; i < 160; ++i) {
            if (__lsXorwowJumps[shift + bit][i / 32] >> (i % 32) & 1)
                for (int j = 0; j < 5; ++j)
                    sum[j] ^= state->v[j];
            __lsStep(state);
        }
        for (int j = 0; j < 5; ++j)
            state->v[j] = sum[j];
    }
}

LS_RANDOM void skipahead(unsigned long long n, curandStateXORWOW* state)
{
    __lsJump(state, n, 0);
    state->d += 362437u * (unsigned int)n;
}

LS_RANDOM void skipahead_sequence(unsigned long long n, curandStateXORWOW* state)
{
    __lsJump(state, n, 67);
}

LS_RANDOM void curand_init(unsigned long long seed, unsigned long long subsequence, unsigned long long offset,
                           curandStateXORWOW* state)
{
    const unsigned int s0 = (unsigned int)seed ^ 0xaad26b49u;
    const unsigned int s1 = (unsigned int)(seed >> 32) ^ 0xf7dcefddu;
    const unsigned int t0 = 1099087573u * s0;
    const unsigned int t1 = 2591861531u * s1;
    state->d = 6615241u + t1 + t0;
    state->v[0] = 123456789u + t0;
    state->v[1] = 362436069u ^ t0;
    state->v[2] = 521288629u + t1;
    state->v[3] = 88675123u ^ t1;
    state->v[4] = 5783321u + t0;
    state->boxmuller_flag = 0;
    state->boxmuller_flag_double = 0;
    state->boxmuller_extra = 0;
    state->boxmuller_extra_double = 0;
    skipahead_sequence(subsequence, state);
    skipahead(offset, state);
}

LS_RANDOM unsigned int curand(curandStateXORWOW* state)
{
    __lsStep(state);
    state->d += 362437u;
    return state->v[4] + state->d;
}

LS_RANDOM uint4 __lsPhilox(uint4 c, uint2 k)
{
    for (int round = 0; round < 10; ++round) {
        const unsigned long long a = 0xd2511f53ull * c.x;
        const unsigned long long b = 0xcd9e8d57ull * c.z;
        c = uint4{(unsigned int)(b >> 32) ^ c.y ^ k.x, (unsigned int)b, (unsigned int)(a >> 32) ^ c.w ^ k.y,
                  (unsigned int)a};
        k.x += 0x9e3779b9u;
        k.y += 0xbb67ae85u;
    }
    return c;
}

/// Adds n to the 128-bit counter, from its third word on when \p high.
LS_RANDOM void __lsAdvance(uint4* c, unsigned long long n, bool high)
{
    const unsigned long long low = ((unsigned long long)c->y << 32) | c->x;
    const unsigned long long top = ((unsigned long long)c->w << 32) | c->z;
    const unsigned long long newLow = high ? low : low + n;
    const unsigned long long newTop = high ? top + n : top + (newLow < low);
    c->x = (unsigned int)newLow;
    c->y = (unsigned int)(newLow >> 32);
    c->z = (unsigned int)newTop;
    c->w = (unsigned int)(newTop >> 32);
}

LS_RANDOM void skipahead(unsigned long long n, curandStatePhilox4_32_10* state)
{
    state->STATE += (unsigned int)(n & 3);
    n /= 4;
    if (state->STATE > 3) {
        n += 1;
        state->STATE -= 4;
    }
    __lsAdvance(&state->ctr, n, false);
    state->output = __lsPhilox(state->ctr, state->key);
}

LS_RANDOM void skipahead_sequence(unsigned long long n, curandStatePhilox4_32_10* state)
{
    __lsAdvance(&state->ctr, n, true);
    state->output = __lsPhilox(state->ctr, state->key);
}

LS_RANDOM void curand_init(unsigned long long seed, unsigned long long subsequence, unsigned long long offset,
                           curandStatePhilox4_32_10* state)
{
    state->ctr = uint4{0, 0, 0, 0};
    state->key = uint2{(unsigned int)seed, (unsigned int)(seed >> 32)};
    state->STATE = 0;
    state->boxmuller_flag = 0;
    state->boxmuller_flag_double = 0;
    state->boxmuller_extra = 0;
    state->boxmuller_extra_double = 0;
    skipahead_sequence(subsequence, state);
    skipahead(offset, state);
}

LS_RANDOM unsigned int curand(curandStatePhilox4_32_10* state)
{
    const uint4 o = state->output;
    const unsigned int result = state->STATE == 0 ? o.x : state->STATE == 1 ? o.y : state->STATE == 2 ? o.z : o.w;
    if (++state->STATE == 4) {
        __lsAdvance(&state->ctr, 1, false);
        state->output = __lsPhilox(state->ctr, state->key);
        state->STATE = 0;
    }
    return result;
}

/// Four at once, wherever in its four the state is.
LS_RANDOM uint4 curand4(curandStatePhilox4_32_10* state)
{
    const uint4 first = state->output;
    __lsAdvance(&state->ctr, 1, false);
    state->output = __lsPhilox(state->ctr, state->key);
    const uint4 next = state->output;
    switch (state->STATE) {
    case 0:
        return first;
    case 1:
        return uint4{first.y, first.z, first.w, next.x};
    case 2:
        return uint4{first.z, first.w, next.x, next.y};
    default:
        return uint4{first.w, next.x, next.y, next.z};
    }
}

#include "lanescope/mrg32k3a.h"

// Uniform numbers lie in (0, 1].
LS_RANDOM float __lsUniform(unsigned int x)
{
    return x * 2.3283064e-10f + 2.3283064e-10f / 2.0f;
}
LS_RANDOM float __lsUniform(unsigned long long x)
{
    return __lsUniform((unsigned int)(x >> 32));
}
LS_RANDOM double __lsUniformDouble(unsigned int x, unsigned int y)
{
    const unsigned long long z = (unsigned long long)x ^ ((unsigned long long)y << 21);
    return z * 1.1102230246251565e-16 + 1.1102230246251565e-16 / 2.0;
}

#include "lanescope/sobol.h"

/// Box-Muller: two independent normal numbers of two uniform ones.
LS_RANDOM float2 __lsNormal2(unsigned int x, unsigned int y)
{
    const float u = __lsUniform(x);
    const float v = y * 1.46291807926715968e-9f + 1.46291807926715968e-9f / 2.0f;
    const float s = sqrtf(-2.0f * logf(u));
    return float2{sinf(v) * s, cosf(v) * s};
}
LS_RANDOM double2 __lsNormalDouble2(unsigned int x0, unsigned int x1, unsigned int y0, unsigned int y1)
{
    const double u = __lsUniformDouble(x0, x1);
    const double v = 2.0 * __lsUniformDouble(y0, y1);
    const double s = sqrt(-2.0 * log(u));
    return double2{sin(v * 3.141592653589793) * s, cos(v * 3.141592653589793) * s};
}

template <class State>
LS_RANDOM float curand_uniform(State* state)
{
    return __lsUniform(curand(state));
}
LS_RANDOM double curand_uniform_double(curandStateXORWOW* state)
{
    const unsigned int x = curand(state);
    const unsigned int y = curand(state);
    return __lsUniformDouble(x, y);
}
LS_RANDOM double curand_uniform_double(curandStatePhilox4_32_10* state)
{
    return curand(state) * 2.3283064365386963e-10 + 2.3283064365386963e-10;  // of 32 bits, as cuRAND's
}
template <class State>
LS_RANDOM float2 curand_normal2(State* state)
{
    const unsigned int x = curand(state);
    const unsigned int y = curand(state);
    return __lsNormal2(x, y);
}
template <class State>
LS_RANDOM float curand_normal(State* state)
{
    if (state->boxmuller_flag) {
        state->boxmuller_flag = 0;
        return state->boxmuller_extra;
    }
    const float2 pair = curand_normal2(state);
    state->boxmuller_extra = pair.y;
    state->boxmuller_flag = 1;
    return pair.x;
}
template <class State>
LS_RANDOM double2 curand_normal2_double(State* state)
{
    const unsigned int x0 = curand(state);
    const unsigned int x1 = curand(state);
    const unsigned int y0 = curand(state);
    const unsigned int y1 = curand(state);
    return __lsNormalDouble2(x0, x1, y0, y1);
}
template <class State>
LS_RANDOM double curand_normal_double(State* state)
{
    if (state->boxmuller_flag_double) {
        state->boxmuller_flag_double = 0;
        return state->boxmuller_extra_double;
    }
    const double2 pair = curand_normal2_double(state);
    state->boxmuller_extra_double = pair.y;
    state->boxmuller_flag_double = 1;
    return pair.x;
}
template <class State>
LS_RANDOM float curand_log_normal(State* state, float mean, float stddev)
{
    return expf(mean + stddev * curand_normal(state));
}
template <class State>
LS_RANDOM double curand_log_normal_double(State* state, double mean, double stddev)
{
    return exp(mean + stddev * curand_normal_double(state));
}
template <class State>
LS_RANDOM float2 curand_log_normal2(State* state, float mean, float stddev)
{
    const float2 pair = curand_normal2(state);
    return float2{expf(mean + stddev * pair.x), expf(mean + stddev * pair.y)};
}
template <class State>
LS_RANDOM double2 curand_log_normal2_double(State* state, double mean, double stddev)
{
    const double2 pair = curand_normal2_double(state);
    return double2{exp(mean + stddev * pair.x), exp(mean + stddev * pair.y)};
}
LS_RANDOM float4 curand_uniform4(curandStatePhilox4_32_10* state)
{
    const uint4 x = curand4(state);
    return float4{__lsUniform(x.x), __lsUniform(x.y), __lsUniform(x.z), __lsUniform(x.w)};
}
LS_RANDOM double2 curand_uniform2_double(curandStatePhilox4_32_10* state)
{
    const uint4 x = curand4(state);
    return double2{__lsUniformDouble(x.x, x.y), __lsUniformDouble(x.z, x.w)};
}
LS_RANDOM double4 curand_uniform4_double(curandStatePhilox4_32_10_t* state)
{
    const double2 a = curand_uniform2_double(state);
    const double2 b = curand_uniform2_double(state);
    return double4{a.x, a.y, b.x, b.y};
}
LS_RANDOM float4 curand_normal4(curandStatePhilox4_32_10* state)
{
    const uint4 x = curand4(state);
    const float2 a = __lsNormal2(x.x, x.y);
    const float2 b = __lsNormal2(x.z, x.w);
    return float4{a.x, a.y, b.x, b.y};
}
LS_RANDOM double4 curand_normal4_double(curandStatePhilox4_32_10_t* state)
{
    const double2 a = curand_normal2_double(state);
    const double2 b = curand_normal2_double(state);
    return double4{a.x, a.y, b.x, b.y};
}
LS_RANDOM double4 curand_log_normal4_double(curandStatePhilox4_32_10_t* state, double mean, double stddev)
{
    const double4 x = curand_normal4_double(state);
    return double4{exp(mean + stddev * x.x), exp(mean + stddev * x.y), exp(mean + stddev * x.z),
                   exp(mean + stddev * x.w)};
}
LS_RANDOM float4 curand_log_normal4(curandStatePhilox4_32_10* state, float mean, float stddev)
{
    const float4 x = curand_normal4(state);
    return float4{expf(mean + stddev * x.x), expf(mean + stddev * x.y), expf(mean + stddev * x.z),
                  expf(mean + stddev * x.w)};
}
/// Knuth's product method, in steps that do not underflow.
template <class State>
LS_RANDOM unsigned int __lsPoissonProduct(State* state, double lambda)
{
    unsigned int count = 0;
    double product = 1.0;
    double left = lambda;
    for (;;) {
        product *= curand_uniform_double(state);
        while (product < 1.0 && left > 0.0) {
            const double step = left < 500.0 ? left : 500.0;
            product *= exp(step);
            left -= step;
        }
        if (product < 1.0)
            return count;
        ++count;
    }
}
/// cuRAND's sequence, but between 64 and 4000, where only the distribution is.
template <class State>
LS_RANDOM unsigned int curand_poisson(State* state, double lambda)
{
    if (lambda > 4000)
        return (unsigned int)(sqrt(lambda) * curand_normal_double(state) + lambda + 0.5);
    if (lambda >= 64)
        return __lsPoissonProduct(state, lambda);
    float product = expf((float)lambda);
    unsigned int count = 0;
    for (product *= curand_uniform(state); product > 1.0f; product *= curand_uniform(state))
        ++count;
    return count;
}
/// Of this distribution; cuRAND draws the four side by side.
LS_RANDOM uint4 curand_poisson4(curandStatePhilox4_32_10* state, double lambda)
{
    const unsigned int x = curand_poisson(state, lambda);
    const unsigned int y = curand_poisson(state, lambda);
    const unsigned int z = curand_poisson(state, lambda);
    return uint4{x, y, z, curand_poisson(state, lambda)};
}

#include "lanescope/restore_macros.h"

#endif  // CURAND_KERNEL_H_
