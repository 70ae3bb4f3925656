// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Launch configuration, launches, and what is asked about kernels.
#include <algorithm>
#include <cstring>
#include <span>

#include "instrumented/runtime/runtime.h"
#include "instrumented/runtime/streams.h"

using namespace lanescope;
using runtime::Call;
using runtime::Kernel;
using runtime::Options;
using runtime::Runtime;

namespace {

struct Configuration {
    dim3 grid;
    dim3 block;
    size_t sharedBytes = 0;
    cudaStream_t stream = nullptr;
};

/// Between `<<<…>>>` and the kernel's host stub.
thread_local std::vector<Configuration> t_configurations;

constexpr uint64_t kMaxSharedBytes = 227 * 1024;  ///< per block, opted in
constexpr uint64_t kMaxThreads = 1024;
constexpr int kMaxThreadsPerMultiprocessor = 2048;
constexpr int kMaxBlocksPerMultiprocessor = 32;
constexpr uint64_t kSharedBytesPerMultiprocessor = 228 * 1024;
constexpr uint64_t kReservedSharedBytes = 1024;  ///< that the system takes from each block

/// CUDA's answer to a launch configuration, before anything runs.
cudaError_t validate(const Configuration& configuration, const Kernel& kernel)
{
    const dim3& grid = configuration.grid;
    const dim3& block = configuration.block;
    if (grid.x == 0 || grid.y == 0 || grid.z == 0 || block.x == 0 || block.y == 0 || block.z == 0)
        return cudaErrorInvalidConfiguration;
    if (grid.x > 0x7fffffffu || grid.y > 65535 || grid.z > 65535)
        return cudaErrorInvalidConfiguration;
    if (block.x > 1024 || block.y > 1024 || block.z > 64 || uint64_t{block.x} * block.y * block.z > kMaxThreads)
        return cudaErrorInvalidConfiguration;
    if (configuration.sharedBytes > kernel.maxDynamicSharedBytes)
        return cudaErrorInvalidValue;
    if (!runtime::isStream(configuration.stream))
        return cudaErrorInvalidResourceHandle;
    return cudaSuccess;
}

Dim3 toDim3(const dim3& d)
{
    return {d.x, d.y, d.z};
}

simt::LaunchOptions launchOptions(Runtime& runtime, uint32_t launch)
{
    const Options& options = runtime.options();
    simt::LaunchOptions result;
    result.schedule = options.schedule;
    result.seed = options.seed;
    result.checks = options.checks;
    result.maxSteps = options.maxSteps;
    result.hostThreads = options.hostThreads;
    result.writer = runtime.trace().writer();
    result.recordVariables = options.variables;
    if (options.launch && *options.launch != launch)
        result.selects = [](Dim3) { return false; };
    else if (options.blocks)
        result.selects = [range = *options.blocks](Dim3 block) { return range.contains(block); };
    result.output = [&runtime](std::string_view text) { runtime.trace().print(text); };
    return result;
}

/// Buffers are called after the first kernel parameter that they are passed as.
void nameBuffers(Runtime& runtime, const simt::KernelInfo& info, void** arguments)
{
    for (size_t i = 0; i < info.parameters.size(); ++i) {
        if (!info.parameters[i].isPointer)
            continue;
        uint64_t address = 0;
        std::memcpy(&address, arguments[i], sizeof(address));
        if (simt::DeviceMemory::isDeviceAddress(address))
            runtime.nameBuffer(address, info.parameters[i]);
    }
}

/// What a GPU would answer from now on, after a kernel that did these things. Small violations inside known buffers
/// go unnoticed by hardware, and so here.
cudaError_t errorOf(const std::vector<trace::Finding>& findings)
{
    for (const trace::Finding& finding : findings) {
        if (finding.kind == "assert-failed")
            return cudaErrorAssert;
        if (finding.kind == "misaligned")
            return cudaErrorMisalignedAddress;
        if (finding.kind == "out-of-bounds" && finding.buffer.empty())
            return cudaErrorIllegalAddress;
    }
    return cudaSuccess;
}

cudaError_t launch(Call& call, const Kernel& kernel, const Configuration& configuration, void** arguments)
{
    Runtime& runtime = call.runtime();
    const simt::KernelInfo* info = runtime.kernelInfo(kernel.name);
    if (!info)
        return runtime.stopped() ? runtime.failSticky(cudaErrorLaunchFailure)
                                 : runtime.refuseLaunch(cudaErrorInvalidDeviceFunction);
    const uint32_t id = runtime.takeLaunchId();
    const Dim3 grid = toDim3(configuration.grid);
    const Dim3 block = toDim3(configuration.block);
    const simt::LaunchOptions options = launchOptions(runtime, id);
    nameBuffers(runtime, *info, arguments);
    runtime.trace().progress("begin", id, info->displayName, grid, block);
    const Result<simt::LaunchResult> result =
        runtime.module()->launch(kernel.name, LaunchId{id}, grid, block, configuration.sharedBytes,
                                 std::span<const void* const>(arguments, info->parameters.size()), options);
    runtime.trace().progress("end", id, info->displayName, grid, block);
    if (!result) {
        runtime.stop(result.error());
        return runtime.failSticky(cudaErrorLaunchFailure);
    }
    runtime.trace().addFindings(result.value().findings);
    if (result.value().stopped) {
        runtime.stop(*result.value().stopped);
        return runtime.failSticky(cudaErrorLaunchFailure);
    }
    // A launch is asynchronous: what happened in it shows at the next call.
    if (const cudaError_t error = errorOf(result.value().findings); error != cudaSuccess)
        runtime.failSticky(error);
    return cudaSuccess;
}

}  // namespace

LS_API unsigned int __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t sharedBytes, CUstream_st* stream)
{
    t_configurations.push_back({grid, block, sharedBytes, stream});
    return 0;
}

LS_API cudaError_t __cudaPopCallConfiguration(dim3* grid, dim3* block, size_t* sharedBytes, void* stream)
{
    if (t_configurations.empty())
        return cudaErrorMissingConfiguration;
    const Configuration configuration = t_configurations.back();
    t_configurations.pop_back();
    *grid = configuration.grid;
    *block = configuration.block;
    *sharedBytes = configuration.sharedBytes;
    *static_cast<cudaStream_t*>(stream) = configuration.stream;
    return cudaSuccess;
}

LS_API cudaError_t cudaLaunchKernel(const void* function, dim3 grid, dim3 block, void** arguments, size_t sharedBytes,
                                    cudaStream_t stream)
{
    Call call;
    if (call.broken())
        return call.ok();
    const Kernel* kernel = call->kernel(function);
    if (!kernel)
        return call->refuseLaunch(cudaErrorInvalidDeviceFunction);
    const Configuration configuration{grid, block, sharedBytes, stream};
    if (const cudaError_t error = validate(configuration, *kernel); error != cudaSuccess)
        return call->refuseLaunch(error);
    return launch(call, *kernel, configuration, arguments);
}

LS_API cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* attributes, const void* function)
{
    Call call;
    const Kernel* kernel = call->kernel(function);
    if (!attributes)
        return call.fail(cudaErrorInvalidValue);
    if (!kernel)
        return call.fail(cudaErrorInvalidDeviceFunction);
    *attributes = {};
    attributes->maxThreadsPerBlock = int(kMaxThreads);
    attributes->numRegs = 32;
    attributes->ptxVersion = 90;
    attributes->binaryVersion = 90;
    attributes->maxDynamicSharedSizeBytes = int(kernel->maxDynamicSharedBytes);
    return call.ok();
}

LS_API cudaError_t cudaFuncSetAttribute(const void* function, cudaFuncAttribute attribute, int value)
{
    Call call;
    Kernel* kernel = call->kernel(function);
    if (!kernel)
        return call.fail(cudaErrorInvalidDeviceFunction);
    if (attribute == cudaFuncAttributePreferredSharedMemoryCarveout)
        return call.ok();
    if (attribute != cudaFuncAttributeMaxDynamicSharedMemorySize || value < 0 || uint64_t(value) > kMaxSharedBytes)
        return call.fail(cudaErrorInvalidValue);
    kernel->maxDynamicSharedBytes = uint64_t(value);
    return call.ok();
}

LS_API cudaError_t cudaFuncSetCacheConfig(const void* function, cudaFuncCache /*config*/)
{
    Call call;
    return call->kernel(function) ? call.ok() : call.fail(cudaErrorInvalidDeviceFunction);
}

LS_API cudaError_t cudaFuncSetSharedMemConfig(const void* function, cudaSharedMemConfig /*config*/)
{
    Call call;
    return call->kernel(function) ? call.ok() : call.fail(cudaErrorInvalidDeviceFunction);
}

LS_API cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, const void* function, int blockSize,
                                                                 size_t dynamicSharedBytes)
{
    Call call;
    const Kernel* kernel = call->kernel(function);
    if (!blocks || blockSize <= 0)
        return call.fail(cudaErrorInvalidValue);
    if (!kernel)
        return call.fail(cudaErrorInvalidDeviceFunction);
    *blocks = 0;
    if (uint64_t(blockSize) > kMaxThreads || dynamicSharedBytes > kernel->maxDynamicSharedBytes)
        return call.ok();
    const int warpThreads = (blockSize + kWarpSize - 1) / kWarpSize * kWarpSize;
    const auto bySharedMemory = int(kSharedBytesPerMultiprocessor / (dynamicSharedBytes + kReservedSharedBytes));
    *blocks = std::min({kMaxBlocksPerMultiprocessor, kMaxThreadsPerMultiprocessor / warpThreads, bySharedMemory});
    return call.ok();
}
