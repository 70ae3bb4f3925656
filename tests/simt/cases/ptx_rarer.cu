// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Inline PTX that few programs have, against plain C++: modifiers of minima and conversions, pairs of halves and of
// short integers, masks, modes of byte permutes, votes at barriers, threads that end, transposed fragments.
#include "check.h"

#include <cuda_fp16.h>
#include <cuda_fp8.h>

struct Bits {
    static constexpr int kBlocks = 2, kThreads = 64;
    __host__ __device__ static unsigned long long run(int i)
    {
        const unsigned x = i * 2654435761u, y = i % 41;
        unsigned mask, wrapped, extended, lowest, replicated, edge, some, both, sum, least;
#if defined(__CUDA_ARCH__)
        asm("bmsk.clamp.b32 %0, %1, %2;" : "=r"(mask) : "r"(y), "r"(x >> 27));
        asm("bmsk.wrap.b32 %0, %1, %2;" : "=r"(wrapped) : "r"(y), "r"(x >> 27));
        asm("szext.clamp.s32 %0, %1, %2;" : "=r"(extended) : "r"(x), "r"(y));
        asm("szext.wrap.u32 %0, %1, %2;" : "=r"(lowest) : "r"(x), "r"(y));
        asm("prmt.b32.rc8 %0, %1, %2, %3;" : "=r"(replicated) : "r"(x), "r"(y), "r"(y));
        asm("prmt.b32.ecl %0, %1, %2, %3;" : "=r"(edge) : "r"(x), "r"(y), "r"(2));
        asm("{ .reg .pred p, q; setp.eq.u32 q, %3, 7; lop3.or.b32 %0|p, %2, %3, %2, 0xc0, q; selp.u32 %1, 1, 0, p; }"
            : "=r"(both), "=r"(some)
            : "r"(x & 8), "r"(y));
        asm("add.u16x2 %0, %1, %2;" : "=r"(sum) : "r"(x), "r"(x >> 3));
        asm("min.s16x2 %0, %1, %2;" : "=r"(least) : "r"(x), "r"(x >> 3));
#else
        const auto ones = [](unsigned count) { return count > 31 ? 0xffffffffull : (1ull << count) - 1; };
        mask = unsigned(ones(x >> 27) << (y < 32 ? y : 32));
        wrapped = unsigned(ones(x >> 27) << (y & 31));
        const unsigned width = y < 32 ? y : 32;
        extended = width == 0 ? 0 : unsigned(int(x << (32 - width)) >> (32 - width));
        lowest = x & unsigned(ones(y & 31));
        replicated = (x >> (y & 3) * 8 & 0xff) * 0x01010101u;
        edge = (x & 0xff0000u) >> 16 | (x & 0xff0000u) >> 8 | (x & 0xff0000u) | (x & 0xff000000u);
        both = x & 8 & y;
        some = both != 0 || y == 7;
        const auto halves = [](unsigned low, unsigned high) { return (low & 0xffff) | high << 16; };
        const unsigned z = x >> 3;
        sum = halves(x + z, (x >> 16) + (z >> 16));
        least = halves(short(x) < short(z) ? x : z, (short(x >> 16) < short(z >> 16) ? x : z) >> 16);
#endif
        return mask ^ (unsigned long long)wrapped << 3 ^ (unsigned long long)extended << 7 ^
               (unsigned long long)lowest << 12 ^ (unsigned long long)replicated << 17 ^
               (unsigned long long)edge << 21 ^ (unsigned long long)some << 60 ^ (unsigned long long)both << 50 ^
               (unsigned long long)sum << 25 ^ (unsigned long long)least << 29;
    }
};

/// NaN, signs, and results that are cut off.
struct Extremes {
    static constexpr int kBlocks = 1, kThreads = 64;
    __host__ __device__ static unsigned run(int i)
    {
        const float a = i % 5 == 4 ? __builtin_nanf("") : (i % 7 - 3) * 1.5f, b = (i % 3 - 1) * 2.25f;
        float known, strict, signedLeast;
        unsigned subnormal, relu;
#if defined(__CUDA_ARCH__)
        asm("max.f32 %0, %1, %2;" : "=f"(known) : "f"(a), "f"(b));
        asm("max.NaN.f32 %0, %1, %2;" : "=f"(strict) : "f"(a), "f"(b));
        asm("min.xorsign.abs.f32 %0, %1, %2;" : "=f"(signedLeast) : "f"(a + 0.5f), "f"(b + 0.5f));
        asm("{ .reg .pred p; testp.subnormal.f32 p, %1; selp.u32 %0, 1, 0, p; }"
            : "=r"(subnormal)
            : "f"(i % 2 ? 1e-40f : b));
        asm("max.relu.s32 %0, %1, %2;" : "=r"(relu) : "r"(i % 7 - 3), "r"(-2));
#else
        known = a != a || a < b ? b : a;
        strict = a != a ? a : known;
        const float c = a + 0.5f, d = b + 0.5f;
        const float least = c != c || __builtin_fabsf(d) < __builtin_fabsf(c) ? __builtin_fabsf(d) : __builtin_fabsf(c);
        signedLeast = c == c && (c < 0) != (d < 0) ? -least : least;
        if (c != c)
            signedLeast = d < 0 ? -least : least;
        subnormal = i % 2;
        relu = i % 7 - 3 > 0 ? i % 7 - 3 : 0;
#endif
        return unsigned(int(known * 4)) + (strict != strict ? 0x1000 : unsigned(int(strict * 4)) << 4) +
               unsigned(int(signedLeast * 4)) * 77 + subnormal * 0x100000 + relu * 0x1000000;
    }
};

/// Two halves at a time. All values are such that nothing is rounded.
struct Pairs {
    static constexpr int kBlocks = 1, kThreads = 64;
    __host__ __device__ static unsigned run(int i)
    {
        const float low = (i % 9 - 4) * 0.25f, high = 1.0f - i % 4;
        unsigned pair, least, positive, saturated, power;
#if defined(__CUDA_ARCH__)
        asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(pair) : "f"(high), "f"(low));
        unsigned swapped;
        asm("prmt.b32 %0, %1, %1, 0x1032;" : "=r"(swapped) : "r"(pair));
        asm("min.f16x2 %0, %1, %2;" : "=r"(least) : "r"(pair), "r"(swapped));
        asm("fma.rn.relu.f16x2 %0, %1, %2, %1;" : "=r"(positive) : "r"(pair), "r"(swapped));
        asm("add.sat.f16x2 %0, %1, %2;" : "=r"(saturated) : "r"(pair), "r"(swapped));
        asm("ex2.approx.f16x2 %0, %1;" : "=r"(power) : "r"(pair & 0xffff0000u));
#else
        const auto word = [](float low, float high) {
            return unsigned(__half_as_ushort(__float2half(high))) << 16 | __half_as_ushort(__float2half(low));
        };
        const auto cut = [](float x, float most) { return x < 0 ? 0 : x > most ? most : x; };
        pair = word(low, high);
        const float less = low < high ? low : high;
        least = word(less, less);
        positive = word(cut(low * high + low, 1e9f), cut(low * high + high, 1e9f));
        saturated = word(cut(low + high, 1), cut(low + high, 1));
        power = word(1, __builtin_exp2f(high));
#endif
        return pair ^ least << 3 ^ positive << 7 ^ saturated << 1 ^ power << 5;
    }
};

/// Comparisons of pairs: masks, ones and zeros, a predicate for each half.
struct PairComparisons {
    static constexpr int kBlocks = 1, kThreads = 64;
    __host__ __device__ static unsigned run(int i)
    {
        const float low = (i % 9 - 4) * 0.25f, high = 1.0f - i % 4;
        unsigned mask, ones, halves;
        short narrow;
#if defined(__CUDA_ARCH__)
        unsigned pair, zero = 0;
        asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(pair) : "f"(high), "f"(low));
        asm("set.lt.u32.f16x2 %0, %1, %2;" : "=r"(mask) : "r"(pair), "r"(zero));
        asm("set.ge.f16x2.f16x2 %0, %1, %2;" : "=r"(ones) : "r"(pair), "r"(zero));
        asm("{ .reg .pred p, q; .reg .u32 a; setp.eq.f16x2 p|q, %1, %2; selp.u32 %0, 1, 0, p; selp.u32 a, 2, 0, q; "
            "or.b32 %0, %0, a; }"
            : "=&r"(halves)
            : "r"(pair), "r"(zero));
        asm("set.gtu.s16.f16 %0, %1, %2;" : "=h"(narrow) : "h"((short)pair), "h"((short)zero));
#else
        mask = (low < 0 ? 0xffffu : 0) | (high < 0 ? 0xffff0000u : 0);
        ones = (low >= 0 ? 0x3c00u : 0) | (high >= 0 ? 0x3c000000u : 0);
        halves = (low == 0 ? 1 : 0) | (high == 0 ? 2 : 0);
        narrow = low > 0 ? -1 : 0;
#endif
        return mask ^ ones << 1 ^ halves << 5 ^ (unsigned)narrow << 9;
    }
};

/// 8-bit floats: every exponent, ties and what lies beside them, both signs.
struct Narrow {
    static constexpr int kBlocks = 16, kThreads = 256;
    __host__ __device__ static unsigned run(int i)
    {
        const float value = bitsAsFloat(unsigned(i) << 19 | (i & 1 ? 0u : 0x3ffffu + (i >> 1 & 1)));
        unsigned short codes, rougher;
#if defined(__CUDA_ARCH__)
        unsigned wide, rough;
        asm("cvt.rn.satfinite.e4m3x2.f32 %0, %1, %2;" : "=h"(codes) : "f"(value), "f"(-value));
        asm("cvt.rn.f16x2.e4m3x2 %0, %1;" : "=r"(wide) : "h"(codes));
        asm("cvt.rn.satfinite.e5m2x2.f32 %0, %1, %2;" : "=h"(rougher) : "f"(-value), "f"(value));
        asm("cvt.rn.f16x2.e5m2x2 %0, %1;" : "=r"(rough) : "h"(rougher));
#else
        const auto both = [](float high, float low, __nv_fp8_interpretation_t kind) {
            return static_cast<unsigned short>(__nv_cvt_float_to_fp8(high, __NV_SATFINITE, kind) << 8 |
                                               __nv_cvt_float_to_fp8(low, __NV_SATFINITE, kind));
        };
        const auto halves = [](unsigned short pair, __nv_fp8_interpretation_t kind) {
            return unsigned(__nv_cvt_fp8_to_halfraw(pair >> 8, kind).x) << 16 |
                   __nv_cvt_fp8_to_halfraw(pair & 0xff, kind).x;
        };
        codes = both(value, -value, __NV_E4M3);
        rougher = both(-value, value, __NV_E5M2);
        const unsigned wide = halves(codes, __NV_E4M3), rough = halves(rougher, __NV_E5M2);
#endif
        return value != value ? 0 : codes ^ unsigned(rougher) << 16 ^ wide << 3 ^ rough << 5;
    }

    __host__ __device__ static float bitsAsFloat(unsigned bits) { return __builtin_bit_cast(float, bits); }
};

/// Threads that end before the others vote, and a policy for a cache.
__global__ void together(unsigned* out, const unsigned* in)
{
    const unsigned lane = threadIdx.x;
    unsigned count, all, any;
    asm volatile("{ .reg .pred p; setp.gt.u32 p, %1, 40; bar.red.popc.u32 %0, 0, p; }" : "=r"(count) : "r"(lane));
    asm volatile("{ .reg .pred p; setp.gt.u32 p, %1, 40; bar.red.and.pred p, 0, p; selp.u32 %0, 1, 0, p; }"
                 : "=r"(all)
                 : "r"(lane));
    asm volatile("{ .reg .pred p; setp.gt.u32 p, %1, 40; bar.red.or.pred p, 0, p; selp.u32 %0, 1, 0, p; }"
                 : "=r"(any)
                 : "r"(lane));
    if (lane >= 32)
        asm volatile("exit;");
    unsigned row, column, value;
    unsigned long long policy;
    row = lane / 4 * 8 + lane % 4 * 2;
    row |= (row + 1) << 16;
    asm volatile("movmatrix.sync.aligned.m8n8.trans.b16 %0, %1;" : "=r"(column) : "r"(row));
    asm volatile("createpolicy.fractional.L2::evict_last.b64 %0, 1.0;" : "=l"(policy));
    asm volatile("ld.global.nc.L2::cache_hint.u32 %0, [%1], %2;" : "=r"(value) : "l"(in + lane), "l"(policy));
    out[lane] = column + value + count * 7 + all * 1000 + any * 2000;
    asm volatile("{ .reg .pred p; setp.gt.u32 p, %0, 20; @p exit; }" ::"r"(lane));
    out[32 + lane] = 1;
}

/// A tile's matrices by ldmatrix, and back by stmatrix, some transposed.
__global__ void tiles(unsigned short* out, const unsigned short* in)
{
    __shared__ __align__(16) unsigned short tile[2][16][8];
    const unsigned lane = threadIdx.x;
    for (unsigned i = lane; i < 128; i += 32)
        tile[0][i / 8][i % 8] = in[i];
    __syncwarp();
    const unsigned from = (unsigned)__cvta_generic_to_shared(tile[0][lane % 16]);
    const unsigned to = (unsigned)__cvta_generic_to_shared(tile[1][lane % 16]);
    unsigned first, second;
    asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0, %1}, [%2];" : "=r"(first), "=r"(second) : "r"(from));
    asm volatile("stmatrix.sync.aligned.m8n8.x2.trans.shared.b16 [%0], {%1, %2};" ::"r"(to), "r"(second), "r"(first)
                 : "memory");
    __syncwarp();
    for (unsigned i = lane; i < 128; i += 32)
        out[i] = tile[1][i / 8][i % 8];
    __syncwarp();
    asm volatile("stmatrix.sync.aligned.m8n8.x1.shared.b16 [%0], {%1};" ::"r"(to), "r"(second) : "memory");
    __syncwarp();
    for (unsigned i = lane; i < 64; i += 32)
        out[128 + i] = tile[1][i / 8][i % 8];
}

int checkTiles()
{
    unsigned short host[128], result[192], *in, *out;
    for (unsigned short i = 0; i < 128; ++i)
        host[i] = i;
    cudaMalloc(&in, sizeof host);
    cudaMalloc(&out, sizeof result);
    cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice);
    tiles<<<1, 32>>>(out, in);
    cudaMemcpy(result, out, sizeof result, cudaMemcpyDeviceToHost);
    int wrong = 0;
    for (int i = 0; i < 128; ++i)
        wrong += result[i] != (i < 64 ? 64 : 0) + i % 8 * 8 + i % 64 / 8;
    for (int i = 0; i < 64; ++i)
        wrong += result[128 + i] != 64 + i;
    printf("tiles: %s\n", wrong ? "wrong" : "right");
    return wrong;
}

int main()
{
    int wrong = checkCase<Bits, unsigned long long>("bits") + checkCase<Extremes, unsigned>("extremes") +
                checkCase<Pairs, unsigned>("pairs") + checkCase<PairComparisons, unsigned>("pairs compared") +
                checkCase<Narrow, unsigned>("narrow");
    unsigned *in, *out, result[64], host[32];
    for (unsigned i = 0; i < 32; ++i)
        host[i] = i * i;
    cudaMalloc(&in, sizeof host);
    cudaMalloc(&out, sizeof result);
    cudaMemset(out, 0, sizeof result);
    cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice);
    together<<<1, 64>>>(out, in);
    cudaMemcpy(result, out, sizeof result, cudaMemcpyDeviceToHost);
    for (unsigned i = 0; i < 32; ++i) {
        const unsigned first = i % 4 * 2 * 8 + i / 4;
        wrong += result[i] != (first | (first + 8) << 16) + i * i + 23 * 7 + 2000;
        wrong += result[32 + i] != (i <= 20);
    }
    printf("together: %s\n", wrong ? "wrong" : "right");
    return wrong + checkTiles();
}
