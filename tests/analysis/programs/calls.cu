// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Functions that are called from several places, inlined, and by themselves.
#include <cstdio>

__device__ int square(int x)
{
    int value = x * x;
    return value;
}

__forceinline__ __device__ int twice(int x)
{
    int value = square(x);
    value += square(x + 1);
    return value;
}

__device__ int factorial(int n)
{
    int rest = n < 2 ? 1 : factorial(n - 1);
    return n * rest;
}

__global__ void sum(int* out)
{
    int value = threadIdx.x;
    value += square(value);
    if (threadIdx.x < 16)
        value += twice(value);
    out[threadIdx.x] = value;
    value = factorial(4);
    out[threadIdx.x] += value;
}

int main()
{
    int* out;
    cudaMalloc(&out, 32 * sizeof(int));
    sum<<<1, 32>>>(out);
    cudaDeviceSynchronize();
}
