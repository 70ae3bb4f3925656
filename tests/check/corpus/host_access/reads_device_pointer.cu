// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// printf of a value behind a device pointer.
#include <cstdio>

__global__ void answer(int* p) { *p = 42; }

int main()
{
    int *p, h;
    cudaMalloc(&p, sizeof(int));
    answer<<<1, 1>>>(p);
    cudaMemcpy(&h, p, sizeof h, cudaMemcpyDeviceToHost);
#ifdef FIXED
    printf("%d\n", h);
#else
    printf("%d\n", *p);  // expect: host-access-of-device-memory error
#endif
    cudaFree(p);
}
