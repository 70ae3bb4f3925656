// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Doubles carved out of dynamic shared memory after an odd number of ints.
#include <cstdio>

__global__ void kernel(double* out, int n)
{
    extern __shared__ unsigned char raw[];
    int* counts = (int*)raw;
#ifdef FIXED
    double* sums = (double*)(raw + (n * sizeof(int) + 7) / 8 * 8);
#else
    double* sums = (double*)(counts + n);
#endif
    int t = threadIdx.x;
    counts[t] = t;
    sums[t] = 0.5 * t;             // expect: misaligned
    out[t] = sums[t] + counts[t];  // expect: misaligned
}

int main()
{
    double *out, h[7];
    cudaMalloc(&out, sizeof h);
    kernel<<<1, 7, 7 * sizeof(int) + 4 + 7 * sizeof(double)>>>(out, 7);
    if (cudaMemcpy(h, out, sizeof h, cudaMemcpyDeviceToHost) == cudaSuccess) printf("%g\n", h[6]);
    cudaFree(out);
}
