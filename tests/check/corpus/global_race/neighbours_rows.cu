// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Each thread has a row of the matrix to itself, so that a warp walks columns; its last word takes the next row's first.
#include <cstdio>

__global__ void relax(float* m, int width)
{
    float* row = m + (blockIdx.x * blockDim.x + threadIdx.x) * width;
    for (int k = 0; k < width; ++k)
        row[k] = row[k] * 0.5f + 1;  // expect: global-race
#ifdef FIXED
    row[width - 1] += row[0];
#else
    row[width - 1] += row[width];
#endif
}

int main()
{
    const int width = 2, rows = 128;
    static float h[(rows + 1) * width];
    float* m;
    cudaMalloc(&m, sizeof h);
    cudaMemcpy(m, h, sizeof h, cudaMemcpyHostToDevice);
    relax<<<2, rows / 2>>>(m, width);
    cudaMemcpy(h, m, sizeof h, cudaMemcpyDeviceToHost);
    printf("%g\n", h[3]);
    cudaFree(m);
}
