// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One warp fills two tiles in turn, another one reads them. The reader waits until a tile is full; the writer must also
// wait until it has been read.
#include <cstdio>

__global__ void pipe(int* out)
{
    __shared__ int tiles[2][32];
    int lane = threadIdx.x % 32;
    int sum = 0;
    for (int round = 0; round < 6; ++round) {
        int tile = round % 2;
        if (threadIdx.x < 32) {
#ifdef FIXED
            if (round >= 2)
                asm volatile("bar.sync %0, 64;" ::"r"(3 + tile) : "memory");
#endif
            tiles[tile][lane] = lane * round;  // expect: shared-race
            asm volatile("bar.arrive %0, 64;" ::"r"(1 + tile) : "memory");
        } else {
            asm volatile("bar.sync %0, 64;" ::"r"(1 + tile) : "memory");
            sum += tiles[tile][31 - lane];
#ifdef FIXED
            if (round < 4)
                asm volatile("bar.arrive %0, 64;" ::"r"(3 + tile) : "memory");
#endif
        }
    }
    if (threadIdx.x >= 32)
        out[lane] = sum;
}

int main()
{
    int h[32], *out;
    cudaMalloc(&out, sizeof h);
    pipe<<<1, 64>>>(out);
    cudaMemcpy(h, out, sizeof h, cudaMemcpyDeviceToHost);
    printf("%d\n", h[3]);
    cudaFree(out);
}
