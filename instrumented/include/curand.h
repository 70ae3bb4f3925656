// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Names of cuRAND's host library, which programs include beside curand_kernel.h. Its functions are not there: clang
// says so at the line that calls one.
#pragma once

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

typedef struct curandGenerator_st* curandGenerator_t;

#define LS_NO_CURAND(name)                                                                                             \
    template <class... Arguments>                                                                                      \
    curandStatus_t name(const Arguments&...) __attribute__((unavailable("it needs cuRAND")));
LS_NO_CURAND(curandCreateGenerator)
LS_NO_CURAND(curandCreateGeneratorHost)
LS_NO_CURAND(curandDestroyGenerator)
LS_NO_CURAND(curandGenerate)
LS_NO_CURAND(curandGenerateLogNormal)
LS_NO_CURAND(curandGenerateLogNormalDouble)
LS_NO_CURAND(curandGenerateNormal)
LS_NO_CURAND(curandGenerateNormalDouble)
LS_NO_CURAND(curandGeneratePoisson)
LS_NO_CURAND(curandGenerateSeeds)
LS_NO_CURAND(curandGenerateUniform)
LS_NO_CURAND(curandGenerateUniformDouble)
LS_NO_CURAND(curandGetVersion)
LS_NO_CURAND(curandSetGeneratorOffset)
LS_NO_CURAND(curandSetGeneratorOrdering)
LS_NO_CURAND(curandSetPseudoRandomGeneratorSeed)
LS_NO_CURAND(curandSetStream)
#undef LS_NO_CURAND
