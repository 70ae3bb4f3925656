// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The atomic functions that the compiler itself brings, each with its memory order and, or without, its scope.
#include "check.h"

constexpr unsigned kFilled = 3;

struct Totals {
    int added, least, greatest, tries;
    unsigned all, any, odd, swapped;
    unsigned long long wide;
    float sum;
    double exact;
    unsigned phase;
    float slot;
};

__global__ void total(Totals* t)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    __nv_atomic_add(&t->added, i, __NV_ATOMIC_RELAXED);
    __nv_atomic_sub(&t->added, 1, __NV_ATOMIC_RELEASE, __NV_THREAD_SCOPE_DEVICE);
    __nv_atomic_min(&t->least, -i, __NV_ATOMIC_RELAXED);
    __nv_atomic_max(&t->greatest, i, __NV_ATOMIC_ACQUIRE);
    __nv_atomic_and(&t->all, ~(1u << i % 8), __NV_ATOMIC_ACQ_REL);
    __nv_atomic_or(&t->any, 1u << i % 16, __NV_ATOMIC_SEQ_CST, __NV_THREAD_SCOPE_DEVICE);
    __nv_atomic_xor(&t->odd, i, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_SYSTEM);
    __nv_atomic_fetch_add(&t->wide, 1ull << 40, __NV_ATOMIC_RELAXED);
    __nv_atomic_fetch_add(&t->sum, 0.5f, __NV_ATOMIC_RELAXED);
    __nv_atomic_fetch_add(&t->exact, 0.25, __NV_ATOMIC_RELAXED);

    int seen = __nv_atomic_load_n(&t->tries, __NV_ATOMIC_RELAXED);
    while (!__nv_atomic_compare_exchange_n(&t->tries, &seen, seen + 2, false, __NV_ATOMIC_ACQ_REL, __NV_ATOMIC_RELAXED))
        ;
}

/// Block 0 fills the slot, block 1 waits for it.
__global__ void handOver(Totals* t)
{
    if (blockIdx.x == 0) {
        float value = 2.5f, old;
        __nv_atomic_exchange(&t->slot, &value, &old, __NV_ATOMIC_RELAXED);
        t->swapped = old == 1.0f;
        __nv_atomic_store_n(&t->phase, kFilled, __NV_ATOMIC_RELEASE, __NV_THREAD_SCOPE_DEVICE);
        return;
    }
    while (__nv_atomic_load_n(&t->phase, __NV_ATOMIC_ACQUIRE, __NV_THREAD_SCOPE_DEVICE) != kFilled)
        ;
    float found;
    __nv_atomic_load(&t->slot, &found, __NV_ATOMIC_RELAXED);
    t->swapped += found == 2.5f;
    float next = 4.0f;
    __nv_atomic_store(&t->slot, &next, __NV_ATOMIC_RELAXED);
    __nv_atomic_thread_fence(__NV_ATOMIC_SEQ_CST, __NV_THREAD_SCOPE_DEVICE);
    const int before = __nv_atomic_exchange_n(&t->tries, 7, __NV_ATOMIC_SEQ_CST);
    int wrong = before, wanted = 9;
    if (!__nv_atomic_compare_exchange(&t->tries, &wrong, &wanted, false, __NV_ATOMIC_RELAXED, __NV_ATOMIC_RELAXED))
        t->tries = before * 10 + wrong;
}

int main()
{
    Totals* t;
    CHECK(cudaMallocManaged(&t, sizeof *t));
    *t = {};
    t->all = 0xffff;
    t->slot = 1.0f;
    total<<<4, 64>>>(t);
    CHECK(cudaDeviceSynchronize());
    std::printf("%d %d %d %d\n", t->added, t->least, t->greatest, t->tries);
    std::printf("%x %x %x %llx %g %g\n", t->all, t->any, t->odd, t->wide, t->sum, t->exact);
    handOver<<<2, 1>>>(t);
    CHECK(cudaDeviceSynchronize());
    std::printf("%u %g %d\n", t->swapped, t->slot, t->tries);
    CHECK(cudaFree(t));
}
