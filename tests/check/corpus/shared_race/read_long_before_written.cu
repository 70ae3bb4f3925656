// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// All warps read all rows, more often than could be kept in mind one by one; then some lanes write, without a barrier
// in between. What a warp does to a row of its own is in order.
#include <cstdio>

constexpr int kWidth = 32, kRows = 8;

__global__ void smooth(int* out, const int* in)
{
    __shared__ int tile[kRows][kWidth];
    __shared__ int own[kRows][kWidth];
    const int x = threadIdx.x, y = threadIdx.y;
    tile[y][x] = in[y * kWidth + x];
    own[y][x] = in[y * kWidth + x];
    __syncthreads();
    int sum = own[y][kWidth - 1 - x];
    __syncwarp();
    own[y][x] = sum;
    for (int k = 0; k < 64; ++k)
        sum += tile[(y + k) % kRows][x];
#ifdef FIXED
    __syncthreads();
#endif
    if (x % 3 == 0)
        tile[y][x] = sum;  // expect: shared-race
    __syncthreads();
    out[y * kWidth + x] = tile[y][x] + own[y][x];
}

int main()
{
    int h[kRows * kWidth], *in, *out;
    for (int i = 0; i < kRows * kWidth; ++i)
        h[i] = i;
    cudaMalloc(&in, sizeof(h));
    cudaMalloc(&out, sizeof(h));
    cudaMemcpy(in, h, sizeof(h), cudaMemcpyHostToDevice);
    smooth<<<1, dim3(kWidth, kRows)>>>(out, in);
    cudaMemcpy(h, out, sizeof(h), cudaMemcpyDeviceToHost);
    printf("%d\n", h[0]);
    cudaFree(in);
    cudaFree(out);
}
