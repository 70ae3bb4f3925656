// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The partial sums are read by whoever comes, not by the block that finishes last.
#include <cstdio>

__device__ unsigned finished = 0;

__global__ void total(const int* in, int* partial, int* out)
{
    int b = blockIdx.x;
    if (threadIdx.x == 0) {
        partial[b] = in[b];  // expect: global-race
        __threadfence();
        unsigned ticket = atomicAdd(&finished, 1u);
#ifdef FIXED
        if (ticket != gridDim.x - 1)
            return;
#endif
        __threadfence();
        int sum = 0;
        for (int k = 0; k < gridDim.x; ++k)
            sum += partial[k];
        atomicMax(out, sum + int(ticket) * 0);
    }
}

int main()
{
    int h[8], *in, *partial, *out, r;
    for (int i = 0; i < 8; ++i)
        h[i] = 1;
    cudaMalloc(&in, sizeof h);
    cudaMalloc(&partial, sizeof h);
    cudaMalloc(&out, sizeof r);
    cudaMemset(partial, 0, sizeof h);
    cudaMemset(out, 0, sizeof r);
    cudaMemcpy(in, h, sizeof h, cudaMemcpyHostToDevice);
    total<<<8, 32>>>(in, partial, out);
    cudaMemcpy(&r, out, sizeof r, cudaMemcpyDeviceToHost);
    cudaFree(in);
    cudaFree(partial);
    cudaFree(out);
    return r == 8 ? 0 : 1;
}
