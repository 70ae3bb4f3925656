// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Each round gives a value to one more lane: the last lane never gets one. A value of the same variable's second life,
// which all lanes have, is none of it.
#include <cstdio>

#ifdef FIXED
constexpr int kRounds = 32;
#else
constexpr int kRounds = 31;
#endif

__global__ void number(int* out, int* doubled)
{
    int lane = threadIdx.x;
    int rank;
    for (int round = 0; round < kRounds; ++round)
        if (round == lane)
            rank = round + 1;
    out[lane] = rank * 3;  // expect: uninitialised-read
    rank = lane;
    for (int step = 1; step < 32; step *= 2)
        rank += __shfl_xor_sync(0xffffffffu, rank, step);
    doubled[lane] = rank * 2;
}

int main()
{
    int h[32], *out, *doubled;
    cudaMalloc(&out, sizeof h);
    cudaMalloc(&doubled, sizeof h);
    number<<<1, 32>>>(out, doubled);
    cudaMemcpy(h, doubled, sizeof h, cudaMemcpyDeviceToHost);
    printf("%d %d\n", h[0], h[31]);
    cudaMemcpy(h, out, sizeof h, cudaMemcpyDeviceToHost);
    printf("%d %d\n", h[0], h[30]);
    cudaFree(out);
    cudaFree(doubled);
}
