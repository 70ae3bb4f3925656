// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Atomic sums of halves and of bfloat16s, one or two in a word, in global and shared memory.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "check.h"

struct Sums {
    __half one[2];
    __half2 pair;
    __nv_bfloat16 brain[2];
    __nv_bfloat162 brains;
    __half2 byPtx;
    __half shared;
    __nv_bfloat162 sharedPair;
    unsigned olds;
};

__global__ void add(Sums* sums)
{
    __shared__ __half inBlock;
    __shared__ __nv_bfloat162 pairInBlock;
    const int self = blockIdx.x * blockDim.x + threadIdx.x;
    if (threadIdx.x == 0) {
        inBlock = __float2half(0.5f);
        pairInBlock = __floats2bfloat162_rn(0.0f, -1.0f);
    }
    __syncthreads();
    atomicAdd(&sums->one[self % 2], __float2half(1.0f));
    atomicAdd(&sums->brain[1], __float2bfloat16(0.5f));
    atomicAdd(&sums->brains, __floats2bfloat162_rn(1.0f, -2.0f));
    atomicAdd(&inBlock, __float2half(0.25f));
    atomicAdd(&pairInBlock, __floats2bfloat162_rn(1.0f, 2.0f));
    // Each thread sees another sum: together they saw all.
    const __half2 old = atomicAdd(&sums->pair, __floats2half2_rn(1.0f, 3.0f));
    atomicAdd(&sums->olds, unsigned(__low2float(old)));
    const __half2 two = __floats2half2_rn(2.0f, 4.0f);
    asm volatile("red.global.add.noftz.f16x2 [%0], %1;" ::"l"(&sums->byPtx), "r"(*(const unsigned*)&two) : "memory");
    __syncthreads();
    if (threadIdx.x == 0) {
        atomicAdd(&sums->shared, inBlock);
        atomicAdd(&sums->sharedPair, pairInBlock);
    }
}

// Sums are rounded to nearest, once for each element: half an ulp more is lost when it is even.
__global__ void round(__half2* cells)
{
    const __half before = atomicAdd(&cells[0].x, __float2half(1.0f));
    atomicAdd(&cells[1], __floats2half2_rn(__half2float(before), 3.0f));
}

int main()
{
    Sums* sums;
    __half2* cells;
    CHECK(cudaMallocManaged(&sums, sizeof(Sums)));
    CHECK(cudaMallocManaged(&cells, 2 * sizeof(__half2)));
    CHECK(cudaMemset(sums, 0, sizeof(Sums)));
    CHECK(cudaMemset(cells, 0, 2 * sizeof(__half2)));
    CHECK(cudaDeviceSynchronize());
    cells[0] = __floats2half2_rn(2048.0f, 7.0f);
    cells[1] = __floats2half2_rn(65504.0f, 2049.0f);
    add<<<2, 64>>>(sums);
    round<<<1, 1>>>(cells);
    CHECK(cudaDeviceSynchronize());
    std::printf("one %g %g\n", __half2float(sums->one[0]), __half2float(sums->one[1]));
    std::printf("pair %g %g, olds %u\n", __low2float(sums->pair), __high2float(sums->pair), sums->olds);
    std::printf("brain %g %g\n", __bfloat162float(sums->brain[0]), __bfloat162float(sums->brain[1]));
    std::printf("brains %g %g\n", __low2float(sums->brains), __high2float(sums->brains));
    std::printf("ptx %g %g\n", __low2float(sums->byPtx), __high2float(sums->byPtx));
    std::printf("shared %g, %g %g\n", __half2float(sums->shared), __low2float(sums->sharedPair),
                __high2float(sums->sharedPair));
    std::printf("rounded %g %g, %g %g\n", __low2float(cells[0]), __high2float(cells[0]), __low2float(cells[1]),
                __high2float(cells[1]));
    CHECK(cudaFree(sums));
    CHECK(cudaFree(cells));
}
