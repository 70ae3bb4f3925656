// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Virtual memory: addresses are reserved, memory is created, and one is mapped to the other. A buffer is what is mapped
// side by side: of what a program's own allocator hands out of it nothing is known.
#include <fmt/format.h>

#include <span>

#include "instrumented/driver/driver.h"
#include "instrumented/runtime/devices.h"
#include "instrumented/runtime/handles.h"
#include "instrumented/runtime/memory.h"

using namespace lanescope;
using namespace lanescope::driver;
using namespace lanescope::runtime;

namespace {

constexpr size_t kGranularity = size_t{2} << 20;

/// Memory that was created. It gets its bytes when it is mapped.
struct PhysicalMemory {
    size_t bytes = 0;
    uint32_t device = 0;
    CUdeviceptr mappedAt = 0;  ///< 0: nowhere
    bool released = false;     ///< gone when it is unmapped
};

PhysicalMemory* memoryOf(CUmemGenericAllocationHandle handle)
{
    auto* memory = reinterpret_cast<PhysicalMemory*>(handle);
    return handles<PhysicalMemory>().has(memory) ? memory : nullptr;
}

bool isGranular(size_t bytes)
{
    return bytes > 0 && bytes % kGranularity == 0;
}

std::map<CUdeviceptr, PhysicalMemory*>& mappings()
{
    static auto* const all = new std::map<CUdeviceptr, PhysicalMemory*>;
    return *all;
}

void forgetMappings(CUdeviceptr begin, CUdeviceptr end)
{
    for (auto next = mappings().lower_bound(begin); next != mappings().end() && next->first < end;) {
        next->second->mappedAt = 0;
        if (next->second->released)
            handles<PhysicalMemory>().destroy(next->second);
        next = mappings().erase(next);
    }
}

}  // namespace

LS_API CUresult cuMemGetAllocationGranularity(size_t* bytes, const CUmemAllocationProp* properties,
                                              CUmemAllocationGranularity_flags /*option*/)
{
    if (!bytes || !properties)
        return CUDA_ERROR_INVALID_VALUE;
    *bytes = kGranularity;
    return CUDA_SUCCESS;
}

LS_API CUresult cuMemAddressReserve(CUdeviceptr* address, size_t bytes, size_t /*alignment*/, CUdeviceptr /*wanted*/,
                                    unsigned long long flags)
{
    if (!address || !isGranular(bytes) || flags != 0)
        return CUDA_ERROR_INVALID_VALUE;
    Call call;
    const Result<device::DeviceAddress> reserved = call->memory().reserveAddresses(bytes);
    if (!reserved)
        return CUDA_ERROR_OUT_OF_MEMORY;
    *address = reserved.value();
    return CUDA_SUCCESS;
}

LS_API CUresult cuMemAddressFree(CUdeviceptr address, size_t bytes)
{
    Call call;
    return isGranular(bytes) && call->memory().releaseAddresses(address, bytes) ? CUDA_SUCCESS
                                                                                : CUDA_ERROR_INVALID_VALUE;
}

LS_API CUresult cuMemCreate(CUmemGenericAllocationHandle* handle, size_t bytes, const CUmemAllocationProp* properties,
                            unsigned long long flags)
{
    if (!handle || !properties || !isGranular(bytes) || flags != 0)
        return CUDA_ERROR_INVALID_VALUE;
    if (properties->requestedHandleTypes != CU_MEM_HANDLE_TYPE_NONE)
        return CUDA_ERROR_NOT_SUPPORTED;
    const bool isOnDevice = properties->location.type == CU_MEM_LOCATION_TYPE_DEVICE;
    Call call;
    if (isOnDevice && !isDevice(call.runtime(), properties->location.id))
        return CUDA_ERROR_INVALID_DEVICE;
    const DeviceScope scope(isOnDevice ? static_cast<uint32_t>(properties->location.id) : currentDevice());
    if (bytes > call->memory().capacity() - call->memory().bytesInUse())
        return CUDA_ERROR_OUT_OF_MEMORY;
    *handle = reinterpret_cast<CUmemGenericAllocationHandle>(
        handles<PhysicalMemory>().create(PhysicalMemory{bytes, currentDevice(), 0, false}));
    return CUDA_SUCCESS;
}

LS_API CUresult cuMemRelease(CUmemGenericAllocationHandle handle)
{
    Call call;
    PhysicalMemory* memory = memoryOf(handle);
    if (!memory || memory->released)
        return CUDA_ERROR_INVALID_VALUE;
    memory->released = true;
    if (memory->mappedAt == 0)
        handles<PhysicalMemory>().destroy(memory);
    return CUDA_SUCCESS;
}

LS_API CUresult cuMemMap(CUdeviceptr address, size_t bytes, size_t offset, CUmemGenericAllocationHandle handle,
                         unsigned long long flags)
{
    Call call;
    PhysicalMemory* memory = memoryOf(handle);
    if (!memory || offset != 0 || flags != 0 || bytes != memory->bytes)
        return CUDA_ERROR_INVALID_VALUE;
    if (memory->mappedAt != 0)
        return missing("cuMemMap (of memory that is mapped already)");
    const DeviceScope scope(memory->device);
    const Result<void> mapped =
        call->memory().mapReserved(address, bytes, fmt::format("cuMemMap #{}", call->takeMallocNumber()));
    if (!mapped)
        return mapped.error().code == Error::Code::Limit ? CUDA_ERROR_OUT_OF_MEMORY : CUDA_ERROR_INVALID_VALUE;
    memory->mappedAt = address;
    mappings()[address] = memory;
    return CUDA_SUCCESS;
}

LS_API CUresult cuMemUnmap(CUdeviceptr address, size_t bytes)
{
    Call call;
    if (!call->memory().unmapReserved(address, bytes))
        return CUDA_ERROR_INVALID_VALUE;
    forgetListedAccess(address);
    forgetMappings(address, address + bytes);
    return CUDA_SUCCESS;
}

LS_API CUresult cuMemSetAccess(CUdeviceptr address, size_t /*bytes*/, const CUmemAccessDesc* list, size_t count)
{
    Call call;
    const std::optional<device::Allocation> there = call->memory().find(address);
    if (!list || count == 0 || !there || !there->live)
        return CUDA_ERROR_INVALID_VALUE;
    DeviceSet devices = listedAccess(there->address);
    for (const CUmemAccessDesc& entry : std::span(list, count)) {
        if (!isDevice(call.runtime(), entry.location.id))
            return CUDA_ERROR_INVALID_DEVICE;
        const DeviceSet bit = DeviceSet{1} << entry.location.id;
        devices = entry.flags == CU_MEM_ACCESS_FLAGS_PROT_NONE ? devices & ~bit : devices | bit;
    }
    listAccess(there->address, devices);
    return CUDA_SUCCESS;
}

LS_API CUresult cuMemGetAccess(unsigned long long* flags, const CUmemLocation* /*location*/, CUdeviceptr address)
{
    Call call;
    const std::optional<device::Allocation> there = call->memory().find(address);
    if (!flags || !there || !there->live)
        return CUDA_ERROR_INVALID_VALUE;
    *flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
    return CUDA_SUCCESS;
}
