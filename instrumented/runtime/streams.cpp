// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Streams. Work is performed when it is submitted, which is one of the orders that streams allow.
#include "instrumented/runtime/streams.h"
#include "instrumented/runtime/under_way.h"
#include "instrumented/runtime/work_order.h"

#include <algorithm>
#include <map>
#include <utility>

using namespace lanescope::runtime;

namespace {

/// Device priorities as the model GPU has them: from least (first) to greatest.
constexpr int kLeastPriority = 0;
constexpr int kGreatestPriority = -5;

unsigned long long g_nextStream = 3;  // after the legacy and the per-thread stream
/// More than streams have ids: of the legacy streams of further devices.
constexpr unsigned long long kFirstFurtherLegacy = 1ull << 31;

/// The number of a host thread's own stream: 2 for the first thread that asks.
unsigned long long nextPerThreadStream()
{
    static bool isFirst = true;
    return std::exchange(isFirst, false) ? 2 : g_nextStream++;
}

/// What waiting for a stream answers: waiting for one that is being captured spoils the capture.
cudaError_t waitFor(cudaStream_t stream)
{
    Call call;
    if (!isStream(stream))
        return call.fail(cudaErrorInvalidResourceHandle);
    if (isCapturing(stream)) {
        invalidateCaptures();
        return call.fail(cudaErrorStreamCaptureUnsupported);
    }
    waitedForStream(stream);
    return call.ok();
}

template <class T, class Get>
cudaError_t streamProperty(cudaStream_t stream, T* value, Get get)
{
    Call call;
    if (!isStream(stream))
        return call.fail(cudaErrorInvalidResourceHandle);
    if (!value)
        return call.fail(cudaErrorInvalidValue);
    *value = get(streamOf(stream));
    return call.ok();
}

}  // namespace

bool lanescope::runtime::isLegacyStream(cudaStream_t stream)
{
    return stream == cudaStreamLegacy || (!stream && !Runtime::instance().options().perThreadStream);
}

bool lanescope::runtime::isStream(cudaStream_t stream)
{
    return isLegacyStream(stream) || !stream || stream == cudaStreamPerThread || handles<CUstream_st>().has(stream);
}

CUstream_st& lanescope::runtime::streamOf(cudaStream_t stream)
{
    static auto* const legacy = new std::map<uint32_t, CUstream_st>;
    static thread_local std::map<uint32_t, CUstream_st> perThread;
    const uint32_t device = currentDevice();
    const auto ofDevice = [&](std::map<uint32_t, CUstream_st>& streams, auto newId) -> CUstream_st& {
        auto [found, isNew] = streams.try_emplace(device);
        if (isNew) {
            found->second.id = newId();
            found->second.device = device;
        }
        return found->second;
    };
    if (isLegacyStream(stream))
        return ofDevice(*legacy, [&] { return device == 0 ? 1 : kFirstFurtherLegacy + device; });
    return !stream || stream == cudaStreamPerThread ? ofDevice(perThread, nextPerThreadStream) : *stream;
}

LS_API cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned int flags, int priority)
{
    Call call;
    if (!stream || flags > cudaStreamNonBlocking)
        return call.fail(cudaErrorInvalidValue);
    if (call.broken())
        return call.ok();
    *stream = handles<CUstream_st>().create();
    (*stream)->flags = flags;
    (*stream)->priority = std::min(kLeastPriority, std::max(kGreatestPriority, priority));
    (*stream)->id = g_nextStream++;
    (*stream)->device = currentDevice();
    return call.ok();
}

LS_API cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned int flags)
{
    return cudaStreamCreateWithPriority(stream, flags, 0);
}

LS_API cudaError_t cudaStreamCreate(cudaStream_t* stream)
{
    return cudaStreamCreateWithFlags(stream, cudaStreamDefault);
}

LS_API cudaError_t cudaStreamDestroy(cudaStream_t stream)
{
    Call call;
    if (isAnyUnderWay() && handles<CUstream_st>().has(stream))
        waitedForStream(stream);
    forgetStream(stream);
    return handles<CUstream_st>().destroy(stream) ? call.ok() : call.fail(cudaErrorInvalidResourceHandle);
}

LS_API cudaError_t cudaStreamSynchronize(cudaStream_t stream)
{
    return waitFor(stream);
}

LS_API cudaError_t cudaStreamQuery(cudaStream_t stream)
{
    Call call;
    if (isAnyUnderWay() && isStream(stream) && !isCapturing(stream) && !hasEnded(coveredBy(stream)))
        return call.fail(cudaErrorNotReady);
    return waitFor(stream);
}

LS_API cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned int flags)
{
    Call call;
    if (!isStream(stream) || !isEvent(event))
        return call.fail(cudaErrorInvalidResourceHandle);
    if (flags > cudaEventWaitExternal)
        return call.fail(cudaErrorInvalidValue);
    cudaError_t error = cudaSuccess;
    if (joinCapture(stream, *event, error))
        return error == cudaSuccess ? call.ok() : call.fail(error);
    return submit(call, stream, EventWaitWork{event});
}

LS_API cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t callback, void* userData,
                                         unsigned int flags)
{
    Call call;
    if (!callback || flags != 0)
        return call.fail(cudaErrorInvalidValue);
    return submit(call, stream, CallbackWork{callback, stream, userData});
}

LS_API cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void* userData)
{
    Call call;
    if (!function)
        return call.fail(cudaErrorInvalidValue);
    return submit(call, stream, HostWork{function, userData});
}

LS_API cudaError_t cudaDeviceGetStreamPriorityRange(int* least, int* greatest)
{
    Call call;
    if (least)
        *least = kLeastPriority;
    if (greatest)
        *greatest = kGreatestPriority;
    return call.ok();
}

LS_API cudaError_t cudaStreamGetPriority(cudaStream_t stream, int* priority)
{
    return streamProperty(stream, priority, [](const CUstream_st& s) { return s.priority; });
}

LS_API cudaError_t cudaStreamGetFlags(cudaStream_t stream, unsigned int* flags)
{
    return streamProperty(stream, flags, [](const CUstream_st& s) { return s.flags; });
}

LS_API cudaError_t cudaStreamGetId(cudaStream_t stream, unsigned long long* id)
{
    return streamProperty(stream, id, [](const CUstream_st& s) { return s.id; });
}

LS_API cudaError_t cudaStreamGetDevice(cudaStream_t stream, int* device)
{
    return streamProperty(stream, device, [](const CUstream_st& s) { return static_cast<int>(s.device); });
}

LS_API cudaError_t cudaStreamAttachMemAsync(cudaStream_t stream, void* /*pointer*/, size_t /*bytes*/,
                                            unsigned int /*flags*/)
{
    Call call;
    return isStream(stream) ? call.ok() : call.fail(cudaErrorInvalidResourceHandle);
}

// Access policies and priorities say how fast, not what.
LS_API cudaError_t cudaStreamSetAttribute(cudaStream_t stream, cudaLaunchAttributeID which,
                                          const cudaLaunchAttributeValue* value)
{
    Call call;
    if (!isStream(stream))
        return call.fail(cudaErrorInvalidResourceHandle);
    if (!value)
        return call.fail(cudaErrorInvalidValue);
    if (which == cudaLaunchAttributeAccessPolicyWindow)
        streamOf(stream).accessPolicy = *value;
    return call.ok();
}

LS_API cudaError_t cudaStreamGetAttribute(cudaStream_t stream, cudaLaunchAttributeID which,
                                          cudaLaunchAttributeValue* value)
{
    Call call;
    if (!isStream(stream))
        return call.fail(cudaErrorInvalidResourceHandle);
    if (!value || which != cudaLaunchAttributeAccessPolicyWindow)
        return call.fail(cudaErrorInvalidValue);
    *value = streamOf(stream).accessPolicy;
    return call.ok();
}

LS_API cudaError_t cudaStreamCopyAttributes(cudaStream_t to, cudaStream_t from)
{
    Call call;
    if (!isStream(to) || !isStream(from))
        return call.fail(cudaErrorInvalidResourceHandle);
    streamOf(to).accessPolicy = streamOf(from).accessPolicy;
    return call.ok();
}

LS_API cudaError_t cudaCtxResetPersistingL2Cache(void)
{
    Call call;
    return call.ok();
}
