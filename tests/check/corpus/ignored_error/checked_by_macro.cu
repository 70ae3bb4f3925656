// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Every result is looked at, one way or another: no finding, although calls fail.
#include <cstdio>
#include <cstdlib>
#define gpuErrchk(ans) gpuAssert((ans), __FILE__, __LINE__)
inline bool gpuAssert(cudaError_t code, const char* file, int line)
{
    if (code != cudaSuccess) fprintf(stderr, "GPUassert: %s %s %d\n", cudaGetErrorString(code), file, line);
    return code == cudaSuccess;
}

__global__ void k() {}

int main()
{
    char* p = nullptr;
    if (gpuErrchk(cudaMalloc(&p, size_t(1) << 46))) return 1;
    k<<<1, 4096>>>();
    gpuErrchk(cudaPeekAtLastError());
    (void)cudaSetDevice(17);
    k<<<1, 1>>>();
    return gpuErrchk(cudaDeviceSynchronize()) ? 0 : 1;
}
