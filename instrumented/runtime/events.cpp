// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Events. They take the host's time, so that they measure what the simulation took.
#include <fmt/format.h>

#include "instrumented/runtime/api_findings.h"
#include "instrumented/runtime/streams.h"
#include "instrumented/runtime/under_way.h"
#include "instrumented/runtime/work_order.h"

using namespace lanescope::runtime;

namespace {

cudaError_t waitFor(cudaEvent_t event)
{
    Call call;
    if (!isEvent(event))
        return call.fail(cudaErrorInvalidResourceHandle);
    if (event->capture)
        return call.fail(cudaErrorCapturedEvent);
    waitedForEvent(event);
    return call.ok();
}

}  // namespace

bool lanescope::runtime::isEvent(cudaEvent_t event)
{
    return handles<CUevent_st>().has(event);
}

cudaError_t lanescope::runtime::performEventRecord(const EventRecordWork& work)
{
    if (!isEvent(work.event))
        return cudaErrorInvalidResourceHandle;
    work.event->recorded = true;
    work.event->time = std::chrono::steady_clock::now();
    work.event->capture = nullptr;
    return cudaSuccess;
}

LS_API cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned int flags)
{
    Call call;
    constexpr unsigned kAll = cudaEventBlockingSync | cudaEventDisableTiming | cudaEventInterprocess;
    if (!event || (flags & ~kAll) || ((flags & cudaEventInterprocess) && !(flags & cudaEventDisableTiming)))
        return call.fail(cudaErrorInvalidValue);
    if (call.broken())
        return call.ok();
    *event = handles<CUevent_st>().create();
    (*event)->flags = flags;
    (*event)->device = currentDevice();
    return call.ok();
}

LS_API cudaError_t cudaEventCreate(cudaEvent_t* event)
{
    return cudaEventCreateWithFlags(event, cudaEventDefault);
}

LS_API cudaError_t cudaEventDestroy(cudaEvent_t event)
{
    Call call;
    return handles<CUevent_st>().destroy(event) ? call.ok() : call.fail(cudaErrorInvalidResourceHandle);
}

LS_API cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream, unsigned int flags)
{
    Call call;
    if (!isEvent(event) || !isStream(stream))
        return call.fail(cudaErrorInvalidResourceHandle);
    if (event->device != streamOf(stream).device) {
        explainFailure(cudaErrorInvalidResourceHandle,
                       fmt::format("the event is of device {}, and the stream of device {}", event->device,
                                   streamOf(stream).device));
        return call.fail(cudaErrorInvalidResourceHandle);
    }
    if (isCapturing(stream) && flags == cudaEventRecordDefault) {
        event->capture = streamOf(stream).capture;
        event->captureEnd = streamOf(stream).captureEnd;
        return call.ok();
    }
    return submit(call, stream, EventRecordWork{event});
}

LS_API cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream)
{
    return cudaEventRecordWithFlags(event, stream, cudaEventRecordDefault);
}

LS_API cudaError_t cudaEventSynchronize(cudaEvent_t event)
{
    return waitFor(event);
}

LS_API cudaError_t cudaEventQuery(cudaEvent_t event)
{
    Call call;
    if (isAnyUnderWay() && isEvent(event) && !event->capture && !hasEnded(coveredBy(event)))
        return call.fail(cudaErrorNotReady);
    return waitFor(event);
}

LS_API cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t start, cudaEvent_t end)
{
    Call call;
    if (!milliseconds)
        return call.fail(cudaErrorInvalidValue);
    if (!isEvent(start) || !isEvent(end) || !start->recorded || !end->recorded || start->device != end->device ||
        ((start->flags | end->flags) & cudaEventDisableTiming))
        return call.fail(cudaErrorInvalidResourceHandle);
    *milliseconds = std::chrono::duration<float, std::milli>(end->time - start->time).count();
    return call.ok();
}
