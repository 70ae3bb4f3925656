// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Floats of 8, 6 and 4 bits: every half, every bfloat16, floats and doubles around all halfway points, and back from
// every code. A hash of each format is what NVIDIA's own headers give, compiled for the host by g++.
#include <cuda_fp4.h>
#include <cuda_fp6.h>
#include <cuda_fp8.h>

#include <cstdio>
#include <cstring>

#define BOTH __host__ __device__

BOTH unsigned int mix(unsigned int hash, unsigned long long value)
{
    return (hash ^ (unsigned int)(value ^ value >> 32)) * 16777619u;
}

template <class To, class From>
BOTH To bitsOf(const From& from)
{
    To to;
    memcpy(&to, &from, sizeof to);
    return to;
}

template <class Tiny>
BOTH unsigned int codes(unsigned int i)
{
    __half_raw half;
    half.x = (unsigned short)i;
    __nv_bfloat16_raw brain;
    brain.x = (unsigned short)i;
    unsigned int hash = mix(0, Tiny(__half(half)).__x);
    hash = mix(hash, Tiny(__nv_bfloat16(brain)).__x);
    // A bfloat16's digits and no more, a bit less, a bit more: in float, and where a float does not see it.
    for (int around = -1; around <= 1; ++around) {
        const float f = bitsOf<float>((i << 16) + around);
        hash = mix(hash, Tiny(f).__x);
        hash = mix(hash, f == f ? Tiny(bitsOf<double>(bitsOf<unsigned long long>((double)f) + around)).__x : 0);
    }
    hash = mix(hash, Tiny((short)i).__x);
    return mix(hash, Tiny((long long)i << 20).__x);
}

template <class Tiny>
BOTH unsigned int values(unsigned int i)
{
    Tiny tiny;
    tiny.__x = (unsigned char)i;
    const float f = (float)tiny;
    const bool isNumber = f == f;  // Of what is none there are many codes.
    unsigned int hash = mix(0, isNumber ? bitsOf<unsigned int>(f) : 0);
    hash = mix(hash, isNumber ? bitsOf<unsigned short>((__half)tiny) : 0);
    hash = mix(hash, isNumber ? bitsOf<unsigned short>((__nv_bfloat16)tiny) : 0);
    hash = mix(hash, (unsigned char)tiny);
    hash = mix(hash, (int)tiny);
    return mix(hash, (bool)tiny);
}

template <class Pair, class Four>
BOTH unsigned int vectors(unsigned int i)
{
    Four four;
    four.__x = (decltype(four.__x))(i * 2654435761u);
    const float4 all = (float4)four;
    unsigned int hash = mix(0, Four(all).__x);
    Pair pair;
    pair.__x = (decltype(pair.__x))four.__x;
    hash = mix(hash, bitsOf<unsigned int>((__half2)pair));
    hash = mix(hash, Pair(make_float2(all.y, all.w * 1.1f)).__x);
    return mix(hash, Four((__half2)pair, (__half2)pair).__x);
}

/// What rounds towards zero, and what does not saturate.
BOTH unsigned int others(unsigned int i)
{
    const float f = bitsOf<float>(i << 16);
    unsigned int hash = mix(0, __nv_cvt_float_to_fp6(f, __NV_E2M3, cudaRoundZero));
    hash = mix(hash, __nv_cvt_float_to_fp6(f, __NV_E3M2, cudaRoundZero));
    hash = mix(hash, __nv_cvt_float_to_fp4(f, __NV_E2M1, cudaRoundZero));
    hash = mix(hash, __nv_cvt_float_to_fp8(f, __NV_NOSAT, __NV_E4M3));
    hash = mix(hash, __nv_cvt_float_to_fp8(f, __NV_NOSAT, __NV_E5M2));
    return mix(hash, __nv_cvt_float_to_e8m0(f, __NV_NOSAT, cudaRoundZero));
}

constexpr int kSets = 19;
template <class Tiny, class Pair, class Four>
BOTH void format(unsigned int i, unsigned int* hashes)
{
    hashes[0] = codes<Tiny>(i);
    hashes[1] = values<Tiny>(i);
    hashes[2] = vectors<Pair, Four>(i);
}
BOTH void all(unsigned int i, unsigned int* hashes)
{
    format<__nv_fp8_e4m3, __nv_fp8x2_e4m3, __nv_fp8x4_e4m3>(i, hashes);
    format<__nv_fp8_e5m2, __nv_fp8x2_e5m2, __nv_fp8x4_e5m2>(i, hashes + 3);
    format<__nv_fp8_e8m0, __nv_fp8x2_e8m0, __nv_fp8x4_e8m0>(i, hashes + 6);
    format<__nv_fp6_e2m3, __nv_fp6x2_e2m3, __nv_fp6x4_e2m3>(i, hashes + 9);
    format<__nv_fp6_e3m2, __nv_fp6x2_e3m2, __nv_fp6x4_e3m2>(i, hashes + 12);
    format<__nv_fp4_e2m1, __nv_fp4x2_e2m1, __nv_fp4x4_e2m1>(i, hashes + 15);
    hashes[18] = others(i);
}

#if defined(__CUDACC__)
__global__ void onDevice(unsigned int first, unsigned int stride, unsigned int* out)
{
    const unsigned int t = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned int hashes[kSets];
    all(first + t * stride, hashes);
    for (int set = 0; set < kSets; ++set)
        out[t * kSets + set] = hashes[set];
}

/// Whether kernels compute what the host does: every 61st number, and the codes of all.
void compare()
{
    constexpr int kThreads = 1024 + 256;
    unsigned int* out;
    cudaMallocManaged(&out, kThreads * kSets * sizeof *out);
    onDevice<<<8, 128>>>(7, 61, out);
    onDevice<<<1, 256>>>(0, 1, out + 1024 * kSets);
    cudaDeviceSynchronize();
    int different = 0;
    for (int t = 0; t < kThreads; ++t) {
        unsigned int hashes[kSets];
        all(t < 1024 ? 7 + t * 61 : t - 1024, hashes);
        different += memcmp(hashes, out + t * kSets, sizeof hashes) != 0;
    }
    printf("kernels compute %s\n", different == 0 ? "the same" : "other codes");
    cudaFree(out);
}
#else
void compare()
{
    puts("kernels compute the same");
}
#endif

int main()
{
    unsigned int sums[kSets] = {};
    for (unsigned int i = 0; i < 65536; ++i) {
        unsigned int hashes[kSets];
        all(i, hashes);
        for (int set = 0; set < kSets; ++set)
            sums[set] = mix(sums[set], hashes[set]);
    }
    for (int set = 0; set < kSets; ++set)
        printf("%08x%c", sums[set], set % 3 == 2 || set == kSets - 1 ? '\n' : ' ');
    compare();
}
