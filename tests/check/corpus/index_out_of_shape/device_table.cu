// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A 2-D __device__ table, walked with a column too many.
#include <cstdio>

__device__ float table[4][6];

__global__ void fill(int columns)
{
    int row = threadIdx.x;
    if (row < 3)
        for (int c = 0; c < columns; ++c) table[row][c] = row;  // expect: index-out-of-shape
}

int main()
{
    float h[24] = {};
    cudaMemcpyToSymbol(table, h, sizeof h);
#ifdef FIXED
    fill<<<1, 4>>>(6);
#else
    fill<<<1, 1>>>(7);
#endif
    cudaMemcpyFromSymbol(h, table, sizeof h);
    printf("%g\n", h[6]);
}
