// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The last block has too few threads with data, and all of the tile is summed.
#include <cstdio>
#define TPB 32

__global__ void block_sum(const int* in, int* out, int n)
{
    __shared__ int cache[TPB];
    int i = blockIdx.x * TPB + threadIdx.x;
    if (i < n) cache[threadIdx.x] = in[i];
#ifdef FIXED
    else cache[threadIdx.x] = 0;
#endif
    __syncthreads();
    if (threadIdx.x == 0) {
        int s = 0;
        for (int k = 0; k < TPB; ++k) s += cache[k];  // expect: uninitialised-read error
        out[blockIdx.x] = s;
    }
}

int main()
{
    const int n = 50;
    int h[n], r[2], *in, *out;
    for (int i = 0; i < n; ++i) h[i] = 1;
    cudaMalloc(&in, sizeof h);
    cudaMalloc(&out, sizeof r);
    cudaMemcpy(in, h, sizeof h, cudaMemcpyHostToDevice);
    block_sum<<<2, TPB>>>(in, out, n);
    cudaMemcpy(r, out, sizeof r, cudaMemcpyDeviceToHost);
    printf("%d %d\n", r[0], r[1]);
    cudaFree(in);
    cudaFree(out);
}
