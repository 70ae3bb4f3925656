// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An array of int, written byte by byte: neighbouring bytes belong to different threads.
#include <cstdio>

__device__ void put(unsigned char* bytes, int i, int value)
{
    bytes[i] = value;  // expect: global-race
}

__global__ void spread(int* words)
{
    unsigned char* bytes = (unsigned char*)words;
    put(bytes, threadIdx.x, threadIdx.x);
#ifndef FIXED
    put(bytes, threadIdx.x + 1, 7);
#endif
}

int main()
{
    int h[17], *words;
    cudaMalloc(&words, sizeof h);
    cudaMemset(words, 0, sizeof h);
    spread<<<1, 64>>>(words);
    cudaMemcpy(h, words, sizeof h, cudaMemcpyDeviceToHost);
    printf("%d\n", h[1]);
    cudaFree(words);
}
