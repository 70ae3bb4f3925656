// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the programs of this folder issue, each one PTX instruction: operations on mbarriers, copies in bulk and of
// groups, products. Those that findings name are macros, so that they are told at the line that uses them.
#pragma once
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <cstdint>

__device__ inline uint32_t window(const void* at)
{
    return (uint32_t)__cvta_generic_to_shared(at);
}

// clang-format off
#define INIT(barrier, arrivals) asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(window(barrier)), "r"(arrivals) : "memory")
#define INVALIDATE(barrier) asm volatile("mbarrier.inval.shared::cta.b64 [%0];" ::"r"(window(barrier)) : "memory")
#define ARRIVE(barrier, count) asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0], %1;" ::"r"(window(barrier)), "r"(count) : "memory")
#define EXPECT(barrier, bytes) asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(window(barrier)), "r"(bytes) : "memory")
#define WAIT(barrier, parity) asm volatile("{ .reg .pred p; AGAIN_%=: mbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1; @!p bra AGAIN_%=; }" ::"r"(window(barrier)), "r"(parity) : "memory")
/// A copy in bulk into shared memory, whose bytes `full` counts, and one into the memory of all blocks in `ranks`.
#define LOAD(to, from, bytes, full) asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(window(to)), "l"(from), "r"(bytes), "r"(window(full)) : "memory")
#define LOAD_ALL(to, from, bytes, full, ranks) asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%0], [%1], %2, [%3], %4;" ::"r"(window(to)), "l"(from), "r"(bytes), "r"(window(full)), "h"(uint16_t(ranks)) : "memory")
#define STORE(to, from, bytes) asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2; cp.async.bulk.commit_group;" ::"l"(to), "r"(window(from)), "r"(bytes) : "memory")
#define COPY(to, from) asm volatile("cp.async.ca.shared.global [%0], [%1], 4; cp.async.commit_group;" ::"r"(window(to)), "l"(from) : "memory")
// clang-format on

__device__ inline void fence_proxy()
{
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

template <int PENDING>
__device__ void stores_read()
{
    asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(PENDING) : "memory");
}
template <int PENDING>
__device__ void copies_done()
{
    asm volatile("cp.async.wait_group %0;" ::"n"(PENDING) : "memory");
}
__device__ inline void cluster_arrive()
{
    asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory");
}
__device__ inline void cluster_wait()
{
    asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
}
__device__ inline void cluster_sync()
{
    cluster_arrive();
    cluster_wait();
}
/// The first warps of a block are one role, the others the next: a barrier of \p threads of one role.
__device__ inline void role_sync(int role, int threads)
{
    asm volatile("bar.sync %0, %1;" ::"r"(role), "r"(threads) : "memory");
}

/// Rows of 16 halves, in cores of 8 rows of 16 bytes that follow each other: first along k, then along rows.
__device__ inline uint64_t descriptor(const __half* tile)
{
    return uint64_t(window(tile) >> 4 & 0x3fff) | 8ull << 16 | 16ull << 32;
}
__device__ inline void product(float (&d)[4], const __half* a, const __half* b)
{
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
    asm volatile("wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%0, %1, %2, %3}, %4, %5, 1, 1, 1, 0, 0;"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                 : "l"(descriptor(a)), "l"(descriptor(b)));
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
}
template <int PENDING>
__device__ void products_done(float (&d)[4])
{
    asm volatile("wgmma.wait_group.sync.aligned %4;"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                 : "n"(PENDING)
                 : "memory");
}
