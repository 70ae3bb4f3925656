// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Somebody forgot to allocate the output.
#include <cstdio>

__global__ void store(int* out)
{
    out[threadIdx.x] = threadIdx.x;  // expect: out-of-bounds
}

int main()
{
    int* out = nullptr;
#ifdef FIXED
    cudaMalloc(&out, 32 * sizeof(int));
#endif
    store<<<1, 32>>>(out);
    if (cudaDeviceSynchronize() != cudaSuccess) return 1;
    cudaFree(out);
    return 0;
}
