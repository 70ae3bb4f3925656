// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// mbarriers that nobody turns, that get more or fewer arrivals than they count, or that are none (any more).
#include <cstdio>

#include "pipeline.h"

__device__ bool first(int thread) { return threadIdx.x == thread; }
__device__ void made() { __syncthreads(); }

__global__ void two_roles_wait()
{
    __shared__ uint64_t bar[2];
    if (first(0)) {
        INIT(&bar[0], 1);
        INIT(&bar[1], 1);
    }
    made();
    WAIT(&bar[threadIdx.x / 128], 0);  // expect: barrier-deadlock error
}

__global__ void one_role_is_done()
{
    __shared__ uint64_t bar;
    if (first(0))
        INIT(&bar, 1);
    made();
    if (threadIdx.x >= 128)
        WAIT(&bar, 0);  // expect: barrier-deadlock error
}

__global__ void another_role_arrives_elsewhere()
{
    __shared__ uint64_t bar[2];
    if (first(0)) {
        INIT(&bar[0], 1);
        INIT(&bar[1], 1);
    }
    made();
    if (threadIdx.x / 128 == 1)
        WAIT(&bar[0], 0);  // expect: barrier-deadlock error
    else if (first(256))
        ARRIVE(&bar[1], 1);
}

__global__ void one_arrival_too_many()
{
    __shared__ uint64_t bar;
    if (first(0)) {
        INIT(&bar, 1);
        ARRIVE(&bar, 1);
        ARRIVE(&bar, 1);
    }
    made();
    WAIT(&bar, 0);  // expect: barrier-deadlock error
}

__global__ void one_arrival_too_few()
{
    __shared__ uint64_t bar[2];
    if (first(0)) {
        INIT(&bar[0], 2);
        INIT(&bar[1], 2);
    }
    made();
    if (threadIdx.x < 128) {
        if (first(0))
            ARRIVE(&bar[1], 1);
        WAIT(&bar[0], 0);  // expect: barrier-deadlock error
    } else {
        if (first(128))
            ARRIVE(&bar[0], 1);
        WAIT(&bar[1], 0);
    }
}

__global__ void phases_one_after_the_other()
{
    __shared__ uint64_t bar;
    if (first(0)) {
        INIT(&bar, 1);
        ARRIVE(&bar, 1);
    }
    made();
    if (threadIdx.x < 128) {
        WAIT(&bar, 0);
        role_sync(1, 128);
        if (first(0))
            ARRIVE(&bar, 1);
    } else {
        WAIT(&bar, 1);
    }
}

__global__ void copies_turn_it(const int* in, int* out)
{
    __shared__ alignas(128) int tile[2][128];
    __shared__ uint64_t bar[2];
    const int role = threadIdx.x / 128;
    if (first(0)) {
        INIT(&bar[0], 1);
        INIT(&bar[1], 1);
    }
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    made();
    if (threadIdx.x % 128 == 0) {
        EXPECT(&bar[role], 512);
        LOAD(tile[role], in, 512, &bar[role]);
    }
    WAIT(&bar[role], 0);
    out[threadIdx.x] = tile[role][threadIdx.x % 128];
}

__global__ void two_arrivals_of_one()
{
    __shared__ uint64_t bar[2];
    if (first(0)) {
        INIT(&bar[0], 1);
        INIT(&bar[1], 1);
    }
    made();
    if (threadIdx.x < 128) {
        if (first(0))
            ARRIVE(&bar[1], 2);
        WAIT(&bar[0], 0);  // expect: barrier-deadlock error
    } else {
        WAIT(&bar[1], 0);
    }
}

template <bool INVALIDATED>
__global__ void made_twice()
{
    __shared__ uint64_t bar;
    if (first(0)) {
        INIT(&bar, 1);
        if (INVALIDATED) {
            INVALIDATE(&bar);
            INIT(&bar, 1);  // expect-fixed: dead-shared-store advice kernel="made_twice<true>", redundant-store advice kernel="made_twice<true>"
        } else {
            INIT(&bar, 1);  // expect: uninitialised-read error kernel="made_twice<false>"
        }
        INVALIDATE(&bar);
    }
}

enum Use { Wait, Arrive, Invalidate, Expect };
template <Use USE, bool AFTER>
__global__ void used()
{
    __shared__ uint64_t bar;
    if (AFTER) {
        if (first(0)) {
            INIT(&bar, 1);
            INVALIDATE(&bar);
        }
        made();
    }
    if (USE == Wait)
        WAIT(&bar, 0);  // expect: uninitialised-read error, barrier-deadlock error
    if (USE == Arrive && first(0))
        ARRIVE(&bar, 1);  // expect: uninitialised-read error
    if (USE == Invalidate && first(0))
        INVALIDATE(&bar);  // expect: uninitialised-read error
    if (USE == Expect && first(0))
        EXPECT(&bar, 512);  // expect: uninitialised-read error
}

int main()
{
    int* buffer;
    cudaMalloc(&buffer, 4096);
    cudaMemset(buffer, 0, 4096);
#ifdef FIXED
    phases_one_after_the_other<<<1, 256>>>();
    copies_turn_it<<<1, 256>>>(buffer, buffer + 512);
    made_twice<true><<<1, 128>>>();
#else
    two_roles_wait<<<1, 256>>>();
    one_role_is_done<<<1, 256>>>();
    another_role_arrives_elsewhere<<<1, 384>>>();
    one_arrival_too_many<<<1, 128>>>();
    one_arrival_too_few<<<1, 256>>>();
    two_arrivals_of_one<<<1, 256>>>();
    made_twice<false><<<1, 128>>>();
    used<Wait, false><<<1, 128>>>();
    used<Arrive, false><<<1, 128>>>();
    used<Invalidate, false><<<1, 128>>>();
    used<Expect, false><<<1, 128>>>();
    used<Wait, true><<<1, 128>>>();
    used<Arrive, true><<<1, 128>>>();
    used<Expect, true><<<1, 128>>>();
#endif
    cudaDeviceSynchronize();
    cudaFree(buffer);
    cudaGetLastError();
    return 0;
}
