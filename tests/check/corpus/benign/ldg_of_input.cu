// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Clean: __ldg of what an earlier kernel wrote, and of a part that this one leaves alone.
#include <cuda_runtime.h>
__global__ void fill(float* x) { x[threadIdx.x] = threadIdx.x; }
__global__ void shift(float* x, int n) { x[threadIdx.x + n] = __ldg(x + threadIdx.x); }
int main()
{
    float* x;
    cudaMalloc(&x, 512);
    fill<<<1, 64>>>(x);
    shift<<<1, 64>>>(x, 64);
    cudaFree(x);
}
