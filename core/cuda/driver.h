// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The CUDA driver, found when it is first asked for. Its types are spelled out here, so that nothing of a toolkit is
// needed to build.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "core/base/result.h"

namespace lanescope::cuda {

using DriverStatus = int;  ///< CUresult; 0 is success
using DevicePointer = uint64_t;
using Context = struct ContextTag*;
using CodeModule = struct CodeModuleTag*;
using Function = struct FunctionTag*;
using Stream = struct StreamTag*;
using Event = struct EventTag*;
using MemoryHandle = unsigned long long;

inline constexpr int kMultiprocessors = 16;  ///< CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT
inline constexpr int kClockRate = 13;        ///< CU_DEVICE_ATTRIBUTE_CLOCK_RATE, kHz
inline constexpr int kMemoryClockRate = 36;  ///< CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE, kHz
inline constexpr int kMemoryBusWidth = 37;   ///< CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH, bits
inline constexpr int kMajorCapability = 75;  ///< CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR
inline constexpr int kMinorCapability = 76;  ///< CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR

struct MemoryLocation {
    int type = 1;  ///< a device
    int id = 0;
};
struct AllocationProperties {
    int type = 1;  ///< pinned
    int handleTypes = 0;
    MemoryLocation location;
    void* unused = nullptr;
    struct {
        unsigned char compression = 0;
        unsigned char remote = 0;
        unsigned short usage = 0;
        unsigned char reserved[4] = {};
    } flags;
};
struct MemoryAccess {
    MemoryLocation location;
    int flags = 3;  ///< read and write
};

inline constexpr DriverStatus kAssertFailed = 710;

/// CUlaunchAttribute.
struct LaunchAttribute {
    int id = 0;
    int unused = 0;
    union {
        char bytes[64];
        unsigned cluster[3];
        int isCooperative;
    } value = {};
};
static_assert(sizeof(LaunchAttribute) == 72);
inline constexpr int kLaunchCooperative = 2;  ///< CU_LAUNCH_ATTRIBUTE_COOPERATIVE
inline constexpr int kLaunchCluster = 4;      ///< CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION

/// CUlaunchConfig.
struct LaunchConfiguration {
    unsigned grid[3] = {1, 1, 1};
    unsigned block[3] = {1, 1, 1};
    unsigned sharedBytes = 0;
    Stream stream = nullptr;
    LaunchAttribute* attributes = nullptr;
    unsigned attributeCount = 0;
};

/// Every function of the driver that is used: name as exported, name here, parameters.
#define LS_DRIVER_FUNCTIONS(F)                                                                                         \
    F("cuInit", init, (unsigned))                                                                                      \
    F("cuDriverGetVersion", driverVersion, (int*))                                                                     \
    F("cuDeviceGetCount", deviceCount, (int*))                                                                         \
    F("cuDeviceGet", device, (int*, int))                                                                              \
    F("cuDeviceGetName", deviceName, (char*, int, int))                                                                \
    F("cuDeviceGetAttribute", deviceAttribute, (int*, int, int))                                                       \
    F("cuDevicePrimaryCtxRetain", retainContext, (Context*, int))                                                      \
    F("cuCtxSetCurrent", setContext, (Context))                                                                        \
    F("cuModuleLoadDataEx", loadModule, (CodeModule*, const void*, unsigned, int*, void**))                            \
    F("cuModuleGetFunction", function, (Function*, CodeModule, const char*))                                           \
    F("cuModuleGetGlobal_v2", global, (DevicePointer*, size_t*, CodeModule, const char*))                              \
    F("cuFuncGetAttribute", functionAttribute, (int*, int, Function))                                                  \
    F("cuOccupancyMaxActiveBlocksPerMultiprocessor", activeBlocks, (int*, Function, int, size_t))                      \
    F("cuFuncSetAttribute", setFunctionAttribute, (Function, int, int))                                                \
    F("cuMemAlloc_v2", allocate, (DevicePointer*, size_t))                                                             \
    F("cuMemFree_v2", free, (DevicePointer))                                                                           \
    F("cuMemHostAlloc", allocateHost, (void**, size_t, unsigned))                                                      \
    F("cuMemFreeHost", freeHost, (void*))                                                                              \
    F("cuMemHostRegister_v2", registerHost, (void*, size_t, unsigned))                                                 \
    F("cuMemHostUnregister", unregisterHost, (void*))                                                                  \
    F("cuMemHostGetDevicePointer_v2", hostDevicePointer, (DevicePointer*, void*, unsigned))                            \
    F("cuMemcpyHtoD_v2", copyToDevice, (DevicePointer, const void*, size_t))                                           \
    F("cuMemcpyDtoH_v2", copyToHost, (void*, DevicePointer, size_t))                                                   \
    F("cuMemsetD8_v2", fill, (DevicePointer, unsigned char, size_t))                                                   \
    F("cuStreamCreate", createStream, (Stream*, unsigned))                                                             \
    F("cuStreamSynchronize", waitForStream, (Stream))                                                                  \
    F("cuEventCreate", createEvent, (Event*, unsigned))                                                                \
    F("cuEventRecord", recordEvent, (Event, Stream))                                                                   \
    F("cuEventElapsedTime", elapsed, (float*, Event, Event))                                                           \
    F("cuLaunchKernelEx", launch, (const LaunchConfiguration*, Function, void**, void**))                              \
    F("cuGetErrorName", errorName, (DriverStatus, const char**))                                                       \
    F("cuGetErrorString", errorText, (DriverStatus, const char**))                                                     \
    F("cuMemGetAllocationGranularity", granularity, (size_t*, const AllocationProperties*, int))                       \
    F("cuMemAddressReserve", reserveAddress, (DevicePointer*, size_t, size_t, DevicePointer, unsigned long long))      \
    F("cuMemAddressFree", freeAddress, (DevicePointer, size_t))                                                        \
    F("cuMemCreate", createMemory, (MemoryHandle*, size_t, const AllocationProperties*, unsigned long long))           \
    F("cuMemRelease", releaseMemory, (MemoryHandle))                                                                   \
    F("cuMemMap", map, (DevicePointer, size_t, size_t, MemoryHandle, unsigned long long))                              \
    F("cuMemUnmap", unmap, (DevicePointer, size_t))                                                                    \
    F("cuMemSetAccess", setAccess, (DevicePointer, size_t, const MemoryAccess*, size_t))

struct Driver {
#define LS_DRIVER_MEMBER(exported, name, parameters) DriverStatus(*name) parameters = nullptr;
    LS_DRIVER_FUNCTIONS(LS_DRIVER_MEMBER)
#undef LS_DRIVER_MEMBER

    /// libcuda.so.1 (LANESCOPE_CUDA_DRIVER: another file), initialised, with a GPU of compute capability 9.0 or later.
    /// Errors name what is missing: the driver, a function of it, a GPU, its capability.
    static Result<const Driver*> find();

    /// "CUDA_ERROR_ILLEGAL_ADDRESS (an illegal memory access was encountered)".
    [[nodiscard]] std::string text(DriverStatus status) const;
    /// An Error for a status that is not success. \p what: what was tried.
    [[nodiscard]] Error error(DriverStatus status, const std::string& what) const;
};

}  // namespace lanescope::cuda
