// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Three stages filled by groups of cp.async, two of which are under way while the third is read; five tiles.
#include <cuda_pipeline.h>

#include <cstdio>

constexpr int STAGES = 3;
constexpr int TILES = 5;
constexpr int THREADS = 64;

__global__ void sums(float* out, const float4* in)
{
    __shared__ float4 tile[STAGES][THREADS];
    for (int next = 0; next < STAGES - 1; ++next) {
        __pipeline_memcpy_async(&tile[next][threadIdx.x], &in[next * THREADS + threadIdx.x], sizeof(float4));
        __pipeline_commit();
    }
    float sum = 0;
    for (int i = 0; i < TILES; ++i) {
        __pipeline_wait_prior(STAGES - 2);
        __syncthreads();
        if (const int next = i + STAGES - 1; next < TILES)
            __pipeline_memcpy_async(&tile[next % STAGES][threadIdx.x], &in[next * THREADS + threadIdx.x],
                                    sizeof(float4));
        __pipeline_commit();
        const float4 value = tile[i % STAGES][THREADS - 1 - threadIdx.x];
        sum += value.x + value.y + value.z + value.w;
    }
    out[threadIdx.x] = sum;
}

int main()
{
    float host[TILES * THREADS * 4], sum[THREADS], *out;
    float4* in;
    for (int i = 0; i < TILES * THREADS * 4; ++i)
        host[i] = i % 7;
    cudaMalloc(&in, sizeof host);
    cudaMalloc(&out, sizeof sum);
    cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice);
    sums<<<1, THREADS>>>(out, in);
    cudaMemcpy(sum, out, sizeof sum, cudaMemcpyDeviceToHost);
    printf("%g %g\n", sum[0], sum[THREADS - 1]);
    cudaFree(in);
    cudaFree(out);
}
