// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// printf on the device: every conversion, flags, '*', strings, and the order of lanes and blocks.
#include <cuda_runtime.h>

#include <cstdio>

__global__ void conversions(const char* text)
{
    printf("%d %i %5d|%-5d|%05d %+d\n", 1, -2, 3, 4, 5, 6);
    printf("%u %x %X %#x %o %c%c\n", 4000000000u, 255, 255, 255, 8, 'o', 'k');
    printf("%lld %llu %ld %lx %hd %hhu\n", -5000000000ll, 18000000000000000000ull, 7l, 0xabcdef0123l, short(-3), 300);
    printf("%f %.2f %8.3f %e %g %G %a\n", 1.5, 2.345f, 3.14159, 12345.678, 0.0001, 1e20, 1.0);
    printf("%s %10s|%-6s|%.2s %%\n", "word", "right", "left", "cut");
    printf("%*d %.*f\n", 6, 42, 1, 2.55);
    const int done = printf("%d%d\n", 1, 2);
    printf("%d %s\n", done, text ? "given" : "none");
}

__global__ void lanes()
{
    if (threadIdx.x % 8 == 0)
        printf("block %d thread %d\n", blockIdx.x, threadIdx.x);
}

int main()
{
    conversions<<<1, 1>>>(nullptr);
    cudaDeviceSynchronize();
    printf("host\n");
    lanes<<<3, 32>>>();
    return cudaDeviceSynchronize();
}
