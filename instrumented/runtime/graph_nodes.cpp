// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Nodes of graphs by kind: added explicitly, asked for their parameters, changed.
#include <algorithm>
#include <climits>

#include "instrumented/runtime/graph.h"
#include "instrumented/runtime/memory.h"

using namespace lanescope::runtime;

namespace {

/// Adds a node after checking the graph and the dependencies.
cudaError_t add(Call& call, cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* dependencies, size_t count,
                Work work)
{
    if (!node || !isGraph(graph) || (count > 0 && !dependencies))
        return call.fail(cudaErrorInvalidValue);
    const bool known = std::all_of(dependencies, dependencies + count, [&](cudaGraphNode_t dependency) {
        return isNode(dependency) && dependency->graph == graph;
    });
    if (!known)
        return call.fail(cudaErrorInvalidValue);
    *node = addNode(*graph, std::move(work), {dependencies, dependencies + count});
    return call.ok();
}

/// The work of a node if it is of this kind, else null.
template <class T>
T* workOf(cudaGraphNode_t node)
{
    return isNode(node) ? std::get_if<T>(&node->work) : nullptr;
}

/// The node of an executable graph that stands for \p node of the graph it was made from.
cudaGraphNode_t inExec(cudaGraphExec_t exec, cudaGraphNode_t node)
{
    if (!handles<CUgraphExec_st>().has(exec))
        return nullptr;
    const auto found = exec->copies.find(node);
    return found == exec->copies.end() ? nullptr : found->second;
}

cudaError_t kernelWork(Call& call, const cudaKernelNodeParams& parameters, KernelWork& work)
{
    return prepareKernel(call.runtime(), parameters.func, parameters.gridDim, parameters.blockDim,
                         parameters.kernelParams, parameters.sharedMemBytes, {}, work);
}

FillWork fillWork(const cudaMemsetParams& p)
{
    return {p.dst, p.pitch, 0, p.value, p.elementSize, p.width * p.elementSize, std::max<size_t>(p.height, 1), 1};
}

/// Replaces the work of \p node, which must be of kind T already.
template <class T>
cudaError_t replace(Call& call, cudaGraphNode_t node, T work)
{
    T* old = workOf<T>(node);
    if (!old)
        return call.fail(cudaErrorInvalidValue);
    *old = std::move(work);
    return call.ok();
}

cudaError_t setKernel(cudaGraphNode_t node, const cudaKernelNodeParams* parameters)
{
    Call call;
    KernelWork work;
    if (!parameters)
        return call.fail(cudaErrorInvalidValue);
    if (const cudaError_t error = kernelWork(call, *parameters, work); error != cudaSuccess)
        return call.fail(error);
    return replace(call, node, std::move(work));
}

}  // namespace

LS_API cudaError_t cudaGraphAddKernelNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* dependencies,
                                          size_t count, const cudaKernelNodeParams* parameters)
{
    Call call;
    KernelWork work;
    if (!parameters)
        return call.fail(cudaErrorInvalidValue);
    if (const cudaError_t error = kernelWork(call, *parameters, work); error != cudaSuccess)
        return call.fail(error);
    return add(call, node, graph, dependencies, count, std::move(work));
}

LS_API cudaError_t cudaGraphAddMemcpyNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* dependencies,
                                          size_t count, const cudaMemcpy3DParms* parameters)
{
    Call call;
    CopyWork work;
    if (!parameters)
        return call.fail(cudaErrorInvalidValue);
    if (const cudaError_t error = copyWork(*parameters, work); error != cudaSuccess)
        return call.fail(error);
    return add(call, node, graph, dependencies, count, work);
}

LS_API cudaError_t cudaGraphAddMemcpyNode1D(cudaGraphNode_t* node, cudaGraph_t graph,
                                            const cudaGraphNode_t* dependencies, size_t count, void* to,
                                            const void* from, size_t bytes, cudaMemcpyKind kind)
{
    Call call;
    return add(call, node, graph, dependencies, count, plainCopy(to, from, bytes, kind));
}

LS_API cudaError_t cudaGraphAddMemsetNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* dependencies,
                                          size_t count, const cudaMemsetParams* p)
{
    Call call;
    if (!p || (p->elementSize != 1 && p->elementSize != 2 && p->elementSize != 4))
        return call.fail(cudaErrorInvalidValue);
    return add(call, node, graph, dependencies, count, fillWork(*p));
}

LS_API cudaError_t cudaGraphAddHostNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* dependencies,
                                        size_t count, const cudaHostNodeParams* parameters)
{
    Call call;
    if (!parameters || !parameters->fn)
        return call.fail(cudaErrorInvalidValue);
    return add(call, node, graph, dependencies, count, HostWork{parameters->fn, parameters->userData});
}

LS_API cudaError_t cudaGraphAddEmptyNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* dependencies,
                                         size_t count)
{
    Call call;
    return add(call, node, graph, dependencies, count, EmptyWork{});
}

LS_API cudaError_t cudaGraphAddChildGraphNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                              const cudaGraphNode_t* dependencies, size_t count, cudaGraph_t child)
{
    Call call;
    if (!isGraph(child))
        return call.fail(cudaErrorInvalidValue);
    return add(call, node, graph, dependencies, count, GraphWork{cloneOf(*child, nullptr)});
}

LS_API cudaError_t cudaGraphAddEventRecordNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                               const cudaGraphNode_t* dependencies, size_t count, cudaEvent_t event)
{
    Call call;
    if (!isEvent(event))
        return call.fail(cudaErrorInvalidValue);
    return add(call, node, graph, dependencies, count, EventRecordWork{event});
}

LS_API cudaError_t cudaGraphAddEventWaitNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                             const cudaGraphNode_t* dependencies, size_t count, cudaEvent_t event)
{
    Call call;
    if (!isEvent(event))
        return call.fail(cudaErrorInvalidValue);
    return add(call, node, graph, dependencies, count, EventWaitWork{event});
}

LS_API cudaError_t cudaGraphAddMemAllocNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                            const cudaGraphNode_t* dependencies, size_t count,
                                            cudaMemAllocNodeParams* parameters)
{
    Call call;
    if (!parameters || parameters->bytesize == 0)
        return call.fail(cudaErrorInvalidValue);
    if (const cudaError_t error = allocate(call, "cudaMallocAsync", &parameters->dptr, parameters->bytesize);
        error != cudaSuccess)
        return error;
    (void)call->memory().keepAddress(reinterpret_cast<uint64_t>(parameters->dptr));
    return add(call, node, graph, dependencies, count, AllocateWork{parameters->dptr, parameters->bytesize});
}

LS_API cudaError_t cudaGraphAddMemFreeNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                           const cudaGraphNode_t* dependencies, size_t count, void* pointer)
{
    Call call;
    if (!pointer)
        return call.fail(cudaErrorInvalidValue);
    return add(call, node, graph, dependencies, count, ReleaseWork{pointer});
}

LS_API cudaError_t cudaGraphKernelNodeGetParams(cudaGraphNode_t node, cudaKernelNodeParams* parameters)
{
    Call call;
    KernelWork* work = workOf<KernelWork>(node);
    if (!work || !parameters)
        return call.fail(cudaErrorInvalidValue);
    node->argumentPointers.clear();
    for (std::vector<std::byte>& argument : work->arguments)
        node->argumentPointers.push_back(argument.data());
    *parameters = {const_cast<void*>(work->function), work->grid, work->block, unsigned(work->sharedBytes),
                   node->argumentPointers.data(),     nullptr};
    return call.ok();
}

LS_API cudaError_t cudaGraphKernelNodeSetParams(cudaGraphNode_t node, const cudaKernelNodeParams* parameters)
{
    return setKernel(node, parameters);
}

LS_API cudaError_t cudaGraphExecKernelNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                                    const cudaKernelNodeParams* parameters)
{
    return setKernel(inExec(exec, node), parameters);
}

LS_API cudaError_t cudaGraphMemcpyNodeSetParams(cudaGraphNode_t node, const cudaMemcpy3DParms* parameters)
{
    Call call;
    CopyWork work;
    if (!parameters || copyWork(*parameters, work) != cudaSuccess)
        return call.fail(cudaErrorInvalidValue);
    return replace(call, node, work);
}

LS_API cudaError_t cudaGraphMemcpyNodeSetParams1D(cudaGraphNode_t node, void* to, const void* from, size_t bytes,
                                                  cudaMemcpyKind kind)
{
    Call call;
    return replace(call, node, plainCopy(to, from, bytes, kind));
}

LS_API cudaError_t cudaGraphExecMemcpyNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                                    const cudaMemcpy3DParms* parameters)
{
    return cudaGraphMemcpyNodeSetParams(inExec(exec, node), parameters);
}

LS_API cudaError_t cudaGraphExecMemcpyNodeSetParams1D(cudaGraphExec_t exec, cudaGraphNode_t node, void* to,
                                                      const void* from, size_t bytes, cudaMemcpyKind kind)
{
    return cudaGraphMemcpyNodeSetParams1D(inExec(exec, node), to, from, bytes, kind);
}

LS_API cudaError_t cudaGraphMemsetNodeGetParams(cudaGraphNode_t node, cudaMemsetParams* parameters)
{
    Call call;
    const FillWork* work = workOf<FillWork>(node);
    if (!work || !parameters)
        return call.fail(cudaErrorInvalidValue);
    *parameters = {work->to,    work->pitch, work->value, unsigned(work->valueBytes), work->width / work->valueBytes,
                   work->height};
    return call.ok();
}

LS_API cudaError_t cudaGraphMemsetNodeSetParams(cudaGraphNode_t node, const cudaMemsetParams* parameters)
{
    Call call;
    return parameters ? replace(call, node, fillWork(*parameters)) : call.fail(cudaErrorInvalidValue);
}

LS_API cudaError_t cudaGraphExecMemsetNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                                    const cudaMemsetParams* parameters)
{
    return cudaGraphMemsetNodeSetParams(inExec(exec, node), parameters);
}

LS_API cudaError_t cudaGraphHostNodeGetParams(cudaGraphNode_t node, cudaHostNodeParams* parameters)
{
    Call call;
    const HostWork* work = workOf<HostWork>(node);
    if (!work || !parameters)
        return call.fail(cudaErrorInvalidValue);
    *parameters = {work->function, work->userData};
    return call.ok();
}

LS_API cudaError_t cudaGraphHostNodeSetParams(cudaGraphNode_t node, const cudaHostNodeParams* parameters)
{
    Call call;
    if (!parameters || !parameters->fn)
        return call.fail(cudaErrorInvalidValue);
    return replace(call, node, HostWork{parameters->fn, parameters->userData});
}

LS_API cudaError_t cudaGraphExecHostNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                                  const cudaHostNodeParams* parameters)
{
    return cudaGraphHostNodeSetParams(inExec(exec, node), parameters);
}

LS_API cudaError_t cudaGraphChildGraphNodeGetGraph(cudaGraphNode_t node, cudaGraph_t* graph)
{
    Call call;
    const GraphWork* work = workOf<GraphWork>(node);
    if (!work || !graph)
        return call.fail(cudaErrorInvalidValue);
    *graph = publish(std::const_pointer_cast<CUgraph_st>(work->graph));
    return call.ok();
}

LS_API cudaError_t cudaGraphKernelNodeSetAttribute(cudaGraphNode_t node, cudaLaunchAttributeID which,
                                                   const cudaLaunchAttributeValue* value)
{
    Call call;
    KernelWork* work = workOf<KernelWork>(node);
    if (!work || !value)
        return call.fail(cudaErrorInvalidValue);
    const cudaError_t refused = takeAttribute(which, *value, work->shape);
    return refused == cudaSuccess ? call.ok() : call.fail(refused);
}

namespace {

/// How many bodies a conditional node of \p type can have.
bool isBodyCount(cudaGraphConditionalNodeType type, unsigned int count)
{
    const unsigned int most = type == cudaGraphCondTypeWhile ? 1 : type == cudaGraphCondTypeIf ? 2 : UINT_MAX;
    return type <= cudaGraphCondTypeSwitch && count >= 1 && count <= most;
}

cudaError_t addConditional(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* dependencies, size_t count,
                           cudaConditionalNodeParams& parameters)
{
    Call call;
    if (!isBodyCount(parameters.type, parameters.size) ||
        !call->memory().hostView(parameters.handle, sizeof(unsigned int)))
        return call.fail(cudaErrorInvalidValue);
    ConditionalWork work{parameters.handle, parameters.type, {}};
    for (unsigned int i = 0; i < parameters.size; ++i)
        work.bodies.push_back(std::make_shared<CUgraph_st>());
    const std::vector<std::shared_ptr<CUgraph_st>> bodies = work.bodies;
    const cudaError_t error = add(call, node, graph, dependencies, count, std::move(work));
    if (error != cudaSuccess)
        return error;
    for (const std::shared_ptr<CUgraph_st>& body : bodies)
        (*node)->bodies.push_back(publish(body));
    parameters.phGraph_out = (*node)->bodies.data();
    return call.ok();
}

}  // namespace

LS_API cudaError_t cudaGraphAddNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* dependencies,
                                    size_t count, cudaGraphNodeParams* p)
{
    if (!p)
        return cudaGraphAddKernelNode(node, graph, dependencies, count, nullptr);
    switch (p->type) {
    case cudaGraphNodeTypeKernel:
        return cudaGraphAddKernelNode(node, graph, dependencies, count, &p->kernel);
    case cudaGraphNodeTypeMemcpy:
        return cudaGraphAddMemcpyNode(node, graph, dependencies, count, &p->memcpy.copyParams);
    case cudaGraphNodeTypeMemset:
        return cudaGraphAddMemsetNode(node, graph, dependencies, count, &p->memset);
    case cudaGraphNodeTypeHost:
        return cudaGraphAddHostNode(node, graph, dependencies, count, &p->host);
    case cudaGraphNodeTypeGraph:
        return cudaGraphAddChildGraphNode(node, graph, dependencies, count, p->graph.graph);
    case cudaGraphNodeTypeEmpty:
        return cudaGraphAddEmptyNode(node, graph, dependencies, count);
    case cudaGraphNodeTypeWaitEvent:
        return cudaGraphAddEventWaitNode(node, graph, dependencies, count, p->eventWait.event);
    case cudaGraphNodeTypeEventRecord:
        return cudaGraphAddEventRecordNode(node, graph, dependencies, count, p->eventRecord.event);
    case cudaGraphNodeTypeMemAlloc:
        return cudaGraphAddMemAllocNode(node, graph, dependencies, count, &p->alloc);
    case cudaGraphNodeTypeMemFree:
        return cudaGraphAddMemFreeNode(node, graph, dependencies, count, p->free.dptr);
    case cudaGraphNodeTypeConditional:
        return addConditional(node, graph, dependencies, count, p->conditional);
    default:
        break;
    }
    Call call;
    return call.fail(cudaErrorNotSupported);
}
