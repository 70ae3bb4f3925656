// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Each warp reads a row of counters that the next one may already be counting in.
#include <cstdio>

constexpr int kWidth = 32, kRows = 4;

__global__ void count(int* out, const int* in)
{
    __shared__ int bins[kRows][kWidth];
    const int x = threadIdx.x, y = threadIdx.y;
    bins[y][x] = 0;
    __syncthreads();
    const int before = bins[y][kWidth - 1 - x];
#ifdef FIXED
    __syncthreads();
#endif
    atomicAdd(&bins[(y + 1) % kRows][in[y * kWidth + x]], before + 1);  // expect: shared-race
    __syncthreads();
    out[y * kWidth + x] = bins[y][x];
}

int main()
{
    int h[kRows * kWidth], *in, *out;
    for (int i = 0; i < kRows * kWidth; ++i)
        h[i] = i % kWidth;
    cudaMalloc(&in, sizeof(h));
    cudaMalloc(&out, sizeof(h));
    cudaMemcpy(in, h, sizeof(h), cudaMemcpyHostToDevice);
    count<<<1, dim3(kWidth, kRows)>>>(out, in);
    cudaMemcpy(h, out, sizeof(h), cudaMemcpyDeviceToHost);
    printf("%d\n", h[0]);
    cudaFree(in);
    cudaFree(out);
}
