// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A shared counter that every thread increments without an atomic.
#include <cstdio>

__global__ void count_even(const int* v, int n, int* result)
{
    __shared__ int count;
    if (threadIdx.x == 0) count = 0;
    __syncthreads();
    int i = threadIdx.x;
    if (i < n && v[i] % 2 == 0) {
#ifdef FIXED
        atomicAdd(&count, 1);
#else
        count++;  // expect: shared-race
#endif
    }
    __syncthreads();
    if (threadIdx.x == 0) *result = count;
}

int main()
{
    int h[100], *v, *r, out;
    for (int i = 0; i < 100; i++) h[i] = i;
    cudaMalloc(&v, sizeof h);
    cudaMalloc(&r, sizeof(int));
    cudaMemcpy(v, h, sizeof h, cudaMemcpyHostToDevice);
    count_even<<<1, 128>>>(v, 100, r);
    cudaMemcpy(&out, r, sizeof(int), cudaMemcpyDeviceToHost);
    printf("%d even\n", out);
    cudaFree(v);
    cudaFree(r);
}
