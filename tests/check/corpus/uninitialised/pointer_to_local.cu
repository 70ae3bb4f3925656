// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A function returns a pointer to its own array, which is gone by then.
#include <cstdio>

__device__ __noinline__ int* powers(int base, int* room)
{
#ifdef FIXED
    int* own = room;
#else
    int own[4];
#endif
    for (int i = 0, power = 1; i < 4; ++i, power *= base) own[i] = power;
    int* result = own;
    return result;
}

__global__ void squares(int* out)
{
    int room[4];
    int* p = powers(threadIdx.x, room);
    out[threadIdx.x] = p[2] + 1;  // expect: uninitialised-read
}

int main()
{
    int h[32], *out;
    cudaMalloc(&out, sizeof h);
    squares<<<1, 32>>>(out);
    cudaMemcpy(h, out, sizeof h, cudaMemcpyDeviceToHost);
    printf("%d\n", h[3]);
    cudaFree(out);
}
