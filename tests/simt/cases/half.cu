// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// half and bfloat16 against the host, for a spread of bit patterns: arithmetic, fused, comparisons, conversions and
// their rounding modes.
#include "check.h"

#include <cuda_bf16.h>
#include <cuda_fp16.h>

__host__ __device__ unsigned short pattern(int i)
{
    unsigned x = unsigned(i) * 2654435761u;
    x ^= x >> 15;
    return (x & 0x7c00) == 0x7c00 ? (unsigned short)(x & 0x83ff) : (unsigned short)x;
}

struct Half {
    static constexpr int kBlocks = 4, kThreads = 256;
    __host__ __device__ static unsigned long long run(int i)
    {
        const __half a = __ushort_as_half(pattern(i)), b = __ushort_as_half(pattern(i + 7777));
        const __half c = __ushort_as_half(pattern(i * 3 + 1));
        auto bits = [](__half x) { return (unsigned long long)(__hisnan(x) ? 0x7fff : __half_as_ushort(x)); };
        return bits(a + b) ^ bits(a - b) << 7 ^ bits(a * b) << 14 ^ bits(a / b) << 21 ^ bits(__hfma(a, b, c)) << 28 ^
               bits(-a) << 35 ^ bits(__hmax(a, b)) << 40 ^ (unsigned long long)(a < b) << 60 ^
               (unsigned long long)(a == a) << 61;
    }
};

struct Pairs {
    static constexpr int kBlocks = 1, kThreads = 128;
    __host__ __device__ static unsigned run(int i)
    {
        const __half2 a = __floats2half2_rn(i * 0.25f, -i * 0.5f), b = __float2half2_rn(1.25f);
        const __half2 r = __hfma2(a, b, __hadd2(a, b));
        return __half_as_ushort(__low2half(r)) | (unsigned)__half_as_ushort(__high2half(r)) << 16;
    }
};

struct Conversions {
    static constexpr int kBlocks = 4, kThreads = 256;
    __host__ __device__ static unsigned long long run(int i)
    {
        const float f = (i - 512) * 1.0009765625f * (i % 7 == 0 ? 6e-8f : i % 5 == 0 ? 200.0f : 0.37f);
        auto bits = [](__half x) { return (unsigned long long)__half_as_ushort(x); };
        return bits(__float2half(f)) ^ bits(__float2half_rz(f)) << 16 ^ bits(__float2half_rd(f)) << 32 ^
               bits(__float2half_ru(f)) << 48 ^ bits(__double2half(f * 1.00000000001)) << 8 ^
               (unsigned long long)__half2int_rn(__float2half(i * 0.37f)) << 20;
    }
};

struct BFloat {
    static constexpr int kBlocks = 4, kThreads = 256;
    __host__ __device__ static unsigned long long run(int i)
    {
        const __nv_bfloat16 a = __float2bfloat16(i * 0.371f), b = __float2bfloat16(77.7f - i);
        const __nv_bfloat16 c = __float2bfloat16(1.0f / (i + 1));
        auto bits = [](__nv_bfloat16 x) { return (unsigned long long)__bfloat16_as_ushort(x); };
        return bits(a + b) ^ bits(a * b) << 11 ^ bits(__hfma(a, b, c)) << 22 ^ bits(a / (b + c)) << 33 ^
               bits(__float2bfloat16_rz(i * 0.123f)) << 44 ^ (unsigned long long)(a > b) << 63;
    }
};

int main()
{
    return checkCase<Half, unsigned long long>("half") + checkCase<Pairs, unsigned>("half2") +
           checkCase<Conversions, unsigned long long>("conversions") +
           checkCase<BFloat, unsigned long long>("bfloat16");
}
