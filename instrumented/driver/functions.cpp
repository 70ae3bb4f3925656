// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What is asked about kernels and told about them; launches.
#include <algorithm>

#include "core/device/gpu_model.h"
#include "instrumented/driver/driver.h"
#include "instrumented/runtime/work.h"

using namespace lanescope;
using namespace lanescope::driver;
using namespace lanescope::runtime;

namespace {

CUfunction functionOf(CUkernel kernel)
{
    return reinterpret_cast<CUfunction>(kernel);
}

CUresult parameterInfo(CUfunction function, size_t index, size_t* offset, size_t* bytes)
{
    Call call;
    if (!offset)
        return CUDA_ERROR_INVALID_VALUE;
    const Kernel* kernel = call->kernel(function);
    const device::KernelInfo* info = kernel ? call->kernelInfo(*kernel) : nullptr;
    if (!info)
        return CUDA_ERROR_INVALID_HANDLE;
    if (index >= info->parameters.size())
        return CUDA_ERROR_INVALID_VALUE;
    *offset = parameterOffsets(*info)[index];
    if (bytes)
        *bytes = info->parameters[index].bytes;
    return CUDA_SUCCESS;
}

CUresult nameOfFunction(const char** name, CUfunction function)
{
    return answer(cudaFuncGetName(name, function));
}

CUresult attributeOf(int* value, CUfunction_attribute attribute, CUfunction function)
{
    cudaFuncAttributes known = {};
    if (!value)
        return CUDA_ERROR_INVALID_VALUE;
    if (const cudaError_t error = cudaFuncGetAttributes(&known, function); error != cudaSuccess)
        return answer(error);
    switch (attribute) {
    case CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK:
        *value = known.maxThreadsPerBlock;
        break;
    case CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES:
        *value = static_cast<int>(known.sharedSizeBytes);
        break;
    case CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES:
        *value = static_cast<int>(known.constSizeBytes);
        break;
    case CU_FUNC_ATTRIBUTE_NUM_REGS:
        *value = known.numRegs;
        break;
    case CU_FUNC_ATTRIBUTE_PTX_VERSION:
        *value = known.ptxVersion;
        break;
    case CU_FUNC_ATTRIBUTE_BINARY_VERSION:
        *value = known.binaryVersion;
        break;
    case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES:
        *value = known.maxDynamicSharedSizeBytes;
        break;
    case CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT:
        *value = known.preferredShmemCarveout;
        break;
    case CU_FUNC_ATTRIBUTE_CLUSTER_SIZE_MUST_BE_SET:
        *value = known.clusterDimMustBeSet;
        break;
    case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH:
        *value = known.requiredClusterWidth;
        break;
    case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_HEIGHT:
        *value = known.requiredClusterHeight;
        break;
    case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_DEPTH:
        *value = known.requiredClusterDepth;
        break;
    case CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED:
        *value = known.nonPortableClusterSizeAllowed;
        break;
    default:
        if (attribute < 0 || attribute >= CU_FUNC_ATTRIBUTE_MAX)
            return CUDA_ERROR_INVALID_VALUE;
        *value = 0;  // local memory
    }
    return CUDA_SUCCESS;
}

CUresult setAttribute(CUfunction function, CUfunction_attribute attribute, int value)
{
    return answer(cudaFuncSetAttribute(function, static_cast<cudaFuncAttribute>(attribute), value));
}

/// The buffer that `extra` hands over in place of a list of arguments; null: there is none.
const std::byte* parameterBuffer(void** extra)
{
    const std::byte* buffer = nullptr;
    for (; extra && *extra != CU_LAUNCH_PARAM_END; extra += 2)
        if (*extra == CU_LAUNCH_PARAM_BUFFER_POINTER)
            buffer = static_cast<const std::byte*>(extra[1]);
    return buffer;
}

/// Where each argument lies in \p buffer.
std::vector<void*> argumentsIn(const std::byte* buffer, CUfunction function)
{
    Call call;
    std::vector<void*> arguments;
    const Kernel* kernel = call->kernel(function);
    const device::KernelInfo* info = kernel ? call->kernelInfo(*kernel) : nullptr;
    if (!info)
        return arguments;
    const std::vector<size_t> offsets = parameterOffsets(*info);
    for (size_t i = 0; i < info->parameters.size(); ++i)
        arguments.push_back(const_cast<std::byte*>(buffer + offsets[i]));
    return arguments;
}

cudaLaunchConfig_t runtimeConfig(const CUlaunchConfig& config)
{
    cudaLaunchConfig_t wanted = {};
    wanted.gridDim = {config.gridDimX, config.gridDimY, config.gridDimZ};
    wanted.blockDim = {config.blockDimX, config.blockDimY, config.blockDimZ};
    wanted.dynamicSmemBytes = config.sharedMemBytes;
    wanted.stream = config.hStream;
    static_assert(sizeof(CUlaunchAttribute) == sizeof(cudaLaunchAttribute));
    wanted.attrs = reinterpret_cast<cudaLaunchAttribute*>(config.attrs);
    wanted.numAttrs = config.numAttrs;
    return wanted;
}

CUresult launch(const CUlaunchConfig& config, CUfunction function, void** arguments, void** extra)
{
    if (arguments && extra)
        return CUDA_ERROR_INVALID_VALUE;
    std::vector<void*> listed;
    if (const std::byte* buffer = parameterBuffer(extra)) {
        listed = argumentsIn(buffer, function);
        arguments = listed.data();
    }
    const cudaLaunchConfig_t wanted = runtimeConfig(config);
    return answer(cudaLaunchKernelExC(&wanted, function, arguments));
}

}  // namespace

LS_API CUresult cuFuncGetAttribute(int* value, CUfunction_attribute attribute, CUfunction function)
{
    return attributeOf(value, attribute, function);
}

LS_API CUresult cuFuncSetAttribute(CUfunction function, CUfunction_attribute attribute, int value)
{
    return setAttribute(function, attribute, value);
}

LS_API CUresult cuFuncSetCacheConfig(CUfunction function, CUfunc_cache config)
{
    return answer(cudaFuncSetCacheConfig(function, static_cast<cudaFuncCache>(config)));
}

LS_API CUresult cuFuncSetSharedMemConfig(CUfunction function, CUsharedconfig config)
{
    return answer(cudaFuncSetSharedMemConfig(function, static_cast<cudaSharedMemConfig>(config)));
}

LS_API CUresult cuFuncGetName(const char** name, CUfunction function)
{
    return nameOfFunction(name, function);
}

LS_API CUresult cuFuncGetParamInfo(CUfunction function, size_t index, size_t* offset, size_t* bytes)
{
    return parameterInfo(function, index, offset, bytes);
}

LS_API CUresult cuFuncIsLoaded(int* state, CUfunction function)
{
    Call call;
    if (!state)
        return CUDA_ERROR_INVALID_VALUE;
    *state = 1;
    return isFunction(call.runtime(), function) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
}

LS_API CUresult cuFuncLoad(CUfunction function)
{
    Call call;
    return isFunction(call.runtime(), function) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
}

LS_API CUresult cuKernelGetName(const char** name, CUkernel kernel)
{
    return nameOfFunction(name, functionOf(kernel));
}

LS_API CUresult cuKernelGetAttribute(int* value, CUfunction_attribute attribute, CUkernel kernel, CUdevice /*device*/)
{
    return attributeOf(value, attribute, functionOf(kernel));
}

LS_API CUresult cuKernelSetAttribute(CUfunction_attribute attribute, int value, CUkernel kernel, CUdevice /*device*/)
{
    return setAttribute(functionOf(kernel), attribute, value);
}

LS_API CUresult cuKernelSetCacheConfig(CUkernel kernel, CUfunc_cache config, CUdevice /*device*/)
{
    return cuFuncSetCacheConfig(functionOf(kernel), config);
}

LS_API CUresult cuKernelGetParamInfo(CUkernel kernel, size_t index, size_t* offset, size_t* bytes)
{
    return parameterInfo(functionOf(kernel), index, offset, bytes);
}

LS_API CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, CUfunction function, int blockSize,
                                                            size_t sharedBytes)
{
    return answer(cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, function, blockSize, sharedBytes));
}

LS_API CUresult cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks, CUfunction function, int blockSize,
                                                                     size_t sharedBytes, unsigned flags)
{
    return answer(
        cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, function, blockSize, sharedBytes, flags));
}

LS_API CUresult cuOccupancyMaxPotentialBlockSize(int* gridSize, int* blockSize, CUfunction function,
                                                 CUoccupancyB2DSize sharedBytesOf, size_t sharedBytes, int limit)
{
    return cuOccupancyMaxPotentialBlockSizeWithFlags(gridSize, blockSize, function, sharedBytesOf, sharedBytes, limit,
                                                     CU_OCCUPANCY_DEFAULT);
}

LS_API CUresult cuOccupancyMaxPotentialBlockSizeWithFlags(int* gridSize, int* blockSize, CUfunction function,
                                                          CUoccupancyB2DSize sharedBytesOf, size_t sharedBytes,
                                                          int limit, unsigned flags)
{
    constexpr int kWarp = 32;
    int most = 0;
    if (!gridSize || !blockSize)
        return CUDA_ERROR_INVALID_VALUE;
    if (const CUresult error = attributeOf(&most, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, function))
        return error;
    if (limit > 0)
        most = std::min(most, limit);
    int mostThreads = 0;
    for (int size = (most + kWarp - 1) / kWarp * kWarp; size > 0; size -= kWarp) {
        const int threads = std::min(size, most);
        int blocks = 0;
        const size_t shared = sharedBytesOf ? sharedBytesOf(threads) : sharedBytes;
        if (const CUresult error =
                cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(&blocks, function, threads, shared, flags))
            return error;
        if (blocks * threads <= mostThreads)
            continue;
        mostThreads = blocks * threads;
        *blockSize = threads;
        *gridSize = blocks * static_cast<int>(device::kMultiprocessors);
    }
    return CUDA_SUCCESS;
}

LS_API CUresult cuOccupancyAvailableDynamicSMemPerBlock(size_t* bytes, CUfunction function, int blocks, int blockSize)
{
    return answer(cudaOccupancyAvailableDynamicSMemPerBlock(bytes, function, blocks, blockSize));
}

LS_API CUresult cuOccupancyMaxActiveClusters(int* clusters, CUfunction function, const CUlaunchConfig* config)
{
    if (!config)
        return CUDA_ERROR_INVALID_VALUE;
    const cudaLaunchConfig_t wanted = runtimeConfig(*config);
    return answer(cudaOccupancyMaxActiveClusters(clusters, function, &wanted));
}

LS_API CUresult cuOccupancyMaxPotentialClusterSize(int* size, CUfunction function, const CUlaunchConfig* config)
{
    if (!config)
        return CUDA_ERROR_INVALID_VALUE;
    const cudaLaunchConfig_t wanted = runtimeConfig(*config);
    return answer(cudaOccupancyMaxPotentialClusterSize(size, function, &wanted));
}

LS_API CUresult cuLaunchKernel(CUfunction function, unsigned gridX, unsigned gridY, unsigned gridZ, unsigned blockX,
                               unsigned blockY, unsigned blockZ, unsigned sharedBytes, CUstream stream,
                               void** arguments, void** extra)
{
    return launch({gridX, gridY, gridZ, blockX, blockY, blockZ, sharedBytes, stream, nullptr, 0}, function, arguments,
                  extra);
}

LS_API CUresult cuLaunchKernelEx(const CUlaunchConfig* config, CUfunction function, void** arguments, void** extra)
{
    return config ? launch(*config, function, arguments, extra) : CUDA_ERROR_INVALID_VALUE;
}

LS_API CUresult cuLaunchCooperativeKernel(CUfunction function, unsigned gridX, unsigned gridY, unsigned gridZ,
                                          unsigned blockX, unsigned blockY, unsigned blockZ, unsigned sharedBytes,
                                          CUstream stream, void** arguments)
{
    return answer(cudaLaunchCooperativeKernel(function, {gridX, gridY, gridZ}, {blockX, blockY, blockZ}, arguments,
                                              sharedBytes, stream));
}

LS_API CUresult cuLaunchHostFunc(CUstream stream, CUhostFn function, void* userData)
{
    return answer(cudaLaunchHostFunc(stream, function, userData));
}
