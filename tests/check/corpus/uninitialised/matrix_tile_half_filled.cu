// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Of the second matrix of a product on tensor cores half the rows were filled: each sum takes something that nobody wrote.
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <cstdint>
#include <cstdio>

#ifdef FIXED
#define FILLED 16
#else
#define FILLED 8
#endif

__device__ uint32_t pair(const __half* at) { return *reinterpret_cast<const uint32_t*>(at); }  // expect: uninitialised-read

__global__ void work(float* out)
{
    __shared__ alignas(16) __half a[16 * 16], b[8 * 16];  // b: by columns
    const int group = threadIdx.x / 4, member = threadIdx.x % 4;
    for (int i = threadIdx.x; i < 16 * 16; i += 32)
        a[i] = __float2half(1.0f);
    for (int i = threadIdx.x; i < 8 * FILLED; i += 32)
        b[i / FILLED * 16 + i % FILLED] = __float2half(2.0f);
    __syncthreads();
    const uint32_t a0 = pair(&a[group * 16 + member * 2]), a1 = pair(&a[(group + 8) * 16 + member * 2]);
    const uint32_t a2 = pair(&a[group * 16 + member * 2 + 8]), a3 = pair(&a[(group + 8) * 16 + member * 2 + 8]);
    const uint32_t b0 = pair(&b[group * 16 + member * 2]);
    const uint32_t b1 = pair(&b[group * 16 + member * 2 + 8]);
    float d[4] = {};
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                 : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "r"(b0), "r"(b1));
    for (int i = 0; i < 4; ++i)
        out[(group + i / 2 * 8) * 8 + member * 2 + i % 2] = d[i];
}

int main()
{
    float host[16 * 8], *out;
    cudaMalloc(&out, sizeof host);
    work<<<1, 32>>>(out);
    cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
    cudaFree(out);
    printf("%g\n", host[63]);
    return 0;
}
