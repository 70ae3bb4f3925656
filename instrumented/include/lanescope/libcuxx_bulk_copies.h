// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What <cuda/barrier> has for copies whose bytes a barrier of the block counts: expectations, and copies in bulk and of
// tensors' boxes (cuda::device, cuda::device::experimental).
#pragma once

#include "libcuxx_barrier.h"

#include "hide_macros.h"

#if defined(__CUDA__)

#define LS_BULK inline __attribute__((device, always_inline, nodebug))

struct CUtensorMap_st;
typedef struct CUtensorMap_st CUtensorMap;

namespace cuda {

enum class async_contract_fulfillment { none, async };

namespace details {

LS_BULK unsigned int sharedWindow(const void* pointer)
{
    return (unsigned int)__cvta_generic_to_shared(pointer);
}
LS_BULK unsigned int sharedWindow(barrier<thread_scope_block>& object)
{
    return sharedWindow(__ls_native_handle(object));
}

}  // namespace details

namespace device {

LS_BULK void barrier_expect_tx(barrier<thread_scope_block>& object, ptrdiff_t bytes)
{
    asm volatile("mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%0], %1;" ::"r"(details::sharedWindow(object)),
                 "r"((unsigned int)bytes)
                 : "memory");
}

[[nodiscard]] LS_BULK barrier<thread_scope_block>::arrival_token barrier_arrive_tx(barrier<thread_scope_block>& object,
                                                                                   ptrdiff_t count, ptrdiff_t bytes)
{
    barrier_expect_tx(object, bytes);
    return object.arrive(count);
}

/// Both addresses and the size are multiples of 16.
template <typename T, size_t Alignment>
LS_BULK async_contract_fulfillment memcpy_async_tx(T* to, const T* from, aligned_size_t<Alignment> bytes,
                                                   barrier<thread_scope_block>& object)
{
    static_assert(Alignment >= 16, "memcpy_async_tx expects 16 byte alignment");
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
                     details::sharedWindow(to)),
                 "l"(from), "r"((unsigned int)(size_t)bytes), "r"(details::sharedWindow(object))
                 : "memory");
    return async_contract_fulfillment::async;
}

namespace experimental {

LS_BULK void cp_async_bulk_global_to_shared(void* to, const void* from, unsigned int bytes,
                                            barrier<thread_scope_block>& object)
{
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
                     details::sharedWindow(to)),
                 "l"(from), "r"(bytes), "r"(details::sharedWindow(object))
                 : "memory");
}
LS_BULK void cp_async_bulk_shared_to_global(void* to, const void* from, unsigned int bytes)
{
    asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(to),
                 "r"(details::sharedWindow(from)), "r"(bytes)
                 : "memory");
}
LS_BULK void cp_async_bulk_tensor_1d_global_to_shared(void* to, const CUtensorMap* map, int c0,
                                                      barrier<thread_scope_block>& object)
{
    asm volatile(
        "cp.async.bulk.tensor.1d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%2}], [%3];" ::
            "r"(details::sharedWindow(to)),
        "l"(map), "r"(c0), "r"(details::sharedWindow(object))
        : "memory");
}
LS_BULK void cp_async_bulk_tensor_2d_global_to_shared(void* to, const CUtensorMap* map, int c0, int c1,
                                                      barrier<thread_scope_block>& object)
{
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%2, "
                 "%3}], [%4];" ::"r"(details::sharedWindow(to)),
                 "l"(map), "r"(c0), "r"(c1), "r"(details::sharedWindow(object))
                 : "memory");
}
LS_BULK void cp_async_bulk_tensor_3d_global_to_shared(void* to, const CUtensorMap* map, int c0, int c1, int c2,
                                                      barrier<thread_scope_block>& object)
{
    asm volatile("cp.async.bulk.tensor.3d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3, "
                 "%4}], [%5];" ::"r"(details::sharedWindow(to)),
                 "l"(map), "r"(c0), "r"(c1), "r"(c2), "r"(details::sharedWindow(object))
                 : "memory");
}
LS_BULK void cp_async_bulk_tensor_4d_global_to_shared(void* to, const CUtensorMap* map, int c0, int c1, int c2, int c3,
                                                      barrier<thread_scope_block>& object)
{
    asm volatile("cp.async.bulk.tensor.4d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3, "
                 "%4, %5}], [%6];" ::"r"(details::sharedWindow(to)),
                 "l"(map), "r"(c0), "r"(c1), "r"(c2), "r"(c3), "r"(details::sharedWindow(object))
                 : "memory");
}
LS_BULK void cp_async_bulk_tensor_5d_global_to_shared(void* to, const CUtensorMap* map, int c0, int c1, int c2, int c3,
                                                      int c4, barrier<thread_scope_block>& object)
{
    asm volatile("cp.async.bulk.tensor.5d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3, "
                 "%4, %5, %6}], [%7];" ::"r"(details::sharedWindow(to)),
                 "l"(map), "r"(c0), "r"(c1), "r"(c2), "r"(c3), "r"(c4), "r"(details::sharedWindow(object))
                 : "memory");
}
LS_BULK void cp_async_bulk_tensor_1d_shared_to_global(const CUtensorMap* map, int c0, const void* from)
{
    asm volatile("cp.async.bulk.tensor.1d.global.shared::cta.tile.bulk_group [%0, {%1}], [%2];" ::"l"(map), "r"(c0),
                 "r"(details::sharedWindow(from))
                 : "memory");
}
LS_BULK void cp_async_bulk_tensor_2d_shared_to_global(const CUtensorMap* map, int c0, int c1, const void* from)
{
    asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%0, {%1, %2}], [%3];" ::"l"(map), "r"(c0),
                 "r"(c1), "r"(details::sharedWindow(from))
                 : "memory");
}
LS_BULK void cp_async_bulk_tensor_3d_shared_to_global(const CUtensorMap* map, int c0, int c1, int c2, const void* from)
{
    asm volatile("cp.async.bulk.tensor.3d.global.shared::cta.tile.bulk_group [%0, {%1, %2, %3}], [%4];" ::"l"(map),
                 "r"(c0), "r"(c1), "r"(c2), "r"(details::sharedWindow(from))
                 : "memory");
}
LS_BULK void cp_async_bulk_tensor_4d_shared_to_global(const CUtensorMap* map, int c0, int c1, int c2, int c3,
                                                      const void* from)
{
    asm volatile("cp.async.bulk.tensor.4d.global.shared::cta.tile.bulk_group [%0, {%1, %2, %3, %4}], [%5];" ::"l"(map),
                 "r"(c0), "r"(c1), "r"(c2), "r"(c3), "r"(details::sharedWindow(from))
                 : "memory");
}
LS_BULK void cp_async_bulk_tensor_5d_shared_to_global(const CUtensorMap* map, int c0, int c1, int c2, int c3, int c4,
                                                      const void* from)
{
    asm volatile(
        "cp.async.bulk.tensor.5d.global.shared::cta.tile.bulk_group [%0, {%1, %2, %3, %4, %5}], [%6];" ::"l"(map),
        "r"(c0), "r"(c1), "r"(c2), "r"(c3), "r"(c4), "r"(details::sharedWindow(from))
        : "memory");
}
LS_BULK void fence_proxy_async_shared_cta()
{
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}
LS_BULK void cp_async_bulk_commit_group()
{
    asm volatile("cp.async.bulk.commit_group;" ::: "memory");
}
/// Until of the thread's groups all but \p Prior have read their shared memory.
template <int Prior>
LS_BULK void cp_async_bulk_wait_group_read()
{
    static_assert(Prior <= 63, "cp_async_bulk_wait_group_read: waiting for more than 63 groups is not supported.");
    asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(Prior) : "memory");
}

}  // namespace experimental
}  // namespace device
}  // namespace cuda

#undef LS_BULK

#endif

#include "restore_macros.h"
