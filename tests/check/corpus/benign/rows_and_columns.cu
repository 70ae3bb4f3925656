// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A block's warps write whole rows, read columns behind a barrier, and write rows again, shifted and in part: no two of
// them touch a word between two barriers.
#include <cstdio>

constexpr int kSide = 32;

__global__ void turn(int* cells, int* out)
{
    int x = threadIdx.x, y = threadIdx.y;
    int* own = cells + blockIdx.x * kSide * (kSide + 1);
    own[y * kSide + x] = own[y * kSide + x] + y;
    __syncthreads();
    out[(blockIdx.x * kSide + y) * kSide + x] = own[x * kSide + y];  // expect: uncoalesced advice
    __syncthreads();
    own[y * kSide + x + 1] = x;
    __syncthreads();
    if (x < kSide / 2)
        own[y * kSide + x] = own[y * kSide + x] + 1;
    __syncthreads();
    own[x * kSide + y] += 1;  // expect: uncoalesced advice
    own[x * kSide + y] += 1;  // expect: uncoalesced advice
}

int main()
{
    constexpr int kBlocks = 4, kCells = kBlocks * kSide * (kSide + 1);
    int *cells, *out;
    cudaMalloc(&cells, kCells * sizeof(int));
    cudaMalloc(&out, kBlocks * kSide * kSide * sizeof(int));
    cudaMemset(cells, 0, kCells * sizeof(int));
    for (int round = 0; round < 3; ++round)
        turn<<<kBlocks, dim3(kSide, kSide)>>>(cells, out);
    static int result[kCells];
    cudaMemcpy(result, cells, sizeof result, cudaMemcpyDeviceToHost);
    long sum = 0;
    for (int value : result)
        sum += value;
    printf("%ld\n", sum);
    cudaFree(cells);
    cudaFree(out);
}
