// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A launch returns at once: the host reads managed memory that the kernel may not have written yet.
#include <cstdio>

__global__ void fill(int* a) { a[threadIdx.x] = threadIdx.x; }

int main()
{
    int* a;
    cudaMallocManaged(&a, 64 * sizeof(int));
    fill<<<1, 64>>>(a);
#ifdef FIXED
    cudaDeviceSynchronize();
#endif
    int r = a[63];  // expect: host-access-of-device-memory
    cudaFree(a);
    return r == 63 ? 0 : 1;
}
