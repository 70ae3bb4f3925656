// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Initialisation, versions, error names, the devices.
#include <algorithm>
#include <cstring>

#include "core/device/gpu_model.h"
#include "instrumented/driver/driver.h"
#include "instrumented/runtime/memory.h"

using namespace lanescope::driver;
using lanescope::runtime::Call;

namespace {

/// The driver's version decides what front ends dare to ask for.
constexpr int kDriverVersion = 13000;

struct DriverError {
    CUresult error;
    const char* name;
};

/// Of those whose names the runtime spells otherwise; the rest are "unrecognized".
constexpr DriverError kErrors[] = {
#define LS_DRIVER_ERROR(name) {name, #name},
#include "instrumented/include/lanescope/driver_errors.def"
#undef LS_DRIVER_ERROR
};

const DriverError* known(CUresult error)
{
    const auto* found = std::ranges::find(kErrors, error, &DriverError::error);
    return found == std::end(kErrors) ? nullptr : found;
}

/// Attributes that the runtime API has no name for.
struct Attribute {
    int number;
    int value;
};
constexpr Attribute kDriverOnly[] = {
    {44, 1},  // texture gathers
    {92, 0},  {93, 0},  {94, 0},  {122, 0},
    {96, 0},  {135, 0}, {136, 0},  // memory operations in streams, several devices
    {102, 1},                      // virtual memory management
    {103, 0}, {104, 0}, {105, 0},  // shareable handles
    {107, 0},                      // compressible memory
    {110, 0},                      // direct memory access from other devices
    {119, 0}, {124, 0},            // handle types, dma-buf
    {123, 1},                      // unified function pointers
    {127, 0}, {128, 0},            // tensor maps, fabric handles
    {129, 0}, {132, 0},            // unified function pointers of old, multicast
};

}  // namespace

bool lanescope::driver::isDevice(CUdevice device)
{
    return runtime::isDevice(runtime::Runtime::instance(), device);
}

LS_API CUresult cuInit(unsigned flags)
{
    if (flags != 0)
        return CUDA_ERROR_INVALID_VALUE;
    Call call;
    return CUDA_SUCCESS;
}

LS_API CUresult cuDriverGetVersion(int* version)
{
    if (!version)
        return CUDA_ERROR_INVALID_VALUE;
    *version = kDriverVersion;
    return CUDA_SUCCESS;
}

LS_API CUresult cuGetErrorName(CUresult error, const char** name)
{
    if (!name)
        return CUDA_ERROR_INVALID_VALUE;
    const DriverError* found = known(error);
    *name = found ? found->name : nullptr;
    return found ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

LS_API CUresult cuGetErrorString(CUresult error, const char** text)
{
    if (!text)
        return CUDA_ERROR_INVALID_VALUE;
    *text = known(error) ? cudaGetErrorString(runtimeError(error)) : nullptr;
    return *text ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

LS_API CUresult cuDeviceGetCount(int* count)
{
    return answer(cudaGetDeviceCount(count));
}

LS_API CUresult cuDeviceGet(CUdevice* device, int ordinal)
{
    if (!device)
        return CUDA_ERROR_INVALID_VALUE;
    if (!isDevice(ordinal))
        return CUDA_ERROR_INVALID_DEVICE;
    *device = ordinal;
    return CUDA_SUCCESS;
}

LS_API CUresult cuDeviceGetName(char* name, int bytes, CUdevice device)
{
    cudaDeviceProp properties;
    if (!name || bytes <= 0)
        return CUDA_ERROR_INVALID_VALUE;
    const cudaError_t error = cudaGetDeviceProperties(&properties, device);
    if (error == cudaSuccess) {
        std::strncpy(name, properties.name, static_cast<size_t>(bytes) - 1);
        name[bytes - 1] = 0;
    }
    return answer(error);
}

LS_API CUresult cuDeviceGetUuid_v2(CUuuid* uuid, CUdevice device)
{
    cudaDeviceProp properties;
    if (!uuid)
        return CUDA_ERROR_INVALID_VALUE;
    const cudaError_t error = cudaGetDeviceProperties(&properties, device);
    if (error == cudaSuccess)
        std::memcpy(uuid->bytes, properties.uuid.bytes, sizeof(uuid->bytes));
    return answer(error);
}

LS_API CUresult cuDeviceTotalMem_v2(size_t* bytes, CUdevice device)
{
    cudaDeviceProp properties;
    if (!bytes)
        return CUDA_ERROR_INVALID_VALUE;
    const cudaError_t error = cudaGetDeviceProperties(&properties, device);
    *bytes = error == cudaSuccess ? properties.totalGlobalMem : 0;
    return answer(error);
}

LS_API CUresult cuDeviceComputeCapability(int* major, int* minor, CUdevice device)
{
    const cudaError_t error = cudaDeviceGetAttribute(major, cudaDevAttrComputeCapabilityMajor, device);
    return answer(error != cudaSuccess ? error
                                       : cudaDeviceGetAttribute(minor, cudaDevAttrComputeCapabilityMinor, device));
}

LS_API CUresult cuDeviceGetAttribute(int* value, CUdevice_attribute attribute, CUdevice device)
{
    if (!value)
        return CUDA_ERROR_INVALID_VALUE;
    if (!isDevice(device))
        return CUDA_ERROR_INVALID_DEVICE;
    const auto* own = std::ranges::find(kDriverOnly, static_cast<int>(attribute), &Attribute::number);
    if (own == std::end(kDriverOnly))
        return answer(cudaDeviceGetAttribute(value, static_cast<cudaDeviceAttr>(attribute), device));
    *value = own->value;
    return CUDA_SUCCESS;
}

LS_API CUresult cuDeviceGetPCIBusId(char* text, int bytes, CUdevice device)
{
    return answer(cudaDeviceGetPCIBusId(text, bytes, device));
}

LS_API CUresult cuDeviceGetByPCIBusId(CUdevice* device, const char* text)
{
    return answer(cudaDeviceGetByPCIBusId(device, text));
}

LS_API CUresult cuDeviceGetP2PAttribute(int* value, CUdevice_P2PAttribute attribute, CUdevice from, CUdevice to)
{
    return answer(cudaDeviceGetP2PAttribute(value, static_cast<cudaDeviceP2PAttr>(attribute), from, to));
}

LS_API CUresult cuDeviceCanAccessPeer(int* canAccess, CUdevice device, CUdevice peer)
{
    return answer(cudaDeviceCanAccessPeer(canAccess, device, peer));
}

LS_API CUresult cuDeviceGetDefaultMemPool(CUmemoryPool* pool, CUdevice device)
{
    return answer(cudaDeviceGetDefaultMemPool(pool, device));
}

LS_API CUresult cuDeviceGetMemPool(CUmemoryPool* pool, CUdevice device)
{
    return answer(cudaDeviceGetMemPool(pool, device));
}

LS_API CUresult cuDeviceSetMemPool(CUdevice device, CUmemoryPool pool)
{
    return answer(cudaDeviceSetMemPool(device, pool));
}

LS_API CUresult cuProfilerStart(void)
{
    return CUDA_SUCCESS;
}

LS_API CUresult cuProfilerStop(void)
{
    return CUDA_SUCCESS;
}
