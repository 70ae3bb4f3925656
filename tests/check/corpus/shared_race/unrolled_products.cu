// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The tile is filled again while others still read it; as compiled the reads are a row of multiply-adds.
// check: --as-compiled
#include <cuda_runtime.h>

#include <cstdio>

constexpr int kSize = 16;

__global__ void multiply(const float* a, const float* b, float* out, int tiles)
{
    __shared__ float x[kSize][kSize], y[kSize][kSize];
    const int row = threadIdx.y, column = threadIdx.x;
    float sum = 0;
    for (int tile = 0; tile < tiles; ++tile) {
        x[row][column] = a[(tile * kSize + row) * kSize + column];  // expect: shared-race
        y[row][column] = b[(tile * kSize + row) * kSize + column];  // expect: shared-race
        __syncthreads();
#pragma unroll
        for (int k = 0; k < kSize; ++k)
            sum += x[row][k] * y[k][column];
#ifdef FIXED
        __syncthreads();
#endif
    }
    out[row * kSize + column] = sum;
}

int main()
{
    constexpr int kTiles = 3;
    float *a, *b, *out;
    cudaMallocManaged(&a, kTiles * kSize * kSize * sizeof(float));
    cudaMallocManaged(&b, kTiles * kSize * kSize * sizeof(float));
    cudaMallocManaged(&out, kSize * kSize * sizeof(float));
    for (int i = 0; i < kTiles * kSize * kSize; ++i)
        a[i] = b[i] = float(i % 7);
    multiply<<<1, dim3(kSize, kSize)>>>(a, b, out, kTiles);
    cudaDeviceSynchronize();
    printf("%g\n", out[0]);
    cudaFree(a);
    cudaFree(b);
    cudaFree(out);
    return 0;
}
