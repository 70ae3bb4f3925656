// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Headers of libraries of which the program uses nothing.
#include <cstdio>
#include <cufft.h>

#include <cusparse.h>

__global__ void count(int* sum)
{
    atomicAdd(sum, threadIdx.x);
}

int main()
{
    int* sum;
    cudaMallocManaged(&sum, sizeof(int));
    *sum = 0;
    count<<<2, 32>>>(sum);
    cudaDeviceSynchronize();
    std::printf("%d\n", *sum);
    cudaFree(sum);
}
