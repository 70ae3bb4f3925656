// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Spellings that nvcc takes and clang does not by itself, in a program of C++20.
#include <bit>
#include <concepts>
#include <cstdio>
#include <span>

template <std::integral T>
__global__ void lanes(std::span<T> out)
{
    __shared__ alignas(16) T copies[64];
    extern __shared__ unsigned char rest[];
    T lane, warp;
    asm("mov.u32 %0, %laneid;\n\t"
        "mov.u32 %1, %warpid;"
        : "=r"(lane), "=r"(warp));
    copies[threadIdx.x] = lane + 100 * warp;
    rest[threadIdx.x] = std::popcount(threadIdx.x);
    __syncthreads();
    if (threadIdx.x < out.size())
        out[threadIdx.x] = copies[63 - threadIdx.x] + rest[threadIdx.x];
}

int main()
{
    unsigned* out;
    cudaMallocManaged(&out, 64 * sizeof(unsigned));
    lanes<<<1, 64, 64>>>(std::span<unsigned>(out, 64));
    cudaDeviceSynchronize();
    std::printf("%u %u %u\n", out[0], out[31], out[63]);
    cudaFree(out);
}
