// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Words here and there: blocks that run side by side write all over one buffer, each word once, again and again; and
// addresses whose first part lies in front of what they are in.
#include <cstdio>

constexpr int kCells = 1 << 14, kThreads = 256, kTile = 64;

__global__ void permute(int* to, const int* from, unsigned times)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    to[i * times % kCells] = from[i];
}

__global__ void reverseRows(int* to, const int* from)
{
    const int row = blockIdx.x, last = static_cast<int>(blockDim.x) - 1, lane = threadIdx.x;
    to[row * kThreads + last - lane] = from[row * kThreads + lane];
}

/// Each one and those up to \p far before it; nothing in front of the first.
__global__ void sumBehind(int* sums, int far)
{
    __shared__ int tile[2][kTile];
    const int t = threadIdx.x;
    tile[0][t] = tile[1][t] = t;
    __syncthreads();
    int sum = 0;
    for (int d = 0; d <= far; ++d)
        if (t >= d)
            sum += tile[d % 2][t - d];
    sums[t] = sum;
}

int main()
{
    static int host[kCells];
    int *a, *b, *sums;
    cudaMalloc(&a, sizeof host);
    cudaMalloc(&b, sizeof host);
    cudaMalloc(&sums, kTile * sizeof(int));
    for (int i = 0; i < kCells; ++i)
        host[i] = i;
    cudaMemcpy(a, host, sizeof host, cudaMemcpyHostToDevice);
    constexpr unsigned kFactors[] = {40503, 4097, 8191, 3};
    unsigned product = 1;
    for (const unsigned times : kFactors) {
        permute<<<kCells / kThreads, kThreads>>>(b, a, times);
        permute<<<kCells / kThreads, kThreads>>>(a, b, 1);
        product *= times;
    }
    cudaMemcpy(host, a, sizeof host, cudaMemcpyDeviceToHost);
    int wrong = 0;
    for (unsigned i = 0; i < kCells; ++i)
        wrong += host[i * product % kCells] != static_cast<int>(i);
    printf("permuted: %d wrong\n", wrong);

    reverseRows<<<kCells / kThreads, kThreads>>>(b, a);
    reverseRows<<<kCells / kThreads, kThreads>>>(a, b);
    wrong = 0;
    cudaMemcpy(host, a, sizeof host, cudaMemcpyDeviceToHost);
    for (unsigned i = 0; i < kCells; ++i)
        wrong += host[i * product % kCells] != static_cast<int>(i);
    printf("reversed twice: %d wrong\n", wrong);

    sumBehind<<<1, kTile>>>(sums, 9);
    cudaMemcpy(host, sums, kTile * sizeof(int), cudaMemcpyDeviceToHost);
    wrong = 0;
    for (int t = 0; t < kTile; ++t) {
        int sum = 0;
        for (int d = 0; d <= 9 && d <= t; ++d)
            sum += t - d;
        wrong += host[t] != sum;
    }
    printf("sums: %d wrong\n%s\n", wrong, cudaGetErrorString(cudaGetLastError()));
}
