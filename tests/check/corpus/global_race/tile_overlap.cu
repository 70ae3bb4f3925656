// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Blocks of 33 outputs, stepping by 32: the seams are written by two blocks with different values.
#include <cstdio>

__global__ void tag(int* out, int n)
{
#ifdef FIXED
    const int width = 32;
#else
    const int width = 33;
#endif
    int i = blockIdx.x * 32 + threadIdx.x;
    if (threadIdx.x < width && i < n)
        out[i] = blockIdx.x;  // expect: global-race
}

int main()
{
    int *out, h[96];
    cudaMalloc(&out, sizeof h);
    tag<<<3, 64>>>(out, 96);
    cudaMemcpy(h, out, sizeof h, cudaMemcpyDeviceToHost);
    printf("%d\n", h[32]);
    cudaFree(out);
}
