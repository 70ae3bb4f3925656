// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The second half of the message is written after the fence.
#include <cstdio>

__global__ void pass(int* data, volatile int* flag, int* out)
{
    if (blockIdx.x == 0) {
        data[0] = 40;
#ifdef FIXED
        data[1] = 2;
#endif
        __threadfence();
#ifndef FIXED
        data[1] = 2;  // expect: global-race
#endif
        *flag = 1;
    } else {
        while (*flag == 0) {
        }
        __threadfence();
        *out = data[0] + data[1];
    }
}

int main()
{
    int *memory, r;
    cudaMalloc(&memory, 4 * sizeof(int));
    cudaMemset(memory, 0, 4 * sizeof(int));
    pass<<<2, 1>>>(memory, memory + 2, memory + 3);
    cudaMemcpy(&r, memory + 3, sizeof(int), cudaMemcpyDeviceToHost);
    cudaFree(memory);
    return r == 42 ? 0 : 1;
}
