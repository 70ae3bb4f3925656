// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// cudaMalloc(n) where n * sizeof(float) is meant.
#include <cstdio>

__global__ void ones(float* p, int n)
{
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        p[i] = 1.0f;  // expect: out-of-bounds
}

int main()
{
    int n = 128;
    float* p;
#ifdef FIXED
    cudaMalloc(&p, n * sizeof(float));
#else
    cudaMalloc(&p, n);
#endif
    ones<<<1, 32>>>(p, n);
    cudaDeviceSynchronize();
    cudaFree(p);
    return 0;
}
