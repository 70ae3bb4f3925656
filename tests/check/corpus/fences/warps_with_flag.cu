// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One warp hands values to another one through shared memory and a flag there.
#include <cstdio>

__global__ void hand(int* out)
{
    __shared__ int box[32];
    __shared__ volatile int ready;
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    if (threadIdx.x == 0)
        ready = 0;  // expect-fixed: dead-shared-store
    __syncthreads();
    if (warp == 0) {
        box[lane] = lane * lane;  // expect: shared-race
#ifdef FIXED
        __threadfence_block();
#endif
        __syncwarp();
        if (lane == 0)
            ready = 1;
    } else {
        while (ready == 0) {
        }
        __threadfence_block();
        out[lane] = box[31 - lane];
    }
}

int main()
{
    int *out, r[32];
    cudaMalloc(&out, sizeof r);
    hand<<<1, 64>>>(out);
    cudaMemcpy(r, out, sizeof r, cudaMemcpyDeviceToHost);
    cudaFree(out);
    return r[30] == 1 ? 0 : 1;
}
