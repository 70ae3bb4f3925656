// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Warps that go down the columns of a matrix, a row for each lane, and others that touch the same words in another
// shape.

// check: --advice-threshold uncoalesced=64
#include <cstdio>

constexpr int kRows = 64, kWidth = 40, kBlocks = 6;

#ifdef FIXED
#define COLUMN_OF_ALL blockIdx.x
#define OTHER_COLUMNS (out + kRows * kWidth)
#define MEET __syncthreads()
#else
#define COLUMN_OF_ALL 3
#define OTHER_COLUMNS out
#define MEET
#endif

/// All blocks write one column.
__global__ void sameColumn(int* out)
{
    out[threadIdx.x * kWidth + COLUMN_OF_ALL] = blockIdx.x * 100 + threadIdx.x;  // expect: global-race
}

/// Each writes its own column and reads that of its neighbour.
__global__ void neighbour(int* out, int* sums)
{
    int row = threadIdx.x, next = (blockIdx.x + 1) % kBlocks;
    out[row * kWidth + blockIdx.x] = row;
    sums[row * kWidth + blockIdx.x] = OTHER_COLUMNS[row * kWidth + next];  // expect: global-race
}

/// Each writes its own column; the last reads a row.
__global__ void row(int* out, int* sums)
{
    out[threadIdx.x * kWidth + blockIdx.x] = threadIdx.x;
    if (blockIdx.x == kBlocks - 1 && threadIdx.x < kBlocks - 1)
        sums[threadIdx.x] = OTHER_COLUMNS[33 * kWidth + threadIdx.x];  // expect: global-race
}

/// Each reads its own column; the last writes a row.
__global__ void rowWritten(int* out, int* sums)
{
    const int at = threadIdx.x * kWidth + blockIdx.x;
    sums[at] = out[at];
    if (blockIdx.x == kBlocks - 1 && threadIdx.x < kBlocks - 1)
        OTHER_COLUMNS[33 * kWidth + threadIdx.x] = threadIdx.x;  // expect: global-race
}

/// Each writes its own row; the last a column.
__global__ void columnWritten(int* out)
{
    if (blockIdx.x < kBlocks - 1 && threadIdx.x < kWidth)
        out[blockIdx.x * kWidth + threadIdx.x] = 100 + threadIdx.x;
    if (blockIdx.x == kBlocks - 1)
        OTHER_COLUMNS[threadIdx.x * kWidth + 7] = threadIdx.x;  // expect: global-race
}

/// Each writes a part of its own column, and the whole column of its neighbour.
__global__ void parts(int* out)
{
    const int next = (blockIdx.x + 1) % kBlocks;
    if (threadIdx.x % 32 >= 20)
        OTHER_COLUMNS[threadIdx.x * kWidth + blockIdx.x] = 100 + threadIdx.x;  // expect: global-race
    out[threadIdx.x * kWidth + next] = threadIdx.x;
}

/// Each writes its own column; the last adds to a word of another's.
__global__ void counted(int* out)
{
    out[threadIdx.x * kWidth + blockIdx.x] = threadIdx.x;
    if (blockIdx.x == kBlocks - 1 && threadIdx.x == 5)
        atomicAdd(OTHER_COLUMNS + 40 * kWidth + 2, 1);  // expect: global-race
}

/// The warps of a block write columns, and read what the other one wrote.
__global__ void warps(int* out, int* sums)
{
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    out[lane * kWidth + warp * kBlocks + blockIdx.x] = threadIdx.x;
    MEET;
    sums[lane * kWidth + warp * kBlocks + blockIdx.x] =
        out[lane * kWidth + (1 - warp) * kBlocks + blockIdx.x];  // expect: global-race
}

/// Columns two words wide, and pairs of words of other blocks.
__global__ void pairs(int* out)
{
    auto* wide = reinterpret_cast<int2*>(out);
    wide[threadIdx.x * (kWidth / 2) + blockIdx.x] = make_int2(1, 2);
    if (blockIdx.x == kBlocks - 1 && threadIdx.x < 32)
        OTHER_COLUMNS[threadIdx.x * kWidth + 3] = threadIdx.x;  // expect: global-race
}

int main()
{
    int *out, *sums;
    cudaMalloc(&out, 2 * kRows * kWidth * sizeof(int));
    cudaMalloc(&sums, kRows * kWidth * sizeof(int));
    cudaMemset(out, 0, 2 * kRows * kWidth * sizeof(int));
    // Twice: what was kept of one launch says nothing in the next.
    for (int round = 0; round < 2; ++round) {
        sameColumn<<<kBlocks, kRows>>>(out);
        neighbour<<<kBlocks, kRows>>>(out, sums);
        row<<<kBlocks, kRows>>>(out, sums);
        rowWritten<<<kBlocks, kRows>>>(out, sums);
        columnWritten<<<kBlocks, kRows>>>(out);
        parts<<<kBlocks, kRows>>>(out);
        counted<<<kBlocks, kRows>>>(out);
        warps<<<kBlocks, kRows>>>(out, sums);
        pairs<<<kBlocks, kRows>>>(out);
    }
    printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
    cudaFree(out);
    cudaFree(sums);
}
