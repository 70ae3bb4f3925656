// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A barrier for the grid made of a counter: each block's first thread arrives and waits for the others.
#include <cstdio>

constexpr int kBlocks = 8, kThreads = 64, kRounds = 3;

__device__ unsigned arrived;

__device__ void waitForAll(unsigned target)
{
    __syncthreads();
    if (threadIdx.x == 0) {
#ifdef FIXED
        __threadfence();
#endif
        atomicAdd(&arrived, 1u);
        while (atomicAdd(&arrived, 0u) < target) {
        }
        __threadfence();
    }
    __syncthreads();
}

__global__ void smooth(float* a, float* b, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int round = 0; round < kRounds; ++round) {
        float left = i > 0 ? a[i - 1] : 0;       // expect: global-race, global-race
        float right = i < n - 1 ? a[i + 1] : 0;  // expect: global-race, global-race
        b[i] = 0.5f * (left + right);            // expect: global-race
        waitForAll((round + 1) * gridDim.x);
        float* t = a;
        a = b;
        b = t;
    }
}

int main()
{
    const int n = kBlocks * kThreads;
    float h[n], *a, *b;
    for (int i = 0; i < n; ++i)
        h[i] = float(i % 5);
    cudaMalloc(&a, sizeof h);
    cudaMalloc(&b, sizeof h);
    cudaMemcpy(a, h, sizeof h, cudaMemcpyHostToDevice);
    smooth<<<kBlocks, kThreads>>>(a, b, n);
    cudaMemcpy(h, b, sizeof h, cudaMemcpyDeviceToHost);
    printf("%g\n", h[7]);
    cudaFree(a);
    cudaFree(b);
    return 0;
}
