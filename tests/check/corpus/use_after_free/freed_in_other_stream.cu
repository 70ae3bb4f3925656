// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Scratch memory of one stream, given back in another that knows nothing of the kernel.
#include <cuda_runtime.h>

__global__ void fill(int* x) { x[threadIdx.x] = 1; }

int main()
{
    cudaStream_t a, b;
    cudaStreamCreate(&a);
    cudaStreamCreate(&b);
    for (int i = 0; i < 2; ++i) {
        int* x;
        cudaMallocAsync(&x, 128, a);
        fill<<<1, 32, 0, a>>>(x);
#ifdef FIXED
        cudaFreeAsync(x, a);
#else
        cudaFreeAsync(x, b);  // expect: use-after-free
#endif
    }
    cudaDeviceSynchronize();
    cudaStreamDestroy(a);
    cudaStreamDestroy(b);
}
