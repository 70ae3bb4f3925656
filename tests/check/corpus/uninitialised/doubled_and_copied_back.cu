// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// check: --as-compiled
// Half of what is doubled was never copied to the device. As compiled, doubling shifts the bits: the lowest is known.
#include <cstdio>

__global__ void twice(const int* in, int* out)
{
    out[threadIdx.x] = in[threadIdx.x] * 2;  // expect: uninitialised-read
}

int main()
{
    int h[64] = {}, *in, *out;
    cudaMalloc(&in, sizeof h);
    cudaMalloc(&out, sizeof h);
#ifdef FIXED
    cudaMemcpy(in, h, sizeof h, cudaMemcpyHostToDevice);
#else
    cudaMemcpy(in, h, sizeof h / 2, cudaMemcpyHostToDevice);
#endif
    twice<<<1, 64>>>(in, out);
    cudaMemcpy(h, out, sizeof h, cudaMemcpyDeviceToHost);
    printf("%d\n", h[63]);
    cudaFree(in);
    cudaFree(out);
}
