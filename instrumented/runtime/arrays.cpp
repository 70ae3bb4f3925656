// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Arrays: their making, and copies to and from them.
#include "instrumented/runtime/arrays.h"

#include <algorithm>
#include <unordered_map>

#include "instrumented/runtime/memory.h"
#include "instrumented/runtime/work_order.h"

using namespace lanescope::runtime;

namespace {

std::unordered_map<cudaArray_const_t, std::unique_ptr<cudaArray>>& arrays()
{
    static auto* const all = new std::unordered_map<cudaArray_const_t, std::unique_ptr<cudaArray>>;
    return *all;
}

size_t rows(const cudaArray& array)
{
    return std::max<size_t>(array.extent.height, 1);
}

size_t rowBytes(const cudaArray& array)
{
    return array.extent.width * array.elementBytes;
}

/// What CUDA asks of an array that is a cube map: faces that are squares, six of each layer.
bool isShapedAsFlagged(const cudaExtent& extent, unsigned flags)
{
    if (!(flags & cudaArrayCubemap))
        return true;
    return extent.width == extent.height && extent.depth % 6 == 0 &&
           (flags & cudaArrayLayered ? extent.depth >= 6 : extent.depth == 6);
}

cudaError_t makeArray(const char* function, cudaArray_t* made, const cudaChannelFormatDesc* format, cudaExtent extent,
                      unsigned flags)
{
    Call call;
    if (call.broken())
        return call.ok();
    const size_t bytes = format ? elementBytes(*format) : 0;
    if (!made || bytes == 0 || extent.width == 0 || !isShapedAsFlagged(extent, flags))
        return call.fail(cudaErrorInvalidValue);
    auto array = std::make_unique<cudaArray>(cudaArray{nullptr, *format, extent, flags, bytes});
    const size_t all = rowBytes(*array) * rows(*array) * std::max<size_t>(extent.depth, 1);
    if (const cudaError_t error = allocate(call, function, &array->memory, all); error != cudaSuccess)
        return error;
    *made = array.get();
    arrays()[array.get()] = std::move(array);
    return cudaSuccess;
}

/// \p width bytes of each of \p height rows, from byte \p x of row \p y on, lie in the array.
bool fits(const cudaArray& array, size_t x, size_t y, size_t width, size_t height)
{
    return x <= rowBytes(array) && width <= rowBytes(array) - x && y <= rows(array) && height <= rows(array) - y;
}

char* at(const cudaArray& array, size_t x, size_t y)
{
    return static_cast<char*>(array.memory) + y * rowBytes(array) + x;
}

/// A copy that goes on in the next row at a row's end.
bool fitsInOne(const cudaArray& array, size_t x, size_t y, size_t bytes)
{
    return fits(array, x, y, 0, 0) && bytes <= (rows(array) - y) * rowBytes(array) - x;
}

cudaError_t waited(cudaError_t error)
{
    Call call;
    waitedForStream(nullptr);
    return error == cudaSuccess ? call.ok() : error;
}

}  // namespace

namespace lanescope::runtime {

unsigned channelCount(const cudaChannelFormatDesc& format)
{
    return unsigned(format.x > 0) + unsigned(format.y > 0) + unsigned(format.z > 0) + unsigned(format.w > 0);
}

size_t elementBytes(const cudaChannelFormatDesc& format)
{
    const bool knownWidth = format.x == 8 || format.x == 16 || format.x == 32;
    const bool knownKind =
        format.f <= cudaChannelFormatKindFloat && (format.f != cudaChannelFormatKindFloat || format.x > 8);
    const unsigned count = channelCount(format);
    for (int other : {format.y, format.z, format.w})
        if (other != 0 && other != format.x)
            return 0;
    return knownWidth && knownKind && count != 3 ? count * size_t(format.x) / 8 : 0;
}

bool isArray(cudaArray_const_t array)
{
    return arrays().count(array) != 0;
}

cudaPitchedPtr pitchedPointer(const cudaArray& array)
{
    return {array.memory, rowBytes(array), rowBytes(array), rows(array)};
}

}  // namespace lanescope::runtime

LS_API cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w, cudaChannelFormatKind kind)
{
    return {x, y, z, w, kind};
}

LS_API cudaError_t cudaGetChannelDesc(cudaChannelFormatDesc* description, cudaArray_const_t array)
{
    Call call;
    if (!description || !isArray(array))
        return call.fail(cudaErrorInvalidValue);
    *description = array->format;
    return call.ok();
}

LS_API cudaError_t cudaMallocArray(cudaArray_t* array, const cudaChannelFormatDesc* description, size_t width,
                                   size_t height, unsigned int flags)
{
    return makeArray("cudaMallocArray", array, description, {width, height, 0}, flags);
}

LS_API cudaError_t cudaMalloc3DArray(cudaArray_t* array, const cudaChannelFormatDesc* description, cudaExtent extent,
                                     unsigned int flags)
{
    return makeArray("cudaMalloc3DArray", array, description, extent, flags);
}

LS_API cudaError_t cudaFreeArray(cudaArray_t array)
{
    Call call;
    if (call.broken() || !array)
        return call.ok();
    if (!isArray(array))
        return call.fail(cudaErrorInvalidValue);
    waitedForAll();
    const cudaError_t error = performRelease(call.runtime(), {array->memory});
    arrays().erase(array);
    return error == cudaSuccess ? call.ok() : call.fail(error);
}

LS_API cudaError_t cudaArrayGetInfo(cudaChannelFormatDesc* description, cudaExtent* extent, unsigned int* flags,
                                    cudaArray_t array)
{
    Call call;
    if (!isArray(array))
        return call.fail(cudaErrorInvalidValue);
    if (description)
        *description = array->format;
    if (extent)
        *extent = array->extent;
    if (flags)
        *flags = array->flags;
    return call.ok();
}

LS_API cudaError_t cudaMemcpyToArray(cudaArray_t to, size_t x, size_t y, const void* from, size_t bytes,
                                     cudaMemcpyKind kind)
{
    Call call;
    if (!isArray(to) || !fitsInOne(*to, x, y, bytes))
        return call.fail(cudaErrorInvalidValue);
    return cudaMemcpy(at(*to, x, y), from, bytes, kind);
}

LS_API cudaError_t cudaMemcpyFromArray(void* to, cudaArray_const_t from, size_t x, size_t y, size_t bytes,
                                       cudaMemcpyKind kind)
{
    Call call;
    if (!isArray(from) || !fitsInOne(*from, x, y, bytes))
        return call.fail(cudaErrorInvalidValue);
    return cudaMemcpy(to, at(*from, x, y), bytes, kind);
}

LS_API cudaError_t cudaMemcpy2DToArrayAsync(cudaArray_t to, size_t x, size_t y, const void* from, size_t pitch,
                                            size_t width, size_t height, cudaMemcpyKind kind, cudaStream_t stream)
{
    Call call;
    if (!isArray(to) || !fits(*to, x, y, width, height))
        return call.fail(cudaErrorInvalidValue);
    return cudaMemcpy2DAsync(at(*to, x, y), rowBytes(*to), from, pitch, width, height, kind, stream);
}

LS_API cudaError_t cudaMemcpy2DToArray(cudaArray_t to, size_t x, size_t y, const void* from, size_t pitch, size_t width,
                                       size_t height, cudaMemcpyKind kind)
{
    return waited(cudaMemcpy2DToArrayAsync(to, x, y, from, pitch, width, height, kind, nullptr));
}

LS_API cudaError_t cudaMemcpy2DFromArrayAsync(void* to, size_t pitch, cudaArray_const_t from, size_t x, size_t y,
                                              size_t width, size_t height, cudaMemcpyKind kind, cudaStream_t stream)
{
    Call call;
    if (!isArray(from) || !fits(*from, x, y, width, height))
        return call.fail(cudaErrorInvalidValue);
    return cudaMemcpy2DAsync(to, pitch, at(*from, x, y), rowBytes(*from), width, height, kind, stream);
}

LS_API cudaError_t cudaMemcpy2DFromArray(void* to, size_t pitch, cudaArray_const_t from, size_t x, size_t y,
                                         size_t width, size_t height, cudaMemcpyKind kind)
{
    return waited(cudaMemcpy2DFromArrayAsync(to, pitch, from, x, y, width, height, kind, nullptr));
}

LS_API cudaError_t cudaMemcpy2DArrayToArray(cudaArray_t to, size_t toX, size_t toY, cudaArray_const_t from,
                                            size_t fromX, size_t fromY, size_t width, size_t height,
                                            cudaMemcpyKind kind)
{
    Call call;
    if (!isArray(to) || !isArray(from) || !fits(*to, toX, toY, width, height) ||
        !fits(*from, fromX, fromY, width, height))
        return call.fail(cudaErrorInvalidValue);
    return cudaMemcpy2D(at(*to, toX, toY), rowBytes(*to), at(*from, fromX, fromY), rowBytes(*from), width, height,
                        kind);
}
