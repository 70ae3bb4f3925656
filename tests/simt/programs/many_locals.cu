// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// More functions with an array of their own than a kernel has places for: the last ones share one.
#include <cuda_runtime.h>

#include <cstdio>

constexpr int kArrays = 3200, kThreads = 64;

/// The sum of what kArrays arrays hold, each of them in a function of its own.
template <int from, int count>
__device__ __noinline__ int sum(int x)
{
    if constexpr (count == 1) {
        int cells[2] = {x, from};
        int* const chosen = &cells[x % 2];
        *chosen += 1;
        return cells[0] + cells[1];
    } else {
        return sum<from, count / 2>(x) + sum<from + count / 2, count - count / 2>(x);
    }
}

__global__ void work(int* out)
{
    out[threadIdx.x] = sum<0, kArrays>(threadIdx.x);
}

int main()
{
    int host[kThreads], *out;
    cudaMalloc(&out, sizeof host);
    work<<<1, kThreads>>>(out);
    cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
    cudaFree(out);
    int bad = 0;
    for (int x = 0; x < kThreads; ++x)
        bad += host[x] != kArrays * (x + 1) + kArrays * (kArrays - 1) / 2;
    printf("bad %d\n", bad);
    return bad != 0;
}
