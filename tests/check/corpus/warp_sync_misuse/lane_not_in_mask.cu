// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A shuffle in a branch with the full mask: lanes that the mask names never come.
#include <cstdio>

__global__ void neighbour(int* out)
{
    int t = threadIdx.x;
    int v = t * t;
#ifdef FIXED
    int right = __shfl_down_sync(0xffffffffu, v, 1);
    if (t < 16)
        out[t] = right;
#else
    if (t < 16)
        out[t] = __shfl_down_sync(0xffffffffu, v, 1);  // expect: warp-sync-misuse
    __syncwarp();
#endif
}

int main()
{
    int h[16], *out;
    cudaMalloc(&out, sizeof h);
    neighbour<<<1, 32>>>(out);
    cudaMemcpy(h, out, sizeof h, cudaMemcpyDeviceToHost);
    printf("%d\n", h[3]);
    cudaFree(out);
}
