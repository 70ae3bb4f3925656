// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Lanes 16 and up call __syncwarp with a mask that does not name them.
#include <cstdio>

__global__ void halves(int* out)
{
    __shared__ int s[32];
    int t = threadIdx.x;
    s[t] = t;
#ifdef FIXED
    __syncwarp(t < 16 ? 0x0000ffffu : 0xffff0000u);
#else
    __syncwarp(0x0000ffffu);  // expect: warp-sync-misuse
#endif
    out[t] = s[t];
}

int main()
{
    int h[32], *out;
    cudaMalloc(&out, sizeof h);
    halves<<<1, 32>>>(out);
    cudaMemcpy(h, out, sizeof h, cudaMemcpyDeviceToHost);
    printf("%d\n", h[3]);
    cudaFree(out);
}
