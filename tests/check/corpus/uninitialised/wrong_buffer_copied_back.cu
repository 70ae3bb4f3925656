// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The host copies back the buffer that the kernel did not write.
#include <cstdio>

__global__ void square(const int* in, int* out)
{
    out[threadIdx.x] = in[threadIdx.x] * in[threadIdx.x];
}

int main()
{
    int h[32] = {1, 2, 3}, *in, *out, *spare;
    cudaMalloc(&in, sizeof h);
    cudaMalloc(&out, sizeof h);
    cudaMalloc(&spare, sizeof h);
    cudaMemcpy(in, h, sizeof h, cudaMemcpyHostToDevice);
    square<<<1, 32>>>(in, out);
#ifdef FIXED
    cudaMemcpy(h, out, sizeof h, cudaMemcpyDeviceToHost);
#else
    cudaMemcpy(h, spare, sizeof h, cudaMemcpyDeviceToHost);  // expect: uninitialised-read warning
#endif
    printf("%d\n", h[2]);
    cudaFree(in);
    cudaFree(out);
    cudaFree(spare);
}
