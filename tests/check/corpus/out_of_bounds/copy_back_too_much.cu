// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reads back more than the kernel was given.
#include <cstdio>
#define CHECK(call)                                                                  \
    do {                                                                             \
        cudaError_t e = (call);                                                      \
        if (e != cudaSuccess) {                                                      \
            fprintf(stderr, "%s:%d %s\n", __FILE__, __LINE__, cudaGetErrorString(e)); \
            return 1;                                                                \
        }                                                                            \
    } while (0)

__global__ void iota(int* p) { p[threadIdx.x] = threadIdx.x; }

int main()
{
    int* d;
    int h[33];
    CHECK(cudaMalloc(&d, 32 * sizeof(int)));
    iota<<<1, 32>>>(d);
#ifdef FIXED
    CHECK(cudaMemcpy(h, d, 32 * sizeof(int), cudaMemcpyDeviceToHost));
#else
    CHECK(cudaMemcpy(h, d, sizeof(h), cudaMemcpyDeviceToHost));  // expect: out-of-bounds
#endif
    CHECK(cudaFree(d));
    return h[31] == 31 ? 0 : 1;
}
