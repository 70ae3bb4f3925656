// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The grid's barrier at -O0 copies structures of which not all is set, in a loop: nobody asks for what is undefined,
// but it is seen, again and again.
#include <cooperative_groups.h>

#include <cstdio>

__global__ void rotate(int* from, int* to, int steps)
{
    const cooperative_groups::grid_group grid = cooperative_groups::this_grid();
    const int i = static_cast<int>(grid.thread_rank());
    for (int step = 0; step < steps; ++step) {
        to[i] = from[(i + 1) % static_cast<int>(grid.size())];
        grid.sync();
        int* const written = to;
        to = from;
        from = written;
    }
}

int main()
{
    constexpr int kBlocks = 3, kThreads = 64, kCells = kBlocks * kThreads;
    int host[kCells], steps = 6;
    for (int i = 0; i < kCells; ++i)
        host[i] = i;
    int *a, *b;
    cudaMalloc(&a, sizeof host);
    cudaMalloc(&b, sizeof host);
    cudaMemcpy(a, host, sizeof host, cudaMemcpyHostToDevice);
    void* arguments[] = {&a, &b, &steps};
    cudaLaunchCooperativeKernel((void*)rotate, dim3(kBlocks), dim3(kThreads), arguments, 0, nullptr);
    cudaMemcpy(host, a, sizeof host, cudaMemcpyDeviceToHost);
    printf("%d %d %s\n", host[0], host[kCells - 1], cudaGetErrorString(cudaGetLastError()));
}
