// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// cuRAND's host library: arrays of random numbers, made by a kernel. Every pseudo-random generator here is Philox, so
// that the numbers are as random as NVIDIA's, but others. Sobol's have NVIDIA's values, but where they are scrambled.
#pragma once

#ifndef CURAND_H_
#define CURAND_H_

#include "lanescope/needs_kernels.h"

#include "curand_kernel.h"
#include "lanescope/random_types.h"

struct curandGenerator_st {
    curandRngType_t type = CURAND_RNG_PSEUDO_DEFAULT;
    unsigned long long seed = 0;
    unsigned long long offset = 0;  ///< draws that every thread, or points that every dimension has behind it
    unsigned dimensions = 1;        ///< of a quasi-random generator
    void* vectors = nullptr;        ///< of its dimensions, on the device; then their constants
    cudaStream_t stream = 0;
    bool onHost = false;  ///< fills memory of the host
};
typedef curandGenerator_st* curandGenerator_t;

#include "lanescope/hide_macros.h"

namespace __lsRandom {

/// Draws of one thread in one call.
constexpr unsigned kDraws = 64;

// clang-format off
struct Bits { template <class State> __device__ auto operator()(State* s) const { return curand(s); } };
struct Uniform { template <class State> __device__ float operator()(State* s) const { return curand_uniform(s); } };
struct UniformDouble { template <class State> __device__ double operator()(State* s) const { return curand_uniform_double(s); } };
template <class T> struct Normal { T mean, deviation; template <class State> __device__ T operator()(State* s) const { return mean + deviation * (sizeof(T) == 4 ? (T)curand_normal(s) : (T)curand_normal_double(s)); } };
template <class T> struct LogNormal { Normal<T> normal; template <class State> __device__ T operator()(State* s) const { return exp(normal(s)); } };
struct Poisson { double mean; template <class State> __device__ unsigned operator()(State* s) const { return curand_poisson(s, mean); } };
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

#include "lanescope/quasi_random.h"

template <class T, class Draw>
static inline curandStatus_t generate(curandGenerator_t generator, T* out, size_t n, Draw draw)
{
    T* target = out;
    if (isQuasi(generator) && n % generator->dimensions != 0)
        return CURAND_STATUS_LENGTH_NOT_MULTIPLE;
    if (n == 0)
        return CURAND_STATUS_SUCCESS;
    if (generator->onHost && cudaMalloc((void**)&target, n * sizeof(T)) != cudaSuccess)
        return CURAND_STATUS_ALLOCATION_FAILED;
    curandStatus_t status = CURAND_STATUS_SUCCESS;
    if (isQuasi(generator)) {
        status = has64Bits(generator) ? generateQuasi<curandStateSobol64_t>(generator, target, n, draw)
                                      : generateQuasi<curandStateSobol32_t>(generator, target, n, draw);
    } else {
        fill<<<(unsigned)((n + 255) / 256), 256, 0, generator->stream>>>(target, n, generator->seed, generator->offset,
                                                                         draw);
        generator->offset += kDraws;
    }
    if (generator->onHost) {
        (void)cudaMemcpy(out, target, n * sizeof(T), cudaMemcpyDeviceToHost);
        (void)cudaFree(target);
    }
    if (status != CURAND_STATUS_SUCCESS)
        return status;
    return cudaPeekAtLastError() == cudaSuccess ? CURAND_STATUS_SUCCESS : CURAND_STATUS_LAUNCH_FAILURE;
}

/// Pseudo-random normal numbers come in pairs.
template <class T, class Draw>
static inline curandStatus_t generatePairs(curandGenerator_t generator, T* out, size_t n, Draw draw)
{
    if (!isQuasi(generator) && n % 2 != 0)
        return CURAND_STATUS_LENGTH_NOT_MULTIPLE;
    return generate(generator, out, n, draw);
}

static inline curandStatus_t make(curandGenerator_t* generator, curandRngType_t type, bool onHost)
{
    switch (type) {
    case CURAND_RNG_PSEUDO_DEFAULT:
    case CURAND_RNG_PSEUDO_XORWOW:
    case CURAND_RNG_PSEUDO_MRG32K3A:
    case CURAND_RNG_PSEUDO_MTGP32:
    case CURAND_RNG_PSEUDO_MT19937:
    case CURAND_RNG_PSEUDO_PHILOX4_32_10:
    case CURAND_RNG_QUASI_DEFAULT:
    case CURAND_RNG_QUASI_SOBOL32:
    case CURAND_RNG_QUASI_SCRAMBLED_SOBOL32:
    case CURAND_RNG_QUASI_SOBOL64:
    case CURAND_RNG_QUASI_SCRAMBLED_SOBOL64:
        break;
    default:
        return CURAND_STATUS_TYPE_ERROR;
    }
    *generator = new curandGenerator_st();
    (*generator)->type = type;
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
    __lsRandom::forgetVectors(generator);
    delete generator;
    return CURAND_STATUS_SUCCESS;
}
static inline curandStatus_t curandSetPseudoRandomGeneratorSeed(curandGenerator_t generator, unsigned long long seed)
{
    if (__lsRandom::isQuasi(generator))
        return CURAND_STATUS_TYPE_ERROR;
    generator->seed = seed;
    generator->offset = 0;
    return CURAND_STATUS_SUCCESS;
}
static inline curandStatus_t curandSetGeneratorOffset(curandGenerator_t generator, unsigned long long offset)
{
    generator->offset = __lsRandom::isQuasi(generator) ? offset : offset * __lsRandom::kDraws;
    return CURAND_STATUS_SUCCESS;
}
/// 1 … 20000. Of n numbers the first n/dimensions are the first dimension's, and so on.
static inline curandStatus_t curandSetQuasiRandomGeneratorDimensions(curandGenerator_t generator, unsigned dimensions)
{
    if (!__lsRandom::isQuasi(generator))
        return CURAND_STATUS_TYPE_ERROR;
    if (dimensions == 0 || dimensions > 20000)
        return CURAND_STATUS_OUT_OF_RANGE;
    __lsRandom::forgetVectors(generator);
    generator->dimensions = dimensions;
    generator->offset = 0;
    return CURAND_STATUS_SUCCESS;
}
static inline curandStatus_t curandSetGeneratorOrdering(curandGenerator_t generator, curandOrdering_t ordering)
{
    const bool isForQuasi = ordering == CURAND_ORDERING_QUASI_DEFAULT;
    return isForQuasi == __lsRandom::isQuasi(generator) ? CURAND_STATUS_SUCCESS : CURAND_STATUS_OUT_OF_RANGE;
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
    return __lsRandom::has64Bits(generator) ? CURAND_STATUS_TYPE_ERROR
                                            : __lsRandom::generate(generator, out, n, __lsRandom::Bits());
}
static inline curandStatus_t curandGenerateLongLong(curandGenerator_t generator, unsigned long long* out, size_t n)
{
    return __lsRandom::has64Bits(generator) ? __lsRandom::generate(generator, out, n, __lsRandom::Bits())
                                            : CURAND_STATUS_TYPE_ERROR;
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
    return __lsRandom::generatePairs(generator, out, n, __lsRandom::Normal<float>{mean, deviation});
}
static inline curandStatus_t curandGenerateNormalDouble(curandGenerator_t generator, double* out, size_t n, double mean,
                                                        double deviation)
{
    return __lsRandom::generatePairs(generator, out, n, __lsRandom::Normal<double>{mean, deviation});
}
static inline curandStatus_t curandGenerateLogNormal(curandGenerator_t generator, float* out, size_t n, float mean,
                                                     float deviation)
{
    return __lsRandom::generatePairs(generator, out, n, __lsRandom::LogNormal<float>{{mean, deviation}});
}
static inline curandStatus_t curandGenerateLogNormalDouble(curandGenerator_t generator, double* out, size_t n,
                                                           double mean, double deviation)
{
    return __lsRandom::generatePairs(generator, out, n, __lsRandom::LogNormal<double>{{mean, deviation}});
}
static inline curandStatus_t curandGeneratePoisson(curandGenerator_t generator, unsigned* out, size_t n, double mean)
{
    return __lsRandom::generate(generator, out, n, __lsRandom::Poisson{mean});
}

#include "lanescope/restore_macros.h"

#endif  // CURAND_H_
