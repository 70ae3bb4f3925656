// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Memory that is allocated too large, and a tile whose corner nobody fills or reads.
#include <cstdio>

__global__ void sum_cross(const int* in, int* out)
{
    __shared__ int t[10][10];
    int x = threadIdx.x, y = threadIdx.y;
    t[y + 1][x + 1] = in[y * 8 + x];
    if (x == 0) t[y + 1][0] = 0;
    if (x == 7) t[y + 1][9] = 0;
    if (y == 0) t[0][x + 1] = 0;
    if (y == 7) t[9][x + 1] = 0;
    __syncthreads();
    out[y * 8 + x] = t[y][x + 1] + t[y + 2][x + 1] + t[y + 1][x] + t[y + 1][x + 2];
}

int main()
{
    int h[64], *in, *out;
    for (int& v : h) v = 1;
    cudaMalloc(&in, 1000);
    cudaMalloc(&out, 1000);
    cudaMemcpy(in, h, sizeof h, cudaMemcpyHostToDevice);
    sum_cross<<<1, dim3(8, 8)>>>(in, out);
    cudaMemcpy(h, out, sizeof h, cudaMemcpyDeviceToHost);
    cudaFree(in);
    cudaFree(out);
    return h[0] == 2 && h[9] == 4 ? 0 : 1;
}
