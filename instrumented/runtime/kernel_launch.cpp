// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Launch configuration and launches.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <optional>

#include "instrumented/runtime/api_findings.h"
#include "instrumented/runtime/functions.h"
#include "instrumented/runtime/kernel_run.h"
#include "instrumented/runtime/memory.h"
#include "instrumented/runtime/streams.h"
#include "instrumented/runtime/work_order.h"

using namespace lanescope;
using namespace lanescope::runtime;

namespace {

struct Configuration {
    dim3 grid;
    dim3 block;
    size_t sharedBytes = 0;
    cudaStream_t stream = nullptr;
    HostFrames where{};  ///< of the <<<…>>>
};

/// Between `<<<…>>>` and the kernel's host stub.
thread_local std::vector<Configuration> t_configurations;

std::string text(const dim3& size)
{
    return fmt::format("{} x {} x {}", size.x, size.y, size.z);
}

struct Refusal {
    cudaError_t error = cudaSuccess;
    std::string why;
};

/// CUDA's answer to the shape of a launch.
Refusal validateShape(const dim3& grid, const dim3& block, uint64_t maxThreads)
{
    const uint64_t threads = uint64_t{block.x} * block.y * block.z;
    if (grid.x == 0 || grid.y == 0 || grid.z == 0 || threads == 0)
        return {cudaErrorInvalidConfiguration,
                fmt::format("a grid of {} blocks of {} threads is empty", text(grid), text(block))};
    if (grid.x > 0x7fffffffu || grid.y > 65535 || grid.z > 65535)
        return {cudaErrorInvalidConfiguration,
                fmt::format("a grid of {} blocks, at most 2147483647 x 65535 x 65535", text(grid))};
    if (block.x > 1024 || block.y > 1024 || block.z > 64 || threads > device::kMaxThreadsPerBlock)
        return {cudaErrorInvalidConfiguration,
                fmt::format("{} threads per block, at most 1024 in all and 1024 x 1024 x 64", text(block))};
    if (threads > maxThreads)
        return {cudaErrorInvalidValue,
                fmt::format("{} threads per block, at most {} by the kernel's __launch_bounds__", threads, maxThreads)};
    return {};
}

/// CUDA's answer to a launch's clusters.
Refusal validateCluster(const KernelWork& work, const Kernel& kernel)
{
    const dim3 &grid = work.grid, &size = work.shape.cluster;
    if (size.x == 0)
        return {};
    const uint64_t blocks = uint64_t{size.x} * size.y * size.z;
    const uint64_t most =
        kernel.settings().nonPortableClusters ? device::kMostBlocksOfCluster : device::kMostBlocksOfPortableCluster;
    if (blocks > most)
        return {cudaErrorInvalidClusterSize,
                fmt::format("clusters of {} blocks, at most {}{}", text(size), most,
                            kernel.settings().nonPortableClusters
                                ? ""
                                : " unless cudaFuncAttributeNonPortableClusterSizeAllowed allows more")};
    if (grid.x % size.x != 0 || grid.y % size.y != 0 || grid.z % size.z != 0)
        return {cudaErrorInvalidClusterSize,
                fmt::format("a grid of {} blocks is no multiple of clusters of {}", text(grid), text(size))};
    return {};
}

/// CUDA's answer to a launch configuration, before anything runs.
Refusal validate(const KernelWork& work, const Kernel& kernel, const device::KernelInfo& info)
{
    const dim3& grid = work.grid;
    const dim3& block = work.block;
    if (Refusal refusal = validateShape(grid, block, info.resources.maxThreads); refusal.error != cudaSuccess)
        return refusal;
    if (Refusal refusal = validateCluster(work, kernel); refusal.error != cudaSuccess)
        return refusal;
    const uint64_t fixed = info.resources.staticSharedBytes;
    if (fixed > sharedLimit(kernel))
        return {cudaErrorInvalidValue,
                fmt::format("{} bytes of __shared__ variables, at most {}", fixed, sharedLimit(kernel))};
    if (work.sharedBytes > kernel.settings().maxDynamicSharedBytes || work.sharedBytes + fixed > sharedLimit(kernel))
        return {cudaErrorInvalidValue,
                fmt::format("{} bytes of dynamic shared memory, at most {}{}", work.sharedBytes,
                            std::min(sharedLimit(kernel) - fixed, kernel.settings().maxDynamicSharedBytes),
                            kernel.settings().optedIn ? "" : " unless cudaFuncSetAttribute allows more")};
    const int threads = int(block.x * block.y * block.z);
    const uint64_t fit = uint64_t{device::kMultiprocessors} * activeBlocks(kernel, info, threads, work.sharedBytes);
    if (const uint64_t blocks = uint64_t{grid.x} * grid.y * grid.z; work.shape.cooperative && blocks > fit)
        return {cudaErrorCooperativeLaunchTooLarge,
                fmt::format("{} blocks that wait for each other, at most {} fit the GPU at a time", blocks, fit)};
    return {};
}

/// Pointers to memory that the host owns and registered become the device's addresses of it.
void replaceAliases(const device::KernelInfo& info, std::vector<std::vector<std::byte>>& arguments)
{
    for (size_t i = 0; i < info.parameters.size(); ++i)
        for (const device::GivenPointer& pointer : info.parameters[i].pointers) {
            uint64_t address = 0;
            std::memcpy(&address, arguments[i].data() + pointer.offset, sizeof(address));
            address = deviceAliasOf(address);
            std::memcpy(arguments[i].data() + pointer.offset, &address, sizeof(address));
        }
}

cudaError_t launch(Call& call, const void* function, const Configuration& configuration, void** arguments,
                   const LaunchShape& shape)
{
    const LaunchPlaceScope place;
    if (call.broken())
        return call.ok();
    if (!isStream(configuration.stream))
        return call->refuseLaunch(cudaErrorInvalidResourceHandle);
    // Whichever is current, a kernel runs on its stream's device: so do GPUs with CUDA 13, though its guide says that
    // the launch fails.
    const DeviceScope device(streamOf(configuration.stream).device);
    KernelWork work;
    const cudaError_t error = prepareKernel(call.runtime(), function, configuration.grid, configuration.block,
                                            arguments, configuration.sharedBytes, shape, work);
    if (error != cudaSuccess)
        return call->stopped() ? call->failSticky(error) : call->refuseLaunch(error);
    return submit(call, configuration.stream, std::move(work));
}

}  // namespace

namespace lanescope::runtime {

cudaError_t takeAttribute(cudaLaunchAttributeID which, const cudaLaunchAttributeValue& value, LaunchShape& shape)
{
    if (which == cudaLaunchAttributeCooperative)
        shape.cooperative = value.cooperative != 0;
    // An event of which nobody would know what comes before it.
    if (which == cudaLaunchAttributeProgrammaticEvent) {
        explainFailure(cudaErrorNotSupported, "cudaLaunchAttributeProgrammaticEvent is not supported: record the event "
                                              "after the launch, or use programmatic stream serialization");
        return cudaErrorNotSupported;
    }
    if (which == cudaLaunchAttributeProgrammaticStreamSerialization)
        shape.programmatic = value.programmaticStreamSerializationAllowed != 0;
    const auto& cluster = value.clusterDim;
    if (which != cudaLaunchAttributeClusterDimension)
        return cudaSuccess;
    if (cluster.x == 0 || cluster.y == 0 || cluster.z == 0)
        return cudaErrorInvalidClusterSize;
    shape.cluster = {cluster.x, cluster.y, cluster.z};
    return cudaSuccess;
}

cudaError_t prepareKernel(Runtime& runtime, const void* function, dim3 grid, dim3 block, void** arguments,
                          size_t sharedBytes, const LaunchShape& shape, KernelWork& work)
{
    const Kernel* kernel = runtime.kernel(function);
    if (kernel && kernel->code->onlyOn.value_or(currentDevice()) != currentDevice())
        return cudaErrorInvalidResourceHandle;
    const device::KernelInfo* info = kernel ? runtime.kernelInfo(*kernel) : nullptr;
    if (!info)
        return runtime.stopped() ? cudaErrorLaunchFailure : cudaErrorInvalidDeviceFunction;
    work = {function, grid, block, sharedBytes, shape, {}, currentDevice()};
    const Dim3& fixed = info->resources.cluster;
    if (fixed.count() != 0 && shape.cluster.x != 0 && toDim3(shape.cluster) != fixed) {
        explainFailure(cudaErrorInvalidClusterSize, "the kernel's __cluster_dims__ are others than the launch's");
        return cudaErrorInvalidClusterSize;
    }
    if (fixed.count() != 0)
        work.shape.cluster = {fixed.x, fixed.y, fixed.z};
    if (Refusal refusal = validate(work, *kernel, *info); refusal.error != cudaSuccess) {
        explainFailure(refusal.error, std::move(refusal.why));
        return refusal.error;
    }
    if (!arguments && !info->parameters.empty())
        return cudaErrorInvalidValue;
    for (size_t i = 0; i < info->parameters.size(); ++i) {
        const auto* bytes = static_cast<const std::byte*>(arguments[i]);
        work.arguments.emplace_back(bytes, bytes + info->parameters[i].bytes);
    }
    replaceAliases(*info, work.arguments);
    return cudaSuccess;
}

}  // namespace lanescope::runtime

LS_API unsigned int __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t sharedBytes, CUstream_st* stream)
{
    t_configurations.push_back({grid, block, sharedBytes, stream, HostFrames::here()});
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
    setLaunchPlace(configuration.where);
    return cudaSuccess;
}

LS_API cudaError_t cudaLaunchKernel(const void* function, dim3 grid, dim3 block, void** arguments, size_t sharedBytes,
                                    cudaStream_t stream)
{
    Call call;
    return launch(call, function, {grid, block, sharedBytes, stream}, arguments, {});
}

LS_API cudaError_t cudaLaunchCooperativeKernel(const void* function, dim3 grid, dim3 block, void** arguments,
                                               size_t sharedBytes, cudaStream_t stream)
{
    Call call;
    return launch(call, function, {grid, block, sharedBytes, stream}, arguments, {.cooperative = true});
}

LS_API cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t* config, const void* function, void** arguments)
{
    Call call;
    if (!config || (config->numAttrs > 0 && !config->attrs))
        return call.fail(cudaErrorInvalidValue);
    LaunchShape shape;
    for (unsigned i = 0; i < config->numAttrs; ++i)
        if (const cudaError_t refused = takeAttribute(config->attrs[i].id, config->attrs[i].val, shape);
            refused != cudaSuccess)
            return call.fail(refused);
    return launch(call, function, {config->gridDim, config->blockDim, config->dynamicSmemBytes, config->stream},
                  arguments, shape);
}
