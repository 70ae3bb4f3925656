// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Threads leave a loop with a barrier after different rounds, and return: as if they had returned within it.
#include <cstdio>

__global__ void pointerJumping(int* next, int n)
{
    int i = threadIdx.x;
#ifdef FIXED
    for (int round = 0; round < 5; ++round) {
        int further = next[next[i]];
        __syncthreads();
        next[i] = further;
        __syncthreads();
    }
#else
    if (i < n) {
        while (i < n - 1 && next[i] != n - 1) {
            int further = next[next[i]];
            __syncthreads();  // expect: divergent-barrier warning
            next[i] = further;
            __syncthreads();  // expect: divergent-barrier warning
        }
    }
#endif
}

int main()
{
    constexpr int n = 32;
    int h[n], *next;
    for (int i = 0; i < n; ++i)
        h[i] = i + 1 < n ? i + 1 : i;
    cudaMalloc(&next, sizeof h);
    cudaMemcpy(next, h, sizeof h, cudaMemcpyHostToDevice);
    pointerJumping<<<1, n>>>(next, n);
    cudaMemcpy(h, next, sizeof h, cudaMemcpyDeviceToHost);
    printf("%d\n", h[0]);
    cudaFree(next);
}
