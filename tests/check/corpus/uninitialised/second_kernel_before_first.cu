// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The kernels run in the wrong order: the consumer comes first.
#include <cstdio>

__global__ void produce(int* a) { a[threadIdx.x] = threadIdx.x; }
__global__ void consume(const int* a, int* b)
{
    b[threadIdx.x] = a[threadIdx.x] > 3 ? 1 : 0;  // expect: uninitialised-read
}

int main()
{
    int *a, *b, h[32];
    cudaMalloc(&a, sizeof h);
    cudaMalloc(&b, sizeof h);
#ifdef FIXED
    produce<<<1, 32>>>(a);
    consume<<<1, 32>>>(a, b);
#else
    consume<<<1, 32>>>(a, b);
    produce<<<1, 32>>>(a);
#endif
    cudaMemcpy(h, b, sizeof h, cudaMemcpyDeviceToHost);
    printf("%d\n", h[4]);
    cudaFree(a);
    cudaFree(b);
}
