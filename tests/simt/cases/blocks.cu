// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Blocks that wait for each other: the grid's barrier, a barrier made of an atomic counter, a chain of blocks, a lock,
// and the last block of a reduction.
#include <cooperative_groups.h>

#include <cstdio>

namespace cg = cooperative_groups;

constexpr int kBlocks = 20, kThreads = 64, kCells = kBlocks * kThreads;

__global__ void relax(int* from, int* to, int steps)
{
    cg::grid_group grid = cg::this_grid();
    const int i = grid.thread_rank();
    for (int s = 0; s < steps; ++s) {
        to[i] = from[(i + 1) % kCells] + from[(i + kCells - 1) % kCells];
        grid.sync();
        int* t = from;
        from = to;
        to = t;
    }
}

__global__ void meetByCounting(unsigned* counter, unsigned* out)
{
    if (threadIdx.x == 0) {
        atomicAdd(counter, 1u);
        while (atomicAdd(counter, 0u) < gridDim.x) {
        }
        out[blockIdx.x] = atomicAdd(counter, 0u);
    }
}

/// Each block waits for the one before it.
__global__ void chain(volatile int* flags, volatile int* sums)
{
    if (threadIdx.x == 0) {
        const int b = gridDim.x - 1 - blockIdx.x;  // the last to start is the first of the chain
        int sum = b;
        if (b > 0) {
            while (flags[b - 1] == 0)
                __nanosleep(100);
            __threadfence();
            sum += sums[b - 1];
        }
        sums[b] = sum;
        __threadfence();
        flags[b] = 1;
    }
}

__global__ void locked(int* lock, int* value)
{
    if (threadIdx.x % 32 == 0) {
        bool done = false;
        while (!done) {
            if (atomicCAS(lock, 0, 1) == 0) {
                __threadfence();
                *(volatile int*)value = *(volatile int*)value + 1;
                __threadfence();
                atomicExch(lock, 0);
                done = true;
            }
        }
    }
}

__global__ void histogram(const int* in, unsigned* bins)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < kCells * 8; i += gridDim.x * blockDim.x)
        atomicAdd(&bins[in[i % kCells] % 16], 1u);
}

int main()
{
    int host[kCells], expected[kCells], next[kCells];
    for (int i = 0; i < kCells; ++i)
        host[i] = expected[i] = i % 7;
    int *a, *b;
    cudaMalloc(&a, sizeof host);
    cudaMalloc(&b, sizeof host);
    cudaMemcpy(a, host, sizeof host, cudaMemcpyHostToDevice);
    int steps = 6;
    void* arguments[] = {&a, &b, &steps};
    cudaError_t error = cudaLaunchCooperativeKernel((void*)relax, dim3(kBlocks), dim3(kThreads), arguments, 0, nullptr);
    printf("%s\n", cudaGetErrorString(error));
    cudaMemcpy(host, a, sizeof host, cudaMemcpyDeviceToHost);
    int wrong = 0;
    for (int s = 0; s < steps; ++s) {
        for (int i = 0; i < kCells; ++i)
            next[i] = expected[(i + 1) % kCells] + expected[(i + kCells - 1) % kCells];
        for (int i = 0; i < kCells; ++i)
            expected[i] = next[i];
    }
    for (int i = 0; i < kCells; ++i)
        wrong += host[i] != expected[i];
    printf("relax: %d wrong\n", wrong);

    unsigned *counters, counts[kBlocks + 1];
    cudaMalloc(&counters, sizeof counts);
    cudaMemset(counters, 0, sizeof counts);
    meetByCounting<<<kBlocks, kThreads>>>(counters, counters + 1);
    cudaMemcpy(counts, counters, sizeof counts, cudaMemcpyDeviceToHost);
    printf("counting: %u %u\n", counts[0], counts[kBlocks]);

    int *flags, sums[2 * kBlocks];
    cudaMalloc(&flags, sizeof sums);
    cudaMemset(flags, 0, sizeof sums);
    chain<<<kBlocks, kThreads>>>(flags, flags + kBlocks);
    cudaMemcpy(sums, flags, sizeof sums, cudaMemcpyDeviceToHost);
    printf("chain: %d\n", sums[2 * kBlocks - 1]);

    cudaMemset(flags, 0, sizeof sums);
    locked<<<kBlocks, kThreads>>>(flags, flags + 1);
    cudaMemcpy(sums, flags, sizeof sums, cudaMemcpyDeviceToHost);
    printf("locked: %d\n", sums[1]);

    unsigned *bins, result[16];
    cudaMalloc(&bins, sizeof result);
    cudaMemset(bins, 0, sizeof result);
    histogram<<<kBlocks, kThreads>>>(a, bins);
    cudaMemcpy(result, bins, sizeof result, cudaMemcpyDeviceToHost);
    unsigned total = 0;
    for (unsigned bin : result)
        total += bin;
    printf("histogram: %u\n", total);
    printf("%s\n", cudaGetErrorString(cudaGetLastError()));
}
