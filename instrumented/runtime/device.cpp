// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The devices, all alike: a stated model GPU of compute capability 9.0 (lanescope/device_attributes.def).
#include <array>
#include <cstring>
#include <map>
#include <string>

#include <fmt/format.h>

#include "instrumented/runtime/memory.h"
#include "instrumented/runtime/streams.h"
#include "instrumented/runtime/work_order.h"

using lanescope::runtime::Call;

namespace {

using lanescope::runtime::currentDevice;

bool isDevice(int device)
{
    return lanescope::runtime::isDevice(lanescope::runtime::Runtime::instance(), device);
}

int attribute(cudaDeviceAttr which)
{
    switch (which) {
#define LS_ATTRIBUTE(name, number, value)                                                                              \
    case name:                                                                                                         \
        return value;
#include "instrumented/include/lanescope/device_attributes.def"
#undef LS_ATTRIBUTE
    }
    return -1;
}

void fillLimits(cudaDeviceProp& p)
{
    p.sharedMemPerBlock = size_t(attribute(cudaDevAttrMaxSharedMemoryPerBlock));
    p.sharedMemPerBlockOptin = size_t(attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin));
    p.sharedMemPerMultiprocessor = size_t(attribute(cudaDevAttrMaxSharedMemoryPerMultiprocessor));
    p.reservedSharedMemPerBlock = size_t(attribute(cudaDevAttrReservedSharedMemoryPerBlock));
    p.regsPerBlock = attribute(cudaDevAttrMaxRegistersPerBlock);
    p.regsPerMultiprocessor = attribute(cudaDevAttrMaxRegistersPerMultiprocessor);
    p.warpSize = attribute(cudaDevAttrWarpSize);
    p.maxThreadsPerBlock = attribute(cudaDevAttrMaxThreadsPerBlock);
    p.maxThreadsPerMultiProcessor = attribute(cudaDevAttrMaxThreadsPerMultiProcessor);
    p.maxBlocksPerMultiProcessor = attribute(cudaDevAttrMaxBlocksPerMultiprocessor);
    p.maxThreadsDim[0] = attribute(cudaDevAttrMaxBlockDimX);
    p.maxThreadsDim[1] = attribute(cudaDevAttrMaxBlockDimY);
    p.maxThreadsDim[2] = attribute(cudaDevAttrMaxBlockDimZ);
    p.maxGridSize[0] = attribute(cudaDevAttrMaxGridDimX);
    p.maxGridSize[1] = attribute(cudaDevAttrMaxGridDimY);
    p.maxGridSize[2] = attribute(cudaDevAttrMaxGridDimZ);
    p.totalConstMem = size_t(attribute(cudaDevAttrTotalConstantMemory));
    p.memPitch = size_t(attribute(cudaDevAttrMaxPitch));
}

void fillHardware(cudaDeviceProp& p)
{
    p.major = attribute(cudaDevAttrComputeCapabilityMajor);
    p.minor = attribute(cudaDevAttrComputeCapabilityMinor);
    p.multiProcessorCount = attribute(cudaDevAttrMultiProcessorCount);
    p.clockRate = attribute(cudaDevAttrClockRate);
    p.memoryClockRate = attribute(cudaDevAttrMemoryClockRate);
    p.memoryBusWidth = attribute(cudaDevAttrGlobalMemoryBusWidth);
    p.l2CacheSize = attribute(cudaDevAttrL2CacheSize);
    p.textureAlignment = size_t(attribute(cudaDevAttrTextureAlignment));
    p.texturePitchAlignment = 32;
    p.deviceOverlap = attribute(cudaDevAttrGpuOverlap);
    p.concurrentKernels = attribute(cudaDevAttrConcurrentKernels);
    p.ECCEnabled = attribute(cudaDevAttrEccEnabled);
    p.asyncEngineCount = attribute(cudaDevAttrAsyncEngineCount);
    p.unifiedAddressing = attribute(cudaDevAttrUnifiedAddressing);
    p.streamPrioritiesSupported = attribute(cudaDevAttrStreamPrioritiesSupported);
    p.globalL1CacheSupported = attribute(cudaDevAttrGlobalL1CacheSupported);
    p.localL1CacheSupported = attribute(cudaDevAttrLocalL1CacheSupported);
    p.singleToDoublePrecisionPerfRatio = attribute(cudaDevAttrSingleToDoublePrecisionPerfRatio);
    p.computePreemptionSupported = attribute(cudaDevAttrComputePreemptionSupported);
    p.canMapHostMemory = attribute(cudaDevAttrCanMapHostMemory);
    p.managedMemory = attribute(cudaDevAttrManagedMemory);
    p.concurrentManagedAccess = attribute(cudaDevAttrConcurrentManagedAccess);
    p.cooperativeLaunch = attribute(cudaDevAttrCooperativeLaunch);
    p.memoryPoolsSupported = attribute(cudaDevAttrMemoryPoolsSupported);
    p.hostRegisterSupported = attribute(cudaDevAttrHostRegisterSupported);
    p.persistingL2CacheMaxSize = attribute(cudaDevAttrMaxPersistingL2CacheSize);
    p.accessPolicyMaxWindowSize = attribute(cudaDevAttrMaxAccessPolicyWindowSize);
    p.surfaceAlignment = size_t(attribute(cudaDevAttrSurfaceAlignment));
}

void fillTextures(cudaDeviceProp& p)
{
    p.maxTexture1D = attribute(cudaDevAttrMaxTexture1DWidth);
    p.maxTexture1DLinear = attribute(cudaDevAttrMaxTexture1DLinearWidth);
    p.maxTexture2D[0] = attribute(cudaDevAttrMaxTexture2DWidth);
    p.maxTexture2D[1] = attribute(cudaDevAttrMaxTexture2DHeight);
    p.maxTexture3D[0] = attribute(cudaDevAttrMaxTexture3DWidth);
    p.maxTexture3D[1] = attribute(cudaDevAttrMaxTexture3DHeight);
    p.maxTexture3D[2] = attribute(cudaDevAttrMaxTexture3DDepth);
    p.maxTexture1DLayered[0] = attribute(cudaDevAttrMaxTexture1DLayeredWidth);
    p.maxTexture1DLayered[1] = attribute(cudaDevAttrMaxTexture1DLayeredLayers);
    p.maxTexture2DLayered[0] = attribute(cudaDevAttrMaxTexture2DLayeredWidth);
    p.maxTexture2DLayered[1] = attribute(cudaDevAttrMaxTexture2DLayeredHeight);
    p.maxTexture2DLayered[2] = attribute(cudaDevAttrMaxTexture2DLayeredLayers);
    p.maxSurface2D[0] = attribute(cudaDevAttrMaxSurface2DWidth);
    p.maxSurface2D[1] = attribute(cudaDevAttrMaxSurface2DHeight);
}

unsigned int g_deviceFlags = cudaDeviceScheduleAuto;

std::string busId(int device)
{
    return fmt::format("0000:{:02x}:00.0", device);
}

/// A question with one answer.
template <class T, class V>
cudaError_t answer(T* result, V value)
{
    Call call;
    if (!result)
        return call.fail(cudaErrorInvalidValue);
    *result = T(value);
    return call.ok();
}

}  // namespace

LS_API cudaError_t cudaGetDeviceCount(int* count)
{
    Call call;
    call->start();
    if (!count)
        return call.fail(cudaErrorInvalidValue);
    *count = static_cast<int>(call->options().devices);
    return call.ok();
}

LS_API cudaError_t cudaGetDevice(int* device)
{
    return answer(device, currentDevice());
}

LS_API cudaError_t cudaSetDevice(int device)
{
    Call call;
    if (!isDevice(device))
        return call.fail(cudaErrorInvalidDevice);
    lanescope::runtime::chooseDevice(static_cast<uint32_t>(device));
    return call.ok();
}

LS_API cudaError_t cudaChooseDevice(int* device, const cudaDeviceProp* properties)
{
    Call call;
    if (!device || !properties)
        return call.fail(cudaErrorInvalidValue);
    *device = 0;
    return call.ok();
}

LS_API cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int device)
{
    Call call;
    if (!properties)
        return call.fail(cudaErrorInvalidValue);
    if (!isDevice(device))
        return call.fail(cudaErrorInvalidDevice);
    *properties = {};
    std::strcpy(properties->name, "Lanescope simulated GPU (sm_90)");
    properties->totalGlobalMem = call->memory().capacity();
    fillLimits(*properties);
    fillHardware(*properties);
    fillTextures(*properties);
    properties->pciBusID = device;
    static_assert(sizeof(lanescope::runtime::kUuid) == sizeof(properties->uuid.bytes));
    std::memcpy(properties->uuid.bytes, lanescope::runtime::kUuid, sizeof(properties->uuid.bytes));
    properties->uuid.bytes[sizeof(properties->uuid.bytes) - 1] = static_cast<char>(device);
    return call.ok();
}

LS_API cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr which, int device)
{
    Call call;
    if (!value || attribute(which) < 0)
        return call.fail(cudaErrorInvalidValue);
    if (!isDevice(device))
        return call.fail(cudaErrorInvalidDevice);
    *value = which == cudaDevAttrPciBusId ? device : attribute(which);
    return call.ok();
}

LS_API cudaError_t cudaDeviceSynchronize(void)
{
    Call call;
    if (lanescope::runtime::isUnsafeDuringCapture()) {
        lanescope::runtime::invalidateCaptures();
        return call.fail(cudaErrorStreamCaptureUnsupported);
    }
    lanescope::runtime::waitedForDevice(currentDevice());
    return call.ok();  // launches and copies have ended when their calls return
}

LS_API cudaError_t cudaThreadSynchronize(void)
{
    return cudaDeviceSynchronize();
}

LS_API cudaError_t cudaDeviceReset(void)
{
    Call call;
    lanescope::runtime::waitedForAll();
    call->resetDevice();
    return cudaSuccess;
}

LS_API cudaError_t cudaInitDevice(int device, unsigned int /*deviceFlags*/, unsigned int /*flags*/)
{
    return cudaSetDevice(device);
}

LS_API cudaError_t cudaThreadExit(void)
{
    return cudaDeviceReset();
}

LS_API cudaError_t cudaSetDeviceFlags(unsigned int flags)
{
    Call call;
    if (flags & ~unsigned(cudaDeviceMask))
        return call.fail(cudaErrorInvalidValue);
    g_deviceFlags = flags;
    return call.ok();
}

LS_API cudaError_t cudaGetDeviceFlags(unsigned int* flags)
{
    return answer(flags, g_deviceFlags);
}

LS_API cudaError_t cudaSetValidDevices(int* devices, int count)
{
    Call call;
    for (int i = 0; i < count; ++i)
        if (!devices || !isDevice(devices[i]))
            return call.fail(cudaErrorInvalidDevice);
    return call.ok();
}

LS_API cudaError_t cudaDeviceGetCacheConfig(cudaFuncCache* config)
{
    return answer(config, cudaFuncCachePreferNone);
}

LS_API cudaError_t cudaDeviceGetSharedMemConfig(cudaSharedMemConfig* config)
{
    return answer(config, cudaSharedMemBankSizeFourByte);
}

LS_API cudaError_t cudaDeviceGetPCIBusId(char* text, int bytes, int device)
{
    Call call;
    if (!isDevice(device))
        return call.fail(cudaErrorInvalidDevice);
    const std::string id = busId(device);
    if (!text || bytes <= int(id.size()))
        return call.fail(cudaErrorInvalidValue);
    std::memcpy(text, id.c_str(), id.size() + 1);
    return call.ok();
}

LS_API cudaError_t cudaDeviceGetByPCIBusId(int* device, const char* text)
{
    Call call;
    if (!device || !text)
        return call.fail(cudaErrorInvalidValue);
    for (int candidate = 0; isDevice(candidate); ++candidate)
        if (busId(candidate) == text) {
            *device = candidate;
            return call.ok();
        }
    return call.fail(cudaErrorInvalidDevice);
}

LS_API cudaError_t cudaDeviceSetCacheConfig(cudaFuncCache /*config*/)
{
    Call call;
    return call.ok();
}

LS_API cudaError_t cudaDeviceSetSharedMemConfig(cudaSharedMemConfig /*config*/)
{
    Call call;
    return call.ok();
}

namespace {

/// Of the current device: CUDA's defaults, in bytes (depth and count for the last ones); indexed by cudaLimit.
size_t& limitOf(cudaLimit limit)
{
    static std::map<uint32_t, std::array<size_t, 7>> byDevice;
    const std::array<size_t, 7> defaults{1024, 1 << 20, 8 << 20, 2, 2048, 64, 0};
    return byDevice.try_emplace(currentDevice(), defaults).first->second[limit];
}

bool isLimit(cudaLimit limit)
{
    return limit >= cudaLimitStackSize && limit <= cudaLimitPersistingL2CacheSize;
}

}  // namespace

LS_API cudaError_t cudaDeviceSetLimit(cudaLimit limit, size_t value)
{
    Call call;
    if (!isLimit(limit))
        return call.fail(cudaErrorInvalidValue);
    limitOf(limit) = value;
    return call.ok();
}

LS_API cudaError_t cudaDeviceGetLimit(size_t* value, cudaLimit limit)
{
    Call call;
    if (!value)
        return call.fail(cudaErrorInvalidValue);
    if (!isLimit(limit))
        return call.fail(cudaErrorInvalidValue);
    *value = limitOf(limit);
    return call.ok();
}

LS_API cudaError_t cudaDriverGetVersion(int* version)
{
    Call call;
    if (!version)
        return call.fail(cudaErrorInvalidValue);
    *version = CUDART_VERSION;
    return call.ok();
}

LS_API cudaError_t cudaRuntimeGetVersion(int* version)
{
    return cudaDriverGetVersion(version);
}

LS_API cudaError_t cudaProfilerInitialize(const char* /*config*/, const char* /*output*/, int /*mode*/)
{
    Call call;
    return call.ok();
}

LS_API cudaError_t cudaProfilerStart(void)
{
    Call call;
    return call.ok();
}

LS_API cudaError_t cudaProfilerStop(void)
{
    Call call;
    return call.ok();
}
