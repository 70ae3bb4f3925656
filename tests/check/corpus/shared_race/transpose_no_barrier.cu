// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A tile is read transposed before all of it is there.
#include <stdio.h>
#define TILE 16

__global__ void transpose(int* out, const int* in, int n)
{
    __shared__ int tile[TILE][TILE + 1];
    int x = blockIdx.x * TILE + threadIdx.x;
    int y = blockIdx.y * TILE + threadIdx.y;
    tile[threadIdx.y][threadIdx.x] = in[y * n + x];
#ifdef FIXED
    __syncthreads();
#endif
    x = blockIdx.y * TILE + threadIdx.x;
    y = blockIdx.x * TILE + threadIdx.y;
    out[y * n + x] = tile[threadIdx.x][threadIdx.y];  // expect: shared-race
}

int main(void)
{
    enum { N = 32 };
    static int h[N * N];
    int i, *in, *out;
    for (i = 0; i < N * N; i++) h[i] = i;
    cudaMalloc((void**)&in, sizeof(h));
    cudaMalloc((void**)&out, sizeof(h));
    cudaMemcpy(in, h, sizeof(h), cudaMemcpyHostToDevice);
    dim3 block(TILE, TILE), grid(N / TILE, N / TILE);
    transpose<<<grid, block>>>(out, in, N);
    cudaMemcpy(h, out, sizeof(h), cudaMemcpyDeviceToHost);
    printf("%d %d\n", h[1], h[N]);
    cudaFree(in);
    cudaFree(out);
    return 0;
}
