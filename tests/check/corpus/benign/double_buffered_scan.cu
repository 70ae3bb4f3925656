// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Two halves, one barrier a round: nobody reads what is written in the same epoch.
#include <cstdio>
#define N 64

__global__ void scan(float* out, const float* in, int n)
{
    extern __shared__ float temp[];
    int thid = threadIdx.x;
    int pout = 0, pin = 1;
    temp[pout * n + thid] = thid > 0 ? in[thid - 1] : 0;
    __syncthreads();
    for (int offset = 1; offset < n; offset *= 2) {
        pout = 1 - pout;
        pin = 1 - pout;
        if (thid >= offset)
            temp[pout * n + thid] = temp[pin * n + thid] + temp[pin * n + thid - offset];
        else
            temp[pout * n + thid] = temp[pin * n + thid];
        __syncthreads();
    }
    out[thid] = temp[pout * n + thid];
}

int main()
{
    float h[N], *in, *out;
    for (int i = 0; i < N; ++i) h[i] = 1;
    cudaMalloc(&in, sizeof h);
    cudaMalloc(&out, sizeof h);
    cudaMemcpy(in, h, sizeof h, cudaMemcpyHostToDevice);
    scan<<<1, N, 2 * N * sizeof(float)>>>(out, in, N);
    cudaMemcpy(h, out, sizeof h, cudaMemcpyDeviceToHost);
    cudaFree(in);
    cudaFree(out);
    for (int i = 0; i < N; ++i)
        if (h[i] != i) return 1;
    return 0;
}
