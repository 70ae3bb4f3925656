// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Allocation: device, pitched, pinned, managed, registered; what is known about a pointer.
#include "instrumented/runtime/memory.h"

#include <fmt/format.h>

#include <map>

#include "instrumented/runtime/api_findings.h"
#include "instrumented/runtime/streams.h"
#include "instrumented/runtime/under_way.h"
#include "instrumented/runtime/work_order.h"

using lanescope::Result;
using lanescope::device::Allocation;
using lanescope::device::DeviceMemory;
using namespace lanescope::runtime;

namespace {

/// Rows of a pitched allocation start at multiples of this many bytes.
constexpr size_t kPitchBytes = 512;
constexpr const char* kPinned = "cudaHostAlloc";
constexpr const char* kManaged = "cudaMallocManaged";
constexpr const char* kRegistered = "cudaHostRegister";

uint64_t addressOf(const void* pointer)
{
    return reinterpret_cast<uint64_t>(pointer);
}

bool isInRange(const void* pointer)
{
    return DeviceMemory::isDeviceAddress(addressOf(pointer));
}

bool startsWith(const std::string& text, const char* prefix)
{
    return text.rfind(prefix, 0) == 0;
}

/// The live allocation that \p pointer points into.
std::optional<Allocation> liveAllocation(Runtime& runtime, const void* pointer)
{
    if (!isInRange(pointer))
        return std::nullopt;
    const std::optional<Allocation> allocation = runtime.memory().find(addressOf(pointer));
    return allocation && allocation->live ? allocation : std::nullopt;
}

cudaError_t allocateVisible(Call& call, const char* function, void** pointer, size_t bytes)
{
    if (call.broken())
        return call.ok();
    if (!pointer)
        return call.fail(cudaErrorInvalidValue);
    *pointer = nullptr;
    if (bytes == 0)
        return call.ok();
    const Result<Allocation> made =
        call->memory().allocateHostVisible(bytes, fmt::format("{} #{}", function, call->takeMallocNumber()));
    if (!made)
        return call.fail(cudaErrorMemoryAllocation);
    *pointer = reinterpret_cast<void*>(made.value().address);
    return call.ok();
}

/// Of a call that has been made: an earlier launch's error goes before its success.
cudaError_t answer(Call& call, cudaError_t error)
{
    return error == cudaSuccess ? call.ok() : error;
}

struct Alias {
    uint64_t bytes = 0;
    uint64_t device = 0;
    Pages pages = Pages::Shared;
};

/// By host address.
std::map<uint64_t, Alias>& aliases()
{
    static auto* const all = new std::map<uint64_t, Alias>;
    return *all;
}

cudaMemoryType memoryType(Place place)
{
    switch (place) {
    case Place::Host:
        return cudaMemoryTypeUnregistered;
    case Place::Pinned:
        return cudaMemoryTypeHost;
    case Place::Managed:
        return cudaMemoryTypeManaged;
    case Place::Device:
        return cudaMemoryTypeDevice;
    }
    return cudaMemoryTypeUnregistered;
}

/// Hints about managed memory: checked, without effect.
cudaError_t hint(const void* pointer, size_t bytes)
{
    Call call;
    if (call.broken())
        return call.ok();
    const bool good = bytes > 0 && placeOf(call.runtime(), pointer) == Place::Managed &&
                      reachable(call.runtime(), pointer, bytes) != nullptr;
    return good ? call.ok() : call.fail(cudaErrorInvalidValue);
}

}  // namespace

namespace lanescope::runtime {

bool isDevice(Runtime& runtime, int device)
{
    runtime.start();
    return device >= 0 && static_cast<uint32_t>(device) < runtime.options().devices;
}

Place placeOf(Runtime& runtime, const void* pointer)
{
    if (!isInRange(pointer))
        return deviceAliasOf(addressOf(pointer)) == addressOf(pointer) ? Place::Host : Place::Pinned;
    const std::optional<Allocation> allocation = runtime.memory().find(addressOf(pointer));
    if (!allocation)
        return Place::Device;
    if (startsWith(allocation->origin, kPinned) || startsWith(allocation->origin, kRegistered))
        return Place::Pinned;
    return startsWith(allocation->origin, kManaged) ? Place::Managed : Place::Device;
}

std::optional<HostPlace> hostPlaceOf(Runtime& runtime, const Allocation& allocation)
{
    for (const auto& [host, alias] : aliases())
        if (alias.device == allocation.address)
            return HostPlace{host, alias.pages};
    const Place place = placeOf(runtime, reinterpret_cast<const void*>(allocation.address));
    if (place == Place::Pinned || place == Place::Managed)
        return HostPlace{allocation.address, Pages::Own};
    return std::nullopt;
}

std::byte* reachable(Runtime& runtime, const void* pointer, size_t bytes)
{
    if (isInRange(pointer))
        return runtime.memory().hostView(addressOf(pointer), bytes);
    return static_cast<std::byte*>(const_cast<void*>(pointer));
}

cudaError_t allocate(Call& call, const char* function, void** pointer, size_t bytes)
{
    if (call.broken())
        return call.ok();
    if (!pointer)
        return call.fail(cudaErrorInvalidValue);
    if (isUnsafeDuringCapture()) {
        invalidateCaptures();
        return call.fail(cudaErrorStreamCaptureUnsupported);
    }
    *pointer = nullptr;
    if (bytes == 0)
        return cudaSuccess;
    const Result<Allocation> made =
        call->memory().allocate(bytes, fmt::format("{} #{}", function, call->takeMallocNumber()));
    if (!made)
        return call.fail(cudaErrorMemoryAllocation);
    *pointer = reinterpret_cast<void*>(made.value().address);
    return cudaSuccess;
}

uint64_t deviceAliasOf(uint64_t address)
{
    if (aliases().empty())
        return address;
    auto next = aliases().upper_bound(address);
    if (next == aliases().begin())
        return address;
    const auto& [host, alias] = *--next;
    return address - host < alias.bytes ? alias.device + (address - host) : address;
}

void addAlias(uint64_t host, uint64_t bytes, uint64_t device, Pages pages)
{
    aliases()[host] = {bytes, device, pages};
}

uint64_t removeAlias(uint64_t host)
{
    const auto found = aliases().find(host);
    if (found == aliases().end())
        return 0;
    const uint64_t device = found->second.device;
    aliases().erase(found);
    return device;
}

}  // namespace lanescope::runtime

/// For front ends that know it: the registered memory that begins at \p host is an array of \p type ("float16"; of
/// count dimensions, the outermost first). Of a type that is not known nothing is said.
LS_API void __lanescopeDeclareBuffer(const void* host, const char* type, unsigned count, const uint64_t* sizes)
{
    using lanescope::trace::ScalarKind;
    static const std::map<std::string, lanescope::trace::ValueType, std::less<>> kTypes{
        {"float16", {ScalarKind::Float, 2, 1, "half"}},     {"bfloat16", {ScalarKind::Float, 2, 1, "bfloat16"}},
        {"float32", {ScalarKind::Float, 4, 1, "float"}},    {"float64", {ScalarKind::Float, 8, 1, "double"}},
        {"int8", {ScalarKind::Signed, 1, 1, "int8"}},       {"int16", {ScalarKind::Signed, 2, 1, "short"}},
        {"int32", {ScalarKind::Signed, 4, 1, "int"}},       {"int64", {ScalarKind::Signed, 8, 1, "long long"}},
        {"uint8", {ScalarKind::Unsigned, 1, 1, "uint8"}},   {"uint16", {ScalarKind::Unsigned, 2, 1, "uint16"}},
        {"uint32", {ScalarKind::Unsigned, 4, 1, "uint32"}}, {"uint64", {ScalarKind::Unsigned, 8, 1, "uint64"}},
        {"bool", {ScalarKind::Bool, 1, 1, "bool"}}};
    Call call;
    const auto known = kTypes.find(type);
    if (known != kTypes.end())
        call->memory().declare(deviceAliasOf(addressOf(host)), known->second, {sizes, sizes + count});
}

LS_API cudaError_t cudaMalloc(void** pointer, size_t bytes)
{
    Call call;
    return answer(call, allocate(call, "cudaMalloc", pointer, bytes));
}

LS_API cudaError_t cudaMallocPitch(void** pointer, size_t* pitch, size_t width, size_t height)
{
    Call call;
    if (!pitch)
        return call.fail(cudaErrorInvalidValue);
    *pitch = (width + kPitchBytes - 1) / kPitchBytes * kPitchBytes;
    return answer(call, allocate(call, "cudaMallocPitch", pointer, *pitch * height));
}

LS_API cudaError_t cudaMalloc3D(cudaPitchedPtr* pointer, cudaExtent extent)
{
    Call call;
    if (!pointer)
        return call.fail(cudaErrorInvalidValue);
    pointer->pitch = (extent.width + kPitchBytes - 1) / kPitchBytes * kPitchBytes;
    pointer->xsize = extent.width;
    pointer->ysize = extent.height;
    return answer(call, allocate(call, "cudaMalloc3D", &pointer->ptr, pointer->pitch * extent.height * extent.depth));
}

LS_API cudaError_t cudaFree(void* pointer)
{
    Call call;
    if (call.broken() || !pointer)
        return call.ok();
    const std::optional<Allocation> allocation = call->memory().find(addressOf(pointer));
    const bool isOurs =
        allocation && (startsWith(allocation->origin, "cudaMalloc") || startsWith(allocation->origin, "cuMemAlloc"));
    waitedForAll();
    if (isOurs && performRelease(call.runtime(), {pointer}) == cudaSuccess)
        return call.ok();
    reportInvalidFree(call.runtime(), pointer);
    return call.fail(cudaErrorInvalidValue);
}

LS_API cudaError_t cudaHostAlloc(void** pointer, size_t bytes, unsigned int flags)
{
    Call call;
    constexpr unsigned kAll = cudaHostAllocPortable | cudaHostAllocMapped | cudaHostAllocWriteCombined;
    if (flags & ~kAll)
        return call.fail(cudaErrorInvalidValue);
    return allocateVisible(call, kPinned, pointer, bytes);
}

LS_API cudaError_t cudaMallocHost(void** pointer, size_t bytes)
{
    return cudaHostAlloc(pointer, bytes, cudaHostAllocDefault);
}

LS_API cudaError_t cudaFreeHost(void* pointer)
{
    Call call;
    if (!pointer)
        return call.ok();
    waitedForAll();
    const std::optional<Allocation> allocation = liveAllocation(call.runtime(), pointer);
    if (!allocation || !startsWith(allocation->origin, kPinned) || !call->memory().free(addressOf(pointer)).ok())
        return call.fail(cudaErrorInvalidValue);
    return call.ok();
}

LS_API cudaError_t cudaHostRegister(void* pointer, size_t bytes, unsigned int /*flags*/)
{
    Call call;
    if (!pointer || bytes == 0 || isInRange(pointer))
        return call.fail(cudaErrorInvalidValue);
    if (deviceAliasOf(addressOf(pointer)) != addressOf(pointer))
        return call.fail(cudaErrorHostMemoryAlreadyRegistered);
    const Result<Allocation> made = call->memory().adopt(static_cast<std::byte*>(pointer), bytes,
                                                         fmt::format("{} #{}", kRegistered, call->takeMallocNumber()));
    if (!made)
        return call.fail(cudaErrorMemoryAllocation);
    addAlias(addressOf(pointer), bytes, made.value().address, Pages::Shared);
    return call.ok();
}

LS_API cudaError_t cudaHostUnregister(void* pointer)
{
    Call call;
    if (!pointer)
        return call.fail(cudaErrorInvalidValue);
    waitForAllUnderWay();
    const uint64_t device = removeAlias(addressOf(pointer));
    if (!device)
        return call.fail(cudaErrorHostMemoryNotRegistered);
    (void)call->memory().free(device);
    return call.ok();
}

LS_API cudaError_t cudaHostGetDevicePointer(void** devicePointer, void* hostPointer, unsigned int flags)
{
    Call call;
    if (!devicePointer || flags != 0 || placeOf(call.runtime(), hostPointer) != Place::Pinned)
        return call.fail(cudaErrorInvalidValue);
    *devicePointer = reinterpret_cast<void*>(deviceAliasOf(addressOf(hostPointer)));
    return call.ok();
}

LS_API cudaError_t cudaHostGetFlags(unsigned int* flags, void* pointer)
{
    Call call;
    if (!flags || placeOf(call.runtime(), pointer) != Place::Pinned)
        return call.fail(cudaErrorInvalidValue);
    *flags = cudaHostAllocMapped;
    return call.ok();
}

LS_API cudaError_t cudaMallocManaged(void** pointer, size_t bytes, unsigned int flags)
{
    Call call;
    if (flags != cudaMemAttachGlobal && flags != cudaMemAttachHost)
        return call.fail(cudaErrorInvalidValue);
    return allocateVisible(call, kManaged, pointer, bytes);
}

LS_API cudaError_t cudaMemPrefetchAsync(const void* pointer, size_t bytes, int device, cudaStream_t stream)
{
    Call call;
    if (!isStream(stream))
        return call.fail(cudaErrorInvalidResourceHandle);
    if (!isDevice(call.runtime(), device) && device != cudaCpuDeviceId)
        return call.fail(cudaErrorInvalidDevice);
    return hint(pointer, bytes);
}

LS_API cudaError_t cudaMemAdvise(const void* pointer, size_t bytes, cudaMemoryAdvise advice, int device)
{
    Call call;
    if (!isDevice(call.runtime(), device) && device != cudaCpuDeviceId)
        return call.fail(cudaErrorInvalidDevice);
    if (advice < cudaMemAdviseSetReadMostly || advice > cudaMemAdviseUnsetAccessedBy)
        return call.fail(cudaErrorInvalidValue);
    return hint(pointer, bytes);
}

LS_API cudaError_t cudaMemRangeGetAttribute(void* data, size_t dataBytes, cudaMemRangeAttribute attribute,
                                            const void* pointer, size_t bytes)
{
    Call call;
    if (!data || dataBytes < sizeof(int))
        return call.fail(cudaErrorInvalidValue);
    if (const cudaError_t error = hint(pointer, bytes); error != cudaSuccess)
        return error;
    *static_cast<int*>(data) = attribute == cudaMemRangeAttributeReadMostly ? 0 : cudaInvalidDeviceId;
    return call.ok();
}

LS_API cudaError_t cudaMemGetInfo(size_t* freeBytes, size_t* totalBytes)
{
    Call call;
    if (!freeBytes || !totalBytes)
        return call.fail(cudaErrorInvalidValue);
    *totalBytes = call->memory().capacity();
    *freeBytes = *totalBytes - call->memory().bytesInUse();
    return call.ok();
}

LS_API cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* attributes, const void* pointer)
{
    Call call;
    if (!attributes)
        return call.fail(cudaErrorInvalidValue);
    void* self = const_cast<void*>(pointer);
    *attributes = {cudaMemoryTypeUnregistered, -2, nullptr, self};
    const Place place = placeOf(call.runtime(), pointer);
    if (place == Place::Host)
        return call.ok();
    const uint64_t onDevice = deviceAliasOf(addressOf(pointer));
    const std::optional<Allocation> allocation = liveAllocation(call.runtime(), reinterpret_cast<void*>(onDevice));
    if (!allocation)
        return call.fail(cudaErrorInvalidValue);
    *attributes = {memoryType(place), static_cast<int>(allocation->device), reinterpret_cast<void*>(onDevice),
                   place == Place::Device ? nullptr : self};
    return call.ok();
}
