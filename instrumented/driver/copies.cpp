// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Copies and fills.
#include "instrumented/driver/driver.h"
#include "instrumented/runtime/memory.h"
#include "instrumented/runtime/streams.h"

using namespace lanescope::driver;
using namespace lanescope::runtime;

namespace {

/// One side of a 3D copy.
struct Side {
    CUmemorytype type;
    const void* host;
    CUdeviceptr device;
    CUarray array;
    size_t x;
    size_t y;
    size_t z;
    size_t pitch;
    size_t height;
};

/// Null for an array.
void* startOf(const Side& side)
{
    if (side.type == CU_MEMORYTYPE_HOST)
        return const_cast<void*>(side.host);
    return side.type == CU_MEMORYTYPE_ARRAY ? nullptr : pointerTo(side.device);
}

void* firstByteOf(const Side& side)
{
    return static_cast<char*>(startOf(side)) + (side.z * side.height + side.y) * side.pitch + side.x;
}

CUresult copy3D(const CUDA_MEMCPY3D* copy, CUstream stream)
{
    if (!copy)
        return CUDA_ERROR_INVALID_VALUE;
    const Side from{copy->srcMemoryType, copy->srcHost, copy->srcDevice, copy->srcArray, copy->srcXInBytes,
                    copy->srcY,          copy->srcZ,    copy->srcPitch,  copy->srcHeight};
    const Side to{copy->dstMemoryType, copy->dstHost, copy->dstDevice, copy->dstArray, copy->dstXInBytes,
                  copy->dstY,          copy->dstZ,    copy->dstPitch,  copy->dstHeight};
    if (from.type == CU_MEMORYTYPE_ARRAY || to.type == CU_MEMORYTYPE_ARRAY)
        return missing("cuMemcpy3D (of arrays)");
    CopyWork work{.to = firstByteOf(to),
                  .toPitch = to.pitch ? to.pitch : copy->WidthInBytes,
                  .toSlice = to.pitch * to.height,
                  .from = firstByteOf(from),
                  .fromPitch = from.pitch ? from.pitch : copy->WidthInBytes,
                  .fromSlice = from.pitch * from.height,
                  .width = copy->WidthInBytes,
                  .height = copy->Height,
                  .depth = copy->Depth};
    Call call;
    return answer(submit(call, stream, work));
}

CUresult copy2D(const CUDA_MEMCPY2D* copy, CUstream stream)
{
    if (!copy)
        return CUDA_ERROR_INVALID_VALUE;
    CUDA_MEMCPY3D whole = {};
    whole.srcXInBytes = copy->srcXInBytes;
    whole.srcY = copy->srcY;
    whole.srcMemoryType = copy->srcMemoryType;
    whole.srcHost = copy->srcHost;
    whole.srcDevice = copy->srcDevice;
    whole.srcArray = copy->srcArray;
    whole.srcPitch = copy->srcPitch;
    whole.dstXInBytes = copy->dstXInBytes;
    whole.dstY = copy->dstY;
    whole.dstMemoryType = copy->dstMemoryType;
    whole.dstHost = copy->dstHost;
    whole.dstDevice = copy->dstDevice;
    whole.dstArray = copy->dstArray;
    whole.dstPitch = copy->dstPitch;
    whole.WidthInBytes = copy->WidthInBytes;
    whole.Height = copy->Height;
    whole.Depth = 1;
    return copy3D(&whole, stream);
}

CUresult fill(CUdeviceptr to, size_t pitch, uint32_t value, size_t valueBytes, size_t width, size_t height,
              CUstream stream)
{
    if (to % valueBytes != 0 || (height > 1 && pitch % valueBytes != 0))
        return CUDA_ERROR_INVALID_VALUE;
    Call call;
    return answer(
        submit(call, stream, FillWork{pointerTo(to), pitch, 0, value, valueBytes, width * valueBytes, height, 1}));
}

}  // namespace

LS_API CUresult cuMemcpy(CUdeviceptr to, CUdeviceptr from, size_t bytes)
{
    return answer(cudaMemcpy(pointerTo(to), pointerTo(from), bytes, cudaMemcpyDefault));
}

LS_API CUresult cuMemcpyAsync(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream)
{
    return answer(cudaMemcpyAsync(pointerTo(to), pointerTo(from), bytes, cudaMemcpyDefault, stream));
}

LS_API CUresult cuMemcpyPeer(CUdeviceptr to, CUcontext toContext, CUdeviceptr from, CUcontext fromContext, size_t bytes)
{
    const Call call;
    int toDevice = 0, fromDevice = 0;
    if (deviceOfContext(toContext, toDevice) != CUDA_SUCCESS ||
        deviceOfContext(fromContext, fromDevice) != CUDA_SUCCESS)
        return CUDA_ERROR_INVALID_CONTEXT;
    return answer(cudaMemcpyPeer(pointerTo(to), toDevice, pointerTo(from), fromDevice, bytes));
}

LS_API CUresult cuMemcpyPeerAsync(CUdeviceptr to, CUcontext toContext, CUdeviceptr from, CUcontext fromContext,
                                  size_t bytes, CUstream stream)
{
    const Call call;
    int toDevice = 0, fromDevice = 0;
    if (deviceOfContext(toContext, toDevice) != CUDA_SUCCESS ||
        deviceOfContext(fromContext, fromDevice) != CUDA_SUCCESS)
        return CUDA_ERROR_INVALID_CONTEXT;
    return answer(cudaMemcpyPeerAsync(pointerTo(to), toDevice, pointerTo(from), fromDevice, bytes, stream));
}

LS_API CUresult cuMemcpyHtoD_v2(CUdeviceptr to, const void* from, size_t bytes)
{
    return answer(cudaMemcpy(pointerTo(to), from, bytes, cudaMemcpyHostToDevice));
}

LS_API CUresult cuMemcpyDtoH_v2(void* to, CUdeviceptr from, size_t bytes)
{
    return answer(cudaMemcpy(to, pointerTo(from), bytes, cudaMemcpyDeviceToHost));
}

LS_API CUresult cuMemcpyDtoD_v2(CUdeviceptr to, CUdeviceptr from, size_t bytes)
{
    return answer(cudaMemcpy(pointerTo(to), pointerTo(from), bytes, cudaMemcpyDeviceToDevice));
}

LS_API CUresult cuMemcpyHtoDAsync_v2(CUdeviceptr to, const void* from, size_t bytes, CUstream stream)
{
    return answer(cudaMemcpyAsync(pointerTo(to), from, bytes, cudaMemcpyHostToDevice, stream));
}

LS_API CUresult cuMemcpyDtoHAsync_v2(void* to, CUdeviceptr from, size_t bytes, CUstream stream)
{
    return answer(cudaMemcpyAsync(to, pointerTo(from), bytes, cudaMemcpyDeviceToHost, stream));
}

LS_API CUresult cuMemcpyDtoDAsync_v2(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream)
{
    return answer(cudaMemcpyAsync(pointerTo(to), pointerTo(from), bytes, cudaMemcpyDeviceToDevice, stream));
}

LS_API CUresult cuMemcpy2D_v2(const CUDA_MEMCPY2D* copy)
{
    return copy2D(copy, nullptr);
}

LS_API CUresult cuMemcpy2DUnaligned_v2(const CUDA_MEMCPY2D* copy)
{
    return copy2D(copy, nullptr);
}

LS_API CUresult cuMemcpy2DAsync_v2(const CUDA_MEMCPY2D* copy, CUstream stream)
{
    return copy2D(copy, stream);
}

LS_API CUresult cuMemcpy3D_v2(const CUDA_MEMCPY3D* copy)
{
    return copy3D(copy, nullptr);
}

LS_API CUresult cuMemcpy3DAsync_v2(const CUDA_MEMCPY3D* copy, CUstream stream)
{
    return copy3D(copy, stream);
}

LS_API CUresult cuMemsetD8_v2(CUdeviceptr to, unsigned char value, size_t count)
{
    return fill(to, 0, value, 1, count, 1, nullptr);
}

LS_API CUresult cuMemsetD16_v2(CUdeviceptr to, unsigned short value, size_t count)
{
    return fill(to, 0, value, 2, count, 1, nullptr);
}

LS_API CUresult cuMemsetD32_v2(CUdeviceptr to, unsigned value, size_t count)
{
    return fill(to, 0, value, 4, count, 1, nullptr);
}

LS_API CUresult cuMemsetD8Async(CUdeviceptr to, unsigned char value, size_t count, CUstream stream)
{
    return fill(to, 0, value, 1, count, 1, stream);
}

LS_API CUresult cuMemsetD16Async(CUdeviceptr to, unsigned short value, size_t count, CUstream stream)
{
    return fill(to, 0, value, 2, count, 1, stream);
}

LS_API CUresult cuMemsetD32Async(CUdeviceptr to, unsigned value, size_t count, CUstream stream)
{
    return fill(to, 0, value, 4, count, 1, stream);
}

LS_API CUresult cuMemsetD2D8_v2(CUdeviceptr to, size_t pitch, unsigned char value, size_t width, size_t height)
{
    return fill(to, pitch, value, 1, width, height, nullptr);
}

LS_API CUresult cuMemsetD2D16_v2(CUdeviceptr to, size_t pitch, unsigned short value, size_t width, size_t height)
{
    return fill(to, pitch, value, 2, width, height, nullptr);
}

LS_API CUresult cuMemsetD2D32_v2(CUdeviceptr to, size_t pitch, unsigned value, size_t width, size_t height)
{
    return fill(to, pitch, value, 4, width, height, nullptr);
}

LS_API CUresult cuMemsetD2D8Async(CUdeviceptr to, size_t pitch, unsigned char value, size_t width, size_t height,
                                  CUstream stream)
{
    return fill(to, pitch, value, 1, width, height, stream);
}

LS_API CUresult cuMemsetD2D16Async(CUdeviceptr to, size_t pitch, unsigned short value, size_t width, size_t height,
                                   CUstream stream)
{
    return fill(to, pitch, value, 2, width, height, stream);
}

LS_API CUresult cuMemsetD2D32Async(CUdeviceptr to, size_t pitch, unsigned value, size_t width, size_t height,
                                   CUstream stream)
{
    return fill(to, pitch, value, 4, width, height, stream);
}
