// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Each block is to keep one struct of its own, but they all copy theirs to the first place. What they read there all
// share, which is none.
#include <cstdio>

struct Best {
    float value, weight;
    int index, block;
};

__global__ void keep(const Best* common, const Best* in, Best* out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    Best mine = in[i], all = *common;
    mine.value += all.value;
    mine.block = blockIdx.x;
#ifdef FIXED
    out[i] = mine;
#else
    out[threadIdx.x] = mine;  // expect: global-race
#endif
}

int main()
{
    Best h[128] = {}, *in, *out;
    for (int i = 0; i < 128; ++i)
        h[i].index = i;
    cudaMalloc(&in, sizeof h);
    cudaMalloc(&out, sizeof h);
    cudaMemcpy(in, h, sizeof h, cudaMemcpyHostToDevice);
    cudaMemset(out, 0, sizeof h);
    keep<<<2, 64>>>(in, in, out);
    cudaMemcpy(h, out, sizeof h, cudaMemcpyDeviceToHost);
    printf("%d\n", h[5].index);
    cudaFree(in);
    cudaFree(out);
}
