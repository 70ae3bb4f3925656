// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// cuRAND's host library: arrays of random numbers, made by a kernel. Every generator here is Philox, so that the
// numbers are as random as NVIDIA's, but others. What is missing (quasi-random numbers) is not declared.
#pragma once

#ifndef CURAND_H_
#define CURAND_H_

#include "lanescope/needs_kernels.h"

#include "curand_kernel.h"

typedef enum curandStatus {
    CURAND_STATUS_SUCCESS = 0,
    CURAND_STATUS_VERSION_MISMATCH = 100,
    CURAND_STATUS_NOT_INITIALIZED = 101,
    CURAND_STATUS_ALLOCATION_FAILED = 102,
    CURAND_STATUS_TYPE_ERROR = 103,
    CURAND_STATUS_OUT_OF_RANGE = 104,
    CURAND_STATUS_LENGTH_NOT_MULTIPLE = 105,
    CURAND_STATUS_DOUBLE_PRECISION_REQUIRED = 106,
    CURAND_STATUS_LAUNCH_FAILURE = 201,
    CURAND_STATUS_PREEXISTING_FAILURE = 202,
    CURAND_STATUS_INITIALIZATION_FAILED = 203,
    CURAND_STATUS_ARCH_MISMATCH = 204,
    CURAND_STATUS_INTERNAL_ERROR = 999
} curandStatus_t;

typedef enum curandRngType {
    CURAND_RNG_PSEUDO_DEFAULT = 100,
    CURAND_RNG_PSEUDO_XORWOW = 101,
    CURAND_RNG_PSEUDO_MRG32K3A = 121,
    CURAND_RNG_PSEUDO_MTGP32 = 141,
    CURAND_RNG_PSEUDO_MT19937 = 142,
    CURAND_RNG_PSEUDO_PHILOX4_32_10 = 161,
    CURAND_RNG_QUASI_DEFAULT = 200,
    CURAND_RNG_QUASI_SOBOL32 = 201
} curandRngType_t;

typedef enum curandOrdering {
    CURAND_ORDERING_PSEUDO_BEST = 100,
    CURAND_ORDERING_PSEUDO_DEFAULT = 101,
    CURAND_ORDERING_PSEUDO_SEEDED = 102,
    CURAND_ORDERING_PSEUDO_LEGACY = 103,
    CURAND_ORDERING_PSEUDO_DYNAMIC = 104
} curandOrdering_t;

struct curandGenerator_st {
    unsigned long long seed = 0;
    unsigned long long offset = 0;  ///< draws that every thread has behind it
    cudaStream_t stream = 0;
    bool onHost = false;  ///< fills memory of the host
};
typedef curandGenerator_st* curandGenerator_t;

#include "lanescope/hide_macros.h"

namespace __lsRandom {

/// Draws of one thread in one call.
constexpr unsigned kDraws = 64;

// clang-format off
struct Bits { __device__ unsigned operator()(curandStatePhilox4_32_10_t* s) const { return curand(s); } };
struct Uniform { __device__ float operator()(curandStatePhilox4_32_10_t* s) const { return curand_uniform(s); } };
struct UniformDouble { __device__ double operator()(curandStatePhilox4_32_10_t* s) const { return curand_uniform_double(s); } };
template <class T> struct Normal { T mean, deviation; __device__ T operator()(curandStatePhilox4_32_10_t* s) const { return mean + deviation * (sizeof(T) == 4 ? (T)curand_normal(s) : (T)curand_normal_double(s)); } };
template <class T> struct LogNormal { Normal<T> normal; __device__ T operator()(curandStatePhilox4_32_10_t* s) const { return exp(normal(s)); } };
struct Poisson { double mean; __device__ unsigned operator()(curandStatePhilox4_32_10_t* s) const { return curand_poisson(s, mean); } };
// clang-format on

template <class T, class Draw>
__global__ __attribute__((nodebug)) void fill(T* out, size_t n, unsigned long long seed, unsigned long long offset,
                                              Draw draw)
{
    const size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    curandStatePhilox4_32_10_t state;
    curand_init(seed, i, offset, &state);
    out[i] = draw(&state);
}

template <class T, class Draw>
static inline curandStatus_t generate(curandGenerator_t generator, T* out, size_t n, Draw draw)
{
    T* target = out;
    if (n == 0)
        return CURAND_STATUS_SUCCESS;
    if (generator->onHost && cudaMalloc((void**)&target, n * sizeof(T)) != cudaSuccess)
        return CURAND_STATUS_ALLOCATION_FAILED;
    fill<<<(unsigned)((n + 255) / 256), 256, 0, generator->stream>>>(target, n, generator->seed, generator->offset,
                                                                     draw);
    generator->offset += kDraws;
    if (generator->onHost) {
        (void)cudaMemcpy(out, target, n * sizeof(T), cudaMemcpyDeviceToHost);
        (void)cudaFree(target);
    }
    return cudaPeekAtLastError() == cudaSuccess ? CURAND_STATUS_SUCCESS : CURAND_STATUS_LAUNCH_FAILURE;
}

static inline curandStatus_t make(curandGenerator_t* generator, curandRngType_t type, bool onHost)
{
    if (type >= CURAND_RNG_QUASI_DEFAULT)
        return CURAND_STATUS_TYPE_ERROR;
    *generator = new curandGenerator_st();
    (*generator)->onHost = onHost;
    return CURAND_STATUS_SUCCESS;
}

}  // namespace __lsRandom

static inline curandStatus_t curandCreateGenerator(curandGenerator_t* generator, curandRngType_t type)
{
    return __lsRandom::make(generator, type, false);
}
static inline curandStatus_t curandCreateGeneratorHost(curandGenerator_t* generator, curandRngType_t type)
{
    return __lsRandom::make(generator, type, true);
}
static inline curandStatus_t curandDestroyGenerator(curandGenerator_t generator)
{
    delete generator;
    return CURAND_STATUS_SUCCESS;
}
static inline curandStatus_t curandSetPseudoRandomGeneratorSeed(curandGenerator_t generator, unsigned long long seed)
{
    generator->seed = seed;
    generator->offset = 0;
    return CURAND_STATUS_SUCCESS;
}
static inline curandStatus_t curandSetGeneratorOffset(curandGenerator_t generator, unsigned long long offset)
{
    generator->offset = offset * __lsRandom::kDraws;
    return CURAND_STATUS_SUCCESS;
}
static inline curandStatus_t curandSetGeneratorOrdering(curandGenerator_t, curandOrdering_t)
{
    return CURAND_STATUS_SUCCESS;
}
static inline curandStatus_t curandSetStream(curandGenerator_t generator, cudaStream_t stream)
{
    generator->stream = stream;
    return CURAND_STATUS_SUCCESS;
}
static inline curandStatus_t curandGenerateSeeds(curandGenerator_t)
{
    return CURAND_STATUS_SUCCESS;
}
static inline curandStatus_t curandGetVersion(int* version)
{
    *version = 10305;
    return CURAND_STATUS_SUCCESS;
}
static inline curandStatus_t curandGenerate(curandGenerator_t generator, unsigned* out, size_t n)
{
    return __lsRandom::generate(generator, out, n, __lsRandom::Bits());
}
static inline curandStatus_t curandGenerateUniform(curandGenerator_t generator, float* out, size_t n)
{
    return __lsRandom::generate(generator, out, n, __lsRandom::Uniform());
}
static inline curandStatus_t curandGenerateUniformDouble(curandGenerator_t generator, double* out, size_t n)
{
    return __lsRandom::generate(generator, out, n, __lsRandom::UniformDouble());
}
static inline curandStatus_t curandGenerateNormal(curandGenerator_t generator, float* out, size_t n, float mean,
                                                  float deviation)
{
    return __lsRandom::generate(generator, out, n, __lsRandom::Normal<float>{mean, deviation});
}
static inline curandStatus_t curandGenerateNormalDouble(curandGenerator_t generator, double* out, size_t n, double mean,
                                                        double deviation)
{
    return __lsRandom::generate(generator, out, n, __lsRandom::Normal<double>{mean, deviation});
}
static inline curandStatus_t curandGenerateLogNormal(curandGenerator_t generator, float* out, size_t n, float mean,
                                                     float deviation)
{
    return __lsRandom::generate(generator, out, n, __lsRandom::LogNormal<float>{{mean, deviation}});
}
static inline curandStatus_t curandGenerateLogNormalDouble(curandGenerator_t generator, double* out, size_t n,
                                                           double mean, double deviation)
{
    return __lsRandom::generate(generator, out, n, __lsRandom::LogNormal<double>{{mean, deviation}});
}
static inline curandStatus_t curandGeneratePoisson(curandGenerator_t generator, unsigned* out, size_t n, double mean)
{
    return __lsRandom::generate(generator, out, n, __lsRandom::Poisson{mean});
}

#include "lanescope/restore_macros.h"

#endif  // CURAND_H_
