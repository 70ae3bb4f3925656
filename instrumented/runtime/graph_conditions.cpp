// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Conditional nodes of graphs: if, while, switch.
#include <algorithm>
#include <cstring>

#include "instrumented/runtime/api_findings.h"
#include "instrumented/runtime/graph.h"
#include "instrumented/runtime/memory.h"

namespace lanescope::runtime {

namespace {

/// Null: no such condition.
std::byte* wordOf(Runtime& runtime, cudaGraphConditionalHandle handle)
{
    return runtime.memory().hostView(handle, sizeof(unsigned int));
}

unsigned int valueOf(Runtime& runtime, cudaGraphConditionalHandle handle)
{
    unsigned int value = 0;
    if (const std::byte* word = wordOf(runtime, handle))
        std::memcpy(&value, word, sizeof(value));
    return value;
}

/// Which of \p work's bodies is performed for \p value; null: none.
const CUgraph_st* bodyFor(const ConditionalWork& work, unsigned int value)
{
    const unsigned int index = work.type == cudaGraphCondTypeSwitch ? value : value == 0;
    return index < work.bodies.size() ? work.bodies[index].get() : nullptr;
}

/// Whether anything in \p graph can set a condition.
bool launchesKernels(const CUgraph_st& graph)
{
    return std::ranges::any_of(graph.nodes, [](const auto& node) {
        if (const auto* child = std::get_if<GraphWork>(&node->work))
            return launchesKernels(*child->graph);
        if (const auto* conditional = std::get_if<ConditionalWork>(&node->work))
            return std::ranges::any_of(conditional->bodies, [](const auto& body) { return launchesKernels(*body); });
        return std::holds_alternative<KernelWork>(node->work);
    });
}

}  // namespace

void setConditions(Runtime& runtime, const CUgraph_st& graph)
{
    for (const GraphCondition& condition : graph.conditions)
        if (std::byte* word = wordOf(runtime, condition.handle))
            std::memcpy(word, &condition.initial, sizeof(condition.initial));
    for (const auto& node : graph.nodes)
        if (const auto* conditional = std::get_if<ConditionalWork>(&node->work))
            for (const std::shared_ptr<CUgraph_st>& body : conditional->bodies)
                setConditions(runtime, *body);
}

cudaError_t performConditional(Runtime& runtime, cudaStream_t stream, const ConditionalWork& work)
{
    do {
        const CUgraph_st* body = bodyFor(work, valueOf(runtime, work.handle));
        if (!body)
            return cudaSuccess;
        if (work.type == cudaGraphCondTypeWhile && !launchesKernels(*body)) {
            explainFailure(cudaErrorInvalidValue,
                           "a while node whose body launches no kernel goes on for ever: nothing sets its condition");
            return cudaErrorInvalidValue;
        }
        if (const cudaError_t error = performNodes(runtime, stream, *body); error != cudaSuccess)
            return error;
    } while (work.type == cudaGraphCondTypeWhile && !runtime.stopped());
    return cudaSuccess;
}

}  // namespace lanescope::runtime

using namespace lanescope::runtime;

LS_API cudaError_t cudaGraphConditionalHandleCreate(cudaGraphConditionalHandle* handle, cudaGraph_t graph,
                                                    unsigned int defaultValue, unsigned int flags)
{
    Call call;
    if (!handle || !isGraph(graph) || (flags & ~unsigned(cudaGraphCondAssignDefault)) != 0)
        return call.fail(cudaErrorInvalidValue);
    // Not of the program's allocations: it goes with the graph.
    const auto word = call->memory().allocate(sizeof(unsigned int), "cudaGraphConditionalHandleCreate");
    if (!word)
        return call.fail(cudaErrorMemoryAllocation);
    *handle = word.value().address;
    call->memory().markInitialised(*handle, sizeof(unsigned int));
    if (flags & cudaGraphCondAssignDefault)
        graph->conditions.push_back({*handle, defaultValue});
    return call.ok();
}
