// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Blocks of a cluster that write or copy into each other's memory, and read it too early.
#include <cooperative_groups.h>

#include <cstdio>

#include "pipeline.h"

namespace cg = cooperative_groups;
constexpr int THREADS = 128, BYTES = THREADS * 4;

__device__ void make(uint64_t* full)
{
    if (threadIdx.x == 0)
        INIT(full, 1);
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    cluster_sync();
}

/// Rank 0 copies into both.
__device__ void load_both(int* tile, const int* in, uint64_t* full)
{
    if (threadIdx.x == 0 && cg::this_cluster().block_rank() == 0)
        LOAD_ALL(tile, in, BYTES, full, 3);  // expect: async-copy-not-awaited error
}

template <bool FAIL>
__global__ void __cluster_dims__(2, 1, 1) multicast(const int* in, int* out)
{
    __shared__ alignas(128) int tile[THREADS];
    __shared__ uint64_t full;
    make(&full);
    if (threadIdx.x == 0)
        EXPECT(&full, BYTES);
    load_both(tile, in, &full);
    if (!FAIL)
        WAIT(&full, 0);
    const int value = tile[threadIdx.x];  // expect: shared-race error kernel="multicast<true>"
    if (FAIL)
        WAIT(&full, 0);
    out[blockIdx.x * THREADS + threadIdx.x] = value;
    cluster_sync();
}

__global__ void __cluster_dims__(2, 1, 1) multicast_twice(const int* in, int* out)
{
    __shared__ alignas(128) int tile[THREADS];
    __shared__ uint64_t full;
    make(&full);
    for (int phase = 0; phase < 2; ++phase) {
        if (threadIdx.x == 0)
            EXPECT(&full, BYTES);
        cluster_sync();
        load_both(tile, in, &full);
        WAIT(&full, phase);
        cluster_sync();
    }
    out[blockIdx.x * THREADS + threadIdx.x] = tile[threadIdx.x];
}

__global__ void __cluster_dims__(2, 1, 1) multicast_and_store(const int* in, int* out)
{
    __shared__ alignas(128) int tile[THREADS];
    __shared__ uint64_t full;
    make(&full);
    if (threadIdx.x == 0)
        EXPECT(&full, BYTES);
    load_both(tile, in, &full);
    cluster_sync();
    tile[threadIdx.x] = 1;
    WAIT(&full, 0);
    out[blockIdx.x * THREADS + threadIdx.x] = tile[threadIdx.x];
    cluster_sync();
}

/// What each reads after the barrier nothing tells the other that copies into it.
__global__ void __cluster_dims__(2, 1, 1) read_after_the_barrier(const int* in, int* out)
{
    __shared__ alignas(128) int tile[THREADS];
    __shared__ uint64_t full;
    tile[threadIdx.x] = 5;
    fence_proxy();
    make(&full);
    const int value = tile[THREADS - 1 - threadIdx.x];  // expect: shared-race error
    if (threadIdx.x == 0)
        EXPECT(&full, BYTES);
    load_both(tile, in, &full);
    WAIT(&full, 0);
    out[blockIdx.x * THREADS + threadIdx.x] = value + tile[threadIdx.x];
    cluster_sync();
}

/// A relaxed barrier orders nothing.
template <bool FAIL>
__global__ void __cluster_dims__(2, 1, 1) gather(int* out)
{
    __shared__ int tile[THREADS];
    cg::cluster_group cluster = cg::this_cluster();
    const int* other = cluster.map_shared_rank(tile, cluster.block_rank() ^ 1);
    tile[threadIdx.x] = 3;
    cluster_sync();
    if (FAIL) {
        out[blockIdx.x * THREADS + threadIdx.x] = other[threadIdx.x];  // expect: shared-race error kernel="gather<true>"
        asm volatile("barrier.cluster.arrive.relaxed.aligned;" ::: "memory");
        asm volatile("barrier.cluster.wait.aligned;" ::: "memory");
        tile[threadIdx.x] = threadIdx.x;
    } else {
        tile[threadIdx.x] = threadIdx.x;
        cluster_sync();
        out[blockIdx.x * THREADS + threadIdx.x] = other[threadIdx.x];
    }
    cluster_sync();
}

__global__ void __cluster_dims__(2, 1, 1) scatter(int* out)
{
    __shared__ int tile[THREADS];
    cg::cluster_group cluster = cg::this_cluster();
    int* other = cluster.map_shared_rank(tile, cluster.block_rank() ^ 1);
    tile[threadIdx.x] = 3;
    cluster_sync();
    other[threadIdx.x ^ 1] = threadIdx.x;
    cluster_sync();
    out[blockIdx.x * THREADS + threadIdx.x] = tile[threadIdx.x];
}

/// st.async counts its bytes at the other block's barrier.
template <int MORE>
__global__ void __cluster_dims__(2, 1, 1) stored_asynchronously(int* out)
{
    __shared__ alignas(16) int tile[THREADS];
    __shared__ uint64_t full;
    make(&full);
    const unsigned rank = cg::this_cluster().block_rank() ^ 1;
    unsigned to, barrier;
    asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(to) : "r"(window(&tile[threadIdx.x])), "r"(rank));
    asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(barrier) : "r"(window(&full)), "r"(rank));
    if (threadIdx.x == 0)
        EXPECT(&full, BYTES + MORE);
    asm volatile("st.async.shared::cluster.mbarrier::complete_tx::bytes.u32 [%0], %1, [%2];" ::"r"(to), "r"(threadIdx.x), "r"(barrier) : "memory");
    WAIT(&full, 0);  // expect: barrier-deadlock error kernel="stored_asynchronously<4>"
    out[blockIdx.x * THREADS + threadIdx.x] = tile[threadIdx.x];
    cluster_sync();
}

/// Each waits for a phase that nobody ends.
__global__ void __cluster_dims__(2, 1, 1) waits_for_ever()
{
    __shared__ uint64_t bar[2];
    if (threadIdx.x == 0)
        INIT(&bar[0], 1);
    if (threadIdx.x == 0)
        INIT(&bar[1], 1);
    cluster_sync();
    if (threadIdx.x / 32 == 1)
        WAIT(&bar[0], 0);  // expect: barrier-deadlock error
    else if (threadIdx.x == 64)
        ARRIVE(&bar[1], 1);
}

int main()
{
    int host[256], *in, *out;
    for (int i = 0; i < 256; ++i)
        host[i] = i;
    cudaMalloc(&in, sizeof host);
    cudaMalloc(&out, sizeof host);
    cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice);
    cudaMemset(out, 0, sizeof host);
#ifdef FIXED
    multicast<false><<<2, THREADS>>>(in, out);
    multicast_twice<<<2, THREADS>>>(in, out);
    gather<false><<<2, THREADS>>>(out);
    scatter<<<2, THREADS>>>(out);
    stored_asynchronously<0><<<2, THREADS>>>(out);
#else
    multicast<true><<<2, THREADS>>>(in, out);
    multicast_and_store<<<2, THREADS>>>(in, out);
    read_after_the_barrier<<<2, THREADS>>>(in, out);
    gather<true><<<2, THREADS>>>(out);
    stored_asynchronously<4><<<2, THREADS>>>(out);
    waits_for_ever<<<2, THREADS>>>();
#endif
    cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
    cudaFree(in);
    cudaFree(out);
    printf("%d\n", host[63]);
    return 0;
}
