// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The old unrolled last warp without volatile or __syncwarp: lanes are not in step since Volta.
#include <cstdio>

__global__ void reduce(const int* in, int* out)
{
    extern __shared__ int sdata[];
    unsigned tid = threadIdx.x;
    sdata[tid] = in[tid];
    __syncthreads();
    for (unsigned s = blockDim.x / 2; s > 32; s >>= 1) {
        if (tid < s) sdata[tid] += sdata[tid + s];
        __syncthreads();
    }
    if (tid < 32) {
#ifdef FIXED
        int v = sdata[tid] + sdata[tid + 32];
        for (int offset = 16; offset > 0; offset /= 2)
            v += __shfl_down_sync(0xffffffff, v, offset);
        if (tid == 0) *out = v;
#else
        sdata[tid] += sdata[tid + 32];
        sdata[tid] += sdata[tid + 16];  // expect: shared-race
        sdata[tid] += sdata[tid + 8];   // expect: shared-race
        sdata[tid] += sdata[tid + 4];   // expect: shared-race
        sdata[tid] += sdata[tid + 2];   // expect: shared-race
        sdata[tid] += sdata[tid + 1];   // expect: shared-race
        if (tid == 0) *out = sdata[0];
#endif
    }
}

int main()
{
    int h[256], *in, *out, r = 0;
    for (int i = 0; i < 256; ++i) h[i] = 1;
    cudaMalloc(&in, sizeof(h));
    cudaMalloc(&out, 4);
    cudaMemcpy(in, h, sizeof(h), cudaMemcpyHostToDevice);
    reduce<<<1, 256, 256 * sizeof(int)>>>(in, out);
    cudaMemcpy(&r, out, 4, cudaMemcpyDeviceToHost);
    std::printf("%d\n", r);
    cudaFree(in);
    cudaFree(out);
    return r == 256 ? 0 : 1;
}
