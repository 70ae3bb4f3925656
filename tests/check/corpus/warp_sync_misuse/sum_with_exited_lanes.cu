// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Threads past the end leave before the warp adds up: their values are undefined.
#include <cstdio>

__global__ void sum(const int* in, int* out, int n)
{
    int i = threadIdx.x;
#ifdef FIXED
    int v = i < n ? in[i] : 0;
#else
    if (i >= n)
        return;
    int v = in[i];
#endif
    for (int step = 16; step > 0; step /= 2)
        v += __shfl_down_sync(0xffffffffu, v, step);  // expect: warp-sync-misuse
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
