// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Inline PTX against plain C++: arithmetic, bits, predicates, memory with hints, shuffles, asynchronous copies, and
// a tensor-core product with ldmatrix.
#include "check.h"

#include <cuda_bf16.h>
#include <cuda_fp16.h>

struct Arithmetic {
    static constexpr int kBlocks = 2, kThreads = 64;
    __host__ __device__ static unsigned long long run(int i)
    {
        const unsigned x = i * 2654435761u, y = i * 40503u + 17;
        unsigned lop, perm, bfe, bfi, mad, hi, low, high, shf;
        unsigned long long wide;
        int signedField, selected;
#if defined(__CUDA_ARCH__)
        asm("lop3.b32 %0, %1, %2, %3, 0xE8;" : "=r"(lop) : "r"(x), "r"(y), "r"(x >> 3));
        asm("prmt.b32 %0, %1, %2, %3;" : "=r"(perm) : "r"(x), "r"(y), "r"(0x7531u));
        asm("bfe.u32 %0, %1, %2, %3;" : "=r"(bfe) : "r"(x), "r"(5), "r"(9));
        asm("bfe.s32 %0, %1, 3, 7;" : "=r"(signedField) : "r"(x));
        asm("bfi.b32 %0, %1, %2, 8, 12;" : "=r"(bfi) : "r"(y), "r"(x));
        asm("mad.lo.u32 %0, %1, %2, %3;" : "=r"(mad) : "r"(x), "r"(y), "r"(7u));
        asm("mul.hi.u32 %0, %1, %2;" : "=r"(hi) : "r"(x), "r"(y));
        asm("mul.wide.u32 %0, %1, %2;" : "=l"(wide) : "r"(x), "r"(y));
        asm("{\n\t"
            "add.cc.u32 %0, %2, %3;\n\t"
            "addc.u32 %1, %2, 0; // with the carry\n"
            "}"
            : "=r"(low), "=r"(high)
            : "r"(x), "r"(y));
        asm("shf.l.wrap.b32 %0, %1, %2, %3;" : "=r"(shf) : "r"(x), "r"(y), "r"(11));
        asm("{ .reg .pred p; setp.gt.u32 p, %1, %2; selp.s32 %0, 10, -10, p; @!p add.s32 %0, %0, 3; }"
            : "=r"(selected)
            : "r"(x), "r"(y));
#else
        const unsigned z = x >> 3;
        lop = (x & y) | (x & z) | (y & z);
        perm = (x >> 8 & 0xff) | (x >> 24 & 0xff) << 8 | (y >> 8 & 0xff) << 16 | (y >> 24) << 24;
        bfe = x >> 5 & 0x1ff;
        signedField = int(x << 22) >> 25;
        bfi = (x & ~0xfff00u) | (y & 0xfff) << 8;
        mad = x * y + 7;
        wide = (unsigned long long)x * y;
        hi = unsigned(wide >> 32);
        low = x + y;
        high = x + (low < x);
        shf = y << 11 | x >> 21;
        selected = x > y ? 10 : -7;
#endif
        return lop ^ (unsigned long long)perm << 7 ^ (unsigned long long)bfe << 14 ^ (unsigned long long)bfi << 19 ^
               (unsigned long long)mad << 23 ^ (unsigned long long)hi << 29 ^ wide ^ (unsigned long long)low << 11 ^
               (unsigned long long)high << 31 ^ (unsigned long long)shf << 3 ^
               (unsigned long long)(signedField * 1000 + selected);
    }
};

/// The same on each byte or half of a word, or on one of them.
struct Video {
    static constexpr int kBlocks = 2, kThreads = 64;
    __host__ __device__ static int byteOf(unsigned word, int i) { return word >> (8 * i) & 0xff; }
    __host__ __device__ static int halfOf(unsigned word, int i) { return short(word >> (16 * i)); }
    __host__ __device__ static int clamped(int x, int low, int high) { return x < low ? low : x > high ? high : x; }
    __host__ __device__ static unsigned long long run(int i)
    {
        const unsigned x = i * 2654435761u, y = i * 40503u * 77777u + 17;
        unsigned distance, least, sum, average, set, one, placed, left;
        int saturated, right, scaled;
#if defined(__CUDA_ARCH__)
        asm("vshl.u32.u32.u32.clamp.add %0, %1, %2, %3;" : "=r"(left) : "r"(x), "r"(y & 63), "r"(7u));
        asm("vmad.s32.s32.u32.shr7 %0, %1.h1, %2.b3, %3;" : "=r"(scaled) : "r"(x), "r"(y), "r"(x));
        asm("vshr.s32.s32.u32.wrap %0, %1, %2;" : "=r"(right) : "r"(x), "r"(y));
        asm("vabsdiff4.u32.u32.u32.add %0, %1, %2, %3;" : "=r"(distance) : "r"(x), "r"(y), "r"(9u));
        asm("vmin4.u32.u32.u32 %0, %1, %2, %3;" : "=r"(least) : "r"(x), "r"(y), "r"(0u));
        asm("vadd2.s32.s32.s32.sat %0, %1, %2, %3;" : "=r"(sum) : "r"(x), "r"(y), "r"(0u));
        asm("vavrg4.u32.u32.u32 %0, %1, %2, %3;" : "=r"(average) : "r"(x), "r"(y), "r"(0u));
        asm("vset4.u32.u32.gt %0, %1, %2, %3;" : "=r"(set) : "r"(x), "r"(y), "r"(0u));
        asm("vabsdiff.u32.u32.u32.add %0, %1.b1, %2.b3, %3;" : "=r"(one) : "r"(x), "r"(y), "r"(100u));
        asm("vsub.s32.s32.s32.sat %0, %1, %2;" : "=r"(saturated) : "r"(x), "r"(y));
        asm("vadd.u32.u32.u32 %0.b2, %1.b0, %2.b0, %3;" : "=r"(placed) : "r"(x), "r"(y), "r"(0x11223344u));
#else
        left = (y & 32 ? 0 : x << (y & 31)) + 7;
        right = int(x) >> (y & 31);
        scaled = int(((long long)halfOf(x, 1) * byteOf(y, 3) + int(x)) >> 7);
        distance = 9, least = sum = average = set = 0;
        for (int k = 0; k < 4; ++k) {
            const int a = byteOf(x, k), b = byteOf(y, k);
            distance += a > b ? a - b : b - a;
            least |= unsigned(a < b ? a : b) << (8 * k);
            average |= unsigned(a + b + 1) / 2 << (8 * k);
            set |= unsigned(a > b) << (8 * k);
        }
        for (int k = 0; k < 2; ++k)
            sum |= unsigned(clamped(halfOf(x, k) + halfOf(y, k), -32768, 32767) & 0xffff) << (16 * k);
        const int a = byteOf(x, 1), b = byteOf(y, 3);
        one = 100 + (a > b ? a - b : b - a);
        const long long difference = (long long)int(x) - int(y);
        saturated = difference > 0x7fffffff      ? 0x7fffffff
                    : difference < -2147483648ll ? int(0x80000000)
                                                 : int(difference);
        placed = 0x11003344u | ((byteOf(x, 0) + byteOf(y, 0)) & 0xffu) << 16;
#endif
        return distance ^ (unsigned long long)least << 5 ^ (unsigned long long)sum << 11 ^
               (unsigned long long)average << 17 ^ (unsigned long long)set << 23 ^ (unsigned long long)one << 29 ^
               (unsigned long long)saturated << 7 ^ (unsigned long long)placed << 31 ^ (unsigned long long)left << 3 ^
               (unsigned long long)(unsigned)right << 13 ^ (unsigned long long)(unsigned)scaled << 19;
    }
};

/// Two halves in a word.
struct Packed {
    static constexpr int kBlocks = 1, kThreads = 64;
    __host__ __device__ static unsigned run(int i)
    {
        const float a = i * 0.37f - 9, b = 3.0f / (i + 1);
        unsigned pair, sum, brain;
#if defined(__CUDA_ARCH__)
        asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(pair) : "f"(a), "f"(b));
        asm("add.rn.f16x2 %0, %1, %1;" : "=r"(sum) : "r"(pair));
        asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(brain) : "f"(a), "f"(b));
#else
        const auto word = [](unsigned short high, unsigned short low) { return unsigned(high) << 16 | low; };
        const __half ha = __float2half(a), hb = __float2half(b);
        pair = word(__half_as_ushort(ha), __half_as_ushort(hb));
        sum = word(__half_as_ushort(__float2half(2 * __half2float(ha))),
                   __half_as_ushort(__float2half(2 * __half2float(hb))));
        brain = word(__bfloat16_as_ushort(__float2bfloat16(a)), __bfloat16_as_ushort(__float2bfloat16(b)));
#endif
        return pair ^ sum << 3 ^ brain >> 5;
    }
};

struct Floats {
    static constexpr int kBlocks = 1, kThreads = 64;
    __host__ __device__ static float run(int i)
    {
        const float x = i * 0.375f + 0.125f, y = 11.0f - i;
        float fused, clipped;
        int whole;
#if defined(__CUDA_ARCH__)
        asm("fma.rn.f32 %0, %1, %2, %3;" : "=f"(fused) : "f"(x), "f"(y), "f"(0.25f));
        asm("mul.sat.f32 %0, %1, 0f3F000000;" : "=f"(clipped) : "f"(y));
        asm("cvt.rni.s32.f32 %0, %1;" : "=r"(whole) : "f"(x));
#else
        fused = __builtin_fmaf(x, y, 0.25f);
        clipped = y * 0.5f;
        clipped = clipped < 0.0f ? 0.0f : clipped > 1.0f ? 1.0f : clipped;
        whole = int(__builtin_rintf(x));
#endif
        return fused + clipped + whole;
    }
};

__global__ void lanes(unsigned* out, const float4* in)
{
    unsigned lane, below, active, sum, warp;
    asm volatile("mov.u32 %0, %%laneid;" : "=r"(lane));
    asm volatile("mov.u32 %0, %%lanemask_lt;" : "=r"(below));
    asm volatile("activemask.b32 %0;" : "=r"(active));
    asm volatile("mov.u32 %0, %%warpid;" : "=r"(warp));
    asm volatile("shfl.sync.bfly.b32 %0, %1, 1, 0x1f, 0xffffffff;" : "=r"(sum) : "r"(lane * 3));
    float4 v;
    asm volatile("ld.global.nc.L1::no_allocate.v4.f32 {%0, %1, %2, %3}, [%4];"
                 : "=f"(v.x), "=f"(v.y), "=f"(v.z), "=f"(v.w)
                 : "l"(in + lane));
    __shared__ __align__(16) float4 copy[32];
    const unsigned to = (unsigned)__cvta_generic_to_shared(&copy[lane]);
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;\n" ::"r"(to), "l"(in + 31 - lane));
    asm volatile("cp.async.commit_group;\ncp.async.wait_group 0;" ::: "memory");
    __syncthreads();
    unsigned old = 0;
    if (lane < 7)
        asm volatile("atom.global.add.u32 %0, [%1], %2;" : "=r"(old) : "l"(out + 32), "r"(lane) : "memory");
    asm volatile("{ .reg .pred p; setp.eq.u32 p, %0, 5; @p st.global.u32 [%1], 77; }" ::"r"(lane), "l"(out + 33));
    out[lane] = lane + __popc(below) + __popc(active) + sum + unsigned(v.x + v.w) + unsigned(copy[lane].y) + warp;
}

/// D = A B + C with one 16×8×16 product; A comes by ldmatrix.
__global__ void product(float* d, const half* a, const half* b)
{
    __shared__ __align__(16) half tile[16][16];
    const int lane = threadIdx.x, g = lane / 4, t = lane % 4;
    for (int i = lane; i < 256; i += 32)
        tile[i / 16][i % 16] = a[i];
    __syncthreads();
    unsigned ra[4], rb[2];
    const unsigned row = (unsigned)__cvta_generic_to_shared(&tile[lane % 16][lane / 16 * 8]);
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
                 : "=r"(ra[0]), "=r"(ra[1]), "=r"(ra[2]), "=r"(ra[3])
                 : "r"(row));
    for (int r = 0; r < 2; ++r) {
        const half2 pair(b[(r * 8 + 2 * t) * 8 + g], b[(r * 8 + 2 * t + 1) * 8 + g]);
        rb[r] = __builtin_bit_cast(unsigned, pair);
    }
    float c[4] = {1, 1, 1, 1};
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, "
                 "{%0,%1,%2,%3};"
                 : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
                 : "r"(ra[0]), "r"(ra[1]), "r"(ra[2]), "r"(ra[3]), "r"(rb[0]), "r"(rb[1]));
    d[g * 8 + 2 * t] = c[0];
    d[g * 8 + 2 * t + 1] = c[1];
    d[(g + 8) * 8 + 2 * t] = c[2];
    d[(g + 8) * 8 + 2 * t + 1] = c[3];
}

int checkProduct()
{
    half a[256], b[128];
    float d[128];
    for (int i = 0; i < 256; ++i)
        a[i] = __float2half(float(i % 7) - 3.0f);
    for (int i = 0; i < 128; ++i)
        b[i] = __float2half(float(i % 5) * 0.5f);
    half *da, *db;
    float* dd;
    cudaMalloc(&da, sizeof a);
    cudaMalloc(&db, sizeof b);
    cudaMalloc(&dd, sizeof d);
    cudaMemcpy(da, a, sizeof a, cudaMemcpyHostToDevice);
    cudaMemcpy(db, b, sizeof b, cudaMemcpyHostToDevice);
    product<<<1, 32>>>(dd, da, db);
    cudaMemcpy(d, dd, sizeof d, cudaMemcpyDeviceToHost);
    int wrong = 0;
    for (int row = 0; row < 16; ++row)
        for (int column = 0; column < 8; ++column) {
            float sum = 1;
            for (int k = 0; k < 16; ++k)
                sum += __half2float(a[row * 16 + k]) * __half2float(b[k * 8 + column]);
            wrong += sum != d[row * 8 + column];
        }
    printf("product: %s\n", wrong ? "wrong" : "right");
    return wrong != 0;
}

int main()
{
    int wrong = checkCase<Arithmetic, unsigned long long>("arithmetic") +
                checkCase<Video, unsigned long long>("video") + checkCase<Packed, unsigned>("packed") +
                checkCase<Floats, float>("floats");
    float4 host[32];
    for (int i = 0; i < 32; ++i)
        host[i] = {float(i), float(i * 2), 0.0f, float(i * 3)};
    float4* in;
    unsigned *out, result[34];
    cudaMalloc(&in, sizeof host);
    cudaMalloc(&out, sizeof result);
    cudaMemset(out, 0, sizeof result);
    cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice);
    lanes<<<1, 32>>>(out, in);
    cudaMemcpy(result, out, sizeof result, cudaMemcpyDeviceToHost);
    for (unsigned i = 0; i < 32; ++i)
        wrong += result[i] != i + i + 32 + (i ^ 1) * 3 + i * 4 + (31 - i) * 2;
    printf("lanes: %d, sum %u, %u\n", wrong, result[32], result[33]);
    return wrong + checkProduct();
}
