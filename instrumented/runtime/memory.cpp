// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Allocation, copies, fills and symbols.
#include <cstdlib>
#include <cstring>
#include <unordered_set>

#include <fmt/format.h>

#include "instrumented/runtime/runtime.h"
#include "instrumented/runtime/streams.h"

using lanescope::Error;
using lanescope::Result;
using lanescope::runtime::Call;
using lanescope::runtime::isStream;
using lanescope::runtime::Runtime;
using lanescope::runtime::Symbol;
using lanescope::simt::Allocation;
using lanescope::simt::DeviceMemory;

namespace {

/// Rows of a pitched allocation start at multiples of this many bytes.
constexpr size_t kPitchBytes = 512;
constexpr size_t kPinnedAlignment = 4096;

uint64_t addressOf(const void* pointer)
{
    return reinterpret_cast<uint64_t>(pointer);
}

bool isDevice(const void* pointer)
{
    return DeviceMemory::isDeviceAddress(addressOf(pointer));
}

cudaError_t allocate(Call& call, const char* function, void** pointer, size_t bytes)
{
    if (call.broken())
        return call.ok();
    if (!pointer)
        return call.fail(cudaErrorInvalidValue);
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

std::unordered_set<void*>& pinnedBlocks()
{
    static auto* const all = new std::unordered_set<void*>;
    return *all;
}

/// Where host code can reach \p bytes at \p pointer; null when that is not wholly inside a live buffer, or when a
/// host pointer is null.
std::byte* reachable(Runtime& runtime, const void* pointer, size_t bytes)
{
    if (isDevice(pointer))
        return runtime.memory().hostView(addressOf(pointer), bytes);
    return static_cast<std::byte*>(const_cast<void*>(pointer));
}

/// Marks in \p to what is initialised in \p from.
void copyInitialised(DeviceMemory& memory, uint64_t to, uint64_t from, size_t bytes)
{
    const std::optional<Allocation> source = memory.find(from);
    if (!source)
        return;
    const std::vector<uint8_t> bits = memory.initialisedBits(*source);
    const uint64_t first = from - source->address;
    const auto isSet = [&](uint64_t byte) { return bits.empty() || (bits[byte / 8] >> (byte % 8)) & 1; };
    for (uint64_t begin = 0; begin < bytes;) {
        uint64_t end = begin;
        while (end < bytes && isSet(first + end))
            ++end;
        if (end > begin)
            memory.markInitialised(to + begin, end - begin);
        begin = end + 1;
    }
}

cudaMemcpyKind inferredKind(const void* to, const void* from)
{
    if (isDevice(to))
        return isDevice(from) ? cudaMemcpyDeviceToDevice : cudaMemcpyHostToDevice;
    return isDevice(from) ? cudaMemcpyDeviceToHost : cudaMemcpyHostToHost;
}

cudaError_t copy(Runtime& runtime, void* to, const void* from, size_t bytes, cudaMemcpyKind kind)
{
    if (kind < cudaMemcpyHostToHost || kind > cudaMemcpyDefault)
        return cudaErrorInvalidMemcpyDirection;
    if (bytes == 0)
        return cudaSuccess;
    const cudaMemcpyKind actual = inferredKind(to, from);
    if (kind != cudaMemcpyDefault && kind != actual)
        return cudaErrorInvalidValue;
    std::byte* target = reachable(runtime, to, bytes);
    const std::byte* source = reachable(runtime, from, bytes);
    if (!target || !source)
        return cudaErrorInvalidValue;
    std::memmove(target, source, bytes);
    if (actual == cudaMemcpyHostToDevice)
        runtime.memory().markInitialised(addressOf(to), bytes);
    else if (actual == cudaMemcpyDeviceToDevice)
        copyInitialised(runtime.memory(), addressOf(to), addressOf(from), bytes);
    return cudaSuccess;
}

cudaError_t fill(Runtime& runtime, void* pointer, int value, size_t bytes)
{
    if (bytes == 0)
        return cudaSuccess;
    std::byte* target = isDevice(pointer) ? reachable(runtime, pointer, bytes) : nullptr;
    if (!target)
        return cudaErrorInvalidValue;
    std::memset(target, value, bytes);
    runtime.memory().markInitialised(addressOf(pointer), bytes);
    return cudaSuccess;
}

cudaError_t finish(Call& call, cudaError_t error)
{
    return error == cudaSuccess ? cudaSuccess : call.fail(error);
}

/// A range of a __device__ or __constant__ variable.
cudaError_t symbolRange(Call& call, const void* symbol, size_t bytes, size_t offset, void** address)
{
    const Symbol* known = call->symbol(symbol);
    if (!known)
        return cudaErrorInvalidSymbol;
    const uint64_t base = call->symbolAddress(*known);
    if (base == 0)
        return cudaErrorInvalidSymbol;
    if (offset > known->bytes || bytes > known->bytes - offset)
        return cudaErrorInvalidValue;
    *address = reinterpret_cast<void*>(base + offset);
    return cudaSuccess;
}

cudaError_t unsupported(Call& call, const char* function)
{
    call->stop({Error::Code::Unsupported, fmt::format("{} is not supported yet", function), ""});
    return call.fail(cudaErrorNotSupported);
}

}  // namespace

LS_API cudaError_t cudaMalloc(void** pointer, size_t bytes)
{
    Call call;
    return allocate(call, "cudaMalloc", pointer, bytes);
}

LS_API cudaError_t cudaMallocPitch(void** pointer, size_t* pitch, size_t width, size_t height)
{
    Call call;
    if (!pitch)
        return call.fail(cudaErrorInvalidValue);
    *pitch = (width + kPitchBytes - 1) / kPitchBytes * kPitchBytes;
    return allocate(call, "cudaMallocPitch", pointer, *pitch * height);
}

LS_API cudaError_t cudaFree(void* pointer)
{
    Call call;
    if (call.broken() || !pointer)
        return call.ok();
    const std::optional<Allocation> allocation = call->memory().find(addressOf(pointer));
    if (!allocation || allocation->origin.rfind("cudaMalloc", 0) != 0)
        return call.fail(cudaErrorInvalidValue);
    return call->memory().free(addressOf(pointer)).ok() ? cudaSuccess : call.fail(cudaErrorInvalidValue);
}

LS_API cudaError_t cudaHostAlloc(void** pointer, size_t bytes, unsigned int /*flags*/)
{
    Call call;
    if (!pointer)
        return call.fail(cudaErrorInvalidValue);
    *pointer = nullptr;
    if (bytes == 0)
        return call.ok();
    if (posix_memalign(pointer, kPinnedAlignment, bytes) != 0)
        return call.fail(cudaErrorMemoryAllocation);
    pinnedBlocks().insert(*pointer);
    return call.ok();
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
    if (pinnedBlocks().erase(pointer) == 0)
        return call.fail(cudaErrorInvalidValue);
    std::free(pointer);
    return call.ok();
}

LS_API cudaError_t cudaHostRegister(void* pointer, size_t /*bytes*/, unsigned int /*flags*/)
{
    Call call;
    return pointer ? call.ok() : call.fail(cudaErrorInvalidValue);
}

LS_API cudaError_t cudaHostUnregister(void* pointer)
{
    Call call;
    return pointer ? call.ok() : call.fail(cudaErrorInvalidValue);
}

LS_API cudaError_t cudaHostGetDevicePointer(void** /*devicePointer*/, void* /*hostPointer*/, unsigned int /*flags*/)
{
    Call call;
    return unsupported(call, "cudaHostGetDevicePointer");
}

LS_API cudaError_t cudaMallocManaged(void** /*pointer*/, size_t /*bytes*/, unsigned int /*flags*/)
{
    Call call;
    return unsupported(call, "cudaMallocManaged");
}

LS_API cudaError_t cudaMemcpy(void* to, const void* from, size_t bytes, cudaMemcpyKind kind)
{
    Call call;
    if (call.broken())
        return call.ok();
    return finish(call, copy(call.runtime(), to, from, bytes, kind));
}

LS_API cudaError_t cudaMemcpyAsync(void* to, const void* from, size_t bytes, cudaMemcpyKind kind, cudaStream_t stream)
{
    Call call;
    if (!isStream(stream))
        return call.fail(cudaErrorInvalidResourceHandle);
    return cudaMemcpy(to, from, bytes, kind);
}

LS_API cudaError_t cudaMemcpy2D(void* to, size_t toPitch, const void* from, size_t fromPitch, size_t width,
                                size_t height, cudaMemcpyKind kind)
{
    Call call;
    if (call.broken())
        return call.ok();
    if (width > toPitch || width > fromPitch)
        return call.fail(cudaErrorInvalidPitchValue);
    for (size_t row = 0; row < height; ++row) {
        const cudaError_t error = copy(call.runtime(), static_cast<char*>(to) + row * toPitch,
                                       static_cast<const char*>(from) + row * fromPitch, width, kind);
        if (error != cudaSuccess)
            return call.fail(error);
    }
    return cudaSuccess;
}

LS_API cudaError_t cudaMemcpy2DAsync(void* to, size_t toPitch, const void* from, size_t fromPitch, size_t width,
                                     size_t height, cudaMemcpyKind kind, cudaStream_t stream)
{
    Call call;
    if (!isStream(stream))
        return call.fail(cudaErrorInvalidResourceHandle);
    return cudaMemcpy2D(to, toPitch, from, fromPitch, width, height, kind);
}

LS_API cudaError_t cudaMemset(void* pointer, int value, size_t bytes)
{
    Call call;
    if (call.broken())
        return call.ok();
    return finish(call, fill(call.runtime(), pointer, value, bytes));
}

LS_API cudaError_t cudaMemsetAsync(void* pointer, int value, size_t bytes, cudaStream_t stream)
{
    Call call;
    if (!isStream(stream))
        return call.fail(cudaErrorInvalidResourceHandle);
    return cudaMemset(pointer, value, bytes);
}

LS_API cudaError_t cudaMemset2D(void* pointer, size_t pitch, int value, size_t width, size_t height)
{
    Call call;
    if (call.broken())
        return call.ok();
    if (width > pitch)
        return call.fail(cudaErrorInvalidPitchValue);
    for (size_t row = 0; row < height; ++row) {
        const cudaError_t error = fill(call.runtime(), static_cast<char*>(pointer) + row * pitch, value, width);
        if (error != cudaSuccess)
            return call.fail(error);
    }
    return cudaSuccess;
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
    *attributes = {cudaMemoryTypeUnregistered, -2, nullptr, const_cast<void*>(pointer)};
    if (isDevice(pointer)) {
        const std::optional<Allocation> allocation = call->memory().find(addressOf(pointer));
        if (!allocation || !allocation->live)
            return call.fail(cudaErrorInvalidValue);
        *attributes = {cudaMemoryTypeDevice, 0, const_cast<void*>(pointer), nullptr};
    } else if (pinnedBlocks().count(const_cast<void*>(pointer))) {
        *attributes = {cudaMemoryTypeHost, 0, nullptr, const_cast<void*>(pointer)};
    }
    return call.ok();
}

LS_API cudaError_t cudaMemcpyToSymbol(const void* symbol, const void* from, size_t bytes, size_t offset,
                                      cudaMemcpyKind kind)
{
    Call call;
    if (call.broken())
        return call.ok();
    void* address = nullptr;
    const cudaError_t error = symbolRange(call, symbol, bytes, offset, &address);
    return finish(call, error == cudaSuccess ? copy(call.runtime(), address, from, bytes, kind) : error);
}

LS_API cudaError_t cudaMemcpyFromSymbol(void* to, const void* symbol, size_t bytes, size_t offset, cudaMemcpyKind kind)
{
    Call call;
    if (call.broken())
        return call.ok();
    void* address = nullptr;
    const cudaError_t error = symbolRange(call, symbol, bytes, offset, &address);
    return finish(call, error == cudaSuccess ? copy(call.runtime(), to, address, bytes, kind) : error);
}

LS_API cudaError_t cudaMemcpyToSymbolAsync(const void* symbol, const void* from, size_t bytes, size_t offset,
                                           cudaMemcpyKind kind, cudaStream_t stream)
{
    Call call;
    if (!isStream(stream))
        return call.fail(cudaErrorInvalidResourceHandle);
    return cudaMemcpyToSymbol(symbol, from, bytes, offset, kind);
}

LS_API cudaError_t cudaMemcpyFromSymbolAsync(void* to, const void* symbol, size_t bytes, size_t offset,
                                             cudaMemcpyKind kind, cudaStream_t stream)
{
    Call call;
    if (!isStream(stream))
        return call.fail(cudaErrorInvalidResourceHandle);
    return cudaMemcpyFromSymbol(to, symbol, bytes, offset, kind);
}

LS_API cudaError_t cudaGetSymbolAddress(void** pointer, const void* symbol)
{
    Call call;
    if (!pointer)
        return call.fail(cudaErrorInvalidValue);
    return finish(call, symbolRange(call, symbol, 0, 0, pointer));
}

LS_API cudaError_t cudaGetSymbolSize(size_t* bytes, const void* symbol)
{
    Call call;
    const Symbol* known = call->symbol(symbol);
    if (!bytes || !known)
        return call.fail(bytes ? cudaErrorInvalidSymbol : cudaErrorInvalidValue);
    *bytes = known->bytes;
    return call.ok();
}
