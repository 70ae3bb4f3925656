// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Structs are copied into a tile as a whole, and out of it by the threads opposite before all are there.
#include <cstdio>

struct Body {
    float x, y, z, mass;
};

__global__ void mirror(const Body* in, Body* out)
{
    __shared__ Body tile[64];
    int t = threadIdx.x;
    tile[t] = in[t];
#ifdef FIXED
    __syncthreads();
#endif
    out[t] = tile[63 - t];  // expect: shared-race
}

int main()
{
    Body h[64] = {}, *in, *out;
    for (int i = 0; i < 64; ++i)
        h[i].mass = i;
    cudaMalloc(&in, sizeof h);
    cudaMalloc(&out, sizeof h);
    cudaMemcpy(in, h, sizeof h, cudaMemcpyHostToDevice);
    mirror<<<1, 64>>>(in, out);
    cudaMemcpy(h, out, sizeof h, cudaMemcpyDeviceToHost);
    printf("%g\n", h[0].mass);
    cudaFree(in);
    cudaFree(out);
}
