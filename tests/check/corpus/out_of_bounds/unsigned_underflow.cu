// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// i - 1 of an unsigned 0.
#include <cstdio>

__global__ void shift(unsigned char* out, const unsigned char* in, unsigned n)
{
    unsigned i = threadIdx.x;
    if (i < n) {
#ifdef FIXED
        unsigned j = i == 0 ? n - 1 : i - 1;
#else
        unsigned j = i - 1;
#endif
        out[i] = in[j];  // expect: out-of-bounds
    }
}

int main()
{
    unsigned char h[20] = {1, 2, 3}, *a, *b;
    cudaMalloc(&a, 20);
    cudaMalloc(&b, 20);
    cudaMemcpy(a, h, 20, cudaMemcpyHostToDevice);
    shift<<<1, 32>>>(b, a, 20);
    if (cudaMemcpy(h, b, 20, cudaMemcpyDeviceToHost) == cudaSuccess) printf("%d\n", h[1]);
    cudaFree(a);
    cudaFree(b);
    return 0;
}
