// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Eight lanes add up, as if they were 32: the others give 0, which nobody promises.
#include <cstdio>

__global__ void sum(const int* in, int* out)
{
    int i = threadIdx.x;
    unsigned mask = __ballot_sync(0xffffffffu, i < 8);
    if (i < 8) {
        int v = in[i];
#ifdef FIXED
        for (int step = 4; step > 0; step /= 2)
#else
        for (int step = 16; step > 0; step /= 2)
#endif
            v += __shfl_down_sync(mask, v, step);  // expect: warp-sync-misuse warning
        if (i == 0)
            *out = v;
    }
}

int main()
{
    int h[8], r, *in, *out;
    for (int& value : h)
        value = 3;
    cudaMalloc(&in, sizeof h);
    cudaMalloc(&out, sizeof r);
    cudaMemcpy(in, h, sizeof h, cudaMemcpyHostToDevice);
    sum<<<1, 32>>>(in, out);
    cudaMemcpy(&r, out, sizeof r, cudaMemcpyDeviceToHost);
    cudaFree(in);
    cudaFree(out);
    return r == 24 ? 0 : 1;
}
