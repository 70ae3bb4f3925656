// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Graphs: nodes with work and what they depend on.
#pragma once

#include <memory>
#include <unordered_map>
#include <vector>

#include "instrumented/runtime/host_frames.h"
#include "instrumented/runtime/streams.h"
#include "instrumented/runtime/work.h"

struct CUgraphNode_st {
    lanescope::runtime::Work work;
    std::vector<CUgraphNode_st*> dependencies;  ///< of the same graph
    CUgraph_st* graph = nullptr;
    lanescope::runtime::HostFrames madeAt;  ///< the call that added it
    /// Storage for what cudaGraphKernelNodeGetParams hands out.
    std::vector<void*> argumentPointers;
};

struct CUgraph_st {
    std::vector<std::unique_ptr<CUgraphNode_st>> nodes;  ///< in the order in which they were added
};

/// A graph made ready: its nodes in an order that respects the dependencies. Keeps a graph of its own, so that later
/// changes to the original do not reach it.
struct CUgraphExec_st {
    std::shared_ptr<CUgraph_st> graph;
    std::vector<CUgraphNode_st*> order;
    bool freesFirst = false;  ///< when it is launched again: what it allocated and nobody has freed
    std::unordered_map<const CUgraphNode_st*, CUgraphNode_st*> copies;  ///< by node of the original
};

namespace lanescope::runtime {

/// One capture sequence: the graph it fills and the stream it began in.
struct Capture {
    std::shared_ptr<CUgraph_st> graph;
    cudaStream_t origin = nullptr;
    cudaStreamCaptureMode mode = cudaStreamCaptureModeGlobal;
    unsigned long long id = 0;
    bool invalidated = false;
};

bool isGraph(cudaGraph_t graph);
/// A node of any live graph.
bool isNode(cudaGraphNode_t node);
/// The graph as an owned object. \p handle must be a graph.
std::shared_ptr<CUgraph_st> graphOf(cudaGraph_t handle);
/// Makes \p graph a handle of the program's.
cudaGraph_t publish(std::shared_ptr<CUgraph_st> graph);
CUgraphNode_st* addNode(CUgraph_st& graph, Work work, std::vector<CUgraphNode_st*> dependencies);
/// \p copies: filled with (original, copy) when not null.
std::shared_ptr<CUgraph_st> cloneOf(const CUgraph_st& graph,
                                    std::unordered_map<const CUgraphNode_st*, CUgraphNode_st*>* copies);
/// Dependencies first, otherwise in the order in which nodes were added; shorter than the graph if it has a cycle.
std::vector<CUgraphNode_st*> orderOf(const CUgraph_st& graph);

}  // namespace lanescope::runtime
