// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Stream-ordered allocation. A pool counts what is allocated from it; the memory itself is device memory like any.
#include <algorithm>
#include <unordered_map>

#include "instrumented/runtime/memory.h"
#include "instrumented/runtime/streams.h"

using namespace lanescope::runtime;

struct CUmemPoolHandle_st {
    uint64_t used = 0;
    uint64_t usedHigh = 0;
    uint64_t releaseThreshold = 0;
    int reuse[3] = {1, 1, 1};  ///< follow event dependencies, opportunistic, internal dependencies
};

namespace {

struct PoolAllocation {
    cudaMemPool_t pool = nullptr;
    uint64_t bytes = 0;
};

std::unordered_map<void*, PoolAllocation>& poolAllocations()
{
    static auto* const all = new std::unordered_map<void*, PoolAllocation>;
    return *all;
}

cudaMemPool_t defaultPool()
{
    static cudaMemPool_t const pool = handles<CUmemPoolHandle_st>().create();
    return pool;
}

cudaMemPool_t g_currentPool = nullptr;

cudaMemPool_t currentPool()
{
    return g_currentPool ? g_currentPool : defaultPool();
}

bool isPool(cudaMemPool_t pool)
{
    return handles<CUmemPoolHandle_st>().has(pool);
}

cudaError_t poolCall(bool valid)
{
    Call call;
    return valid ? call.ok() : call.fail(cudaErrorInvalidValue);
}

cudaError_t devicePool(cudaMemPool_t* pool, int device, cudaMemPool_t value)
{
    Call call;
    if (!pool)
        return call.fail(cudaErrorInvalidValue);
    if (device != 0)
        return call.fail(cudaErrorInvalidDevice);
    *pool = value;
    return call.ok();
}

/// Null: no such attribute.
uint64_t* counter(cudaMemPool_t pool, cudaMemPoolAttr attribute)
{
    switch (attribute) {
    case cudaMemPoolAttrReleaseThreshold:
        return &pool->releaseThreshold;
    case cudaMemPoolAttrReservedMemCurrent:
    case cudaMemPoolAttrUsedMemCurrent:
        return &pool->used;
    case cudaMemPoolAttrReservedMemHigh:
    case cudaMemPoolAttrUsedMemHigh:
        return &pool->usedHigh;
    default:
        return nullptr;
    }
}

bool isReuse(cudaMemPoolAttr attribute)
{
    return attribute >= cudaMemPoolReuseFollowEventDependencies &&
           attribute <= cudaMemPoolReuseAllowInternalDependencies;
}

}  // namespace

cudaError_t lanescope::runtime::performAllocation(Runtime& runtime, const AllocateWork& work)
{
    return runtime.memory().allocateAgain(reinterpret_cast<uint64_t>(work.pointer)).ok() ? cudaSuccess
                                                                                         : cudaErrorMemoryAllocation;
}

cudaError_t lanescope::runtime::performRelease(Runtime& runtime, const ReleaseWork& work)
{
    const auto found = poolAllocations().find(work.pointer);
    if (found != poolAllocations().end()) {
        found->second.pool->used -= found->second.bytes;
        poolAllocations().erase(found);
    }
    return runtime.memory().free(reinterpret_cast<uint64_t>(work.pointer)).ok() ? cudaSuccess : cudaErrorInvalidValue;
}

LS_API cudaError_t cudaMallocFromPoolAsync(void** pointer, size_t bytes, cudaMemPool_t pool, cudaStream_t stream)
{
    Call call;
    if (!isStream(stream))
        return call.fail(cudaErrorInvalidResourceHandle);
    if (!pointer || !isPool(pool))
        return call.fail(cudaErrorInvalidValue);
    const lanescope::Result<lanescope::device::Allocation> made =
        call->memory().allocate(bytes, "cudaMallocAsync #" + std::to_string(call->takeMallocNumber()));
    if (call.broken() || !made)
        return call.broken() ? call.ok() : call.fail(cudaErrorMemoryAllocation);
    *pointer = reinterpret_cast<void*>(made.value().address);
    if (isCapturing(stream)) {
        (void)call->memory().keepAddress(made.value().address);
        return submit(call, stream, AllocateWork{*pointer, bytes});
    }
    poolAllocations()[*pointer] = {pool, bytes};
    pool->used += bytes;
    pool->usedHigh = std::max(pool->usedHigh, pool->used);
    return call.ok();
}

LS_API cudaError_t cudaMallocAsync(void** pointer, size_t bytes, cudaStream_t stream)
{
    return cudaMallocFromPoolAsync(pointer, bytes, currentPool(), stream);
}

LS_API cudaError_t cudaFreeAsync(void* pointer, cudaStream_t stream)
{
    Call call;
    if (!pointer)
        return call.ok();
    return submit(call, stream, ReleaseWork{pointer});
}

LS_API cudaError_t cudaMemPoolCreate(cudaMemPool_t* pool, const cudaMemPoolProps* properties)
{
    Call call;
    if (!pool || !properties || properties->allocType != cudaMemAllocationTypePinned)
        return call.fail(cudaErrorInvalidValue);
    *pool = handles<CUmemPoolHandle_st>().create();
    return call.ok();
}

LS_API cudaError_t cudaMemPoolDestroy(cudaMemPool_t pool)
{
    Call call;
    if (!isPool(pool) || pool == defaultPool())
        return call.fail(cudaErrorInvalidValue);
    for (auto& [pointer, allocation] : poolAllocations())
        if (allocation.pool == pool)
            allocation = {defaultPool(), 0};
    if (g_currentPool == pool)
        g_currentPool = nullptr;
    handles<CUmemPoolHandle_st>().destroy(pool);
    return call.ok();
}

LS_API cudaError_t cudaMemPoolTrimTo(cudaMemPool_t pool, size_t /*bytesToKeep*/)
{
    return poolCall(isPool(pool));
}

LS_API cudaError_t cudaMemPoolSetAccess(cudaMemPool_t pool, const cudaMemAccessDesc* /*list*/, size_t /*count*/)
{
    return poolCall(isPool(pool));
}

LS_API cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t pool, cudaMemPoolAttr attribute, void* value)
{
    Call call;
    if (!isPool(pool) || !value)
        return call.fail(cudaErrorInvalidValue);
    if (isReuse(attribute))
        pool->reuse[attribute - 1] = *static_cast<int*>(value);
    else if (attribute == cudaMemPoolAttrReleaseThreshold)
        pool->releaseThreshold = *static_cast<uint64_t*>(value);
    else if (counter(pool, attribute) == &pool->usedHigh)
        pool->usedHigh = pool->used;  // the only change that is allowed: reset to what is used
    else
        return call.fail(cudaErrorInvalidValue);
    return call.ok();
}

LS_API cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t pool, cudaMemPoolAttr attribute, void* value)
{
    Call call;
    if (!isPool(pool) || !value)
        return call.fail(cudaErrorInvalidValue);
    if (isReuse(attribute))
        *static_cast<int*>(value) = pool->reuse[attribute - 1];
    else if (const uint64_t* number = counter(pool, attribute))
        *static_cast<uint64_t*>(value) = *number;
    else
        return call.fail(cudaErrorInvalidValue);
    return call.ok();
}

LS_API cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t* pool, int device)
{
    return devicePool(pool, device, defaultPool());
}

LS_API cudaError_t cudaDeviceGetMemPool(cudaMemPool_t* pool, int device)
{
    return devicePool(pool, device, currentPool());
}

LS_API cudaError_t cudaDeviceSetMemPool(int device, cudaMemPool_t pool)
{
    Call call;
    if (device != 0)
        return call.fail(cudaErrorInvalidDevice);
    if (!isPool(pool))
        return call.fail(cudaErrorInvalidValue);
    g_currentPool = pool;
    return call.ok();
}

LS_API cudaError_t cudaDeviceGraphMemTrim(int device)
{
    return poolCall(device == 0);
}
