// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An assertion about the input that the host does not keep.
#include <cassert>
#include <cmath>
#include <cstdio>

__global__ void root(float* x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        assert(x[i] >= 0);  // expect: assert-failed
        x[i] = sqrtf(x[i]);
    }
}

int main()
{
    float h[40], *x;
#ifdef FIXED
    for (int i = 0; i < 40; ++i) h[i] = i;
#else
    for (int i = 0; i < 40; ++i) h[i] = i - 3;
#endif
    cudaMalloc(&x, sizeof h);
    cudaMemcpy(x, h, sizeof h, cudaMemcpyHostToDevice);
    root<<<2, 32>>>(x, 40);
    cudaError_t error = cudaMemcpy(h, x, sizeof h, cudaMemcpyDeviceToHost);
    printf("%s\n", cudaGetErrorString(error));
    error = cudaFree(x);
    return error == cudaSuccess ? 0 : 1;
}
