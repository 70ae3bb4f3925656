// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Read through the cache that nobody keeps coherent, of what the kernel itself wrote.
#include <cuda_runtime.h>
__global__ void two_passes(float* x, float* y, int n)
{
    int i = threadIdx.x;
    x[i] = i * 2.0f;
    __syncthreads();
#ifdef FIXED
    y[i] = x[(i + 1) % n];
#else
    y[i] = __ldg(&x[(i + 1) % n]);  // expect: global-race error
#endif
}
int main()
{
    float *x, *y;
    cudaMalloc(&x, 256);
    cudaMalloc(&y, 256);
    two_passes<<<1, 64>>>(x, y, 64);
    cudaFree(x);
    cudaFree(y);
}
