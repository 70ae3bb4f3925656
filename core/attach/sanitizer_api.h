// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// NVIDIA's Sanitizer API, of the CUDA toolkit's compute-sanitizer, found when it is first asked for. Its types are
// spelled out here, so that nothing of a toolkit is needed to build.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "core/base/result.h"
#include "core/cuda/driver.h"

namespace lanescope::attach {

using cuda::CodeModule;
using cuda::Context;
using cuda::Function;
using SanitizerStatus = int;  ///< SanitizerResult; 0 is success
using Subscriber = struct SubscriberTag*;
using StreamHandle = struct StreamHandleTag*;
using LaunchHandle = struct LaunchHandleTag*;

enum class Domain : int { DriverCalls = 1, Resources = 3, Launches = 5 };

enum ResourceEvent : uint32_t {
    kContextCreated = 3,
    kContextDestroyed = 4,  ///< about to be
    kModuleLoaded = 9,
    kModuleUnloaded = 10,  ///< about to be
    kDeviceMemoryAllocated = 11,
    kDeviceMemoryFreed = 12,
    kHostMemoryAllocated = 13,
    kHostMemoryFreed = 14,
    kMemoryAllocatedAsync = 15,
    kMemoryFreedAsync = 16,
};
enum LaunchEvent : uint32_t { kLaunchBegins = 1, kLaunchEnded = 3 };

/// Numbers of the driver's functions that launch a kernel; the second ones are those of the per-thread stream.
enum DriverCall : uint32_t {
    kLaunchKernel = 307,
    kLaunchKernelPerThread = 442,
    kLaunchKernelEx = 652,
    kLaunchKernelExPerThread = 653,
};

struct ContextData {
    Context context;
    int device;
};
struct ModuleData {
    Context context;
    CodeModule module;
    size_t cubinBytes;
    const char* cubin;
    void* library;
};
enum MemoryFlags : uint32_t { kOfModule = 0x1, kManaged = 0x2, kOfHost = 0x4 | 0x8, kOfRuntime = 0x40 | 0x80 };
struct MemoryData {
    uint64_t address;
    uint64_t bytes;
    Context context;
    int device;
    void* stream;
    StreamHandle streamHandle;
    void* pool;
    uint32_t flags;
    uint32_t permissions;
    int visibility;
    int sourceDevice;
};
struct LaunchData {
    Context context;
    void* stream;
    StreamHandle streamHandle;
    CodeModule module;
    Function function;
    const char* functionName;
    uint32_t grid[3];
    uint32_t block[3];
    uint32_t cluster[3];
    uint64_t gridId;
    LaunchHandle launch;
    int device;
};
/// Of a call of the driver or the runtime.
struct CallData {
    int where;  ///< 0: it begins
    const char* function;
    const void* parameters;
};
/// What kLaunchKernel was called with.
struct LaunchKernelParameters {
    Function function;
    uint32_t grid[3];
    uint32_t block[3];
    uint32_t sharedBytes;
    void* stream;
    void** arguments;  ///< null: they come in another way
    void** extra;
};
/// What kLaunchKernelEx was called with.
struct LaunchKernelExParameters {
    const struct {
        uint32_t grid[3];
        uint32_t block[3];
        uint32_t sharedBytes;
    }* config;
    Function function;
    void** arguments;
    void** extra;
};

enum class Instruction : int {
    BlockExit = 2,
    GlobalAccess = 3,
    SharedAccess = 4,
    LocalAccess = 5,
    Barrier = 6,
    AsyncCopy = 14,
    MatrixAccess = 19,
};

using SanitizerCallback = void (*)(void* user, Domain domain, uint32_t event, const void* data);

/// Every function that is used: name as exported, name here, parameters. What copies or fills is for device memory.
#define LS_SANITIZER_FUNCTIONS(F)                                                                                      \
    F("sanitizerSubscribe", subscribe, (Subscriber*, SanitizerCallback, void*))                                        \
    F("sanitizerEnableDomain", enableDomain, (uint32_t, Subscriber, Domain))                                           \
    F("sanitizerEnableCallback", enableCallback, (uint32_t, Subscriber, Domain, uint32_t))                             \
    F("sanitizerAddPatches", addPatches, (const void*, Context))                                                       \
    F("sanitizerPatchInstructions", patchInstructions, (Instruction, CodeModule, const char*))                         \
    F("sanitizerPatchModule", patchModule, (CodeModule))                                                               \
    F("sanitizerSetLaunchCallbackData", setLaunchData, (LaunchHandle, Function, StreamHandle, const void*))            \
    F("sanitizerGetFunctionPcAndSize", functionAddress, (CodeModule, const char*, uint64_t*, uint64_t*))               \
    F("sanitizerAlloc", allocate, (Context, void**, size_t))                                                           \
    F("sanitizerFree", free, (Context, void*))                                                                         \
    F("sanitizerAllocHost", allocateHost, (Context, void**, size_t))                                                   \
    F("sanitizerFreeHost", freeHost, (Context, void*))                                                                 \
    F("sanitizerMemcpyHostToDeviceAsync", copyToDevice, (void*, const void*, size_t, StreamHandle))                    \
    F("sanitizerMemcpyDeviceToHost", copyToHost, (void*, const void*, size_t, StreamHandle))                           \
    F("sanitizerStreamSynchronize", waitForStream, (StreamHandle))                                                     \
    F("sanitizerGetResultString", resultText, (SanitizerStatus, const char**))

struct SanitizerApi {
#define LS_SANITIZER_MEMBER(exported, name, parameters) SanitizerStatus(*name) parameters = nullptr;
    LS_SANITIZER_FUNCTIONS(LS_SANITIZER_MEMBER)
#undef LS_SANITIZER_MEMBER

    /// libsanitizer-public.so of \p toolkit. Errors name what is missing.
    static Result<const SanitizerApi*> load(const std::string& toolkit);

    [[nodiscard]] std::string text(SanitizerStatus status) const;
    [[nodiscard]] Error error(SanitizerStatus status, const std::string& what) const;
};

/// The folder of a CUDA toolkit that has compute-sanitizer: LANESCOPE_TOOLKIT, else CUDA_HOME, CUDA_PATH, the one whose
/// compute-sanitizer is in PATH, /usr/local/cuda. An error says where it was looked for.
[[nodiscard]] Result<std::string> findToolkit();

/// The driver's functions for memory, as they may be called from the Sanitizer API's callbacks: those that allocate,
/// free and copy, and the texts of errors. There is one context and one stream at a time.
[[nodiscard]] const cuda::Driver& memoryDriver(const SanitizerApi& api);
void useForMemory(Context context, StreamHandle stream);

}  // namespace lanescope::attach
