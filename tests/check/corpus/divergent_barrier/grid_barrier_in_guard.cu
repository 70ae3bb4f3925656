// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The threads past the end return before the grid's barrier.
#include <cooperative_groups.h>
#include <cstdio>

__global__ void shift(int* v, int n)
{
    cooperative_groups::grid_group grid = cooperative_groups::this_grid();
    int i = grid.thread_rank();
#ifdef FIXED
    int x = i < n ? v[(i + 1) % n] : 0;
    grid.sync();
    if (i < n) v[i] = x;
#else
    if (i >= n) return;
    int x = v[(i + 1) % n];
    grid.sync();  // expect: divergent-barrier warning
    v[i] = x;
#endif
}

int main()
{
    int h[50], *v, n = 50;
    for (int i = 0; i < 50; ++i) h[i] = i;
    cudaMalloc(&v, sizeof h);
    cudaMemcpy(v, h, sizeof h, cudaMemcpyHostToDevice);
    void* arguments[] = {&v, &n};
    cudaLaunchCooperativeKernel((void*)shift, dim3(2), dim3(32), arguments, 0, 0);
    cudaMemcpy(h, v, sizeof h, cudaMemcpyDeviceToHost);
    cudaFree(v);
    return h[49] == 0 ? 0 : 1;
}
