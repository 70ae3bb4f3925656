// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An atomic whose index comes from data that is larger than the table.
#include <cstdio>

__global__ void count(const int* keys, int n, int* table, int bins)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        int k = keys[i];
#ifdef FIXED
        if (k < bins)
#endif
            atomicAdd(&table[k], 1);  // expect: out-of-bounds
    }
}

int main()
{
    int h[60], *keys, *table;
    for (int i = 0; i < 60; ++i) h[i] = i % 11;
    cudaMalloc(&keys, sizeof h);
    cudaMalloc(&table, 10 * sizeof(int));
    cudaMemset(table, 0, 10 * sizeof(int));
    cudaMemcpy(keys, h, sizeof h, cudaMemcpyHostToDevice);
    count<<<2, 32>>>(keys, 60, table, 10);
    int r[10];
    cudaMemcpy(r, table, sizeof r, cudaMemcpyDeviceToHost);
    printf("%d\n", r[0]);
    cudaFree(keys);
    cudaFree(table);
}
