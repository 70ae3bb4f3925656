// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "instrumented/runtime/work.h"

#include "instrumented/runtime/callbacks.h"
#include "instrumented/runtime/streams.h"
#include "instrumented/runtime/under_way.h"
#include "instrumented/runtime/work_order.h"

namespace lanescope::runtime {

namespace {

/// One overload per kind of work.
struct Performer {
    Runtime& runtime;
    cudaStream_t stream;

    cudaError_t operator()(const EmptyWork&) const { return cudaSuccess; }
    cudaError_t operator()(const KernelWork& work) const { return performKernel(runtime, work); }
    cudaError_t operator()(const CopyWork& work) const { return performCopy(runtime, work); }
    cudaError_t operator()(const FillWork& work) const { return performFill(runtime, work); }
    cudaError_t operator()(const HostWork& work) const
    {
        postCallback([work] { work.function(work.userData); });
        return cudaSuccess;
    }
    cudaError_t operator()(const CallbackWork& work) const
    {
        postCallback([work, error = runtime.stickyError()] { work.function(work.stream, error, work.userData); });
        return cudaSuccess;
    }
    cudaError_t operator()(const EventRecordWork& work) const { return performEventRecord(work); }
    cudaError_t operator()(const EventWaitWork&) const { return cudaSuccess; }  // what it waits for has happened
    cudaError_t operator()(const GraphWork& work) const { return performGraph(runtime, stream, *work.graph); }
    cudaError_t operator()(const ConditionalWork& work) const { return performConditional(runtime, stream, work); }
    cudaError_t operator()(const AllocateWork& work) const { return performAllocation(runtime, work); }
    cudaError_t operator()(const ReleaseWork& work) const { return performRelease(runtime, work); }
};

}  // namespace

cudaError_t perform(Runtime& runtime, cudaStream_t stream, const Work& work)
{
    return std::visit(Performer{runtime, stream}, work);
}

cudaError_t submit(Call& call, cudaStream_t stream, Work work)
{
    if (call.broken())
        return call.ok();
    if (!isStream(stream))
        return call.fail(cudaErrorInvalidResourceHandle);
    if (isCapturing(stream)) {
        const cudaError_t error = capture(stream, std::move(work));
        return error == cudaSuccess ? cudaSuccess : call.fail(error);
    }
    if (isLegacyStream(stream) && isAnyBlockingStreamCapturing()) {
        invalidateCaptures();
        return call.fail(cudaErrorStreamCaptureImplicit);
    }
    if (auto* kernel = std::get_if<KernelWork>(&work); kernel && kernel->shape.programmatic && !isAnyUnderWay())
        kernel->shape.overlap = overlapOfNext(call.runtime(), stream);
    // What goes wrong in a kernel shows at the next call.
    const cudaError_t earlier = call->stickyError();
    const cudaError_t error = performOrKeep(call.runtime(), stream, std::move(work));
    if (earlier != cudaSuccess)
        return call.fail(earlier);
    return error == cudaSuccess ? cudaSuccess : call.fail(error);
}

}  // namespace lanescope::runtime
