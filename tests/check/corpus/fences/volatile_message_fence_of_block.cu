// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A volatile message to another block, after a fence that reaches only the own one. The flag may be polled; the message
// is read once, and for what it says.
#include <cstdio>

__global__ void send(volatile int* message, int* flag, int* out)
{
    if (blockIdx.x == 0) {
        message[0] = 42;  // expect: global-race
#ifdef FIXED
        __threadfence();
#else
        __threadfence_block();
#endif
        atomicExch(flag, 1);
    } else {
        while (atomicAdd(flag, 0) == 0) {
        }
        *out = message[0];
    }
}

int main()
{
    int *message, *flag, *out, r = 0;
    cudaMalloc(&message, sizeof r);
    cudaMalloc(&flag, sizeof r);
    cudaMalloc(&out, sizeof r);
    cudaMemset(flag, 0, sizeof r);
    send<<<2, 1>>>(message, flag, out);
    cudaMemcpy(&r, out, sizeof r, cudaMemcpyDeviceToHost);
    cudaFree(message);
    cudaFree(flag);
    cudaFree(out);
    return r == 42 ? 0 : 1;
}
