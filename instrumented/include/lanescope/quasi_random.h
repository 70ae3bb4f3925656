// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Arrays of quasi-random numbers: a part of curand.h, in its namespace.
#pragma once

static inline bool isQuasi(curandGenerator_t generator)
{
    return generator->type >= CURAND_RNG_QUASI_DEFAULT;
}
static inline bool has64Bits(curandGenerator_t generator)
{
    return generator->type >= CURAND_RNG_QUASI_SOBOL64;
}

/// Each thread makes its point itself, of the vectors that its Gray code has; so of the state only the point is set,
/// and the one vector that the draw moves it on by.
template <class State, class Word, class T, class Draw>
__global__ __attribute__((nodebug)) void fillQuasi(T* out, size_t perDimension, const Word* vectors,
                                                   const Word* constants, unsigned long long offset, Draw draw)
{
    const size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= perDimension)
        return;
    constexpr int kBits = 8 * sizeof(Word);
    const Word index = (Word)(offset + i);
    State state;
    state.i = 0;
    state.direction_vectors[0] = 0;
    state.x = constants[blockIdx.y];
    int bit = 0;
    for (Word gray = index ^ (index >> 1); gray; gray >>= 1, ++bit)
        if (gray & 1)
            state.x ^= vectors[(size_t)blockIdx.y * kBits + bit];
    out[blockIdx.y * perDimension + i] = draw(&state);
}

// Word's tables of the host.
static inline const unsigned* vectorsOf(curandGenerator_t generator, unsigned)
{
    curandDirectionVectors32_t* vectors = nullptr;
    (void)curandGetDirectionVectors32(&vectors, generator->type == CURAND_RNG_QUASI_SCRAMBLED_SOBOL32
                                                    ? CURAND_SCRAMBLED_DIRECTION_VECTORS_32_JOEKUO6
                                                    : CURAND_DIRECTION_VECTORS_32_JOEKUO6);
    return vectors[0];
}
static inline const unsigned long long* vectorsOf(curandGenerator_t generator, unsigned long long)
{
    curandDirectionVectors64_t* vectors = nullptr;
    (void)curandGetDirectionVectors64(&vectors, generator->type == CURAND_RNG_QUASI_SCRAMBLED_SOBOL64
                                                    ? CURAND_SCRAMBLED_DIRECTION_VECTORS_64_JOEKUO6
                                                    : CURAND_DIRECTION_VECTORS_64_JOEKUO6);
    return vectors[0];
}
static inline const unsigned* constantsOf(curandGenerator_t generator, unsigned)
{
    unsigned* constants = nullptr;
    if (generator->type == CURAND_RNG_QUASI_SCRAMBLED_SOBOL32)
        (void)curandGetScrambleConstants32(&constants);
    return constants;
}
static inline const unsigned long long* constantsOf(curandGenerator_t generator, unsigned long long)
{
    unsigned long long* constants = nullptr;
    if (generator->type == CURAND_RNG_QUASI_SCRAMBLED_SOBOL64)
        (void)curandGetScrambleConstants64(&constants);
    return constants;
}

static inline void forgetVectors(curandGenerator_t generator)
{
    (void)cudaFree(generator->vectors);
    generator->vectors = nullptr;
}

/// Takes the vectors of the generator's dimensions to the device, and the constants behind them: 0 unless scrambled.
template <class Word>
static inline bool bringVectors(curandGenerator_t generator)
{
    const size_t vectorBytes = sizeof(Word) * 8 * sizeof(Word) * generator->dimensions;
    const size_t constantBytes = sizeof(Word) * generator->dimensions;
    if (cudaMalloc(&generator->vectors, vectorBytes + constantBytes) != cudaSuccess)
        return false;
    (void)cudaMemcpy(generator->vectors, vectorsOf(generator, Word()), vectorBytes, cudaMemcpyHostToDevice);
    char* const behind = (char*)generator->vectors + vectorBytes;
    const Word* const constants = constantsOf(generator, Word());
    return (constants ? cudaMemcpy(behind, constants, constantBytes, cudaMemcpyHostToDevice)
                      : cudaMemset(behind, 0, constantBytes)) == cudaSuccess;
}

template <class State, class T, class Draw>
static inline curandStatus_t generateQuasi(curandGenerator_t generator, T* out, size_t n, Draw draw)
{
    using Word = decltype(State::x);
    if (!generator->vectors && !bringVectors<Word>(generator))
        return CURAND_STATUS_ALLOCATION_FAILED;
    const Word* const vectors = (const Word*)generator->vectors;
    const size_t perDimension = n / generator->dimensions;
    fillQuasi<State>
        <<<dim3((unsigned)((perDimension + 255) / 256), generator->dimensions), 256, 0, generator->stream>>>(
            out, perDimension, vectors, vectors + 8 * sizeof(Word) * generator->dimensions, generator->offset, draw);
    generator->offset += perDimension;
    return CURAND_STATUS_SUCCESS;
}
