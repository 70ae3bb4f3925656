// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The fill stops a byte early. Twice a signed number is a product, however it is computed; moving bytes is a copy.
#include <cstdio>

__global__ void twice(const int* a, int* b, unsigned* moved, int n)
{
    int i = threadIdx.x;
    if (i >= n) return;
    b[i] = a[i] * 2;  // expect: uninitialised-read count=1
    moved[i] = static_cast<unsigned>(a[i]) << 8;
}

int main()
{
    const int n = 50;
    int *a, *b;
    unsigned* moved;
    cudaMalloc(&a, n * sizeof(int));
    cudaMalloc(&b, n * sizeof(int));
    cudaMalloc(&moved, n * sizeof(int));
#ifdef FIXED
    cudaMemset(a, 0, n * sizeof(int));
#else
    cudaMemset(a, 0, n * sizeof(int) - 1);
#endif
    twice<<<1, 64>>>(a, b, moved, n);
    cudaDeviceSynchronize();
    cudaFree(a);
    cudaFree(b);
    cudaFree(moved);
    return 0;
}
