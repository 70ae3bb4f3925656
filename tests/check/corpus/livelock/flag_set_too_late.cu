// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One thread waits for a flag that another one sets only behind a barrier that the first never reaches.
#include <cstdio>

__global__ void handshake(volatile int* ready, int* out)
{
    int t = threadIdx.x;
#ifdef FIXED
    if (t == 40)
        *ready = 1;
    __syncthreads();
#endif
    if (t == 3)
        while (*ready == 0) {  // expect: livelock count=1
        }
    __syncthreads();
    if (t == 40)
        *ready = 1;
    out[t] = t;
}

int main()
{
    int h[64], *out, *ready;
    cudaMalloc(&out, sizeof h);
    cudaMalloc(&ready, sizeof(int));
    cudaMemset(ready, 0, sizeof(int));
    handshake<<<1, 64>>>(ready, out);
    cudaError_t error = cudaMemcpy(h, out, sizeof h, cudaMemcpyDeviceToHost);
    printf("%s\n", cudaGetErrorString(error));
    cudaError_t freed = cudaFree(out);
    freed = cudaFree(ready);
    return error == cudaSuccess && freed == cudaSuccess ? 0 : 1;
}
