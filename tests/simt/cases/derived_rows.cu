// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An inner product that is unrolled: optimised, its multiply-adds and what is recorded between come in rows. One row of
// the second tile has a NaN. Each tile's sums go to `history`, where they are recorded.
#include <cuda_runtime.h>

#include <cstdio>

constexpr int kSide = 16, kTiles = 4;

__global__ void product(float* history, const float* a, const float* b)
{
    __shared__ float left[kSide][kSide], right[kSide][kSide];
    const int x = threadIdx.x, y = threadIdx.y, thread = y * kSide + x;
    float sum = 0;
    for (int tile = 0; tile < kTiles; ++tile) {
        left[y][x] = a[tile * kSide * kSide + thread];
        right[y][x] = b[tile * kSide * kSide + thread];
        __syncthreads();
        for (int k = 0; k < kSide; ++k)
            sum += left[y][k] * right[k][x];
        history[tile * kSide * kSide + thread] = sum;
        __syncthreads();
        if (sum != sum)
            sum = 1;
    }
}

int main()
{
    constexpr int kCount = kTiles * kSide * kSide;
    float host[kCount];
    for (int i = 0; i < kCount; ++i)
        host[i] = 0.37f * static_cast<float>(i % 29) - 3.1f;
    float *a, *b, *history;
    cudaMalloc(&a, sizeof host);
    cudaMalloc(&b, sizeof host);
    cudaMalloc(&history, sizeof host);
    cudaMemcpy(b, host, sizeof host, cudaMemcpyHostToDevice);
    host[kSide * kSide + 3 * kSide + 5] = 0.0f / 0.0f;
    cudaMemcpy(a, host, sizeof host, cudaMemcpyHostToDevice);
    product<<<1, dim3(kSide, kSide)>>>(history, a, b);
    cudaMemcpy(host, history, sizeof host, cudaMemcpyDeviceToHost);
    int nans = 0;
    for (float value : host)
        nans += value != value;
    std::printf("%d sums are none\n", nans);
}
