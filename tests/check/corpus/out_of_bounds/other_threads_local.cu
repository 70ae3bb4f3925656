// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A pointer to a thread's own variable, handed to its neighbour.
#include <cuda_runtime.h>
__global__ void exchange(int* out)
{
    __shared__ int* where[32];
    __shared__ int values[32];
    int mine = threadIdx.x * 3;
    values[threadIdx.x] = mine;
#ifdef FIXED
    where[threadIdx.x] = &values[threadIdx.x];
#else
    where[threadIdx.x] = &mine;
#endif
    __syncthreads();
    out[threadIdx.x] = *where[(threadIdx.x + 1) % 32];  // expect: out-of-bounds error
}
int main()
{
    int* out;
    cudaMalloc(&out, 128);
    exchange<<<1, 32>>>(out);
    cudaFree(out);
}
