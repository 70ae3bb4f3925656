// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Graphs, as far as the runtime API has them.
#include "instrumented/driver/driver.h"

using namespace lanescope::driver;

namespace {

cudaKernelNodeParams runtimeParameters(const CUDA_KERNEL_NODE_PARAMS& from)
{
    cudaKernelNodeParams to = {};
    // The earlier form of the structure ends before `kern`, and has a function.
    to.func = from.func ? static_cast<void*>(from.func) : static_cast<void*>(from.kern);
    to.gridDim = {from.gridDimX, from.gridDimY, from.gridDimZ};
    to.blockDim = {from.blockDimX, from.blockDimY, from.blockDimZ};
    to.sharedMemBytes = from.sharedMemBytes;
    to.kernelParams = from.kernelParams;
    return to;
}

void* placeOf(CUmemorytype type, const void* host, CUdeviceptr device)
{
    return type == CU_MEMORYTYPE_HOST ? const_cast<void*>(host) : pointerTo(device);
}

cudaMemcpy3DParms runtimeParameters(const CUDA_MEMCPY3D& from)
{
    cudaMemcpy3DParms to = {};
    to.srcPos = {from.srcXInBytes, from.srcY, from.srcZ};
    to.srcPtr = {placeOf(from.srcMemoryType, from.srcHost, from.srcDevice),
                 from.srcPitch ? from.srcPitch : from.WidthInBytes, from.WidthInBytes, from.srcHeight};
    to.dstPos = {from.dstXInBytes, from.dstY, from.dstZ};
    to.dstPtr = {placeOf(from.dstMemoryType, from.dstHost, from.dstDevice),
                 from.dstPitch ? from.dstPitch : from.WidthInBytes, from.WidthInBytes, from.dstHeight};
    to.extent = {from.WidthInBytes, from.Height, from.Depth};
    to.kind = cudaMemcpyDefault;
    return to;
}

}  // namespace

LS_API CUresult cuGraphCreate(CUgraph* graph, unsigned flags)
{
    return answer(cudaGraphCreate(graph, flags));
}

LS_API CUresult cuGraphDestroy(CUgraph graph)
{
    return answer(cudaGraphDestroy(graph));
}

LS_API CUresult cuGraphClone(CUgraph* clone, CUgraph original)
{
    return answer(cudaGraphClone(clone, original));
}

LS_API CUresult cuGraphAddKernelNode_v2(CUgraphNode* node, CUgraph graph, const CUgraphNode* dependencies, size_t count,
                                        const CUDA_KERNEL_NODE_PARAMS* parameters)
{
    if (!parameters)
        return CUDA_ERROR_INVALID_VALUE;
    if (parameters->extra)
        return missing("cuGraphAddKernelNode (with a buffer of parameters)");
    const cudaKernelNodeParams wanted = runtimeParameters(*parameters);
    return answer(cudaGraphAddKernelNode(node, graph, dependencies, count, &wanted));
}

LS_API CUresult cuGraphAddMemcpyNode(CUgraphNode* node, CUgraph graph, const CUgraphNode* dependencies, size_t count,
                                     const CUDA_MEMCPY3D* copy, CUcontext /*context*/)
{
    if (!copy)
        return CUDA_ERROR_INVALID_VALUE;
    if (copy->srcMemoryType == CU_MEMORYTYPE_ARRAY || copy->dstMemoryType == CU_MEMORYTYPE_ARRAY)
        return missing("cuGraphAddMemcpyNode (of arrays)");
    const cudaMemcpy3DParms wanted = runtimeParameters(*copy);
    return answer(cudaGraphAddMemcpyNode(node, graph, dependencies, count, &wanted));
}

LS_API CUresult cuGraphAddMemsetNode(CUgraphNode* node, CUgraph graph, const CUgraphNode* dependencies, size_t count,
                                     const CUDA_MEMSET_NODE_PARAMS* parameters, CUcontext /*context*/)
{
    if (!parameters)
        return CUDA_ERROR_INVALID_VALUE;
    const cudaMemsetParams wanted = {pointerTo(parameters->dst), parameters->pitch, parameters->value,
                                     parameters->elementSize,    parameters->width, parameters->height};
    return answer(cudaGraphAddMemsetNode(node, graph, dependencies, count, &wanted));
}

LS_API CUresult cuGraphAddHostNode(CUgraphNode* node, CUgraph graph, const CUgraphNode* dependencies, size_t count,
                                   const CUDA_HOST_NODE_PARAMS* parameters)
{
    if (!parameters)
        return CUDA_ERROR_INVALID_VALUE;
    const cudaHostNodeParams wanted = {parameters->fn, parameters->userData};
    return answer(cudaGraphAddHostNode(node, graph, dependencies, count, &wanted));
}

LS_API CUresult cuGraphAddChildGraphNode(CUgraphNode* node, CUgraph graph, const CUgraphNode* dependencies,
                                         size_t count, CUgraph child)
{
    return answer(cudaGraphAddChildGraphNode(node, graph, dependencies, count, child));
}

LS_API CUresult cuGraphAddEmptyNode(CUgraphNode* node, CUgraph graph, const CUgraphNode* dependencies, size_t count)
{
    return answer(cudaGraphAddEmptyNode(node, graph, dependencies, count));
}

LS_API CUresult cuGraphAddEventRecordNode(CUgraphNode* node, CUgraph graph, const CUgraphNode* dependencies,
                                          size_t count, CUevent event)
{
    return answer(cudaGraphAddEventRecordNode(node, graph, dependencies, count, event));
}

LS_API CUresult cuGraphAddEventWaitNode(CUgraphNode* node, CUgraph graph, const CUgraphNode* dependencies, size_t count,
                                        CUevent event)
{
    return answer(cudaGraphAddEventWaitNode(node, graph, dependencies, count, event));
}

LS_API CUresult cuGraphAddDependencies(CUgraph graph, const CUgraphNode* from, const CUgraphNode* to, size_t count)
{
    return answer(cudaGraphAddDependencies(graph, from, to, count));
}

LS_API CUresult cuGraphGetNodes(CUgraph graph, CUgraphNode* nodes, size_t* count)
{
    return answer(cudaGraphGetNodes(graph, nodes, count));
}

LS_API CUresult cuGraphInstantiateWithFlags(CUgraphExec* exec, CUgraph graph, unsigned long long flags)
{
    return answer(cudaGraphInstantiateWithFlags(exec, graph, flags));
}

LS_API CUresult cuGraphInstantiate_v2(CUgraphExec* exec, CUgraph graph, CUgraphNode* /*errorNode*/, char* /*log*/,
                                      size_t /*logBytes*/)
{
    return answer(cudaGraphInstantiateWithFlags(exec, graph, 0));
}

LS_API CUresult cuGraphInstantiateWithParams(CUgraphExec* exec, CUgraph graph,
                                             CUDA_GRAPH_INSTANTIATE_PARAMS* parameters)
{
    if (!parameters)
        return CUDA_ERROR_INVALID_VALUE;
    const cudaError_t error = cudaGraphInstantiateWithFlags(exec, graph, parameters->flags);
    parameters->hErrNode_out = nullptr;
    parameters->result_out = error == cudaSuccess ? CUDA_GRAPH_INSTANTIATE_SUCCESS : CUDA_GRAPH_INSTANTIATE_ERROR;
    return answer(error);
}

LS_API CUresult cuGraphExecUpdate_v2(CUgraphExec exec, CUgraph graph, CUgraphExecUpdateResultInfo* info)
{
    return answer(cudaGraphExecUpdate(exec, graph, reinterpret_cast<cudaGraphExecUpdateResultInfo*>(info)));
}

LS_API CUresult cuGraphExecDestroy(CUgraphExec exec)
{
    return answer(cudaGraphExecDestroy(exec));
}

LS_API CUresult cuGraphUpload(CUgraphExec exec, CUstream stream)
{
    return answer(cudaGraphUpload(exec, stream));
}

LS_API CUresult cuGraphLaunch(CUgraphExec exec, CUstream stream)
{
    return answer(cudaGraphLaunch(exec, stream));
}

LS_API CUresult cuGraphDebugDotPrint(CUgraph graph, const char* path, unsigned flags)
{
    return answer(cudaGraphDebugDotPrint(graph, path, flags));
}

LS_API CUresult cuGraphKernelNodeSetAttribute(CUgraphNode node, CUlaunchAttributeID which,
                                              const CUlaunchAttributeValue* value)
{
    return answer(cudaGraphKernelNodeSetAttribute(node, static_cast<cudaLaunchAttributeID>(which),
                                                  reinterpret_cast<const cudaLaunchAttributeValue*>(value)));
}
