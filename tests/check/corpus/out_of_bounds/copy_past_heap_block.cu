// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A result of n + 1 values into a block of n.
#include <cuda_runtime.h>
#include <cstdlib>
__global__ void scan(int* x, int n) { for (int i = threadIdx.x; i <= n; i += blockDim.x) x[i] = i; }
int main()
{
    const int n = 100;
    int* x;
    cudaMalloc(&x, (n + 1) * sizeof(int));
    scan<<<1, 32>>>(x, n);
#ifdef FIXED
    int* host = (int*)malloc((n + 1) * sizeof(int));
#else
    int* host = (int*)malloc(n * sizeof(int));
#endif
    cudaMemcpy(host, x, (n + 1) * sizeof(int), cudaMemcpyDeviceToHost);  // expect: out-of-bounds error
    free(host);
    cudaFree(x);
}
