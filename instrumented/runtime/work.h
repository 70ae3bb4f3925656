// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What can be put into a stream or be a node of a graph: kernels, copies, fills, host functions, events. Everything
// asynchronous goes through submit(), which performs the work now (one of the orders that streams allow) or, while
// the stream is being captured, makes a node of it.
#pragma once

#include <memory>
#include <variant>
#include <vector>

#include "instrumented/runtime/runtime.h"

namespace lanescope::runtime {

/// What a launch's attributes say of it.
struct LaunchShape {
    bool cooperative = false;
    dim3 cluster = {0, 0, 0};      ///< blocks of one; empty: what the kernel says
    bool programmatic = false;     ///< may begin before the kernel before it in its stream has ended
    device::Overlap overlap = {};  ///< with that kernel; known when the launch is performed
};

struct KernelWork {
    const void* function = nullptr;  ///< as registered
    dim3 grid;
    dim3 block;
    size_t sharedBytes = 0;
    LaunchShape shape;
    std::vector<std::vector<std::byte>> arguments;  ///< one per parameter
    uint32_t device = 0;
};

/// Rows of bytes in slices. One row: a plain copy.
struct CopyWork {
    void* to = nullptr;
    size_t toPitch = 0;  ///< bytes from row to row
    size_t toSlice = 0;  ///< bytes from slice to slice
    const void* from = nullptr;
    size_t fromPitch = 0;
    size_t fromSlice = 0;
    size_t width = 0;  ///< bytes
    size_t height = 1;
    size_t depth = 1;
    cudaMemcpyKind kind = cudaMemcpyDefault;

    /// Bytes from the first to the last that are written (read), what lies between the rows included.
    [[nodiscard]] size_t toExtent() const { return (depth - 1) * toSlice + (height - 1) * toPitch + width; }
    [[nodiscard]] size_t fromExtent() const { return (depth - 1) * fromSlice + (height - 1) * fromPitch + width; }
};

struct FillWork {
    void* to = nullptr;
    size_t pitch = 0;
    size_t slice = 0;
    uint32_t value = 0;
    size_t valueBytes = 1;  ///< 1, 2 or 4
    size_t width = 0;       ///< bytes
    size_t height = 1;
    size_t depth = 1;
};

struct HostWork {
    cudaHostFn_t function = nullptr;
    void* userData = nullptr;
};

/// A stream callback: also told the stream and the error state.
struct CallbackWork {
    cudaStreamCallback_t function = nullptr;
    cudaStream_t stream = nullptr;
    void* userData = nullptr;
};

struct EventRecordWork {
    cudaEvent_t event = nullptr;
};
struct EventWaitWork {
    cudaEvent_t event = nullptr;
};
struct GraphWork {
    std::shared_ptr<const CUgraph_st> graph;
};
/// Bodies that are performed as the word at \p handle says when it is their turn.
struct ConditionalWork {
    cudaGraphConditionalHandle handle = 0;
    cudaGraphConditionalNodeType type = cudaGraphCondTypeIf;
    std::vector<std::shared_ptr<CUgraph_st>> bodies;
};
struct EmptyWork {};
/// The node keeps its address; the memory is there from when the node is performed until it is freed.
struct AllocateWork {
    void* pointer = nullptr;
    size_t bytes = 0;
};
struct ReleaseWork {
    void* pointer = nullptr;
};

using Work = std::variant<EmptyWork, KernelWork, CopyWork, FillWork, HostWork, CallbackWork, EventRecordWork,
                          EventWaitWork, GraphWork, AllocateWork, ReleaseWork, ConditionalWork>;

/// Whether the host is held up until \p copy is done: a side of it is memory that the device cannot reach.
bool holdsHostUp(Runtime& runtime, const CopyWork& copy);

/// Performs \p work of \p stream now. The error is not yet the thread's last error.
cudaError_t perform(Runtime& runtime, cudaStream_t stream, const Work& work);

/// Performs or captures \p work in \p stream and remembers an error as the thread's last one.
cudaError_t submit(Call& call, cudaStream_t stream, Work work);

/// Fills a KernelWork and checks it against the model GPU's limits.
cudaError_t prepareKernel(Runtime& runtime, const void* function, dim3 grid, dim3 block, void** arguments,
                          size_t sharedBytes, const LaunchShape& shape, KernelWork& work);

/// What a launch's attribute changes; priorities and access policies say how fast, not what.
cudaError_t takeAttribute(cudaLaunchAttributeID which, const cudaLaunchAttributeValue& value, LaunchShape& shape);

// One per kind of work; in the file of its group.
cudaError_t performKernel(Runtime& runtime, const KernelWork& work);
cudaError_t performCopy(Runtime& runtime, const CopyWork& work);
cudaError_t performFill(Runtime& runtime, const FillWork& work);
cudaError_t performEventRecord(const EventRecordWork& work);
cudaError_t performGraph(Runtime& runtime, cudaStream_t stream, const CUgraph_st& graph);
cudaError_t performConditional(Runtime& runtime, cudaStream_t stream, const ConditionalWork& work);
cudaError_t performAllocation(Runtime& runtime, const AllocateWork& work);
cudaError_t performRelease(Runtime& runtime, const ReleaseWork& work);

}  // namespace lanescope::runtime
