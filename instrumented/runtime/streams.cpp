// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Streams and events. Work runs when it is submitted, which is one of the orders that streams allow; events take the
// host's time, so that they measure what the simulation took.
#include <chrono>
#include <unordered_set>

#include "instrumented/runtime/runtime.h"
#include "instrumented/runtime/streams.h"

using lanescope::runtime::Call;
using lanescope::runtime::isStream;

struct CUstream_st {
    unsigned int flags = 0;
};

struct CUevent_st {
    unsigned int flags = 0;
    bool recorded = false;
    std::chrono::steady_clock::time_point time;
};

namespace {

std::unordered_set<cudaStream_t>& streams()
{
    static auto* const all = new std::unordered_set<cudaStream_t>;
    return *all;
}

std::unordered_set<cudaEvent_t>& events()
{
    static auto* const all = new std::unordered_set<cudaEvent_t>;
    return *all;
}

bool isEvent(cudaEvent_t event)
{
    return events().count(event) > 0;
}

}  // namespace

bool lanescope::runtime::isStream(cudaStream_t stream)
{
    return !stream || stream == cudaStreamLegacy || stream == cudaStreamPerThread || streams().count(stream);
}

namespace {

cudaError_t streamCall(cudaStream_t stream)
{
    Call call;
    return isStream(stream) ? call.ok() : call.fail(cudaErrorInvalidResourceHandle);
}

cudaError_t eventCall(cudaEvent_t event)
{
    Call call;
    return isEvent(event) ? call.ok() : call.fail(cudaErrorInvalidResourceHandle);
}

}  // namespace

LS_API cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned int flags)
{
    Call call;
    if (!stream || flags > cudaStreamNonBlocking)
        return call.fail(cudaErrorInvalidValue);
    *stream = new CUstream_st{flags};
    streams().insert(*stream);
    return call.ok();
}

LS_API cudaError_t cudaStreamCreate(cudaStream_t* stream)
{
    return cudaStreamCreateWithFlags(stream, cudaStreamDefault);
}

LS_API cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned int flags, int /*priority*/)
{
    return cudaStreamCreateWithFlags(stream, flags);
}

LS_API cudaError_t cudaStreamDestroy(cudaStream_t stream)
{
    Call call;
    if (streams().erase(stream) == 0)
        return call.fail(cudaErrorInvalidResourceHandle);
    delete stream;
    return call.ok();
}

LS_API cudaError_t cudaStreamSynchronize(cudaStream_t stream)
{
    return streamCall(stream);
}

LS_API cudaError_t cudaStreamQuery(cudaStream_t stream)
{
    return streamCall(stream);
}

LS_API cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned int /*flags*/)
{
    Call call;
    return isStream(stream) && isEvent(event) ? call.ok() : call.fail(cudaErrorInvalidResourceHandle);
}

LS_API cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t callback, void* userData,
                                         unsigned int /*flags*/)
{
    Call call;
    if (!isStream(stream))
        return call.fail(cudaErrorInvalidResourceHandle);
    if (!callback)
        return call.fail(cudaErrorInvalidValue);
    callback(stream, call.ok(), userData);
    return call.ok();
}

LS_API cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void* userData)
{
    Call call;
    if (!isStream(stream))
        return call.fail(cudaErrorInvalidResourceHandle);
    if (!function)
        return call.fail(cudaErrorInvalidValue);
    function(userData);
    return call.ok();
}

LS_API cudaError_t cudaDeviceGetStreamPriorityRange(int* least, int* greatest)
{
    Call call;
    if (least)
        *least = 0;
    if (greatest)
        *greatest = -5;
    return call.ok();
}

LS_API cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned int flags)
{
    Call call;
    if (!event)
        return call.fail(cudaErrorInvalidValue);
    *event = new CUevent_st{flags, false, {}};
    events().insert(*event);
    return call.ok();
}

LS_API cudaError_t cudaEventCreate(cudaEvent_t* event)
{
    return cudaEventCreateWithFlags(event, cudaEventDefault);
}

LS_API cudaError_t cudaEventDestroy(cudaEvent_t event)
{
    Call call;
    if (events().erase(event) == 0)
        return call.fail(cudaErrorInvalidResourceHandle);
    delete event;
    return call.ok();
}

LS_API cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream)
{
    Call call;
    if (!isEvent(event) || !isStream(stream))
        return call.fail(cudaErrorInvalidResourceHandle);
    event->recorded = true;
    event->time = std::chrono::steady_clock::now();
    return call.ok();
}

LS_API cudaError_t cudaEventSynchronize(cudaEvent_t event)
{
    return eventCall(event);
}

LS_API cudaError_t cudaEventQuery(cudaEvent_t event)
{
    return eventCall(event);
}

LS_API cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t start, cudaEvent_t end)
{
    Call call;
    if (!milliseconds)
        return call.fail(cudaErrorInvalidValue);
    if (!isEvent(start) || !isEvent(end) || !start->recorded || !end->recorded ||
        ((start->flags | end->flags) & cudaEventDisableTiming))
        return call.fail(cudaErrorInvalidResourceHandle);
    *milliseconds = std::chrono::duration<float, std::milli>(end->time - start->time).count();
    return call.ok();
}
