// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Roles of warps that hand tiles to each other by mbarriers, each with one of the waits left out.
#include <cstdio>

#include "pipeline.h"

constexpr int ROLE = 128;  // threads of a role
constexpr int TURNS = 10;

__device__ int role() { return threadIdx.x / ROLE; }
__device__ int lane() { return threadIdx.x % ROLE; }

/// Barrier \p i gets \p arrivals; those from \p free on start as if one phase of them were over.
__device__ void make(uint64_t* barriers, int count, int arrivals = 1, int free = 100)
{
    if (threadIdx.x == 0)
        for (int i = 0; i < count; ++i) {
            INIT(&barriers[i], arrivals);
            if (i >= free)
                ARRIVE(&barriers[i], arrivals);
        }
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    __syncthreads();
}

/// All threads of the role have come; one of them arrives.
__device__ void role_arrives(uint64_t* barrier)
{
    role_sync(1 + role(), ROLE);
    if (lane() == 0)
        ARRIVE(barrier, 1);
}

template <bool FAIL>
__global__ void store_wait_load(int* out)
{
    __shared__ int tile[2][ROLE];
    __shared__ uint64_t bar[2];
    make(bar, 2);
    if (role() == 0) {
        if (!FAIL)
            WAIT(&bar[0], 0);
        tile[1][lane()] = tile[0][ROLE - 1 - lane()];  // expect: shared-race error kernel="store_wait_load<true>"
        role_arrives(&bar[1]);
    } else {
        tile[0][lane()] = lane();
        role_arrives(&bar[0]);
    }
    WAIT(&bar[1], 0);
    out[lane()] = tile[1][lane()];
}

template <bool FAIL>
__global__ void load_wait_store(int* out)
{
    __shared__ int tile[2][ROLE];
    __shared__ uint64_t bar[2];
    tile[0][lane()] = 7;
    make(bar, 2);
    if (role() == 0) {
        if (!FAIL)
            WAIT(&bar[0], 0);
        tile[0][lane()] = lane();  // expect: shared-race error kernel="load_wait_store<true>"
        role_arrives(&bar[1]);
    } else {
        const int value = tile[0][ROLE - 1 - lane()];
        role_arrives(&bar[0]);
        tile[1][lane()] = value;  // expect-fixed: dead-shared-store advice kernel="load_wait_store<false>"
    }
    WAIT(&bar[1], 0);
    out[lane()] = tile[0][lane()];
}

template <int MISSING>
__global__ void two_readers(int* out)
{
    __shared__ int tile[3][ROLE];
    __shared__ uint64_t bar[3];
    tile[0][lane()] = 7;
    make(bar, 3);
    if (role() == 2) {
        if (MISSING != 1)
            WAIT(&bar[0], 0);
        if (MISSING != 2)
            WAIT(&bar[1], 0);
        tile[0][lane()] = lane();
        role_arrives(&bar[2]);
    } else {
        const int value = tile[0][ROLE - 1 - lane()];  // expect: shared-race error kernel="two_readers<1>", shared-race error kernel="two_readers<2>"
        role_arrives(&bar[role()]);
        tile[1 + role()][lane()] = value;  // expect-fixed: dead-shared-store advice kernel="two_readers<-1>"
    }
    WAIT(&bar[2], 0);
    out[lane()] = tile[0][lane()];
}

template <bool FAIL>
__global__ void two_readers_one_barrier(int* out)
{
    __shared__ int tile[3][ROLE];
    __shared__ uint64_t bar[2];
    tile[0][lane()] = 7;
    make(bar, 1, 2);
    make(bar + 1, 1);
    if (role() == 2) {
        if (!FAIL)
            WAIT(&bar[0], 0);
        tile[0][lane()] = lane();
        role_arrives(&bar[1]);
    } else {
        const int value = tile[0][ROLE - 1 - lane()];  // expect: shared-race error kernel="two_readers_one_barrier<true>"
        role_arrives(&bar[0]);
        tile[1 + role()][lane()] = value;  // expect-fixed: dead-shared-store advice kernel="two_readers_one_barrier<false>"
    }
    WAIT(&bar[1], 0);
    out[lane()] = tile[0][lane()];
}

template <int MISSING>
__global__ void two_readers_in_turns(int* out)
{
    __shared__ int tile[3][ROLE];
    __shared__ uint64_t bar[4];
    tile[0][lane()] = 7;  // expect-fixed: unused-shared advice kernel="two_readers_in_turns<-1>"
    make(bar, 4, 1, 2);
    if (role() == 2) {
        for (int turn = 0; turn < TURNS; ++turn) {
            if (MISSING != 0)
                WAIT(&bar[0], turn & 1);
            if (MISSING != 1)
                WAIT(&bar[1], turn & 1);
            tile[0][lane()] = turn * lane();  // expect: shared-race error kernel="two_readers_in_turns<2>", shared-race error kernel="two_readers_in_turns<3>"
            role_arrives(&bar[2]);
            role_arrives(&bar[3]);
        }
        return;
    }
    int sum = 0;
    for (int turn = 0; turn < TURNS; ++turn) {
        if (MISSING != 2 + role())
            WAIT(&bar[2 + role()], turn & 1);  // expect: barrier-deadlock error kernel="two_readers_in_turns<2>", barrier-deadlock error kernel="two_readers_in_turns<3>"
        sum += tile[0][ROLE - 1 - lane()];  // expect: shared-race error kernel="two_readers_in_turns<0>", shared-race error kernel="two_readers_in_turns<1>"
        role_arrives(&bar[role()]);
    }
    out[threadIdx.x] = sum;
}

template <bool FAIL>
__global__ void load_ordering(int* out)
{
    __shared__ int tile[2][ROLE];
    __shared__ uint64_t bar[3];
    tile[0][lane()] = tile[1][lane()] = 7;  // expect-fixed: dead-shared-store advice kernel="load_ordering<false>"
    make(bar, 3, 1, 2);
    int sum = 0;
    for (int turn = 0; turn < TURNS; ++turn)
        if (role() == 0) {
            WAIT(&bar[2], turn & 1);
            tile[0][lane()] = turn + lane();
            role_arrives(&bar[0]);
            tile[1][lane()] = turn * lane();  // expect-fixed: dead-shared-store advice kernel="load_ordering<false>"
            role_arrives(&bar[1]);
        } else {
            WAIT(&bar[0], turn & 1);
            sum += tile[FAIL ? 1 : 0][ROLE - 1 - lane()];  // expect: shared-race error kernel="load_ordering<true>"
            WAIT(&bar[1], turn & 1);
            role_arrives(&bar[2]);
        }
    out[threadIdx.x] = sum;
}

template <int MISSING>
__global__ void two_and_two(int* out)
{
    __shared__ int tile[2][ROLE];
    __shared__ uint64_t bar[4];
    tile[0][lane()] = tile[1][lane()] = 7;  // expect-fixed: dead-shared-store advice kernel="two_and_two<-1>"
    make(bar, 4, 2, 2);
    int sum = 0;
    for (int turn = 0; turn < TURNS; ++turn)
        if (role() < 2) {
            WAIT(&bar[2 + role()], turn & 1);
            tile[role()][lane()] = turn * lane();
            role_arrives(&bar[0]);
        } else {
            if (MISSING != role())
                WAIT(&bar[0], turn & 1);
            sum += tile[role() - 2][ROLE - 1 - lane()];  // expect: shared-race error kernel="two_and_two<2>", shared-race error kernel="two_and_two<3>"
            role_arrives(&bar[2]);
            role_arrives(&bar[3]);
        }
    out[threadIdx.x] = sum;
}

template <int MISSING>
__global__ void roles_of_different_sizes(int* out)
{
    __shared__ int tile[3][256];
    __shared__ uint64_t bar[3];
    const int threads[] = {128, 64, 256};
    const int which = threadIdx.x < 128 ? 0 : threadIdx.x < 192 ? 1 : 2, own = threadIdx.x - (which == 0 ? 0 : which == 1 ? 128 : 192);
    if (threadIdx.x < 256)
        tile[0][threadIdx.x] = 7;
    make(bar, 3);
    if (which == 2) {
        if (MISSING != 1)
            WAIT(&bar[0], 0);
        if (MISSING != 2)
            WAIT(&bar[1], 0);
        tile[0][own] = own;  // expect: shared-race error kernel="roles_of_different_sizes<1>", shared-race error kernel="roles_of_different_sizes<2>"
    } else {
        for (int i = own; i < 256; i += threads[which])
            tile[1 + which][i] = tile[0][255 - i];  // expect-fixed: dead-shared-store advice kernel="roles_of_different_sizes<-1>"
    }
    role_sync(1 + which, threads[which]);
    if (own == 0)
        ARRIVE(&bar[which], 1);
    WAIT(&bar[2], 0);
    if (which == 2)
        out[own] = tile[0][255 - own];
}

/// 0: no fence; 1: the writer's, after its arrival; 2: the writer's; 3: the reader's.
template <int FENCE>
__global__ void fence_of_the_proxy(int* out)
{
    __shared__ alignas(128) int tile[ROLE];
    __shared__ uint64_t bar;
    make(&bar, 1);
    if (role() == 0) {
        tile[lane()] = lane();  // expect: shared-race error kernel="fence_of_the_proxy<0>", shared-race error kernel="fence_of_the_proxy<1>"
        if (FENCE == 2)
            fence_proxy();
        role_arrives(&bar);
        if (FENCE == 1)
            fence_proxy();
    } else {
        WAIT(&bar, 0);
        if (FENCE == 3)
            fence_proxy();
        if (lane() == 0) {
            STORE(out, tile, ROLE * 4);
            stores_read<0>();
        }
    }
}

template <bool FAIL>
__global__ void groups_of_two_roles(const int* in, int* out)
{
    __shared__ int tile[4][ROLE];
    const int base = 2 * role();
    int sum = 0;
    COPY(&tile[base][lane()], in + lane());  // expect: shared-race error kernel="groups_of_two_roles<true>"
    for (int i = 1; i < TURNS; ++i) {
        if (i < TURNS - 1) {
            COPY(&tile[base + i % 2][lane()], in + lane());
            copies_done<1>();
        } else {
            copies_done<0>();
        }
        sum += tile[(FAIL ? 0 : base) + (i - 1) % 2][lane()];
    }
    out[threadIdx.x] = sum;
}

template <bool FAIL>
__global__ void group_handed_on(const int* in, int* out)
{
    __shared__ int tile[2][ROLE];
    __shared__ uint64_t bar;
    make(&bar, 1);
    if (role() == 0) {
        COPY(&tile[0][lane()], in + lane());
        COPY(&tile[1][lane()], in + lane());  // expect-fixed: dead-shared-store advice kernel="group_handed_on<false>"
        copies_done<1>();
        role_arrives(&bar);
        copies_done<0>();
    } else {
        WAIT(&bar, 0);
        out[lane()] = tile[FAIL ? 1 : 0][ROLE - 1 - lane()];  // expect: shared-race error kernel="group_handed_on<true>", async-copy-not-awaited error kernel="group_handed_on<true>"
    }
}

/// The writer's tile, or half of it, and a reader of the second half.
template <bool MISSING, bool OVERLAP>
__global__ void overlapping_tiles(int* out)
{
    __shared__ int tile[2 * ROLE];
    __shared__ uint64_t bar;
    tile[lane()] = tile[ROLE + lane()] = 7;  // expect-fixed: dead-shared-store advice
    make(&bar, 1);
    if (role() == 0) {
        tile[lane()] = lane();  // expect-fixed: dead-shared-store advice
        if (OVERLAP)
            tile[ROLE + lane()] = lane();  // expect: shared-race error
        role_arrives(&bar);
    } else {
        if (!MISSING)
            WAIT(&bar, 0);
        out[lane()] = tile[ROLE + 127 - lane()];
    }
}

template <bool MISSING, bool OVERLAP>
__global__ void overlapping_groups(const int* in, int* out)
{
    __shared__ int tile[2 * ROLE];
    __shared__ uint64_t bar;
    make(&bar, 1);
    if (role() == 0) {
        COPY(&tile[lane()], in + lane());  // expect-fixed: dead-shared-store advice
        if (OVERLAP)
            COPY(&tile[ROLE + lane()], in + lane());  // expect-fixed: dead-shared-store advice
        if (!MISSING)
            copies_done<0>();
        role_arrives(&bar);
        copies_done<0>();
    } else {
        WAIT(&bar, 0);
        tile[ROLE + lane()] = 0;  // expect: async-copy-not-awaited error, shared-race error
        role_sync(1 + role(), ROLE);
        out[lane()] = tile[ROLE + 127 - lane()];
    }
}

__global__ void written_then_copied(const int* in, int* out)
{
    __shared__ alignas(128) int tile[2 * ROLE];
    __shared__ uint64_t bar;
    make(&bar, 1);
    if (role() == 0) {
        tile[lane()] = tile[ROLE + lane()] = 42;  // expect-fixed: dead-shared-store advice
        fence_proxy();
        role_sync(1 + role(), ROLE);
        if (lane() == 0) {
            EXPECT(&bar, ROLE * 4);
            LOAD(tile + ROLE, in, ROLE * 4, &bar);
        }
    } else {
        WAIT(&bar, 0);
        out[lane()] = tile[ROLE + lane()];
    }
}

int main()
{
    int host[1024], *in, *out;
    for (int i = 0; i < 1024; ++i)
        host[i] = i;
    cudaMalloc(&in, sizeof host);
    cudaMalloc(&out, sizeof host);
    cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice);
    cudaMemset(out, 0, sizeof host);
#ifdef FIXED
    store_wait_load<false><<<1, 2 * ROLE>>>(out);
    load_wait_store<false><<<1, 2 * ROLE>>>(out);
    two_readers<-1><<<1, 3 * ROLE>>>(out);
    two_readers_one_barrier<false><<<1, 3 * ROLE>>>(out);
    two_readers_in_turns<-1><<<1, 3 * ROLE>>>(out);
    load_ordering<false><<<1, 2 * ROLE>>>(out);
    two_and_two<-1><<<1, 4 * ROLE>>>(out);
    roles_of_different_sizes<-1><<<1, 448>>>(out);
    fence_of_the_proxy<2><<<1, 2 * ROLE>>>(out);
    fence_of_the_proxy<3><<<1, 2 * ROLE>>>(out);
    groups_of_two_roles<false><<<1, 2 * ROLE>>>(in, out);
    group_handed_on<false><<<1, 2 * ROLE>>>(in, out);
    overlapping_tiles<true, false><<<1, 2 * ROLE>>>(out);
    overlapping_tiles<false, false><<<1, 2 * ROLE>>>(out);
    overlapping_tiles<false, true><<<1, 2 * ROLE>>>(out);
    overlapping_groups<true, false><<<1, 2 * ROLE>>>(in, out);
    overlapping_groups<false, false><<<1, 2 * ROLE>>>(in, out);
    overlapping_groups<false, true><<<1, 2 * ROLE>>>(in, out);
    written_then_copied<<<1, 2 * ROLE>>>(in, out);
#else
    store_wait_load<true><<<1, 2 * ROLE>>>(out);
    load_wait_store<true><<<1, 2 * ROLE>>>(out);
    two_readers<1><<<1, 3 * ROLE>>>(out);
    two_readers<2><<<1, 3 * ROLE>>>(out);
    two_readers_one_barrier<true><<<1, 3 * ROLE>>>(out);
    two_readers_in_turns<0><<<1, 3 * ROLE>>>(out);
    two_readers_in_turns<1><<<1, 3 * ROLE>>>(out);
    two_readers_in_turns<2><<<1, 3 * ROLE>>>(out);
    two_readers_in_turns<3><<<1, 3 * ROLE>>>(out);
    load_ordering<true><<<1, 2 * ROLE>>>(out);
    two_and_two<2><<<1, 4 * ROLE>>>(out);
    two_and_two<3><<<1, 4 * ROLE>>>(out);
    roles_of_different_sizes<1><<<1, 448>>>(out);
    roles_of_different_sizes<2><<<1, 448>>>(out);
    fence_of_the_proxy<0><<<1, 2 * ROLE>>>(out);
    fence_of_the_proxy<1><<<1, 2 * ROLE>>>(out);
    groups_of_two_roles<true><<<1, 2 * ROLE>>>(in, out);
    group_handed_on<true><<<1, 2 * ROLE>>>(in, out);
    overlapping_tiles<true, true><<<1, 2 * ROLE>>>(out);
    overlapping_groups<true, true><<<1, 2 * ROLE>>>(in, out);
#endif
    cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
    cudaFree(in);
    cudaFree(out);
    printf("%d\n", host[63]);
    return 0;
}
