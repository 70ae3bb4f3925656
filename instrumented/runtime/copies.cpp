// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Copies and fills in one, two and three dimensions.
#include <algorithm>
#include <cstring>

#include "instrumented/runtime/api_findings.h"
#include "instrumented/runtime/arrays.h"
#include "instrumented/runtime/memory.h"
#include "instrumented/runtime/streams.h"
#include "instrumented/runtime/work_order.h"

using lanescope::device::Allocation;
using lanescope::device::DeviceMemory;
using namespace lanescope::runtime;

namespace {

uint64_t addressOf(const void* pointer)
{
    return reinterpret_cast<uint64_t>(pointer);
}

bool onDevice(const void* pointer)
{
    return DeviceMemory::isDeviceAddress(addressOf(pointer));
}

/// Whether memory in this place may be called host (device) memory in a cudaMemcpyKind.
bool countsAsHost(Place place)
{
    return place != Place::Device;
}
bool countsAsDevice(Place place)
{
    return place != Place::Host;
}

bool fits(cudaMemcpyKind kind, Place to, Place from)
{
    switch (kind) {
    case cudaMemcpyHostToHost:
        return countsAsHost(to) && countsAsHost(from);
    case cudaMemcpyHostToDevice:
        return countsAsDevice(to) && countsAsHost(from);
    case cudaMemcpyDeviceToHost:
        return countsAsHost(to) && countsAsDevice(from);
    case cudaMemcpyDeviceToDevice:
        return countsAsDevice(to) && countsAsDevice(from);
    case cudaMemcpyDefault:
        return true;
    }
    return false;
}

/// The address that a copy of \p extent bytes may not reach: where the block of the host's heap ends that it begins in.
uint64_t endOfRoom(const void* pointer, size_t extent, bool isWrite)
{
    const std::optional<HostBlock> block = onDevice(pointer) ? std::nullopt : hostBlockAt(pointer);
    if (!block || addressOf(pointer) + extent <= block->address + block->bytes)
        return UINT64_MAX;
    reportHostOverrun(*block, addressOf(pointer) - block->address, extent, isWrite);
    return block->address + block->bytes;
}

/// How far the two sides of a copy may be touched.
struct Room {
    uint64_t toEnd = UINT64_MAX;
    uint64_t fromEnd = UINT64_MAX;

    [[nodiscard]] size_t of(const void* to, const void* from, size_t bytes) const
    {
        const auto until = [](const void* pointer, uint64_t end) { return end - std::min(end, addressOf(pointer)); };
        return std::min({bytes, until(to, toEnd), until(from, fromEnd)});
    }
};

/// Whether a row that is written reaches into another one that is read, or into itself, moved.
bool overlaps(const CopyWork& work)
{
    if (work.to == work.from && work.toPitch == work.fromPitch && work.toSlice == work.fromSlice)
        return false;
    const size_t rows = work.height * work.depth;
    const auto row = [&](const void* first, size_t pitch, size_t slice, size_t index) {
        return addressOf(first) + index / work.height * slice + index % work.height * pitch;
    };
    for (size_t written = 0, read = 0; written < rows && read < rows;) {
        const uint64_t to = row(work.to, work.toPitch, work.toSlice, written);
        const uint64_t from = row(work.from, work.fromPitch, work.fromSlice, read);
        if (to < from + work.width && from < to + work.width)
            return true;
        (to < from ? written : read)++;
    }
    return false;
}

/// One row; both ends have been found good. \p undefined: set when what nobody has set was copied to the host.
cudaError_t copyRow(Runtime& runtime, void* to, const void* from, size_t bytes, const Room& room, bool& undefined)
{
    std::byte* target = reachable(runtime, to, bytes);
    const std::byte* source = reachable(runtime, from, bytes);
    if (!target || !source) {
        reportBadRange(runtime, target ? from : to, bytes, !target);
        return cudaErrorInvalidValue;
    }
    std::memmove(target, source, room.of(to, from, bytes));
    // What the host can reach it may write at any time, unseen: no byte there counts as undefined.
    const bool isDevices = onDevice(to) && placeOf(runtime, to) == Place::Device;
    if (isDevices && onDevice(from))
        runtime.memory().copyInitialised(addressOf(to), addressOf(from), bytes);
    else if (isDevices)
        runtime.memory().markInitialised(addressOf(to), bytes);
    else if (onDevice(from)) {
        const auto findings = runtime.memory().takeUndefinedCopies(addressOf(from), bytes);
        undefined |= !findings.empty();
        runtime.trace().addFindings(findings);
    }
    return cudaSuccess;
}

/// Whether somebody has written at least one byte that \p work reads.
bool readsWritten(const DeviceMemory& memory, const CopyWork& work)
{
    for (size_t slice = 0; slice < work.depth; ++slice)
        for (size_t row = 0; row < work.height; ++row)
            if (memory.unwrittenPrefix(addressOf(work.from) + slice * work.fromSlice + row * work.fromPitch,
                                       work.width) < work.width)
                return true;
    return false;
}

void fillBytes(std::byte* target, uint32_t value, size_t valueBytes, size_t bytes)
{
    if (valueBytes == 1) {
        std::memset(target, int(value), bytes);
        return;
    }
    for (size_t i = 0; i + valueBytes <= bytes; i += valueBytes)
        std::memcpy(target + i, &value, valueBytes);
}

cudaError_t asynchronous(cudaStream_t stream, const Work& work)
{
    Call call;
    return submit(call, stream, work);
}

/// What a call without a stream gives: its work is done when it returns, captured or not.
cudaError_t waitedFor(cudaError_t error)
{
    Call call;
    waitedForStream(nullptr);
    return error == cudaSuccess ? call.ok() : error;
}

cudaError_t synchronous(const Work& work)
{
    return waitedFor(asynchronous(nullptr, work));
}

/// A copy between two devices comes after all that either has under way, and before what follows.
void meetDevices(Call& call, const void* to, const void* from)
{
    const std::optional<Allocation> target = call->memory().find(addressOf(to));
    const std::optional<Allocation> source = call->memory().find(addressOf(from));
    if (!target || !source || target->device == source->device)
        return;
    waitedForDevice(target->device);
    waitedForDevice(source->device);
}

cudaError_t copyNow(void* to, const void* from, size_t bytes, cudaMemcpyKind kind)
{
    Call call;
    meetDevices(call, to, from);
    return synchronous(plainCopy(to, from, bytes, kind));
}

bool areDevices(Call& call, int a, int b)
{
    return isDevice(call.runtime(), a) && isDevice(call.runtime(), b);
}

CopyWork rowsCopy(void* to, size_t toPitch, const void* from, size_t fromPitch, size_t width, size_t height,
                  cudaMemcpyKind kind)
{
    return {to, toPitch, 0, from, fromPitch, 0, width, height, 1, kind};
}

}  // namespace

namespace lanescope::runtime {

CopyWork plainCopy(void* to, const void* from, size_t bytes, cudaMemcpyKind kind)
{
    return {to, bytes, 0, from, bytes, 0, bytes, 1, 1, kind};
}

cudaError_t copyWork(const cudaMemcpy3DParms& p, CopyWork& work)
{
    if (!p.srcArray == !p.srcPtr.ptr || !p.dstArray == !p.dstPtr.ptr)
        return cudaErrorInvalidValue;
    // The extent counts the elements of an array that takes part, positions in memory count bytes.
    const cudaArray_t array = p.srcArray ? p.srcArray : p.dstArray;
    const auto end = [](cudaArray_t object, const cudaPitchedPtr& pointer) {
        return object ? pitchedPointer(*object) : pointer;
    };
    const auto begin = [](cudaArray_t object, const cudaPitchedPtr& pointer, const cudaPos& at) {
        const size_t column = object ? at.x * object->elementBytes : at.x;
        return static_cast<char*>(pointer.ptr) + (at.z * pointer.ysize + at.y) * pointer.pitch + column;
    };
    const cudaPitchedPtr to = end(p.dstArray, p.dstPtr);
    const cudaPitchedPtr from = end(p.srcArray, p.srcPtr);
    work = {begin(p.dstArray, to, p.dstPos),
            to.pitch,
            to.pitch * to.ysize,
            begin(p.srcArray, from, p.srcPos),
            from.pitch,
            from.pitch * from.ysize,
            p.extent.width * (array ? array->elementBytes : 1),
            p.extent.height,
            p.extent.depth,
            p.kind};
    return cudaSuccess;
}

bool holdsHostUp(Runtime& runtime, const CopyWork& copy)
{
    return placeOf(runtime, copy.to) == Place::Host || placeOf(runtime, copy.from) == Place::Host;
}

cudaError_t performCopy(Runtime& runtime, const CopyWork& work)
{
    if (work.kind < cudaMemcpyHostToHost || work.kind > cudaMemcpyDefault)
        return cudaErrorInvalidMemcpyDirection;
    if (work.width == 0 || work.height == 0 || work.depth == 0)
        return cudaSuccess;
    if (work.height > 1 && (work.width > work.toPitch || work.width > work.fromPitch))
        return cudaErrorInvalidPitchValue;
    if (!fits(work.kind, placeOf(runtime, work.to), placeOf(runtime, work.from)))
        return cudaErrorInvalidValue;
    Room room;
    if (runtime.options().checks)
        room = {endOfRoom(work.to, work.toExtent(), true), endOfRoom(work.from, work.fromExtent(), false)};
    bool undefined = false;
    for (size_t slice = 0; slice < work.depth; ++slice)
        for (size_t row = 0; row < work.height; ++row) {
            const cudaError_t error =
                copyRow(runtime, static_cast<char*>(work.to) + slice * work.toSlice + row * work.toPitch,
                        static_cast<const char*>(work.from) + slice * work.fromSlice + row * work.fromPitch, work.width,
                        room, undefined);
            if (error != cudaSuccess)
                return error;
        }
    // Of a buffer that is copied whole the program may use a part: only where nothing was written is it a mistake.
    const bool reachesHost = placeOf(runtime, work.from) == Place::Device && placeOf(runtime, work.to) != Place::Device;
    if (reachesHost && !undefined && runtime.options().checks && !runtime.options().useGpu) {
        if (!readsWritten(runtime.memory(), work))
            reportNeverWritten(runtime, work.from, work.width * work.height * work.depth);
        else if (work.height == 1 && work.depth == 1)
            reportLeftOut(runtime, work.from, work.width);
    }
    if (onDevice(work.to) && onDevice(work.from) && overlaps(work))
        reportOverlap(runtime, work);
    return cudaSuccess;
}

cudaError_t performFill(Runtime& runtime, const FillWork& work)
{
    if (work.width == 0 || work.height == 0 || work.depth == 0)
        return cudaSuccess;
    if (work.height > 1 && work.width > work.pitch)
        return cudaErrorInvalidPitchValue;
    for (size_t slice = 0; slice < work.depth; ++slice)
        for (size_t row = 0; row < work.height; ++row) {
            char* at = static_cast<char*>(work.to) + slice * work.slice + row * work.pitch;
            std::byte* target = onDevice(at) ? reachable(runtime, at, work.width) : nullptr;
            if (!target) {
                reportBadRange(runtime, at, work.width, true);
                return cudaErrorInvalidValue;
            }
            fillBytes(target, work.value, work.valueBytes, work.width);
            runtime.memory().markInitialised(addressOf(at), work.width);
        }
    return cudaSuccess;
}

}  // namespace lanescope::runtime

LS_API cudaError_t cudaMemcpy(void* to, const void* from, size_t bytes, cudaMemcpyKind kind)
{
    return copyNow(to, from, bytes, kind);
}

LS_API cudaError_t cudaMemcpyAsync(void* to, const void* from, size_t bytes, cudaMemcpyKind kind, cudaStream_t stream)
{
    return asynchronous(stream, plainCopy(to, from, bytes, kind));
}

LS_API cudaError_t cudaMemcpyPeer(void* to, int toDevice, const void* from, int fromDevice, size_t bytes)
{
    Call call;
    return areDevices(call, toDevice, fromDevice) ? copyNow(to, from, bytes, cudaMemcpyDeviceToDevice)
                                                  : call.fail(cudaErrorInvalidDevice);
}

LS_API cudaError_t cudaMemcpyPeerAsync(void* to, int toDevice, const void* from, int fromDevice, size_t bytes,
                                       cudaStream_t stream)
{
    Call call;
    return areDevices(call, toDevice, fromDevice)
               ? asynchronous(stream, plainCopy(to, from, bytes, cudaMemcpyDeviceToDevice))
               : call.fail(cudaErrorInvalidDevice);
}

LS_API cudaError_t cudaMemcpy2DAsync(void* to, size_t toPitch, const void* from, size_t fromPitch, size_t width,
                                     size_t height, cudaMemcpyKind kind, cudaStream_t stream)
{
    Call call;
    if (width > toPitch || width > fromPitch)
        return call.fail(cudaErrorInvalidPitchValue);
    return submit(call, stream, rowsCopy(to, toPitch, from, fromPitch, width, height, kind));
}

LS_API cudaError_t cudaMemcpy2D(void* to, size_t toPitch, const void* from, size_t fromPitch, size_t width,
                                size_t height, cudaMemcpyKind kind)
{
    return waitedFor(cudaMemcpy2DAsync(to, toPitch, from, fromPitch, width, height, kind, nullptr));
}

LS_API cudaError_t cudaMemcpy3DAsync(const cudaMemcpy3DParms* parameters, cudaStream_t stream)
{
    Call call;
    CopyWork work;
    if (!parameters || copyWork(*parameters, work) != cudaSuccess)
        return call.fail(cudaErrorInvalidValue);
    return submit(call, stream, work);
}

LS_API cudaError_t cudaMemcpy3D(const cudaMemcpy3DParms* parameters)
{
    return waitedFor(cudaMemcpy3DAsync(parameters, nullptr));
}

LS_API cudaError_t cudaMemsetAsync(void* pointer, int value, size_t bytes, cudaStream_t stream)
{
    return asynchronous(stream, FillWork{pointer, bytes, 0, uint32_t(value), 1, bytes, 1, 1});
}

LS_API cudaError_t cudaMemset(void* pointer, int value, size_t bytes)
{
    return synchronous(FillWork{pointer, bytes, 0, uint32_t(value), 1, bytes, 1, 1});
}

LS_API cudaError_t cudaMemset2DAsync(void* pointer, size_t pitch, int value, size_t width, size_t height,
                                     cudaStream_t stream)
{
    Call call;
    if (height > 1 && width > pitch)
        return call.fail(cudaErrorInvalidPitchValue);
    return submit(call, stream, FillWork{pointer, pitch, 0, uint32_t(value), 1, width, height, 1});
}

LS_API cudaError_t cudaMemset2D(void* pointer, size_t pitch, int value, size_t width, size_t height)
{
    return cudaMemset2DAsync(pointer, pitch, value, width, height, nullptr);
}

LS_API cudaError_t cudaMemset3DAsync(cudaPitchedPtr pointer, int value, cudaExtent extent, cudaStream_t stream)
{
    return asynchronous(stream, FillWork{pointer.ptr, pointer.pitch, pointer.pitch * pointer.ysize, uint32_t(value), 1,
                                         extent.width, extent.height, extent.depth});
}

LS_API cudaError_t cudaMemset3D(cudaPitchedPtr pointer, int value, cudaExtent extent)
{
    return cudaMemset3DAsync(pointer, value, extent, nullptr);
}
