// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A barrier in a loop that threads leave at different rounds.
#include <cstdio>

__global__ void rounds(int* v)
{
    __shared__ int s[32];
    int t = threadIdx.x;
    s[t] = v[t];
    __syncthreads();
#ifdef FIXED
    for (int r = 0; r < 4; ++r) {
#else
    for (int r = 0; r < 1 + t % 4; ++r) {
#endif
        int next = s[(t + 1) % 32];
        __syncthreads();  // expect: divergent-barrier
        s[t] = next;
        __syncthreads();
    }
    __syncthreads();
    v[t] = s[t];
}

int main()
{
    int h[32], *v;
    for (int i = 0; i < 32; ++i) h[i] = i;
    cudaMalloc(&v, sizeof h);
    cudaMemcpy(v, h, sizeof h, cudaMemcpyHostToDevice);
    rounds<<<1, 32>>>(v);
    cudaMemcpy(h, v, sizeof h, cudaMemcpyDeviceToHost);
    printf("%d\n", h[0]);
    cudaFree(v);
}
