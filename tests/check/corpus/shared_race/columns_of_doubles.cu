// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A tile of doubles is filled by rows, a thread each, and read in reverse before all rows are there.
#include <cstdio>

__global__ void flip(double* out)
{
    __shared__ double tile[64][5];
    int t = threadIdx.x;
    for (int k = 0; k < 5; ++k)
        tile[t][k] = t * 5 + k;  // expect: shared-race
#ifdef FIXED
    __syncthreads();
#endif
    double sum = 0;
    for (int k = 0; k < 5; ++k)
        sum += tile[63 - t][k];
    out[t] = sum;
}

int main()
{
    double h[64], *out;
    cudaMalloc(&out, sizeof h);
    flip<<<1, 64>>>(out);
    cudaMemcpy(h, out, sizeof h, cudaMemcpyDeviceToHost);
    printf("%g\n", h[0]);
    cudaFree(out);
}
