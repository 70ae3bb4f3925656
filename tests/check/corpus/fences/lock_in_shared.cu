// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A lock in shared memory protects a sum of all warps; without fences the sum is not.
#include <cstdio>

__global__ void sum(const int* in, int* out)
{
    __shared__ int lock, total;
    if (threadIdx.x == 0) {
        lock = 0;
        total = 0;
    }
    __syncthreads();
    bool done = false;
    do {
        if (atomicCAS_block(&lock, 0, 1) == 0) {
#ifdef FIXED
            __threadfence_block();
#endif
            total += in[threadIdx.x];  // expect: shared-race
#ifdef FIXED
            __threadfence_block();
#endif
            atomicExch_block(&lock, 0);
            done = true;
        }
    } while (!done);
    __syncthreads();
    if (threadIdx.x == 0)
        *out = total;
}

int main()
{
    int h[128], *in, *out, r;
    for (int i = 0; i < 128; ++i)
        h[i] = i;
    cudaMalloc(&in, sizeof h);
    cudaMalloc(&out, sizeof r);
    cudaMemcpy(in, h, sizeof h, cudaMemcpyHostToDevice);
    sum<<<1, 128>>>(in, out);
    cudaMemcpy(&r, out, sizeof r, cudaMemcpyDeviceToHost);
    cudaFree(in);
    cudaFree(out);
    return r == 128 * 127 / 2 ? 0 : 1;
}
