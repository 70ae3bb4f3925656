// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A lock that is taken by an exchange and opened by a volatile store. Without the fence before it, the store may come
// before what it is to protect.
#include <cstdio>

__device__ volatile int lock = 0;

__global__ void add(int* sum)
{
    if (threadIdx.x != 0) return;
    while (atomicExch((int*)&lock, 1) != 0) {
    }
    __threadfence();
    *sum += blockIdx.x;  // expect: global-race
#ifdef FIXED
    __threadfence();
#endif
    lock = 0;
}

int main()
{
    int *sum, r = 0;
    cudaMalloc(&sum, sizeof r);
    cudaMemset(sum, 0, sizeof r);
    add<<<8, 32>>>(sum);
    cudaMemcpy(&r, sum, sizeof r, cudaMemcpyDeviceToHost);
    cudaFree(sum);
    return r == 28 ? 0 : 1;
}
