// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Warps that write and read whole rows of 32 words, and others that touch the same words in another shape.
#include <cstdio>

constexpr int kRows = 8, kColumns = 32;

#ifdef FIXED
#define ROW_OF_ALL blockIdx.x
#define OTHER_ROWS (out + kRows * kColumns)
#else
#define ROW_OF_ALL 3
#define OTHER_ROWS out
#endif

/// All blocks write one row.
__global__ void sameRow(int* out)
{
    out[ROW_OF_ALL * kColumns + threadIdx.x] = blockIdx.x * 100 + threadIdx.x;  // expect: global-race
}

/// Each writes its own row and reads that of its neighbour.
__global__ void neighbour(int* out, int* sums)
{
    int t = threadIdx.x, next = (blockIdx.x + 1) % kRows;
    out[blockIdx.x * kColumns + t] = t;
    sums[blockIdx.x * kColumns + t] = OTHER_ROWS[next * kColumns + t];  // expect: global-race
}

/// Each writes its own row and reads one word further on.
__global__ void shifted(int* out, int* sums)
{
    int t = threadIdx.x, at = blockIdx.x * kColumns + t;
    out[at] = t;
    sums[at] = OTHER_ROWS[(at + 1) % (kRows * kColumns)];  // expect: global-race
}

/// Each writes its own row; the last reads a column.
__global__ void column(int* out, int* sums)
{
    int t = threadIdx.x;
    out[blockIdx.x * kColumns + t] = t;
    if (blockIdx.x == kRows - 1 && t < kRows)
        sums[t] = OTHER_ROWS[t * kColumns + 5];  // expect: global-race
}

/// Each reads its own row; the last writes a column.
__global__ void columnWritten(int* out, int* sums)
{
    int t = threadIdx.x, at = blockIdx.x * kColumns + t;
    sums[at] = out[at];
    if (blockIdx.x == kRows - 1 && t < kRows)
        OTHER_ROWS[t * kColumns + 5] = t;  // expect: global-race
}

/// Each writes half of its own row, and the whole row of its neighbour.
__global__ void halves(int* out)
{
    int t = threadIdx.x, next = (blockIdx.x + 1) % kRows;
    if (t >= kColumns / 2)
        OTHER_ROWS[blockIdx.x * kColumns + t] = 100 + t;  // expect: global-race
    out[next * kColumns + t] = t;
}

int main()
{
    int *out, *sums;
    cudaMalloc(&out, 2 * kRows * kColumns * sizeof(int));
    cudaMalloc(&sums, kRows * kColumns * sizeof(int));
    cudaMemset(out, 0, 2 * kRows * kColumns * sizeof(int));
    // Twice: what was kept of one launch says nothing in the next.
    for (int round = 0; round < 2; ++round) {
        sameRow<<<kRows, kColumns>>>(out);
        neighbour<<<kRows, kColumns>>>(out, sums);
        shifted<<<kRows, kColumns>>>(out, sums);
        column<<<kRows, kColumns>>>(out, sums);
        columnWritten<<<kRows, kColumns>>>(out, sums);
        halves<<<kRows, kColumns>>>(out);
    }
    printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
    cudaFree(out);
    cudaFree(sums);
}
