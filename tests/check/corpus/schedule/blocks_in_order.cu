// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Each block adds what the block before it left: right only while blocks run in order.
// check: --explore 3
#include <cstdio>

__global__ void running_sum(int* sums, const int* in)
{
    if (threadIdx.x == 0) {
#ifdef FIXED
        int sum = 0;
        for (int b = 0; b <= blockIdx.x; ++b) sum += in[b];
        sums[blockIdx.x] = sum;
#else
        int before = blockIdx.x ? sums[blockIdx.x - 1] : 0;
        sums[blockIdx.x] = before + in[blockIdx.x];  // expect: global-race, result-depends-on-schedule
#endif
    }
}

int main()
{
    int h[8], *in, *sums;
    for (int i = 0; i < 8; ++i) h[i] = i + 1;
    cudaMalloc(&in, sizeof h);
    cudaMalloc(&sums, sizeof h);
    cudaMemcpy(in, h, sizeof h, cudaMemcpyHostToDevice);
    cudaMemset(sums, 0, sizeof h);
    running_sum<<<8, 32>>>(sums, in);
    cudaMemcpy(h, sums, sizeof h, cudaMemcpyDeviceToHost);
    printf("%d\n", h[7]);
    cudaFree(in);
    cudaFree(sums);
}
