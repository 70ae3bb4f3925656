// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Lanes past the end have no value, and the others add it up.
#include <cstdio>

__global__ void sum(const int* in, int* out, int n)
{
    int i = threadIdx.x;
#ifdef FIXED
    int v = 0;
#else
    int v;
#endif
    if (i < n)
        v = in[i];
    for (int step = 16; step > 0; step /= 2)
        v += __shfl_down_sync(0xffffffffu, v, step);  // expect: uninitialised-read
    if (i == 0)
        *out = v;
}

int main()
{
    int h[20], r, *in, *out;
    for (int& value : h)
        value = 1;
    cudaMalloc(&in, sizeof h);
    cudaMalloc(&out, sizeof r);
    cudaMemcpy(in, h, sizeof h, cudaMemcpyHostToDevice);
    sum<<<1, 32>>>(in, out, 20);
    cudaMemcpy(&r, out, sizeof r, cudaMemcpyDeviceToHost);
    printf("%d\n", r);
    cudaFree(in);
    cudaFree(out);
}
