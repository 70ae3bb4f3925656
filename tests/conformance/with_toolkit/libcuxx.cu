// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// libcu++ as a toolkit brings it: parts that Lanescope's own headers have not.
#include <cuda/atomic>
#include <cuda/std/array>
#include <cuda/std/mdspan>

#include <cstdio>

using Matrix = cuda::std::mdspan<int, cuda::std::extents<int, cuda::std::dynamic_extent, 4>>;

__global__ void rowSums(int* cells, int rows, int* sums, int* total)
{
    const Matrix matrix(cells, rows);
    const int row = threadIdx.x;
    cuda::std::array<int, 4> values{};
    for (int column = 0; column < 4; ++column)
        values[column] = matrix(row, column);
    int sum = 0;
    for (const int value : values)
        sum += value;
    sums[row] = sum;
    cuda::atomic_ref<int, cuda::thread_scope_device>(*total).fetch_add(sum, cuda::memory_order_relaxed);
}

int main()
{
    constexpr int kRows = 8;
    int *cells, *sums;
    cudaMallocManaged(&cells, kRows * 4 * sizeof(int));
    cudaMallocManaged(&sums, (kRows + 1) * sizeof(int));
    for (int i = 0; i < kRows * 4; ++i)
        cells[i] = i;
    sums[kRows] = 0;
    rowSums<<<1, kRows>>>(cells, kRows, sums, sums + kRows);
    cudaDeviceSynchronize();
    for (int i = 0; i <= kRows; ++i)
        std::printf("%d ", sums[i]);
    std::printf("\n");
    cudaFree(cells);
    cudaFree(sums);
}
