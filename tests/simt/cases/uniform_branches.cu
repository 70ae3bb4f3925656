// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Branches that all lanes take alike: stepping by line must show them too.
#include <cuda_runtime.h>

#include <cstdio>

__global__ void branches(int* out, int n)
{
    int sum = 0;
    if (n > 3)
        sum += 2;
    while (sum < n)
        ++sum;
    for (int i = 0; i < n; ++i)
        sum += i;
    if (n < 0)
        sum = 0;
    out[threadIdx.x] = sum;
}

int main()
{
    int* out;
    int first = 0;
    cudaMalloc(&out, 128);
    branches<<<1, 32>>>(out, 5);
    cudaMemcpy(&first, out, 4, cudaMemcpyDeviceToHost);
    std::printf("%d\n", first);
}
