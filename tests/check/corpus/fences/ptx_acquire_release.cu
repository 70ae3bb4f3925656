// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A message whose flag is written and read by inline PTX.
#include <cstdio>

__device__ void put(int* p, int v)
{
#ifdef FIXED
    asm volatile("st.release.gpu.global.s32 [%0], %1;" ::"l"(p), "r"(v) : "memory");
#else
    asm volatile("st.relaxed.gpu.global.s32 [%0], %1;" ::"l"(p), "r"(v) : "memory");
#endif
}

__device__ int get(const int* p)
{
    int v;
    asm volatile("ld.acquire.gpu.global.s32 %0, [%1];" : "=r"(v) : "l"(p) : "memory");
    return v;
}

__global__ void pass(int* data, int* flag, int* out)
{
    if (blockIdx.x == 0) {
        *data = 42;  // expect: global-race
        put(flag, 1);
    } else {
        while (get(flag) == 0) {
        }
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
