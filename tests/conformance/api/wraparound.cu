// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The host's integers wrap around where a program relies on it: it checks what it got with the kernel's formula.
#include "check.h"

__global__ void square(int* cells, int count)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count)
        cells[i] = static_cast<int>(static_cast<unsigned>(i) * static_cast<unsigned>(i));
}

int main()
{
    constexpr int kCount = 70000;
    int* cells;
    CHECK(cudaMallocManaged(&cells, kCount * sizeof(int)));
    square<<<(kCount + 255) / 256, 256>>>(cells, kCount);
    CHECK(cudaDeviceSynchronize());
    int wrong = 0;
    for (int i = 0; i < kCount; ++i)
        wrong += cells[i] != i * i;
    std::printf("%d wrong\n", wrong);
    CHECK(cudaFree(cells));
}
