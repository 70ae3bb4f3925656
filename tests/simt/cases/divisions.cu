// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Quotients and remainders of 32 bits: at the ends of the range, beside whole multiples, by vectors, scalars and constants.
#include "check.h"

__host__ __device__ unsigned mixed(unsigned x)
{
    x ^= x >> 16;
    x *= 0x7feb352du;
    x ^= x >> 15;
    x *= 0x846ca68bu;
    return x ^ x >> 16;
}

/// A number of any size, or one at an end of the range or beside a power of two.
__host__ __device__ unsigned number(unsigned seed)
{
    unsigned random = mixed(seed);
    switch (seed % 4) {
    case 0: return random;
    case 1: return random >> random % 32;
    case 2: return (1u << random % 32) + random / 64 % 3 - 1;
    default: return 0u - (random >> random % 32);
    }
}

template <typename T>
__host__ __device__ bool hasQuotient(T a, T b)
{
    return b != 0 && !(T(-1) < 0 && b == T(-1) && a == T(0x80000000u));
}

template <typename T>
struct ByVectors {
    static constexpr int kBlocks = 2, kThreads = 80;
    __host__ __device__ static unsigned run(int i)
    {
        unsigned sum = 0;
        for (unsigned k = 0; k < 200; ++k) {
            T b = static_cast<T>(number(i * 977 + k * 2)), q = static_cast<T>(number(i * 1259 + k * 3 + 1));
            T beside = static_cast<T>(static_cast<unsigned>(b) * static_cast<unsigned>(q) + k % 3 - 1);
            T a = k % 2 ? beside : static_cast<T>(number(i + k * 7919));
            if (hasQuotient(a, b))
                sum = sum * 31 + static_cast<unsigned>(a / b) + 7 * static_cast<unsigned>(a % b);
        }
        return sum;
    }
};

template <typename T>
struct ByScalars {
    static constexpr int kBlocks = 1, kThreads = 96;
    __host__ __device__ static unsigned run(int i)
    {
        unsigned sum = 0;
        for (unsigned k = 0; k < 200; ++k) {
            T b = static_cast<T>(number(k)), a = static_cast<T>(number(i * 31 + k));
            if (hasQuotient(a, b))
                sum = sum * 31 + static_cast<unsigned>(a / b) + 7 * static_cast<unsigned>(a % b);
        }
        return sum;
    }
};

template <typename T>
struct ByConstants {
    static constexpr int kBlocks = 1, kThreads = 96;
    template <T b>
    __host__ __device__ static unsigned both(T a)
    {
        return hasQuotient(a, b) ? static_cast<unsigned>(a / b) + 7 * static_cast<unsigned>(a % b) : 0u;
    }
    __host__ __device__ static unsigned run(int i)
    {
        unsigned sum = 0;
        for (unsigned k = 0; k < 100; ++k) {
            T a = static_cast<T>(number(i * 31 + k));
            sum = sum * 31 + both<T(1)>(a) + both<T(2)>(a) + both<T(3)>(a) + both<T(10)>(a) + both<T(641)>(a) +
                  both<T(65536)>(a) + both<T(0x7fffffff)>(a) + both<T(0x80000000u)>(a) + both<T(-1)>(a) + both<T(-7)>(a);
        }
        return sum;
    }
};

#define BY(instruction, type) \
    __device__ unsigned instruction##By(unsigned a, unsigned b) \
    { \
        unsigned result; \
        asm volatile(#instruction "." #type " %0, %1, %2;" : "=r"(result) : "r"(a), "r"(b)); \
        return result; \
    }
namespace s32 {
BY(div, s32)
BY(rem, s32)
}
namespace u32 {
BY(div, u32)
BY(rem, u32)
}

/// What the language leaves open and GPUs do: a quotient of ones, a remainder that is the dividend.
__global__ void byNothing(unsigned* wrong, unsigned zero, unsigned minusOne)
{
    unsigned a = number(threadIdx.x * 5 + 3), zeros = zero * threadIdx.x, least = 0x80000000u;
    bool right = s32::divBy(a, zeros) == ~0u && s32::remBy(a, zeros) == a && u32::divBy(a, zeros) == ~0u &&
                 u32::remBy(a, zeros) == a && s32::divBy(least, minusOne) == least && s32::remBy(least, minusOne) == 0;
    atomicAdd(wrong, right ? 0u : 1u);
}

int main()
{
    unsigned *device, wrong = 0;
    cudaMalloc(&device, sizeof(unsigned));
    cudaMemset(device, 0, sizeof(unsigned));
    byNothing<<<1, 80>>>(device, 0, ~0u);
    cudaMemcpy(&wrong, device, sizeof wrong, cudaMemcpyDeviceToHost);
    cudaFree(device);
    printf("by nothing: %s\n", wrong ? "wrong" : "right");
    return (wrong != 0) + checkCase<ByVectors<int>, unsigned>("signed by vectors") +
           checkCase<ByVectors<unsigned>, unsigned>("unsigned by vectors") + checkCase<ByScalars<int>, unsigned>("signed by scalars") +
           checkCase<ByScalars<unsigned>, unsigned>("unsigned by scalars") +
           checkCase<ByConstants<int>, unsigned>("signed by constants") +
           checkCase<ByConstants<unsigned>, unsigned>("unsigned by constants");
}
