// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sums that are pairs of halves: taking them apart and putting them together again is no use of them, as compilers do it
// where they like; computing with one of a pair is.
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <cstdint>
#include <cstdio>

/// Rows of 16 halves, in cores of 8 rows of 16 bytes that follow each other: first along k, then along rows.
__device__ uint64_t descriptor(const __half* tile)
{
    return uint64_t((uint32_t)__cvta_generic_to_shared(tile) >> 4 & 0x3fff) | 8ull << 16 | 16ull << 32;
}

__device__ void multiply(uint32_t (&d)[2], const __half* a, const __half* b)
{
    asm volatile("wgmma.mma_async.sync.aligned.m64n8k16.f16.f16.f16 {%0, %1}, %2, %3, 1, 1, 1, 0, 0;" : "+r"(d[0]), "+r"(d[1]) : "l"(descriptor(a)), "l"(descriptor(b)));  // expect: async-copy-not-awaited kernel="work<2>"
}

__device__ void fill(__half* a, __half* b)
{
    for (int i = threadIdx.x; i < 64 * 16; i += 128)
        a[i] = __float2half(1.0f);
    b[threadIdx.x] = __float2half(2.0f);
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
}

template <int MISTAKE>
__global__ void work(float* out, int tiles)
{
    __shared__ alignas(128) __half a[64 * 16], b[8 * 16];
    uint32_t sums[2];
    unsigned short low[2] = {}, high[2] = {}, other = 1;
    fill(a, b);
    for (int tile = 0; tile < tiles; ++tile) {
        asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
        for (int i = 0; i < 2; ++i)
            sums[i] = low[i] | high[i] << 16;
        if (MISTAKE == 2 && tile == 1)
            sums[0] = other | high[0] << 16;
        multiply(sums, a, b);
        multiply(sums, a, b);
        asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
        for (int i = 0; i < 2; ++i) {
            low[i] = sums[i] & 0xffff;
            high[i] = sums[i] >> 16;
        }
        if (MISTAKE == 1)
            other = high[1] + 1;  // expect: async-copy-not-awaited kernel="work<1>"
        asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
    }
    for (int i = 0; i < 2; ++i)
        out[threadIdx.x] += __half2float(__ushort_as_half(low[i])) + __half2float(__ushort_as_half(high[i]));
}

int main()
{
    float host[128], *out;
    cudaMalloc(&out, sizeof host);
    cudaMemset(out, 0, sizeof host);
#ifdef FIXED
    work<0><<<1, 128>>>(out, 3);
#else
    work<1><<<1, 128>>>(out, 3);
    work<2><<<1, 128>>>(out, 3);
#endif
    cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
    cudaFree(out);
    printf("%g\n", host[63]);
    return 0;
}
