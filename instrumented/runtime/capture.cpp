// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Stream capture: work submitted to a stream becomes nodes of a graph.
#include <algorithm>
#include <unordered_set>

#include "instrumented/runtime/graph.h"

using namespace lanescope::runtime;

namespace {

std::vector<std::shared_ptr<Capture>>& captures()
{
    static auto* const all = new std::vector<std::shared_ptr<Capture>>;
    return *all;
}

/// Streams in a capture, by handle.
std::unordered_set<CUstream_st*>& capturedStreams()
{
    static auto* const all = new std::unordered_set<CUstream_st*>;
    return *all;
}

unsigned long long g_nextCapture = 1;

void beginCapture(CUstream_st& stream, std::shared_ptr<Capture> capture)
{
    stream.capture = std::move(capture);
    stream.captureEnd.clear();
    capturedStreams().insert(&stream);
}

void endCapture(const std::shared_ptr<Capture>& capture)
{
    for (auto stream = capturedStreams().begin(); stream != capturedStreams().end();) {
        if ((*stream)->capture != capture) {
            ++stream;
            continue;
        }
        (*stream)->capture = nullptr;
        (*stream)->captureEnd.clear();
        stream = capturedStreams().erase(stream);
    }
    captures().erase(std::remove(captures().begin(), captures().end(), capture), captures().end());
}

bool areNodesOf(const CUgraph_st& graph, const cudaGraphNode_t* nodes, size_t count)
{
    return (nodes || count == 0) && std::all_of(nodes, nodes + count, [&](cudaGraphNode_t node) {
               return isNode(node) && node->graph == &graph;
           });
}

/// Whether everything captured comes before the end of the stream that the capture began in.
bool isJoined(const Capture& capture, const std::vector<CUgraphNode_st*>& end)
{
    std::unordered_set<const CUgraphNode_st*> reached(end.begin(), end.end());
    std::vector<const CUgraphNode_st*> open(end.begin(), end.end());
    while (!open.empty()) {
        const CUgraphNode_st* node = open.back();
        open.pop_back();
        for (const CUgraphNode_st* dependency : node->dependencies)
            if (reached.insert(dependency).second)
                open.push_back(dependency);
    }
    const auto& nodes = capture.graph->nodes;
    return std::all_of(nodes.begin() + static_cast<std::ptrdiff_t>(capture.nodesBefore), nodes.end(),
                       [&](const auto& node) { return reached.count(node.get()) > 0; });
}

/// A capture that begins in \p stream; the graph that it fills is \p graph.
cudaError_t begin(Call& call, cudaStream_t stream, cudaStreamCaptureMode mode, std::shared_ptr<CUgraph_st> graph)
{
    if (isLegacyStream(stream))
        return call.fail(cudaErrorStreamCaptureUnsupported);
    if (mode < cudaStreamCaptureModeGlobal || mode > cudaStreamCaptureModeRelaxed)
        return call.fail(cudaErrorInvalidValue);
    if (isCapturing(stream))
        return call.fail(cudaErrorIllegalState);
    auto capture = std::make_shared<Capture>();
    capture->graph = std::move(graph);
    capture->nodesBefore = capture->graph->nodes.size();
    capture->origin = stream;
    capture->mode = mode;
    capture->id = g_nextCapture++;
    captures().push_back(capture);
    beginCapture(streamOf(stream), capture);
    return call.ok();
}

}  // namespace

namespace lanescope::runtime {

void forgetStream(CUstream_st* stream)
{
    capturedStreams().erase(stream);
}

bool isCapturing(cudaStream_t stream)
{
    return !captures().empty() && streamOf(stream).capture != nullptr;
}

bool isAnyBlockingStreamCapturing()
{
    return std::any_of(capturedStreams().begin(), capturedStreams().end(), [](const CUstream_st* stream) {
        return !(stream->flags & cudaStreamNonBlocking) && !stream->capture->invalidated;
    });
}

bool isUnsafeDuringCapture()
{
    return std::any_of(captures().begin(), captures().end(), [](const std::shared_ptr<Capture>& capture) {
        return capture->mode != cudaStreamCaptureModeRelaxed;
    });
}

void invalidateCaptures()
{
    for (const std::shared_ptr<Capture>& capture : captures())
        capture->invalidated = true;
}

cudaError_t capture(cudaStream_t handle, Work work)
{
    CUstream_st& stream = streamOf(handle);
    if (stream.capture->invalidated)
        return cudaErrorStreamCaptureInvalidated;
    stream.captureEnd = {addNode(*stream.capture->graph, std::move(work), stream.captureEnd)};
    return cudaSuccess;
}

bool joinCapture(cudaStream_t handle, const CUevent_st& event, cudaError_t& error)
{
    CUstream_st& stream = streamOf(handle);
    if (!event.capture) {
        if (!stream.capture)
            return false;
        error = cudaErrorStreamCaptureIsolation;
        return true;
    }
    if (std::find(captures().begin(), captures().end(), event.capture) == captures().end())
        return false;  // that capture has ended
    if (isLegacyStream(handle)) {
        error = cudaErrorStreamCaptureImplicit;
        return true;
    }
    if (stream.capture && stream.capture != event.capture) {
        error = cudaErrorStreamCaptureMerge;
        return true;
    }
    if (!stream.capture)
        beginCapture(stream, event.capture);
    for (CUgraphNode_st* node : event.captureEnd)
        if (std::find(stream.captureEnd.begin(), stream.captureEnd.end(), node) == stream.captureEnd.end())
            stream.captureEnd.push_back(node);
    return true;
}

}  // namespace lanescope::runtime

LS_API cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode mode)
{
    Call call;
    if (!isStream(stream))
        return call.fail(cudaErrorInvalidResourceHandle);
    return begin(call, stream, mode, std::make_shared<CUgraph_st>());
}

LS_API cudaError_t cudaStreamBeginCaptureToGraph(cudaStream_t stream, cudaGraph_t graph,
                                                 const cudaGraphNode_t* dependencies, const cudaGraphEdgeData* edges,
                                                 size_t count, cudaStreamCaptureMode mode)
{
    Call call;
    if (!isStream(stream))
        return call.fail(cudaErrorInvalidResourceHandle);
    if (edges && std::any_of(edges, edges + count, [](const cudaGraphEdgeData& edge) { return edge.type != 0; }))
        return call.fail(cudaErrorNotSupported);
    if (!isGraph(graph) || !areNodesOf(*graph, dependencies, count))
        return call.fail(cudaErrorInvalidValue);
    const cudaError_t error = begin(call, stream, mode, graphOf(graph));
    if (error == cudaSuccess)
        streamOf(stream).captureEnd.assign(dependencies, dependencies + count);
    return error;
}

LS_API cudaError_t cudaStreamUpdateCaptureDependencies(cudaStream_t stream, cudaGraphNode_t* dependencies, size_t count,
                                                       unsigned int flags)
{
    Call call;
    if (!isStream(stream))
        return call.fail(cudaErrorInvalidResourceHandle);
    if (!isCapturing(stream))
        return call.fail(cudaErrorIllegalState);
    CUstream_st& captured = streamOf(stream);
    if (flags > cudaStreamSetCaptureDependencies || !areNodesOf(*captured.capture->graph, dependencies, count))
        return call.fail(cudaErrorInvalidValue);
    if (flags == cudaStreamSetCaptureDependencies)
        captured.captureEnd.clear();
    captured.captureEnd.insert(captured.captureEnd.end(), dependencies, dependencies + count);
    return call.ok();
}

LS_API cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t* graph)
{
    Call call;
    if (!isStream(stream))
        return call.fail(cudaErrorInvalidResourceHandle);
    // Who captures into a graph of their own has it already.
    const bool mayBeNull = isCapturing(stream) && isGraph(streamOf(stream).capture->graph.get());
    if (!graph && !mayBeNull)
        return call.fail(cudaErrorInvalidValue);
    if (graph)
        *graph = nullptr;
    if (!isCapturing(stream))
        return call.fail(cudaErrorIllegalState);
    const std::shared_ptr<Capture> capture = streamOf(stream).capture;
    if (capture->origin != stream)
        return call.fail(cudaErrorStreamCaptureUnmatched);
    const bool joined = isJoined(*capture, streamOf(stream).captureEnd);
    endCapture(capture);
    if (capture->invalidated)
        return call.fail(cudaErrorStreamCaptureInvalidated);
    if (!joined)
        return call.fail(cudaErrorStreamCaptureUnjoined);
    const cudaGraph_t published = publish(capture->graph);
    if (graph)
        *graph = published;
    return call.ok();
}

LS_API cudaError_t cudaStreamIsCapturing(cudaStream_t stream, cudaStreamCaptureStatus* status)
{
    Call call;
    if (!isStream(stream))
        return call.fail(cudaErrorInvalidResourceHandle);
    if (!status)
        return call.fail(cudaErrorInvalidValue);
    *status = !isCapturing(stream)                    ? cudaStreamCaptureStatusNone
              : streamOf(stream).capture->invalidated ? cudaStreamCaptureStatusInvalidated
                                                      : cudaStreamCaptureStatusActive;
    return call.ok();
}

LS_API cudaError_t cudaStreamGetCaptureInfo(cudaStream_t stream, cudaStreamCaptureStatus* status,
                                            unsigned long long* id, cudaGraph_t* graph,
                                            const cudaGraphNode_t** dependencies, size_t* dependencyCount)
{
    const cudaError_t error = cudaStreamIsCapturing(stream, status);
    if (error != cudaSuccess || *status != cudaStreamCaptureStatusActive)
        return error;
    Call call;
    CUstream_st& captured = streamOf(stream);
    if (id)
        *id = captured.capture->id;
    if (graph)
        *graph = publish(captured.capture->graph);  // may be given nodes while it is filled
    if (dependencies)
        *dependencies = captured.captureEnd.data();
    if (dependencyCount)
        *dependencyCount = captured.captureEnd.size();
    return call.ok();
}

LS_API cudaError_t cudaThreadExchangeStreamCaptureMode(cudaStreamCaptureMode* mode)
{
    static thread_local cudaStreamCaptureMode current = cudaStreamCaptureModeGlobal;
    Call call;
    if (!mode)
        return call.fail(cudaErrorInvalidValue);
    std::swap(*mode, current);
    return call.ok();
}
