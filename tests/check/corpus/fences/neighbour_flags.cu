// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Each thread waits for its two neighbours' flags before it reads what they wrote. At a block's border the neighbour is in
// another block: fence and flag have to be of device scope there.
#include <cstdio>

constexpr int kBlocks = 4, kThreads = 32, kSteps = 3, n = kBlocks * kThreads;

__global__ void step(int* a, int* copy, int* done)
{
    int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    bool border = t == 0 || t == kThreads - 1;
    for (int s = 1; s <= kSteps; ++s) {
        copy[i + (s & 1) * n] = a[i];  // expect: global-race
#ifdef FIXED
        if (border) {
            __threadfence();
            atomicExch(&done[i], s);
        } else {
            __threadfence_block();
            atomicExch_block(&done[i], s);
        }
#else
        __threadfence_block();
        atomicExch(&done[i], s);
#endif
        int left = (i + n - 1) % n, right = (i + 1) % n;
        while (atomicAdd(&done[left], 0) < s) {
        }
        while (atomicAdd(&done[right], 0) < s) {
        }
#ifdef FIXED
        __threadfence();
#endif
        a[i] = copy[left + (s & 1) * n] ^ copy[right + (s & 1) * n];
    }
    (void)border;
}

int main()
{
    int h[n], *a, *copy, *done;
    for (int i = 0; i < n; ++i)
        h[i] = i % 3 == 0;
    cudaMalloc(&a, sizeof h);
    cudaMalloc(&copy, 2 * sizeof h);
    cudaMalloc(&done, sizeof h);
    cudaMemset(done, 0, sizeof h);
    cudaMemcpy(a, h, sizeof h, cudaMemcpyHostToDevice);
    step<<<kBlocks, kThreads>>>(a, copy, done);
    cudaMemcpy(h, a, sizeof h, cudaMemcpyDeviceToHost);
    int sum = 0;
    for (int v : h)
        sum += v;
    printf("%d\n", sum);
    cudaFree(a);
    cudaFree(copy);
    cudaFree(done);
    return 0;
}
