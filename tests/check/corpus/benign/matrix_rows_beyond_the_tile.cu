// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A product on tensor cores takes 16 rows of which 12 were filled; of the others no sum is used.
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <cstdint>
#include <cstdio>

constexpr int ROWS = 12;

__device__ uint32_t pair(const __half* at) { return *reinterpret_cast<const uint32_t*>(at); }

__global__ void work(float* out)
{
    __shared__ alignas(16) __half a[16 * 16], b[8 * 16];
    const int group = threadIdx.x / 4, member = threadIdx.x % 4;
    for (int i = threadIdx.x; i < ROWS * 16; i += 32)
        a[i] = __float2half(1.0f);
    for (int i = threadIdx.x; i < 8 * 16; i += 32)
        b[i] = __float2half(2.0f);
    __syncthreads();
    uint32_t left[4], right[2];
    for (int i = 0; i < 4; ++i)
        left[i] = pair(&a[(group + i % 2 * 8) * 16 + member * 2 + i / 2 * 8]);
    for (int i = 0; i < 2; ++i)
        right[i] = pair(&b[group * 16 + member * 2 + i * 8]);
    float d[4] = {};
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                 : "r"(left[0]), "r"(left[1]), "r"(left[2]), "r"(left[3]), "r"(right[0]), "r"(right[1]));
    for (int i = 0; i < 4; ++i)
        if (group + i / 2 * 8 < ROWS)
            out[(group + i / 2 * 8) * 8 + member * 2 + i % 2] = d[i];
}

int main()
{
    float host[ROWS * 8], *out;
    cudaMalloc(&out, sizeof host);
    work<<<1, 32>>>(out);
    cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
    cudaFree(out);
    printf("%g\n", host[63]);
    return 0;
}
