// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Stream-ordered allocation. A pool counts what is allocated from it; the memory itself is device memory like any.
#include <algorithm>
#include <map>
#include <span>
#include <unordered_map>

#include "instrumented/runtime/memory.h"
#include "instrumented/runtime/streams.h"

using namespace lanescope::runtime;

struct CUmemPoolHandle_st {
    uint64_t used = 0;
    uint64_t usedHigh = 0;
    uint64_t releaseThreshold = 0;
    int reuse[3] = {1, 1, 1};  ///< follow event dependencies, opportunistic, internal dependencies
    uint32_t device = 0;
    DeviceSet access = 0;  ///< of further devices, cudaMemPoolSetAccess
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

cudaMemPool_t defaultPool(uint32_t device)
{
    static auto* const pools = new std::map<uint32_t, cudaMemPool_t>;
    cudaMemPool_t& pool = (*pools)[device];
    if (!pool) {
        pool = handles<CUmemPoolHandle_st>().create();
        pool->device = device;
    }
    return pool;
}

/// By device; those that have none of their own have the default one.
std::map<uint32_t, cudaMemPool_t>& chosenPools()
{
    static auto* const pools = new std::map<uint32_t, cudaMemPool_t>;
    return *pools;
}

cudaMemPool_t currentPool(uint32_t device)
{
    const auto chosen = chosenPools().find(device);
    return chosen == chosenPools().end() ? defaultPool(device) : chosen->second;
}

/// Of a stream that is none of ours, the current one.
uint32_t deviceOf(cudaStream_t stream)
{
    Call call;
    return isStream(stream) ? streamOf(stream).device : currentDevice();
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

cudaError_t devicePool(cudaMemPool_t* pool, int device, cudaMemPool_t (*value)(uint32_t device))
{
    Call call;
    if (!pool)
        return call.fail(cudaErrorInvalidValue);
    if (!isDevice(call.runtime(), device))
        return call.fail(cudaErrorInvalidDevice);
    *pool = value(static_cast<uint32_t>(device));
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
    forgetListedAccess(reinterpret_cast<uint64_t>(work.pointer));
    return runtime.memory().free(reinterpret_cast<uint64_t>(work.pointer)).ok() ? cudaSuccess : cudaErrorInvalidValue;
}

LS_API cudaError_t cudaMallocFromPoolAsync(void** pointer, size_t bytes, cudaMemPool_t pool, cudaStream_t stream)
{
    Call call;
    if (!isStream(stream))
        return call.fail(cudaErrorInvalidResourceHandle);
    if (!pointer || !isPool(pool))
        return call.fail(cudaErrorInvalidValue);
    const DeviceScope scope(pool->device);
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
    listAccess(made.value().address, pool->access);
    pool->used += bytes;
    pool->usedHigh = std::max(pool->usedHigh, pool->used);
    return call.ok();
}

LS_API cudaError_t cudaMallocAsync(void** pointer, size_t bytes, cudaStream_t stream)
{
    return cudaMallocFromPoolAsync(pointer, bytes, currentPool(deviceOf(stream)), stream);
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
    if (!isDevice(call.runtime(), properties->location.id))
        return call.fail(cudaErrorInvalidDevice);
    *pool = handles<CUmemPoolHandle_st>().create();
    (*pool)->device = static_cast<uint32_t>(properties->location.id);
    return call.ok();
}

LS_API cudaError_t cudaMemPoolDestroy(cudaMemPool_t pool)
{
    Call call;
    if (!isPool(pool) || pool == defaultPool(pool->device))
        return call.fail(cudaErrorInvalidValue);
    for (auto& [pointer, allocation] : poolAllocations())
        if (allocation.pool == pool)
            allocation = {defaultPool(pool->device), 0};
    std::erase_if(chosenPools(), [&](const auto& chosen) { return chosen.second == pool; });
    handles<CUmemPoolHandle_st>().destroy(pool);
    return call.ok();
}

LS_API cudaError_t cudaMemPoolTrimTo(cudaMemPool_t pool, size_t /*bytesToKeep*/)
{
    return poolCall(isPool(pool));
}

LS_API cudaError_t cudaMemPoolSetAccess(cudaMemPool_t pool, const cudaMemAccessDesc* list, size_t count)
{
    Call call;
    if (!isPool(pool) || (count > 0 && !list))
        return call.fail(cudaErrorInvalidValue);
    for (const cudaMemAccessDesc& entry : std::span(list, count)) {
        if (!isDevice(call.runtime(), entry.location.id))
            return call.fail(cudaErrorInvalidDevice);
        const auto device = static_cast<uint32_t>(entry.location.id);
        const DeviceSet bit = DeviceSet{1} << device;
        const bool isGiven = entry.flags != cudaMemAccessFlagsProtNone;
        if (!isGiven && device == pool->device)
            return call.fail(cudaErrorInvalidDevice);
        pool->access = isGiven ? pool->access | bit : pool->access & ~bit;
    }
    for (const auto& [pointer, allocation] : poolAllocations())
        if (allocation.pool == pool)
            listAccess(reinterpret_cast<uint64_t>(pointer), pool->access);
    return call.ok();
}

LS_API cudaError_t cudaMemPoolGetAccess(cudaMemAccessFlags* flags, cudaMemPool_t pool, cudaMemLocation* location)
{
    Call call;
    if (!flags || !isPool(pool) || !location)
        return call.fail(cudaErrorInvalidValue);
    const bool isOnDevice = location->type == cudaMemLocationTypeDevice && isDevice(call.runtime(), location->id);
    const auto device = static_cast<uint32_t>(location->id);
    const bool mayTouchIt = isOnDevice && (device == pool->device || (pool->access & DeviceSet{1} << device) != 0);
    *flags = mayTouchIt ? cudaMemAccessFlagsProtReadWrite : cudaMemAccessFlagsProtNone;
    return call.ok();
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
    return devicePool(pool, device, defaultPool);
}

LS_API cudaError_t cudaDeviceGetMemPool(cudaMemPool_t* pool, int device)
{
    return devicePool(pool, device, currentPool);
}

LS_API cudaError_t cudaDeviceSetMemPool(int device, cudaMemPool_t pool)
{
    Call call;
    if (!isDevice(call.runtime(), device))
        return call.fail(cudaErrorInvalidDevice);
    if (!isPool(pool) || pool->device != static_cast<uint32_t>(device))
        return call.fail(cudaErrorInvalidValue);
    chosenPools()[pool->device] = pool;
    return call.ok();
}

LS_API cudaError_t cudaDeviceGraphMemTrim(int device)
{
    Call call;
    return isDevice(call.runtime(), device) ? call.ok() : call.fail(cudaErrorInvalidDevice);
}
