// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The consumer looks at the data before it has seen the flag.
#include <cstdio>

__global__ void pass(int* data, volatile int* flag, int* out)
{
    if (blockIdx.x == 0) {
        *data = 42;
        __threadfence();
        *flag = 1;
    } else {
#ifdef FIXED
        while (*flag == 0) {
        }
        __threadfence();
        int value = *data;
#else
        int value = *data;  // expect: global-race
        while (*flag == 0) {
        }
        __threadfence();
#endif
        *out = value;
    }
}

int main()
{
    int *memory, r;
    cudaMalloc(&memory, 3 * sizeof(int));
    cudaMemset(memory, 0, 3 * sizeof(int));
    pass<<<2, 1>>>(memory, memory + 1, memory + 2);
    cudaMemcpy(&r, memory + 2, sizeof(int), cudaMemcpyDeviceToHost);
    printf("%d\n", r);
    cudaFree(memory);
    return 0;
}
