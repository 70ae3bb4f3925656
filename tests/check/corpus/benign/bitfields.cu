// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Bit fields that share a byte, set one by one by their own thread.
#include <cstdio>

struct Flags {
    unsigned red : 3;
    unsigned green : 5;
    unsigned alive : 1;
};

__global__ void paint(Flags* f)
{
    Flags mine;
    mine.red = threadIdx.x % 8;
    mine.green = threadIdx.x % 32;
    mine.alive = 1;
    f[threadIdx.x] = mine;
}

__global__ void count(const Flags* f, int* n)
{
    if (f[threadIdx.x].alive && f[threadIdx.x].red == 3) atomicAdd(n, 1);
}

int main()
{
    Flags* f;
    int *n, r;
    cudaMalloc(&f, 64 * sizeof(Flags));
    cudaMalloc(&n, sizeof(int));
    cudaMemset(n, 0, sizeof(int));
    paint<<<1, 64>>>(f);
    count<<<1, 64>>>(f, n);
    cudaMemcpy(&r, n, sizeof r, cudaMemcpyDeviceToHost);
    cudaFree(f);
    cudaFree(n);
    return r == 8 ? 0 : 1;
}
