// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A barrier in a branch and in a loop that all threads of the block take alike.
#include <cstdio>

__global__ void kernel(int* out, int rounds, bool twice)
{
    __shared__ int s[48];
    int t = threadIdx.x;
    s[t] = t;
    __syncthreads();
    if (twice) {
        for (int r = 0; r < rounds; ++r) {
            int v = s[47 - t];
            __syncthreads();
            s[t] = v + 1;
            __syncthreads();
        }
    }
    if (blockIdx.x == 1) __syncthreads();
    out[blockIdx.x * 48 + t] = s[t];
}

int main()
{
    int h[96], *out;
    cudaMalloc(&out, sizeof h);
    kernel<<<2, 48>>>(out, 2, true);
    cudaMemcpy(h, out, sizeof h, cudaMemcpyDeviceToHost);
    cudaFree(out);
    return h[0] == 2 && h[95] == 49 ? 0 : 1;
}
