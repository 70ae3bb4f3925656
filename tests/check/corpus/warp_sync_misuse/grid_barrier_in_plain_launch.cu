// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A barrier for the grid in a launch that is not cooperative.
#include <cooperative_groups.h>
#include <cstdio>

__global__ void shift(int* v)
{
    cooperative_groups::grid_group grid = cooperative_groups::this_grid();
    int i = grid.thread_rank();
    int x = v[(i + 1) % grid.size()];
    grid.sync();  // expect: warp-sync-misuse
    v[i] = x;
}

int main()
{
    int h[64], *v;
    for (int i = 0; i < 64; ++i) h[i] = i;
    cudaMalloc(&v, sizeof h);
    cudaMemcpy(v, h, sizeof h, cudaMemcpyHostToDevice);
#ifdef FIXED
    void* arguments[] = {&v};
    cudaLaunchCooperativeKernel((void*)shift, dim3(2), dim3(32), arguments, 0, 0);
#else
    shift<<<2, 32>>>(v);
#endif
    if (cudaDeviceSynchronize() != cudaSuccess) printf("failed\n");
    cudaFree(v);
    return 0;
}
