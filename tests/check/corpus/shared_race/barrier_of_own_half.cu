// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Each half of the block has a barrier of its own, but reads what the other half wrote.
#include <cstdio>

__global__ void swap(int* out)
{
    __shared__ int cells[128];
    int t = threadIdx.x;
    cells[t] = t * t;
    asm volatile("bar.sync %0, 64;" ::"r"(1 + t / 64) : "memory");
#ifdef FIXED
    out[t] = cells[t / 64 * 64 + (t + 32) % 64];
#else
    out[t] = cells[(t + 64) % 128];  // expect: shared-race
#endif
}

int main()
{
    int h[128], *out;
    cudaMalloc(&out, sizeof h);
    swap<<<1, 128>>>(out);
    cudaMemcpy(h, out, sizeof h, cudaMemcpyDeviceToHost);
    printf("%d\n", h[3]);
    cudaFree(out);
}
