// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The sums of a product are added up while it may still be adding to them: what comes out depends on when it is done.
// check: --explore 4
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <cstdint>
#include <cstdio>

/// Rows of 16 halves, in cores of 8 rows of 16 bytes that follow each other: first along k, then along rows.
__device__ uint64_t descriptor(const __half* tile)
{
    return uint64_t((uint32_t)__cvta_generic_to_shared(tile) >> 4 & 0x3fff) | 8ull << 16 | 16ull << 32;
}

__device__ void multiply(float (&d)[4], const __half* a, const __half* b)
{
    asm volatile("wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%0, %1, %2, %3}, %4, %5, 1, 1, 1, 0, 0;" : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]) : "l"(descriptor(a)), "l"(descriptor(b)));
}

__device__ void fill(__half* a, __half* b)
{
    for (int i = threadIdx.x; i < 64 * 16; i += 128)
        a[i] = __float2half(1.0f);
    b[threadIdx.x] = __float2half(2.0f);
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
}

__global__ void work(float* out)
{
    __shared__ alignas(128) __half a[64 * 16], b[8 * 16];
    float d[4] = {};
    fill(a, b);
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
    multiply(d, a, b);
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
#ifdef FIXED
    asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
#endif
    const float sum = d[0] + d[1] + d[2] + d[3];  // expect: async-copy-not-awaited
#ifndef FIXED
    asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
#endif
    out[threadIdx.x] = sum;  // expect: result-depends-on-schedule warning
}

int main()
{
    float host[128], *out;
    cudaMalloc(&out, sizeof host);
    work<<<1, 128>>>(out);
    cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
    cudaFree(out);
    printf("%g\n", host[63]);
    return 0;
}
