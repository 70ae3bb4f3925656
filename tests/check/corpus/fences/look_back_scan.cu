// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Scan in one pass: each block publishes its sum, then looks back at the blocks before it.
#include <cstdio>

constexpr int kBlocks = 16, kThreads = 64;

struct Tile {
    int sum;
    int prefix;
    volatile int state;  // 0: nothing yet, 1: sum, 2: prefix
};

__global__ void scan(const int* in, int* out, Tile* tiles)
{
    __shared__ int s[kThreads];
    __shared__ int before;
    int t = threadIdx.x, b = blockIdx.x, i = b * kThreads + t;
    s[t] = in[i];
    __syncthreads();
    for (int d = 1; d < kThreads; d *= 2) {
        int add = t >= d ? s[t - d] : 0;
        __syncthreads();
        s[t] += add;
        __syncthreads();
    }
    if (t == kThreads - 1) {
        tiles[b].sum = s[t];
        __threadfence();
        tiles[b].state = 1;
        int prefix = 0;
        for (int k = b - 1; k >= 0; --k) {
            int state;
            while ((state = tiles[k].state) == 0) {
            }
            __threadfence();
            if (state == 2) {
                prefix += tiles[k].prefix;
                break;
            }
            prefix += tiles[k].sum;
        }
        before = prefix;
        tiles[b].prefix = prefix + s[t];  // expect: global-race
#ifdef FIXED
        __threadfence();
#endif
        tiles[b].state = 2;
    }
    __syncthreads();
    out[i] = before + s[t];
}

int main()
{
    const int n = kBlocks * kThreads;
    int h[n], *in, *out;
    Tile* tiles;
    for (int i = 0; i < n; ++i)
        h[i] = 1;
    cudaMalloc(&in, sizeof h);
    cudaMalloc(&out, sizeof h);
    cudaMalloc(&tiles, kBlocks * sizeof(Tile));
    cudaMemset(tiles, 0, kBlocks * sizeof(Tile));
    cudaMemcpy(in, h, sizeof h, cudaMemcpyHostToDevice);
    scan<<<kBlocks, kThreads>>>(in, out, tiles);
    cudaMemcpy(h, out, sizeof h, cudaMemcpyDeviceToHost);
    cudaFree(in);
    cudaFree(out);
    cudaFree(tiles);
    return h[n - 1] == n ? 0 : 1;
}
