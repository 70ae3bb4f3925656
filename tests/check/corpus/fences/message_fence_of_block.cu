// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A fence for the block does not order what another block sees.
#include <cstdio>

__global__ void pass(int* data, volatile int* flag, int* out)
{
    if (blockIdx.x == 0) {
        *data = 42;  // expect: global-race
#ifdef FIXED
        __threadfence();
#else
        __threadfence_block();
#endif
        *flag = 1;
    } else {
        while (*flag == 0) {
        }
        __threadfence();
        *out = *data;
    }
}

int main()
{
    int *memory, r;
    cudaMalloc(&memory, 3 * sizeof(int));
    cudaMemset(memory, 0, 3 * sizeof(int));
    pass<<<2, 1>>>(memory, memory + 1, memory + 2);
    cudaMemcpy(&r, memory + 2, sizeof(int), cudaMemcpyDeviceToHost);
    cudaFree(memory);
    return r == 42 ? 0 : 1;
}
