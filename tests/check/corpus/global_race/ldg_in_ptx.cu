// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Inline PTX reads by the read-only cache what the same thread has just written.
__device__ int load(const int* p)
{
    int value;
#ifdef FIXED
    asm volatile("ld.global.s32 %0, [%1];" : "=r"(value) : "l"(p));
#else
    asm volatile("ld.global.nc.s32 %0, [%1];" : "=r"(value) : "l"(p));  // expect: global-race
#endif
    return value;
}

__global__ void twice(int* x)
{
    x[threadIdx.x] = threadIdx.x;
    x[threadIdx.x] += load(x + threadIdx.x);
}

int main()
{
    int* x;
    cudaMalloc(&x, 128);
    twice<<<1, 32>>>(x);
    cudaFree(x);
}
