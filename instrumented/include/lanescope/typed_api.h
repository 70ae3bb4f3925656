// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Typed forms of the C functions. Part of cuda_runtime.h.
#pragma once

template <class T>
static inline cudaError_t cudaMalloc(T** pointer, size_t bytes)
{
    return ::cudaMalloc((void**)(pointer), bytes);
}
template <class T>
static inline cudaError_t cudaMallocPitch(T** pointer, size_t* pitch, size_t width, size_t height)
{
    return ::cudaMallocPitch((void**)(pointer), pitch, width, height);
}
template <class T>
static inline cudaError_t cudaMallocHost(T** pointer, size_t bytes, unsigned int flags = 0)
{
    return ::cudaHostAlloc((void**)(pointer), bytes, flags);
}
template <class T>
static inline cudaError_t cudaHostAlloc(T** pointer, size_t bytes, unsigned int flags)
{
    return ::cudaHostAlloc((void**)(pointer), bytes, flags);
}
template <class T>
static inline cudaError_t cudaHostGetDevicePointer(T** devicePointer, void* hostPointer, unsigned int flags)
{
    return ::cudaHostGetDevicePointer((void**)(devicePointer), hostPointer, flags);
}
template <class T>
static inline cudaError_t cudaMallocManaged(T** pointer, size_t bytes, unsigned int flags = cudaMemAttachGlobal)
{
    return ::cudaMallocManaged((void**)(pointer), bytes, flags);
}
template <class T>
static inline cudaError_t cudaMemcpyToSymbol(const T& symbol, const void* from, size_t bytes, size_t offset = 0,
                                             cudaMemcpyKind kind = cudaMemcpyHostToDevice)
{
    return ::cudaMemcpyToSymbol((const void*)&symbol, from, bytes, offset, kind);
}
template <class T>
static inline cudaError_t cudaMemcpyFromSymbol(void* to, const T& symbol, size_t bytes, size_t offset = 0,
                                               cudaMemcpyKind kind = cudaMemcpyDeviceToHost)
{
    return ::cudaMemcpyFromSymbol(to, (const void*)&symbol, bytes, offset, kind);
}
template <class T>
static inline cudaError_t cudaMemcpyToSymbolAsync(const T& symbol, const void* from, size_t bytes, size_t offset = 0,
                                                  cudaMemcpyKind kind = cudaMemcpyHostToDevice, cudaStream_t stream = 0)
{
    return ::cudaMemcpyToSymbolAsync((const void*)&symbol, from, bytes, offset, kind, stream);
}
template <class T>
static inline cudaError_t cudaMemcpyFromSymbolAsync(void* to, const T& symbol, size_t bytes, size_t offset = 0,
                                                    cudaMemcpyKind kind = cudaMemcpyDeviceToHost,
                                                    cudaStream_t stream = 0)
{
    return ::cudaMemcpyFromSymbolAsync(to, (const void*)&symbol, bytes, offset, kind, stream);
}
template <class T>
static inline cudaError_t cudaGetSymbolAddress(void** pointer, const T& symbol)
{
    return ::cudaGetSymbolAddress(pointer, (const void*)&symbol);
}
template <class T>
static inline cudaError_t cudaGetSymbolSize(size_t* bytes, const T& symbol)
{
    return ::cudaGetSymbolSize(bytes, (const void*)&symbol);
}
template <class T>
static inline cudaError_t cudaMallocAsync(T** pointer, size_t bytes, cudaStream_t stream)
{
    return ::cudaMallocAsync((void**)(pointer), bytes, stream);
}
template <class T>
static inline cudaError_t cudaMallocFromPoolAsync(T** pointer, size_t bytes, cudaMemPool_t pool, cudaStream_t stream)
{
    return ::cudaMallocFromPoolAsync((void**)(pointer), bytes, pool, stream);
}
template <class T>
static inline cudaError_t cudaMallocAsync(T** pointer, size_t bytes, cudaMemPool_t pool, cudaStream_t stream)
{
    return ::cudaMallocFromPoolAsync((void**)(pointer), bytes, pool, stream);
}
// As CUDA 13 has them: with a location.
static inline int __lsDeviceOf(cudaMemLocation location)
{
    return location.type == cudaMemLocationTypeDevice ? location.id : cudaCpuDeviceId;
}
static inline cudaError_t cudaMemPrefetchAsync(const void* pointer, size_t bytes, cudaMemLocation location,
                                               unsigned int /*flags*/, cudaStream_t stream = 0)
{
    return ::cudaMemPrefetchAsync(pointer, bytes, __lsDeviceOf(location), stream);
}
static inline cudaError_t cudaMemAdvise(const void* pointer, size_t bytes, cudaMemoryAdvise advice,
                                        cudaMemLocation location)
{
    return ::cudaMemAdvise(pointer, bytes, advice, __lsDeviceOf(location));
}
// Graphs as CUDA 13 has them (and 12.3 by names with _v2): edges come with data, of which only plain ones are known.
static inline bool __lsArePlain(const cudaGraphEdgeData* edges, size_t count)
{
    for (size_t i = 0; edges && i < count; ++i)
        if (edges[i].type || edges[i].from_port || edges[i].to_port)
            return false;
    return true;
}
static inline void __lsMakePlain(cudaGraphEdgeData* edges, size_t count)
{
    for (size_t i = 0; edges && i < count; ++i)
        edges[i] = cudaGraphEdgeData();
}
static inline cudaError_t cudaGraphAddNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                           const cudaGraphNode_t* dependencies, const cudaGraphEdgeData* edges,
                                           size_t count, cudaGraphNodeParams* parameters)
{
    return __lsArePlain(edges, count) ? ::cudaGraphAddNode(node, graph, dependencies, count, parameters)
                                      : cudaErrorNotSupported;
}
static inline cudaError_t cudaGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t* from,
                                                   const cudaGraphNode_t* to, const cudaGraphEdgeData* edges,
                                                   size_t count)
{
    return __lsArePlain(edges, count) ? ::cudaGraphAddDependencies(graph, from, to, count) : cudaErrorNotSupported;
}
static inline cudaError_t cudaGraphRemoveDependencies(cudaGraph_t graph, const cudaGraphNode_t* from,
                                                      const cudaGraphNode_t* to, const cudaGraphEdgeData* edges,
                                                      size_t count)
{
    return __lsArePlain(edges, count) ? ::cudaGraphRemoveDependencies(graph, from, to, count) : cudaErrorInvalidValue;
}
static inline cudaError_t cudaGraphGetEdges(cudaGraph_t graph, cudaGraphNode_t* from, cudaGraphNode_t* to,
                                            cudaGraphEdgeData* edges, size_t* count)
{
    const cudaError_t error = ::cudaGraphGetEdges(graph, from, to, count);
    __lsMakePlain(edges, count ? *count : 0);
    return error;
}
static inline cudaError_t cudaGraphNodeGetDependencies(cudaGraphNode_t node, cudaGraphNode_t* dependencies,
                                                       cudaGraphEdgeData* edges, size_t* count)
{
    const cudaError_t error = ::cudaGraphNodeGetDependencies(node, dependencies, count);
    __lsMakePlain(edges, count ? *count : 0);
    return error;
}
static inline cudaError_t cudaGraphNodeGetDependentNodes(cudaGraphNode_t node, cudaGraphNode_t* dependents,
                                                         cudaGraphEdgeData* edges, size_t* count)
{
    const cudaError_t error = ::cudaGraphNodeGetDependentNodes(node, dependents, count);
    __lsMakePlain(edges, count ? *count : 0);
    return error;
}
static inline cudaError_t cudaStreamGetCaptureInfo(cudaStream_t stream, cudaStreamCaptureStatus* status,
                                                   unsigned long long* id, cudaGraph_t* graph,
                                                   const cudaGraphNode_t** dependencies,
                                                   const cudaGraphEdgeData** edges, size_t* count)
{
    if (edges)
        *edges = 0;  // all are plain
    return ::cudaStreamGetCaptureInfo(stream, status, id, graph, dependencies, count);
}
static inline cudaError_t cudaStreamUpdateCaptureDependencies(cudaStream_t stream, cudaGraphNode_t* dependencies,
                                                              const cudaGraphEdgeData* edges, size_t count,
                                                              unsigned int flags = 0)
{
    return __lsArePlain(edges, count) ? ::cudaStreamUpdateCaptureDependencies(stream, dependencies, count, flags)
                                      : cudaErrorNotSupported;
}
#define cudaGraphAddNode_v2 cudaGraphAddNode
#define cudaGraphAddDependencies_v2 cudaGraphAddDependencies
#define cudaGraphRemoveDependencies_v2 cudaGraphRemoveDependencies
#define cudaGraphGetEdges_v2 cudaGraphGetEdges
#define cudaGraphNodeGetDependencies_v2 cudaGraphNodeGetDependencies
#define cudaGraphNodeGetDependentNodes_v2 cudaGraphNodeGetDependentNodes
#define cudaStreamGetCaptureInfo_v3 cudaStreamGetCaptureInfo
#define cudaStreamUpdateCaptureDependencies_v2 cudaStreamUpdateCaptureDependencies
template <class T>
static inline cudaError_t cudaStreamAttachMemAsync(cudaStream_t stream, T* pointer, size_t bytes = 0,
                                                   unsigned int flags = cudaMemAttachSingle)
{
    return ::cudaStreamAttachMemAsync(stream, static_cast<void*>(pointer), bytes, flags);
}
template <class T>
static inline cudaError_t cudaGraphAddMemcpyNodeToSymbol(cudaGraphNode_t* node, cudaGraph_t graph,
                                                         const cudaGraphNode_t* dependencies, size_t count,
                                                         const T& symbol, const void* from, size_t bytes, size_t offset,
                                                         cudaMemcpyKind kind)
{
    void* address = 0;
    cudaError_t error = ::cudaGetSymbolAddress(&address, (const void*)&symbol);
    if (error != cudaSuccess)
        return error;
    return ::cudaGraphAddMemcpyNode1D(node, graph, dependencies, count, static_cast<char*>(address) + offset, from,
                                      bytes, kind);
}
template <class T>
static inline cudaError_t cudaGraphAddMemcpyNodeFromSymbol(cudaGraphNode_t* node, cudaGraph_t graph,
                                                           const cudaGraphNode_t* dependencies, size_t count, void* to,
                                                           const T& symbol, size_t bytes, size_t offset,
                                                           cudaMemcpyKind kind)
{
    void* address = 0;
    cudaError_t error = ::cudaGetSymbolAddress(&address, (const void*)&symbol);
    if (error != cudaSuccess)
        return error;
    return ::cudaGraphAddMemcpyNode1D(node, graph, dependencies, count, to, static_cast<char*>(address) + offset, bytes,
                                      kind);
}
// The three forms of instantiation that toolkits have had.
static inline cudaError_t cudaGraphInstantiate(cudaGraphExec_t* exec, cudaGraph_t graph, unsigned long long flags = 0)
{
    return ::cudaGraphInstantiateWithFlags(exec, graph, flags);
}
static inline cudaError_t cudaGraphInstantiate(cudaGraphExec_t* exec, cudaGraph_t graph, cudaGraphNode_t* errorNode,
                                               char* log, size_t logBytes)
{
    if (errorNode)
        *errorNode = 0;
    if (log && logBytes > 0)
        *log = 0;
    return ::cudaGraphInstantiateWithFlags(exec, graph, 0);
}
static inline cudaError_t cudaGraphExecUpdate(cudaGraphExec_t exec, cudaGraph_t graph, cudaGraphNode_t* errorNode,
                                              cudaGraphExecUpdateResult* result)
{
    cudaGraphExecUpdateResultInfo info = {};
    cudaError_t error = ::cudaGraphExecUpdate(exec, graph, &info);
    if (errorNode)
        *errorNode = info.errorFromNode;
    if (result)
        *result = info.result;
    return error;
}
static inline cudaError_t cudaEventCreate(cudaEvent_t* event, unsigned int flags)
{
    return ::cudaEventCreateWithFlags(event, flags);
}
template <class T>
static inline cudaError_t cudaLaunchKernel(T* function, dim3 grid, dim3 block, void** arguments, size_t sharedBytes = 0,
                                           cudaStream_t stream = 0)
{
    return ::cudaLaunchKernel(reinterpret_cast<const void*>(function), grid, block, arguments, sharedBytes, stream);
}
template <class T>
static inline cudaError_t cudaLaunchCooperativeKernel(T* function, dim3 grid, dim3 block, void** arguments,
                                                      size_t sharedBytes = 0, cudaStream_t stream = 0)
{
    return ::cudaLaunchCooperativeKernel(reinterpret_cast<const void*>(function), grid, block, arguments, sharedBytes,
                                         stream);
}
template <class T>
static inline cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t* config, T* function, void** arguments)
{
    return ::cudaLaunchKernelExC(config, reinterpret_cast<const void*>(function), arguments);
}
template <class... Parameters, class... Arguments>
static inline cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t* config, void (*kernel)(Parameters...),
                                             Arguments&&... arguments)
{
    return [&](Parameters... converted) {
        void* pointers[] = {&converted..., nullptr};
        return ::cudaLaunchKernelExC(config, reinterpret_cast<const void*>(kernel), pointers);
    }(std::forward<Arguments>(arguments)...);
}
template <class T>
static inline cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* attributes, T* function)
{
    return ::cudaFuncGetAttributes(attributes, reinterpret_cast<const void*>(function));
}
template <class T>
static inline cudaError_t cudaFuncSetAttribute(T* function, cudaFuncAttribute attribute, int value)
{
    return ::cudaFuncSetAttribute(reinterpret_cast<const void*>(function), attribute, value);
}
template <class T>
static inline cudaError_t cudaFuncSetCacheConfig(T* function, cudaFuncCache config)
{
    return ::cudaFuncSetCacheConfig(reinterpret_cast<const void*>(function), config);
}
template <class T>
static inline cudaError_t cudaFuncSetSharedMemConfig(T* function, cudaSharedMemConfig config)
{
    return ::cudaFuncSetSharedMemConfig(reinterpret_cast<const void*>(function), config);
}
template <class T>
static inline cudaError_t cudaOccupancyMaxActiveClusters(int* clusters, T* function, const cudaLaunchConfig_t* config)
{
    return ::cudaOccupancyMaxActiveClusters(clusters, reinterpret_cast<const void*>(function), config);
}

template <class T>
static inline cudaError_t cudaOccupancyMaxPotentialClusterSize(int* size, T* function, const cudaLaunchConfig_t* config)
{
    return ::cudaOccupancyMaxPotentialClusterSize(size, reinterpret_cast<const void*>(function), config);
}

template <class T>
static inline cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, T function, int blockSize,
                                                                        size_t dynamicSharedBytes)
{
    return ::cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, reinterpret_cast<const void*>(function), blockSize,
                                                           dynamicSharedBytes);
}
template <class T>
static inline cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks, T function, int blockSize,
                                                                                 size_t dynamicSharedBytes,
                                                                                 unsigned int flags)
{
    return ::cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, reinterpret_cast<const void*>(function),
                                                                    blockSize, dynamicSharedBytes, flags);
}
template <class T>
static inline cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t* bytes, T* function, int blocks,
                                                                    int blockSize)
{
    return ::cudaOccupancyAvailableDynamicSMemPerBlock(bytes, reinterpret_cast<const void*>(function), blocks,
                                                       blockSize);
}
/// The block size, of the multiples of a warp, that keeps most threads resident on a multiprocessor; the largest of
/// those that are equal. \p sharedBytesOf: from block size to dynamic shared bytes.
template <class T, class F>
static inline cudaError_t cudaOccupancyMaxPotentialBlockSizeVariableSMem(int* minGridSize, int* blockSize, T function,
                                                                         F sharedBytesOf, int blockSizeLimit = 0)
{
    if (!minGridSize || !blockSize)
        return cudaErrorInvalidValue;
    cudaFuncAttributes attributes;
    cudaError_t error = ::cudaFuncGetAttributes(&attributes, reinterpret_cast<const void*>(function));
    if (error != cudaSuccess)
        return error;
    int multiprocessors = 0;
    error = cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, 0);
    int limit = attributes.maxThreadsPerBlock;
    if (blockSizeLimit > 0 && blockSizeLimit < limit)
        limit = blockSizeLimit;
    int bestThreads = 0;
    *blockSize = *minGridSize = 0;
    for (int size = (limit + 31) / 32 * 32; size > 0 && error == cudaSuccess; size -= 32) {
        const int threads = size < limit ? size : limit;
        int blocks = 0;
        error = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, function, threads, sharedBytesOf(threads));
        if (blocks * threads > bestThreads) {
            bestThreads = blocks * threads;
            *blockSize = threads;
            *minGridSize = blocks * multiprocessors;
        }
    }
    return error;
}
template <class T, class F>
static inline cudaError_t
cudaOccupancyMaxPotentialBlockSizeVariableSMemWithFlags(int* minGridSize, int* blockSize, T function, F sharedBytesOf,
                                                        int blockSizeLimit = 0, unsigned int /*flags*/ = 0)
{
    return cudaOccupancyMaxPotentialBlockSizeVariableSMem(minGridSize, blockSize, function, sharedBytesOf,
                                                          blockSizeLimit);
}
template <class T>
static inline cudaError_t cudaOccupancyMaxPotentialBlockSize(int* minGridSize, int* blockSize, T function,
                                                             size_t dynamicSharedBytes = 0, int blockSizeLimit = 0)
{
    return cudaOccupancyMaxPotentialBlockSizeVariableSMem(
        minGridSize, blockSize, function, [=](int) { return dynamicSharedBytes; }, blockSizeLimit);
}
template <class T>
static inline cudaError_t
cudaOccupancyMaxPotentialBlockSizeWithFlags(int* minGridSize, int* blockSize, T function, size_t dynamicSharedBytes = 0,
                                            int blockSizeLimit = 0, unsigned int /*flags*/ = 0)
{
    return cudaOccupancyMaxPotentialBlockSize(minGridSize, blockSize, function, dynamicSharedBytes, blockSizeLimit);
}

/// The format of texels of type T: what has channels, and half precision.
template <class T>
static inline cudaChannelFormatDesc cudaCreateChannelDesc()
{
    return {0, 0, 0, 0, cudaChannelFormatKindNone};
}
#pragma push_macro("LS_FORMAT")
#define LS_FORMAT(type, channel, count, kind)                                                                          \
    template <>                                                                                                        \
    inline cudaChannelFormatDesc cudaCreateChannelDesc<type>()                                                         \
    {                                                                                                                  \
        const int bits = 8 * (int)sizeof(channel);                                                                     \
        return {bits, count > 1 ? bits : 0, count > 2 ? bits : 0, count > 3 ? bits : 0, cudaChannelFormatKind##kind};  \
    }
#pragma push_macro("LS_FORMATS")
#define LS_FORMATS(type, scalar, kind)                                                                                 \
    LS_FORMAT(scalar, scalar, 1, kind)                                                                                 \
    LS_FORMAT(type##1, scalar, 1, kind)                                                                                \
    LS_FORMAT(type##2, scalar, 2, kind)                                                                                \
    LS_FORMAT(type##3, scalar, 3, kind)                                                                                \
    LS_FORMAT(type##4, scalar, 4, kind)
LS_FORMAT(char, char, 1, Signed)
LS_FORMATS(char, signed char, Signed)
LS_FORMATS(uchar, unsigned char, Unsigned)
LS_FORMATS(short, short, Signed)
LS_FORMATS(ushort, unsigned short, Unsigned)
LS_FORMATS(int, int, Signed)
LS_FORMATS(uint, unsigned int, Unsigned)
LS_FORMATS(float, float, Float)
#pragma pop_macro("LS_FORMATS")
#pragma pop_macro("LS_FORMAT")
static inline cudaChannelFormatDesc cudaCreateChannelDescHalf()
{
    return {16, 0, 0, 0, cudaChannelFormatKindFloat};
}
