// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Half of the blocks never come to the grid's barrier: on a GPU the others wait for ever.
#include <cooperative_groups.h>
#include <cstdio>

__global__ void halve(int* v)
{
    cooperative_groups::grid_group grid = cooperative_groups::this_grid();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
#ifndef FIXED
    if (blockIdx.x % 2) return;
#endif
    int x = v[(i + blockDim.x) % grid.size()];
    grid.sync();  // expect: barrier-deadlock
    v[i] = x / 2;
}

int main()
{
    int h[128], *v;
    for (int i = 0; i < 128; ++i) h[i] = i;
    cudaMalloc(&v, sizeof h);
    cudaMemcpy(v, h, sizeof h, cudaMemcpyHostToDevice);
    void* arguments[] = {&v};
    cudaLaunchCooperativeKernel((void*)halve, dim3(4), dim3(32), arguments, 0, 0);
    if (cudaDeviceSynchronize() != cudaSuccess) printf("failed\n");
    cudaFree(v);
    return 0;
}
