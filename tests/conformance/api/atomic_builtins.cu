// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The built-in atomics with an order and a scope, on memory of every kind.
#include "check.h"

#if __CUDACC_VER_MAJOR__ > 12 || (__CUDACC_VER_MAJOR__ == 12 && __CUDACC_VER_MINOR__ >= 8) || defined(__LANESCOPE__)

struct Cells {
    int count, least, greatest;
    unsigned bits, both, odd;
    unsigned long long wide;
    float sum;
    double more;
    int turns, passed, handed;
    unsigned char mark;
};

__global__ void count(Cells* cells)
{
    __shared__ int inBlock;
    const int self = blockIdx.x * blockDim.x + threadIdx.x;
    if (threadIdx.x == 0)
        __nv_atomic_store_n(&inBlock, 0, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_BLOCK);
    __syncthreads();
    __nv_atomic_add(&inBlock, 1, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_BLOCK);
    __nv_atomic_add(&cells->wide, 1ull << 33, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_DEVICE);
    __nv_atomic_fetch_add(&cells->sum, 1.5f, __NV_ATOMIC_ACQ_REL, __NV_THREAD_SCOPE_DEVICE);
    __nv_atomic_sub(&cells->more, 0.25, __NV_ATOMIC_RELAXED);
    __nv_atomic_fetch_min(&cells->least, 7 - self, __NV_ATOMIC_RELAXED);
    __nv_atomic_max(&cells->greatest, self, __NV_ATOMIC_SEQ_CST, __NV_THREAD_SCOPE_DEVICE);
    __nv_atomic_fetch_or(&cells->bits, 1u << self % 32, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_DEVICE);
    __nv_atomic_and(&cells->both, ~(1u << self % 16), __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_DEVICE);
    __nv_atomic_xor(&cells->odd, 1u << self % 5, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_DEVICE);
    __syncthreads();
    if (threadIdx.x == 0)
        __nv_atomic_fetch_add(&cells->count, __nv_atomic_load_n(&inBlock, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_BLOCK),
                              __NV_ATOMIC_RELEASE, __NV_THREAD_SCOPE_DEVICE);
}

// Blocks take turns: what each adds without an atomic is handed on by the turn.
__global__ void takeTurns(Cells* cells)
{
    if (threadIdx.x != 0)
        return;
    const int self = blockIdx.x;
    int turn;
    do
        __nv_atomic_load(&cells->turns, &turn, __NV_ATOMIC_ACQUIRE, __NV_THREAD_SCOPE_DEVICE);
    while (turn != self);
    cells->handed = cells->handed * 3 + self;
    int next = self + 1;
    __nv_atomic_store(&cells->turns, &next, __NV_ATOMIC_RELEASE, __NV_THREAD_SCOPE_DEVICE);
}

// A lock of compare and exchange; a flag of one byte.
__global__ void lock(Cells* cells, int* held)
{
    for (bool done = false; !done;) {
        int expected = 0;
        if (__nv_atomic_compare_exchange_n(held, &expected, 1, false, __NV_ATOMIC_ACQUIRE, __NV_ATOMIC_RELAXED,
                                           __NV_THREAD_SCOPE_DEVICE)) {
            cells->passed = cells->passed + 1;
            __nv_atomic_thread_fence(__NV_ATOMIC_RELEASE, __NV_THREAD_SCOPE_DEVICE);
            const int was = __nv_atomic_exchange_n(held, 0, __NV_ATOMIC_RELEASE, __NV_THREAD_SCOPE_DEVICE);
            done = was == 1;
        }
    }
    __nv_atomic_store_n(&cells->mark, (unsigned char)9, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_SYSTEM);
}

int main()
{
    Cells* cells;
    int* held;
    CHECK(cudaMallocManaged(&cells, sizeof(Cells)));
    CHECK(cudaMallocManaged(&held, sizeof(int)));
    *cells = {};
    cells->both = 0xffffff;
    *held = 0;
    count<<<3, 64>>>(cells);
    takeTurns<<<5, 32>>>(cells);
    lock<<<2, 48>>>(cells, held);
    CHECK(cudaDeviceSynchronize());
    std::printf("%d %d %d\n", cells->count, cells->least, cells->greatest);
    std::printf("%x %x %x %llx\n", cells->bits, cells->both, cells->odd, cells->wide);
    std::printf("%g %g\n", cells->sum, cells->more);
    std::printf("%d %d %d %d\n", cells->turns, cells->handed, cells->passed, cells->mark);
}

#else

int main()
{
    std::puts("no built-in atomics before CUDA 12.8");
}

#endif
