// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The buffer is freed one launch too early.
#include <cstdio>

__global__ void inc(int* p) { p[threadIdx.x] += 1; }  // expect: use-after-free error

int main()
{
    int *p, h[32];
    cudaMalloc(&p, sizeof h);
    cudaMemset(p, 0, sizeof h);
    inc<<<1, 32>>>(p);
#ifdef FIXED
    inc<<<1, 32>>>(p);
    cudaMemcpy(h, p, sizeof h, cudaMemcpyDeviceToHost);
    cudaFree(p);
#else
    cudaMemcpy(h, p, sizeof h, cudaMemcpyDeviceToHost);
    cudaFree(p);
    inc<<<1, 32>>>(p);
#endif
    cudaDeviceSynchronize();
    printf("%d\n", h[0]);
}
