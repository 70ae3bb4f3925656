// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A table of functions of which the host filled only the first place.
#include <cstdio>

using Step = float (*)(float);
__device__ float twice(float x) { return 2 * x; }
__device__ float half(float x) { return x / 2; }
__device__ Step steps[2];

__global__ void prepare()
{
    steps[0] = twice;
#ifdef FIXED
    steps[1] = half;
#endif
}

__global__ void apply(float* x)
{
    x[threadIdx.x] = steps[threadIdx.x % 2](x[threadIdx.x]);  // expect: out-of-bounds
}

int main()
{
    float h[32], *x;
    for (int i = 0; i < 32; ++i) h[i] = i;
    cudaMalloc(&x, sizeof h);
    cudaMemcpy(x, h, sizeof h, cudaMemcpyHostToDevice);
    prepare<<<1, 1>>>();
    apply<<<1, 32>>>(x);
    cudaError_t error = cudaDeviceSynchronize();
    printf("%s\n", cudaGetErrorString(error));
    error = cudaFree(x);
    return error == cudaSuccess ? 0 : 1;
}
