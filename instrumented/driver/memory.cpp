// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Allocation, registration, pools; what is known about an address.
#include "instrumented/runtime/memory.h"
#include "instrumented/driver/driver.h"

using namespace lanescope;
using namespace lanescope::driver;
using namespace lanescope::runtime;

namespace {

CUmemorytype memoryTypeOf(cudaMemoryType type)
{
    return type == cudaMemoryTypeHost ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE;
}

template <class T>
CUresult give(void* data, T value)
{
    *static_cast<T*>(data) = value;
    return CUDA_SUCCESS;
}

/// What only the allocation knows.
CUresult allocationAttribute(void* data, CUpointer_attribute attribute, uint64_t address)
{
    Call call;
    const std::optional<device::Allocation> allocation = call->memory().find(deviceAliasOf(address));
    if (!allocation)
        return CUDA_ERROR_INVALID_VALUE;
    switch (attribute) {
    case CU_POINTER_ATTRIBUTE_BUFFER_ID:
        return give<unsigned long long>(data, allocation->buffer.value + 1ULL);
    case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR:
    case CU_POINTER_ATTRIBUTE_MAPPING_BASE_ADDR:
        return give<CUdeviceptr>(data, allocation->address);
    default:
        return give<size_t>(data, allocation->bytes);
    }
}

/// Of an address that \p known says to be the device's, pinned or managed.
CUresult pointerAttribute(void* data, CUpointer_attribute attribute, CUdeviceptr address,
                          const cudaPointerAttributes& known)
{
    switch (attribute) {
    case CU_POINTER_ATTRIBUTE_CONTEXT: {
        const Call call;
        return give(data, contextOf(static_cast<uint32_t>(known.device)));
    }
    case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
        return give<unsigned>(data, memoryTypeOf(known.type));
    case CU_POINTER_ATTRIBUTE_DEVICE_POINTER:
        return give(data, reinterpret_cast<CUdeviceptr>(known.devicePointer));
    case CU_POINTER_ATTRIBUTE_HOST_POINTER:
        return known.hostPointer ? give(data, known.hostPointer) : CUDA_ERROR_INVALID_VALUE;
    case CU_POINTER_ATTRIBUTE_IS_MANAGED:
        return give<unsigned>(data, known.type == cudaMemoryTypeManaged);
    case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
        return give<int>(data, known.device);
    case CU_POINTER_ATTRIBUTE_MAPPED:
        return give<unsigned>(data, 1);
    case CU_POINTER_ATTRIBUTE_ACCESS_FLAGS:
        return give<unsigned>(data, CU_MEM_ACCESS_FLAGS_PROT_READWRITE);
    case CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE:
        return give<void*>(data, nullptr);
    case CU_POINTER_ATTRIBUTE_SYNC_MEMOPS:
    case CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE:
    case CU_POINTER_ATTRIBUTE_IS_GPU_DIRECT_RDMA_CAPABLE:
    case CU_POINTER_ATTRIBUTE_ALLOWED_HANDLE_TYPES:
        return give<unsigned>(data, 0);
    case CU_POINTER_ATTRIBUTE_BUFFER_ID:
    case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR:
    case CU_POINTER_ATTRIBUTE_MAPPING_BASE_ADDR:
    case CU_POINTER_ATTRIBUTE_RANGE_SIZE:
    case CU_POINTER_ATTRIBUTE_MAPPING_SIZE:
        return allocationAttribute(data, attribute, address);
    default:
        return CUDA_ERROR_INVALID_VALUE;
    }
}

CUdevice deviceOf(const CUmemLocation& location)
{
    return location.type == CU_MEM_LOCATION_TYPE_DEVICE ? location.id : CU_DEVICE_CPU;
}

/// False: of the host's own memory, or nobody's.
bool isKnown(CUdeviceptr address, cudaPointerAttributes& known)
{
    const cudaError_t error = cudaPointerGetAttributes(&known, pointerTo(address));
    return answer(error) == CUDA_SUCCESS && known.type != cudaMemoryTypeUnregistered;
}

}  // namespace

LS_API CUresult cuMemGetInfo_v2(size_t* freeBytes, size_t* totalBytes)
{
    return answer(cudaMemGetInfo(freeBytes, totalBytes));
}

LS_API CUresult cuMemAlloc_v2(CUdeviceptr* address, size_t bytes)
{
    if (!address || bytes == 0)
        return CUDA_ERROR_INVALID_VALUE;
    Call call;
    return answer(allocate(call, "cuMemAlloc", reinterpret_cast<void**>(address), bytes));
}

LS_API CUresult cuMemAllocPitch_v2(CUdeviceptr* address, size_t* pitch, size_t width, size_t height,
                                   unsigned /*elementBytes*/)
{
    return answer(cudaMallocPitch(reinterpret_cast<void**>(address), pitch, width, height));
}

LS_API CUresult cuMemFree_v2(CUdeviceptr address)
{
    return answer(cudaFree(pointerTo(address)));
}

LS_API CUresult cuMemAllocAsync(CUdeviceptr* address, size_t bytes, CUstream stream)
{
    return answer(cudaMallocAsync(reinterpret_cast<void**>(address), bytes, stream));
}

LS_API CUresult cuMemAllocFromPoolAsync(CUdeviceptr* address, size_t bytes, CUmemoryPool pool, CUstream stream)
{
    return answer(cudaMallocFromPoolAsync(reinterpret_cast<void**>(address), bytes, pool, stream));
}

LS_API CUresult cuMemFreeAsync(CUdeviceptr address, CUstream stream)
{
    return answer(cudaFreeAsync(pointerTo(address), stream));
}

LS_API CUresult cuMemAllocManaged(CUdeviceptr* address, size_t bytes, unsigned flags)
{
    if (bytes == 0)
        return CUDA_ERROR_INVALID_VALUE;
    return answer(cudaMallocManaged(reinterpret_cast<void**>(address), bytes, flags));
}

LS_API CUresult cuMemAllocHost_v2(void** pointer, size_t bytes)
{
    return answer(cudaMallocHost(pointer, bytes));
}

LS_API CUresult cuMemHostAlloc(void** pointer, size_t bytes, unsigned flags)
{
    return answer(cudaHostAlloc(pointer, bytes, flags));
}

LS_API CUresult cuMemFreeHost(void* pointer)
{
    return answer(cudaFreeHost(pointer));
}

LS_API CUresult cuMemHostRegister_v2(void* pointer, size_t bytes, unsigned flags)
{
    return answer(cudaHostRegister(pointer, bytes, flags));
}

LS_API CUresult cuMemHostUnregister(void* pointer)
{
    return answer(cudaHostUnregister(pointer));
}

LS_API CUresult cuMemHostGetDevicePointer_v2(CUdeviceptr* address, void* pointer, unsigned flags)
{
    return answer(cudaHostGetDevicePointer(reinterpret_cast<void**>(address), pointer, flags));
}

LS_API CUresult cuMemHostGetFlags(unsigned* flags, void* pointer)
{
    return answer(cudaHostGetFlags(flags, pointer));
}

LS_API CUresult cuMemGetAddressRange_v2(CUdeviceptr* base, size_t* bytes, CUdeviceptr address)
{
    Call call;
    const std::optional<device::Allocation> allocation = call->memory().find(address);
    if (!allocation || !allocation->live || address - allocation->address >= allocation->bytes)
        return CUDA_ERROR_NOT_FOUND;
    if (base)
        *base = allocation->address;
    if (bytes)
        *bytes = allocation->bytes;
    return CUDA_SUCCESS;
}

LS_API CUresult cuMemPrefetchAsync(CUdeviceptr address, size_t bytes, CUdevice device, CUstream stream)
{
    return answer(cudaMemPrefetchAsync(pointerTo(address), bytes, device, stream));
}

LS_API CUresult cuMemAdvise(CUdeviceptr address, size_t bytes, CUmem_advise advice, CUdevice device)
{
    return answer(cudaMemAdvise(pointerTo(address), bytes, static_cast<cudaMemoryAdvise>(advice), device));
}

LS_API CUresult cuMemPrefetchAsync_v2(CUdeviceptr address, size_t bytes, CUmemLocation to, unsigned /*flags*/,
                                      CUstream stream)
{
    return cuMemPrefetchAsync(address, bytes, deviceOf(to), stream);
}

LS_API CUresult cuMemAdvise_v2(CUdeviceptr address, size_t bytes, CUmem_advise advice, CUmemLocation where)
{
    return cuMemAdvise(address, bytes, advice, deviceOf(where));
}

LS_API CUresult cuMemPoolCreate(CUmemoryPool* pool, const CUmemPoolProps* properties)
{
    return answer(cudaMemPoolCreate(pool, reinterpret_cast<const cudaMemPoolProps*>(properties)));
}

LS_API CUresult cuMemPoolDestroy(CUmemoryPool pool)
{
    return answer(cudaMemPoolDestroy(pool));
}

LS_API CUresult cuMemPoolTrimTo(CUmemoryPool pool, size_t bytesToKeep)
{
    return answer(cudaMemPoolTrimTo(pool, bytesToKeep));
}

LS_API CUresult cuMemPoolSetAttribute(CUmemoryPool pool, CUmemPool_attribute attribute, void* value)
{
    return answer(cudaMemPoolSetAttribute(pool, static_cast<cudaMemPoolAttr>(attribute), value));
}

LS_API CUresult cuMemPoolGetAttribute(CUmemoryPool pool, CUmemPool_attribute attribute, void* value)
{
    return answer(cudaMemPoolGetAttribute(pool, static_cast<cudaMemPoolAttr>(attribute), value));
}

LS_API CUresult cuMemPoolSetAccess(CUmemoryPool pool, const CUmemAccessDesc* list, size_t count)
{
    return answer(cudaMemPoolSetAccess(pool, reinterpret_cast<const cudaMemAccessDesc*>(list), count));
}

LS_API CUresult cuMemPoolGetAccess(CUmemAccess_flags* flags, CUmemoryPool pool, CUmemLocation* location)
{
    if (!flags || !pool || !location)
        return CUDA_ERROR_INVALID_VALUE;
    return answer(cudaMemPoolGetAccess(reinterpret_cast<cudaMemAccessFlags*>(flags), pool,
                                       reinterpret_cast<cudaMemLocation*>(location)));
}

LS_API CUresult cuPointerGetAttribute(void* data, CUpointer_attribute attribute, CUdeviceptr address)
{
    cudaPointerAttributes known = {};
    if (!data || !isKnown(address, known))
        return CUDA_ERROR_INVALID_VALUE;
    return pointerAttribute(data, attribute, address, known);
}

LS_API CUresult cuPointerGetAttributes(unsigned count, CUpointer_attribute* attributes, void** data,
                                       CUdeviceptr address)
{
    cudaPointerAttributes known = {};
    if (count > 0 && (!attributes || !data))
        return CUDA_ERROR_INVALID_VALUE;
    const bool isOurs = isKnown(address, known);
    for (unsigned i = 0; i < count; ++i) {
        if (isOurs && pointerAttribute(data[i], attributes[i], address, known) == CUDA_SUCCESS)
            continue;
        // What does not apply is told as zero, of the size that the attribute has.
        if (attributes[i] == CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL)
            give<int>(data[i], -2);
        else if (attributes[i] == CU_POINTER_ATTRIBUTE_CONTEXT || attributes[i] == CU_POINTER_ATTRIBUTE_HOST_POINTER ||
                 attributes[i] == CU_POINTER_ATTRIBUTE_DEVICE_POINTER ||
                 attributes[i] == CU_POINTER_ATTRIBUTE_RANGE_START_ADDR ||
                 attributes[i] == CU_POINTER_ATTRIBUTE_RANGE_SIZE)
            give<uint64_t>(data[i], 0);
        else
            give<unsigned>(data[i], 0);
    }
    return CUDA_SUCCESS;
}

LS_API CUresult cuPointerSetAttribute(const void* value, CUpointer_attribute attribute, CUdeviceptr address)
{
    cudaPointerAttributes known = {};
    const bool isSettable = attribute == CU_POINTER_ATTRIBUTE_SYNC_MEMOPS;  // all copies are synchronous
    return value && isSettable && isKnown(address, known) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}
