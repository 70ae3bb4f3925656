// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A stencil in a tile without a halo: column -1 is the end of the row above.
#include <cstdio>
#define N 8

__global__ void blur(const float* in, float* out)
{
    __shared__ float tile[N][N];
    int x = threadIdx.x, y = threadIdx.y;
    tile[y][x] = in[y * N + x];
    __syncthreads();
#ifdef FIXED
    bool inside = y > 0 && x > 0;
#else
    bool inside = y > 0;
#endif
    out[y * N + x] = inside ? tile[y][x - 1] + tile[y][x] : tile[y][x];  // expect: index-out-of-shape
}

int main()
{
    float h[N * N] = {}, *in, *out;
    cudaMalloc(&in, sizeof h);
    cudaMalloc(&out, sizeof h);
    cudaMemcpy(in, h, sizeof h, cudaMemcpyHostToDevice);
    blur<<<1, dim3(N, N)>>>(in, out);
    cudaMemcpy(h, out, sizeof h, cudaMemcpyDeviceToHost);
    printf("%g\n", h[0]);
    cudaFree(in);
    cudaFree(out);
}
