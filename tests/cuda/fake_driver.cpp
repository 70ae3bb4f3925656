// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A driver without a GPU, for what goes wrong: kernels do nothing, memory is the host's, and the function that
// FAKE_CUDA_FAIL names ("cuMemCreate:2") gives that status. FAKE_CUDA_MAJOR: compute capability, else 9.
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <string>
#include <vector>

#include "core/cuda/driver.h"

using namespace lanescope::cuda;

namespace {

std::string g_ptx;
std::map<std::string, std::vector<char>> g_globals;

int failing(const char* function)
{
    const char* wanted = std::getenv("FAKE_CUDA_FAIL");
    const size_t length = std::strlen(function);
    return wanted && std::strncmp(wanted, function, length) == 0 && wanted[length] == ':'
               ? std::atoi(wanted + length + 1)
               : 0;
}

template <typename Handle>
Handle handle()
{
    return reinterpret_cast<Handle>(uintptr_t{16});
}

}  // namespace

#define FAKE(name, ...) extern "C" __attribute__((visibility("default"))) int name(__VA_ARGS__)
#define SUCCEEDS(name, ...)                                                                                            \
    FAKE(name, __VA_ARGS__)                                                                                            \
    {                                                                                                                  \
        return failing(#name);                                                                                         \
    }

SUCCEEDS(cuInit, unsigned)
SUCCEEDS(cuCtxSetCurrent, Context)
SUCCEEDS(cuFuncSetAttribute, Function, int, int)
SUCCEEDS(cuMemHostRegister_v2, void*, size_t, unsigned)
SUCCEEDS(cuMemHostUnregister, void*)
/// 600, which is no answer of it: the kernel never ends.
FAKE(cuStreamSynchronize, Stream)
{
    while (failing("cuStreamSynchronize") == 600)
        pause();
    return failing("cuStreamSynchronize");
}
SUCCEEDS(cuEventRecord, Event, Stream)
/// Says so, for a test that waits for it, and of how many blocks a cluster is.
FAKE(cuLaunchKernelEx, const LaunchConfiguration* configuration, Function, void**, void**)
{
    unsigned blocks = 1;
    for (unsigned i = 0; i < configuration->attributeCount; ++i)
        if (const LaunchAttribute& attribute = configuration->attributes[i]; attribute.id == kLaunchCluster)
            blocks = attribute.value.cluster[0] * attribute.value.cluster[1] * attribute.value.cluster[2];
    std::fprintf(stderr, "{\"fake\": \"launched\", \"cluster\": %u}\n", blocks);
    return failing("cuLaunchKernelEx");
}
SUCCEEDS(cuMemRelease, MemoryHandle)
SUCCEEDS(cuMemSetAccess, DevicePointer, size_t, const MemoryAccess*, size_t)

FAKE(cuDriverGetVersion, int* version)
{
    *version = 13000;
    return failing("cuDriverGetVersion");
}
FAKE(cuDeviceGetCount, int* count)
{
    *count = std::getenv("FAKE_CUDA_NO_GPU") ? 0 : 1;
    return failing("cuDeviceGetCount");
}
FAKE(cuDeviceGet, int* device, int)
{
    *device = 0;
    return failing("cuDeviceGet");
}
FAKE(cuDeviceGetName, char* name, int bytes, int)
{
    std::snprintf(name, static_cast<size_t>(bytes), "Fake GPU");
    return 0;
}
FAKE(cuDeviceGetAttribute, int* value, int attribute, int)
{
    const char* major = std::getenv("FAKE_CUDA_MAJOR");
    *value = attribute == 75 ? (major ? std::atoi(major) : 9) : 1;
    return 0;
}
FAKE(cuDevicePrimaryCtxRetain, Context* context, int)
{
    *context = handle<Context>();
    return failing("cuDevicePrimaryCtxRetain");
}
FAKE(cuModuleLoadDataEx, CodeModule* module, const void* ptx, unsigned count, int* options, void** values)
{
    g_ptx = static_cast<const char*>(ptx);
    *module = handle<CodeModule>();
    for (unsigned i = 0; i < count && failing("cuModuleLoadDataEx"); ++i)
        if (options[i] == 5)
            std::strcpy(static_cast<char*>(values[i]), "line 1: refused");
    return failing("cuModuleLoadDataEx");
}
FAKE(cuModuleGetFunction, Function* function, CodeModule, const char*)
{
    *function = handle<Function>();
    return failing("cuModuleGetFunction");
}
FAKE(cuModuleGetGlobal_v2, DevicePointer* address, size_t* bytes, CodeModule, const char* name)
{
    std::vector<char>& memory = g_globals[name];
    memory.resize(4096);
    if (const size_t at = g_ptx.find(std::string(name) + " = "); at != std::string::npos) {
        const auto value = static_cast<uint32_t>(std::strtoul(g_ptx.c_str() + at + std::strlen(name) + 3, nullptr, 10));
        std::memcpy(memory.data(), &value, sizeof value);
    }
    *address = reinterpret_cast<DevicePointer>(memory.data());
    *bytes = memory.size();
    return failing("cuModuleGetGlobal_v2");
}
FAKE(cuFuncGetAttribute, int* value, int, Function)
{
    *value = 0;
    return failing("cuFuncGetAttribute");
}
FAKE(cuOccupancyMaxActiveBlocksPerMultiprocessor, int* blocks, Function, int, size_t)
{
    *blocks = 1;
    return 0;
}
FAKE(cuMemAlloc_v2, DevicePointer* address, size_t bytes)
{
    *address = reinterpret_cast<DevicePointer>(std::calloc(bytes, 1));
    return failing("cuMemAlloc_v2");
}
FAKE(cuMemFree_v2, DevicePointer address)
{
    std::free(reinterpret_cast<void*>(address));
    return 0;
}
FAKE(cuMemHostAlloc, void** address, size_t bytes, unsigned)
{
    *address = std::aligned_alloc(4096, (bytes + 4095) / 4096 * 4096);
    return failing("cuMemHostAlloc");
}
FAKE(cuMemFreeHost, void* address)
{
    std::free(address);
    return 0;
}
FAKE(cuMemHostGetDevicePointer_v2, DevicePointer* seen, void* host, unsigned)
{
    *seen = reinterpret_cast<DevicePointer>(host);
    return 0;
}
FAKE(cuMemcpyHtoD_v2, DevicePointer to, const void* from, size_t bytes)
{
    std::memcpy(reinterpret_cast<void*>(to), from, bytes);
    return failing("cuMemcpyHtoD_v2");
}
FAKE(cuMemcpyDtoH_v2, void* to, DevicePointer from, size_t bytes)
{
    std::memcpy(to, reinterpret_cast<const void*>(from), bytes);
    return failing("cuMemcpyDtoH_v2");
}
FAKE(cuMemsetD8_v2, DevicePointer to, unsigned char value, size_t bytes)
{
    std::memset(reinterpret_cast<void*>(to), value, bytes);
    return 0;
}
FAKE(cuStreamCreate, Stream* stream, unsigned)
{
    *stream = handle<Stream>();
    return failing("cuStreamCreate");
}
FAKE(cuEventCreate, Event* event, unsigned)
{
    *event = handle<Event>();
    return 0;
}
FAKE(cuEventElapsedTime, float* milliseconds, Event, Event)
{
    *milliseconds = 1;
    return 0;
}
FAKE(cuGetErrorName, int status, const char** name)
{
    *name = status == 2     ? "CUDA_ERROR_OUT_OF_MEMORY"
            : status == 700 ? "CUDA_ERROR_ILLEGAL_ADDRESS"
            : status == 702 ? "CUDA_ERROR_LAUNCH_TIMEOUT"
                            : "CUDA_ERROR_UNKNOWN";
    return 0;
}
FAKE(cuGetErrorString, int, const char** text)
{
    *text = "as wished";
    return 0;
}
FAKE(cuMemGetAllocationGranularity, size_t* bytes, const AllocationProperties*, int)
{
    *bytes = 1 << 16;
    return 0;
}
FAKE(cuMemAddressReserve, DevicePointer* address, size_t bytes, size_t, DevicePointer wish, unsigned long long)
{
    void* place = mmap(reinterpret_cast<void*>(wish), bytes, PROT_NONE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
    *address = reinterpret_cast<DevicePointer>(place);
    return place == MAP_FAILED ? 2 : failing("cuMemAddressReserve");
}
FAKE(cuMemAddressFree, DevicePointer address, size_t bytes)
{
    return munmap(reinterpret_cast<void*>(address), bytes);
}
FAKE(cuMemCreate, MemoryHandle* memory, size_t, const AllocationProperties*, unsigned long long)
{
    *memory = 1;
    return failing("cuMemCreate");
}
FAKE(cuMemMap, DevicePointer address, size_t bytes, size_t, MemoryHandle, unsigned long long)
{
    return mprotect(reinterpret_cast<void*>(address), bytes, PROT_READ | PROT_WRITE) == 0 ? failing("cuMemMap") : 1;
}
FAKE(cuMemUnmap, DevicePointer address, size_t bytes)
{
    return mprotect(reinterpret_cast<void*>(address), bytes, PROT_NONE);
}
