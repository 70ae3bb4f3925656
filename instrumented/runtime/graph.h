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
    /// Of a conditional node: storage for the graphs that cudaGraphAddNode hands out.
    std::vector<CUgraph_st*> bodies;
};

/// A condition that has a value whenever the graph is launched.
struct GraphCondition {
    cudaGraphConditionalHandle handle = 0;
    unsigned int initial = 0;
};

struct CUgraph_st {
    std::vector<std::unique_ptr<CUgraphNode_st>> nodes;  ///< in the order in which they were added
    std::vector<GraphCondition> conditions;
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
    size_t nodesBefore = 0;  ///< that the graph had when the capture began
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
/// Performs the nodes of \p graph, which is launched or a node's body.
cudaError_t performNodes(Runtime& runtime, cudaStream_t stream, const CUgraph_st& graph);
/// \p graph is about to be launched: gives its conditions, and those of the bodies in it, their values.
void setConditions(Runtime& runtime, const CUgraph_st& graph);
/// Dependencies first, otherwise in the order in which nodes were added; shorter than the graph if it has a cycle.
std::vector<CUgraphNode_st*> orderOf(const CUgraph_st& graph);

}  // namespace lanescope::runtime
