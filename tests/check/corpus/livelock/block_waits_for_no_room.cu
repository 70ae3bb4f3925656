// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A barrier of all blocks made by hand, with more blocks than run at the same time: the last ones never start.
#include <cstdio>

__device__ unsigned arrived;

__global__ void meet(int* out)
{
    extern __shared__ char space[];  // so much that each multiprocessor has room for one block
    space[threadIdx.x] = 1;          // expect-fixed: unused-shared advice
    if (threadIdx.x == 0) {
        atomicAdd(&arrived, 1u);
        while (atomicAdd(&arrived, 0u) < gridDim.x) {  // expect: livelock
        }
    }
    __syncthreads();
    if (threadIdx.x == 0)
        out[blockIdx.x] = space[threadIdx.x];
}

int main()
{
    const int bytes = 200 * 1024;
#ifdef FIXED
    const int blocks = 132;
#else
    const int blocks = 133;
#endif
    int* out;
    cudaError_t error = cudaMalloc(&out, blocks * sizeof(int));
    error = cudaFuncSetAttribute(meet, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
    meet<<<blocks, 32, bytes>>>(out);
    error = cudaDeviceSynchronize();
    printf("%s\n", cudaGetErrorString(error));
    cudaError_t freed = cudaFree(out);
    return error == cudaSuccess && freed == cudaSuccess ? 0 : 1;
}
