// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A shared index table that is filled only in part is used as an address.
#include <cstdio>

__global__ void gather(const int* order, int filled, const float* in, float* out)
{
    __shared__ int index[64];
#ifdef FIXED
    index[threadIdx.x] = threadIdx.x;
#endif
    if (threadIdx.x < filled) index[threadIdx.x] = order[threadIdx.x];
    __syncthreads();
    out[threadIdx.x] = in[index[threadIdx.x]];  // expect: uninitialised-read
}

int main()
{
    int order[48];
    float h[64];
    for (int i = 0; i < 48; ++i) order[i] = 47 - i;
    for (int i = 0; i < 64; ++i) h[i] = i;
    int* d_order;
    float *in, *out;
    cudaMalloc(&d_order, sizeof order);
    cudaMalloc(&in, sizeof h);
    cudaMalloc(&out, sizeof h);
    cudaMemcpy(d_order, order, sizeof order, cudaMemcpyHostToDevice);
    cudaMemcpy(in, h, sizeof h, cudaMemcpyHostToDevice);
    gather<<<1, 64>>>(d_order, 48, in, out);
    cudaMemcpy(h, out, sizeof h, cudaMemcpyDeviceToHost);
    printf("%g\n", h[0]);
    cudaFree(d_order);
    cudaFree(in);
    cudaFree(out);
}
