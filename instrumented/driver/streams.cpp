// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Streams, events, capture.
#include "instrumented/driver/driver.h"

using namespace lanescope::driver;

LS_API CUresult cuStreamCreate(CUstream* stream, unsigned flags)
{
    return answer(cudaStreamCreateWithFlags(stream, flags));
}

LS_API CUresult cuStreamCreateWithPriority(CUstream* stream, unsigned flags, int priority)
{
    return answer(cudaStreamCreateWithPriority(stream, flags, priority));
}

LS_API CUresult cuStreamDestroy_v2(CUstream stream)
{
    return answer(cudaStreamDestroy(stream));
}

LS_API CUresult cuStreamSynchronize(CUstream stream)
{
    return answer(cudaStreamSynchronize(stream));
}

LS_API CUresult cuStreamQuery(CUstream stream)
{
    return answer(cudaStreamQuery(stream));
}

LS_API CUresult cuStreamWaitEvent(CUstream stream, CUevent event, unsigned flags)
{
    return answer(cudaStreamWaitEvent(stream, event, flags));
}

LS_API CUresult cuStreamAddCallback(CUstream stream, CUstreamCallback callback, void* userData, unsigned flags)
{
    // The errors that it may be told have the same numbers.
    return answer(cudaStreamAddCallback(stream, reinterpret_cast<cudaStreamCallback_t>(callback), userData, flags));
}

LS_API CUresult cuStreamGetPriority(CUstream stream, int* priority)
{
    return answer(cudaStreamGetPriority(stream, priority));
}

LS_API CUresult cuStreamGetFlags(CUstream stream, unsigned* flags)
{
    return answer(cudaStreamGetFlags(stream, flags));
}

LS_API CUresult cuStreamGetId(CUstream stream, unsigned long long* id)
{
    return answer(cudaStreamGetId(stream, id));
}

LS_API CUresult cuStreamGetDevice(CUstream stream, CUdevice* device)
{
    return answer(cudaStreamGetDevice(stream, device));
}

LS_API CUresult cuStreamAttachMemAsync(CUstream stream, CUdeviceptr address, size_t bytes, unsigned flags)
{
    return answer(cudaStreamAttachMemAsync(stream, pointerTo(address), bytes, flags));
}

LS_API CUresult cuStreamBeginCapture_v2(CUstream stream, CUstreamCaptureMode mode)
{
    return answer(cudaStreamBeginCapture(stream, static_cast<cudaStreamCaptureMode>(mode)));
}

LS_API CUresult cuStreamEndCapture(CUstream stream, CUgraph* graph)
{
    return answer(cudaStreamEndCapture(stream, graph));
}

LS_API CUresult cuStreamIsCapturing(CUstream stream, CUstreamCaptureStatus* status)
{
    return answer(cudaStreamIsCapturing(stream, reinterpret_cast<cudaStreamCaptureStatus*>(status)));
}

LS_API CUresult cuStreamGetCaptureInfo(CUstream stream, CUstreamCaptureStatus* status, cuuint64_t* id)
{
    return cuStreamGetCaptureInfo_v2(stream, status, id, nullptr, nullptr, nullptr);
}

LS_API CUresult cuStreamGetCaptureInfo_v2(CUstream stream, CUstreamCaptureStatus* status, cuuint64_t* id,
                                          CUgraph* graph, const CUgraphNode** dependencies, size_t* count)
{
    return answer(cudaStreamGetCaptureInfo(stream, reinterpret_cast<cudaStreamCaptureStatus*>(status),
                                           reinterpret_cast<unsigned long long*>(id), graph, dependencies, count));
}

LS_API CUresult cuStreamGetCaptureInfo_v3(CUstream stream, CUstreamCaptureStatus* status, cuuint64_t* id,
                                          CUgraph* graph, const CUgraphNode** dependencies,
                                          const CUgraphEdgeData** edges, size_t* count)
{
    if (edges)
        *edges = nullptr;  // all are plain
    return cuStreamGetCaptureInfo_v2(stream, status, id, graph, dependencies, count);
}

LS_API CUresult cuThreadExchangeStreamCaptureMode(CUstreamCaptureMode* mode)
{
    return answer(cudaThreadExchangeStreamCaptureMode(reinterpret_cast<cudaStreamCaptureMode*>(mode)));
}

LS_API CUresult cuEventCreate(CUevent* event, unsigned flags)
{
    return answer(cudaEventCreateWithFlags(event, flags));
}

LS_API CUresult cuEventDestroy_v2(CUevent event)
{
    return answer(cudaEventDestroy(event));
}

LS_API CUresult cuEventRecord(CUevent event, CUstream stream)
{
    return answer(cudaEventRecord(event, stream));
}

LS_API CUresult cuEventRecordWithFlags(CUevent event, CUstream stream, unsigned flags)
{
    return answer(cudaEventRecordWithFlags(event, stream, flags));
}

LS_API CUresult cuEventQuery(CUevent event)
{
    return answer(cudaEventQuery(event));
}

LS_API CUresult cuEventSynchronize(CUevent event)
{
    return answer(cudaEventSynchronize(event));
}

LS_API CUresult cuEventElapsedTime(float* milliseconds, CUevent start, CUevent end)
{
    return answer(cudaEventElapsedTime(milliseconds, start, end));
}

LS_API CUresult cuEventElapsedTime_v2(float* milliseconds, CUevent start, CUevent end)
{
    return cuEventElapsedTime(milliseconds, start, end);
}
