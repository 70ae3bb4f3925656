// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// libcu++'s atomics: references and objects, in memory of every kind.
#include <cuda/atomic>

#include "check.h"

__device__ cuda::atomic<int, cuda::thread_scope_device> tickets{5};

__global__ void count(int* total, int* greatest, unsigned* bits, float* sum)
{
    __shared__ int inBlock;
    if (threadIdx.x == 0)
        inBlock = 0;
    __syncthreads();
    cuda::atomic_ref<int, cuda::thread_scope_block> block(inBlock);
    block.fetch_add(1, cuda::memory_order_relaxed);
    __syncthreads();
    if (threadIdx.x == 0)
        cuda::atomic_ref<int, cuda::thread_scope_device>(*total).fetch_add(inBlock);
    cuda::atomic_ref<int, cuda::thread_scope_device>(*greatest).fetch_max(int(blockIdx.x * blockDim.x + threadIdx.x));
    cuda::atomic_ref<unsigned, cuda::thread_scope_device>(*bits).fetch_or(1u << (threadIdx.x % 32));
    cuda::atomic_ref<float, cuda::thread_scope_device>(*sum).fetch_add(1.5f, cuda::memory_order_release);
    cuda::atomic_ref<float, cuda::thread_scope_device>(*sum).fetch_sub(1.0f, cuda::memory_order_acquire);
    cuda::atomic_thread_fence(cuda::memory_order_seq_cst, cuda::thread_scope_device);
    tickets.fetch_sub(1);
    ++tickets;
}

int main()
{
    int* cells;
    CHECK(cudaMallocManaged(&cells, 16));
    for (int i = 0; i < 4; ++i)
        cells[i] = 0;
    count<<<3, 64>>>(cells, cells + 1, (unsigned*)cells + 2, (float*)cells + 3);
    CHECK(cudaDeviceSynchronize());
    std::printf("%d %d %x %g\n", cells[0], cells[1], unsigned(cells[2]), *(float*)(cells + 3));
    int value = 0;
    CHECK(cudaMemcpyFromSymbol(&value, tickets, sizeof(value)));
    std::printf("tickets %d\n", value);
    cuda::std::atomic<int> own(3);
    own += 4;
    int expected = 7;
    const bool exchanged = own.compare_exchange_strong(expected, 9);
    std::printf("%d %d\n", exchanged, own.load());
}
