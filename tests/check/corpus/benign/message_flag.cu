// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One block publishes data behind a fence and a flag; another waits for the flag.
#include <cstdio>

__global__ void pass(int* data, int* flag, int* out)
{
    if (blockIdx.x == 0) {
        if (threadIdx.x == 0) {
            *data = 42;
            __threadfence();
            atomicExch(flag, 1);
        }
    } else if (threadIdx.x == 0) {
        while (atomicAdd(flag, 0) == 0) {
        }
        __threadfence();
        *out = *data;
    }
}

int main()
{
    int *p, r;
    cudaMalloc(&p, 3 * sizeof(int));
    cudaMemset(p, 0, 3 * sizeof(int));
    pass<<<2, 32>>>(p, p + 1, p + 2);
    cudaMemcpy(&r, p + 2, sizeof r, cudaMemcpyDeviceToHost);
    cudaFree(p);
    return r == 42 ? 0 : 1;
}
