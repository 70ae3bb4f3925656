// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The descriptor says that rows lie twice as far apart as they do: it leads to memory that nobody wrote.
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <cstdint>
#include <cstdio>

#ifdef FIXED
#define STRIDE 16ull
#else
#define STRIDE 32ull
#endif

/// Rows of 16 halves, in cores of 8 rows of 16 bytes that follow each other: first along k, then along rows.
__device__ uint64_t descriptor(const __half* tile, uint64_t stride)
{
    return uint64_t((uint32_t)__cvta_generic_to_shared(tile) >> 4 & 0x3fff) | 8ull << 16 | stride << 32;
}

__global__ void work(float* out)
{
    __shared__ alignas(128) __half a[STRIDE / 16 * 64 * 16], b[8 * 16];
    float d[4] = {};
    for (int i = threadIdx.x; i < 64 * 16; i += 128)
        a[i] = __float2half(1.0f);
    b[threadIdx.x] = __float2half(2.0f);
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
    asm volatile(  // expect: uninitialised-read
        "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%0, %1, %2, %3}, %4, %5, 1, 1, 1, 0, 0;"
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
        : "l"(descriptor(a, STRIDE)), "l"(descriptor(b, 16)));
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
    asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
    out[threadIdx.x] = d[0] + d[1] + d[2] + d[3];
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
