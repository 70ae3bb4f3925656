// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Streams, events, and the capture of streams into graphs. Used under the runtime's lock.
#pragma once

#include <chrono>
#include <memory>
#include <vector>

#include "instrumented/runtime/handles.h"
#include "instrumented/runtime/work.h"

namespace lanescope::runtime {
struct Capture;
}

struct CUstream_st {
    unsigned int flags = 0;
    int priority = 0;
    unsigned long long id = 0;
    uint32_t device = 0;
    cudaLaunchAttributeValue accessPolicy = {};
    std::shared_ptr<lanescope::runtime::Capture> capture;  ///< null: not being captured
    std::vector<cudaGraphNode_t> captureEnd;               ///< what the next captured node depends on
};

struct CUevent_st {
    unsigned int flags = 0;
    uint32_t device = 0;
    bool recorded = false;
    std::chrono::steady_clock::time_point time;
    /// Last recorded in a captured stream: the nodes a wait for it depends on.
    std::shared_ptr<lanescope::runtime::Capture> capture;
    std::vector<cudaGraphNode_t> captureEnd;
};

namespace lanescope::runtime {

bool isStream(cudaStream_t stream);
bool isLegacyStream(cudaStream_t stream);
bool isEvent(cudaEvent_t event);
/// The object behind a handle (cudaStreamPerThread has one, the legacy stream too: those of the current device).
CUstream_st& streamOf(cudaStream_t stream);

bool isCapturing(cudaStream_t stream);
bool isAnyBlockingStreamCapturing();
/// True while a capture runs in which this call would be unsafe (allocation, device-wide waits).
bool isUnsafeDuringCapture();
void invalidateCaptures();
/// Before a stream is destroyed.
void forgetStream(CUstream_st* stream);
/// Makes a node of \p work.
cudaError_t capture(cudaStream_t stream, Work work);
/// An event wait: \p stream joins the capture that \p event was recorded in. False: there is none.
bool joinCapture(cudaStream_t stream, const CUevent_st& event, cudaError_t& error);

}  // namespace lanescope::runtime
