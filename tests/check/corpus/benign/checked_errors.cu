// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Errors that the program provokes on purpose and looks at.
#include <cstdio>

__global__ void nothing() {}

int main()
{
    void* p = nullptr;
    if (cudaMalloc(&p, size_t(1) << 50) == cudaSuccess) return 1;
    cudaGetLastError();
    nothing<<<1, 5000>>>();
    if (cudaGetLastError() != cudaErrorInvalidConfiguration) return 2;
    nothing<<<1, 32>>>();
    if (cudaDeviceSynchronize() != cudaSuccess) return 3;
    cudaError_t e = cudaFree(nullptr);
    return e == cudaSuccess ? 0 : 4;
}
