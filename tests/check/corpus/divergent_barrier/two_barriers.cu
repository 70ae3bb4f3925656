// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Both paths have a barrier, but not the same one.
#include <cstdio>

__global__ void split(int* out)
{
    __shared__ int s[32];
    int t = threadIdx.x;
    s[t] = t;
#ifdef FIXED
    __syncthreads();
    if (t < 16)
        out[t] = s[t + 16];
    else
        out[t] = s[t - 16];
#else
    if (t < 16) {
        __syncthreads();  // expect: divergent-barrier
        out[t] = s[t + 16];
    } else {
        __syncthreads();
        out[t] = s[t - 16];
    }
#endif
}

int main()
{
    int *out, h[32];
    cudaMalloc(&out, sizeof h);
    split<<<1, 32>>>(out);
    cudaMemcpy(h, out, sizeof h, cudaMemcpyDeviceToHost);
    printf("%d\n", h[0]);
    cudaFree(out);
}
