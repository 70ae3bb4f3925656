// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// cudaMemcpyToSymbol waits for blocking streams only.
#include <cuda_runtime.h>
__constant__ int scale;
__global__ void work(int* x) { x[threadIdx.x] *= scale; }
int main()
{
    int* x;
    cudaMalloc(&x, 128);
    cudaMemset(x, 0, 128);
    cudaStream_t s;
#ifdef FIXED
    cudaStreamCreate(&s);
#else
    cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
#endif
    cudaDeviceSynchronize();
    for (int i = 0; i < 2; ++i) {
        cudaMemcpyToSymbol(scale, &i, sizeof i);  // expect: global-race error
        work<<<1, 32, 0, s>>>(x);
    }
    cudaDeviceSynchronize();
    cudaStreamDestroy(s);
    cudaFree(x);
}
