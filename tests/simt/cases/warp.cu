// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Shuffles of every type and width, votes, matches, reductions, and lanes that come to them by different ways.
#include <cuda_runtime.h>

#include <cstdio>

constexpr int kLanes = 32;
__device__ unsigned long long sums[24];

template <typename T>
__device__ void put(int slot, T value)
{
    atomicAdd(&sums[slot], (unsigned long long)value * (threadIdx.x + 1));
}

__global__ void shuffles()
{
    const int lane = threadIdx.x % kLanes;
    put(0, __shfl_sync(~0u, lane * 10, 5));
    put(1, __shfl_sync(~0u, lane * 10, lane + 3, 8));
    put(2, __shfl_up_sync(~0u, lane, 3, 16));
    put(3, __shfl_down_sync(~0u, (unsigned long long)lane << 33, 2) >> 33);
    put(4, __shfl_xor_sync(~0u, lane * 1.5, 9));
    put(5, __shfl_xor_sync(~0u, lane * 2.0f, 31, 4));
    put(6, __shfl_down_sync(~0u, lane, 40));
    // Half the warp at a time, with its own mask.
    if (lane < 16)
        put(7, __shfl_xor_sync(0xffffu, lane, 1));
    else
        put(7, __shfl_xor_sync(0xffff0000u, lane * 3, 2));
}

__global__ void votes()
{
    const int lane = threadIdx.x % kLanes;
    put(8, __ballot_sync(~0u, lane % 3 == 0));
    put(9, __any_sync(~0u, lane == 40) + 2 * __all_sync(~0u, lane < 32) + 4 * __uni_sync(~0u, lane < 7));
    put(10, __popc(__match_any_sync(~0u, lane / 5)));
    int same = 7;
    put(11, __match_all_sync(~0u, lane / 64, &same) % 1000 + same);
    put(12, __match_all_sync(~0u, (long long)lane, &same) + same);
    put(13, __reduce_add_sync(~0u, lane) + __reduce_max_sync(~0u, -lane) + __reduce_min_sync(~0u, lane - 3));
    put(14, __reduce_xor_sync(~0u, 1u << lane) ^ __reduce_and_sync(~0u, lane | 64u) ^ __reduce_or_sync(~0u, lane * 2u));
    if (lane % 4 == 1)
        put(15, __popc(__activemask()));
}

/// The lanes of one group arrive at the shuffle one after the other.
__global__ void latecomers()
{
    const int lane = threadIdx.x % kLanes;
    int value = lane;
    for (int i = 0; i < lane; ++i)
        value += i;
    __syncwarp();
    const unsigned group = 0xffu << (lane / 8 * 8);
    for (int offset = 4; offset > 0; offset /= 2)
        value += __shfl_xor_sync(group, value, offset);
    put(16, value);
    put(17, __syncthreads_count(threadIdx.x % 3 == 0));
    put(18, __syncthreads_and(threadIdx.x < 1000) + 2 * __syncthreads_or(threadIdx.x == 63));
    __shared__ int cell;
    if (lane == 0)
        cell = 5;
    __syncwarp();
    put(19, cell);
}

/// Exited lanes are no longer waited for.
__global__ void survivors()
{
    if (threadIdx.x % 2)
        return;
    put(20, __shfl_sync(0xffffffffu, (int)threadIdx.x, 2));
    put(21, __popc(__ballot_sync(0xffffffffu, 1)));
}

int main()
{
    shuffles<<<1, 64>>>();
    votes<<<1, 32>>>();
    latecomers<<<1, 64>>>();
    survivors<<<1, 48>>>();
    unsigned long long out[24];
    cudaMemcpyFromSymbol(out, sums, sizeof out);
    for (int i = 0; i < 22; ++i)
        printf("%d: %llu\n", i, out[i]);
    printf("%s\n", cudaGetErrorString(cudaGetLastError()));
}
