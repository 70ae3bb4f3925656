// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Half of the block waits at a barrier, the other half for a flag that only the first half sets after it.
#include <cstdio>

__global__ void handshake(int* out)
{
    __shared__ int go;
    int t = threadIdx.x;
    if (t == 0)
        atomicExch(&go, 0);
    __syncthreads();
#ifdef FIXED
    if (t == 0)
        atomicExch(&go, 1);
    __syncthreads();
    if (atomicAdd(&go, 0) == 1)
        out[t] = t;
#else
    if (t < 32)
        asm volatile("bar.sync 1, 64;");  // expect: barrier-deadlock
    else
        asm volatile("bar.sync 2, 64;");
    out[t] = t;
#endif
}

int main()
{
    int h[64], *out;
    cudaMalloc(&out, sizeof h);
    handshake<<<1, 64>>>(out);
    cudaError_t error = cudaMemcpy(h, out, sizeof h, cudaMemcpyDeviceToHost);
    printf("%s\n", cudaGetErrorString(error));
    error = cudaFree(out);
    return error == cudaSuccess ? 0 : 1;
}
