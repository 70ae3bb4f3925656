// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A __managed__ variable that the host reads while the kernel may still be writing it; its neighbour, which no kernel
// touches, the host may use at any time.
#include <cstdio>

__managed__ int highest;
__managed__ int cells[100];
__managed__ int untouched = 3;

__global__ void fill()
{
    cells[threadIdx.x] = threadIdx.x;
    if (threadIdx.x == 63) highest = threadIdx.x;
}

int main()
{
    highest = 0;
    cells[99] = 5;
    fill<<<1, 64>>>();
    int r = untouched;
#ifdef FIXED
    cudaDeviceSynchronize();
#endif
    r += highest;  // expect: host-access-of-device-memory
    cudaDeviceSynchronize();
    r += cells[2] + cells[99];
    return r == 3 + 63 + 2 + 5 ? 0 : 1;
}
