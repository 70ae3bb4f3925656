// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What is asked about kernels: attributes and occupancy.
#include "instrumented/runtime/functions.h"

#include <algorithm>

using namespace lanescope;
using namespace lanescope::runtime;

namespace {

/// Registers are not modelled: a number that limits nothing.
constexpr int kRegisters = 32;
constexpr int kBinaryVersion = 90;

/// The kernel and what its code says; an error unless both are there.
cudaError_t find(Call& call, const void* function, Kernel*& kernel, const device::KernelInfo*& info)
{
    kernel = call->kernel(function);
    info = kernel ? call->kernelInfo(*kernel) : nullptr;
    return info ? cudaSuccess : cudaErrorInvalidDeviceFunction;
}

cudaError_t kernelCall(const void* function)
{
    Call call;
    return call->kernel(function) ? call.ok() : call.fail(cudaErrorInvalidDeviceFunction);
}

}  // namespace

namespace lanescope::runtime {

uint64_t sharedLimit(const Kernel& kernel)
{
    return kernel.settings().optedIn ? device::kMaxSharedBytes : device::kDefaultSharedBytes;
}

int activeBlocks(const Kernel& kernel, const device::KernelInfo& info, int threads, uint64_t dynamicSharedBytes)
{
    const uint64_t shared = dynamicSharedBytes + info.resources.staticSharedBytes;
    if (uint64_t(threads) > device::kMaxThreadsPerBlock || shared > sharedLimit(kernel) ||
        dynamicSharedBytes > kernel.settings().maxDynamicSharedBytes)
        return 0;
    return device::blocksPerMultiprocessor(static_cast<uint64_t>(threads), shared);
}

}  // namespace lanescope::runtime

LS_API cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* attributes, const void* function)
{
    Call call;
    Kernel* kernel = nullptr;
    const device::KernelInfo* info = nullptr;
    if (!attributes)
        return call.fail(cudaErrorInvalidValue);
    if (const cudaError_t error = find(call, function, kernel, info); error != cudaSuccess)
        return call.fail(error);
    *attributes = {};
    attributes->sharedSizeBytes = info->resources.staticSharedBytes;
    attributes->constSizeBytes = info->resources.constantBytes;
    attributes->maxThreadsPerBlock = int(info->resources.maxThreads);
    attributes->numRegs = kRegisters;
    attributes->ptxVersion = kBinaryVersion;
    attributes->binaryVersion = kBinaryVersion;
    attributes->maxDynamicSharedSizeBytes = int(
        std::min(kernel->settings().maxDynamicSharedBytes, sharedLimit(*kernel) - info->resources.staticSharedBytes));
    attributes->preferredShmemCarveout = kernel->settings().carveout;
    const Dim3& cluster = info->resources.cluster;
    attributes->clusterDimMustBeSet = cluster.count() != 0;
    attributes->requiredClusterWidth = int(cluster.x);
    attributes->requiredClusterHeight = int(cluster.y);
    attributes->requiredClusterDepth = int(cluster.z);
    attributes->nonPortableClusterSizeAllowed = kernel->settings().nonPortableClusters;
    return call.ok();
}

LS_API cudaError_t cudaFuncSetAttribute(const void* function, cudaFuncAttribute attribute, int value)
{
    Call call;
    Kernel* kernel = nullptr;
    const device::KernelInfo* info = nullptr;
    if (const cudaError_t error = find(call, function, kernel, info); error != cudaSuccess)
        return call.fail(error);
    if (attribute == cudaFuncAttributePreferredSharedMemoryCarveout && value >= -1 && value <= 100) {
        kernel->settings().carveout = value;
        return call.ok();
    }
    if (attribute == cudaFuncAttributeNonPortableClusterSizeAllowed) {
        kernel->settings().nonPortableClusters = value != 0;
        return call.ok();
    }
    if (attribute == cudaFuncAttributeClusterSchedulingPolicyPreference)
        return call.ok();
    if (attribute != cudaFuncAttributeMaxDynamicSharedMemorySize || value < 0 ||
        uint64_t(value) + info->resources.staticSharedBytes > device::kMaxSharedBytes)
        return call.fail(cudaErrorInvalidValue);
    kernel->settings().maxDynamicSharedBytes = uint64_t(value);
    kernel->settings().optedIn = true;
    return call.ok();
}

LS_API cudaError_t cudaFuncSetCacheConfig(const void* function, cudaFuncCache /*config*/)
{
    return kernelCall(function);
}

LS_API cudaError_t cudaFuncSetSharedMemConfig(const void* function, cudaSharedMemConfig /*config*/)
{
    return kernelCall(function);
}

LS_API cudaError_t cudaFuncGetName(const char** name, const void* function)
{
    Call call;
    const Kernel* kernel = call->kernel(function);
    if (!name)
        return call.fail(cudaErrorInvalidValue);
    if (!kernel)
        return call.fail(cudaErrorInvalidDeviceFunction);
    *name = kernel->name.c_str();
    return call.ok();
}

LS_API cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks, const void* function,
                                                                          int blockSize, size_t dynamicSharedBytes,
                                                                          unsigned int flags)
{
    Call call;
    Kernel* kernel = nullptr;
    const device::KernelInfo* info = nullptr;
    if (!blocks || blockSize <= 0 || flags > cudaOccupancyDisableCachingOverride)
        return call.fail(cudaErrorInvalidValue);
    if (const cudaError_t error = find(call, function, kernel, info); error != cudaSuccess)
        return call.fail(error);
    *blocks = activeBlocks(*kernel, *info, blockSize, dynamicSharedBytes);
    return call.ok();
}

LS_API cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, const void* function, int blockSize,
                                                                 size_t dynamicSharedBytes)
{
    return cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, function, blockSize, dynamicSharedBytes,
                                                                  cudaOccupancyDefault);
}

LS_API cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t* bytes, const void* function, int blocks,
                                                             int blockSize)
{
    Call call;
    Kernel* kernel = nullptr;
    const device::KernelInfo* info = nullptr;
    if (!bytes || blocks <= 0 || blockSize <= 0)
        return call.fail(cudaErrorInvalidValue);
    if (const cudaError_t error = find(call, function, kernel, info); error != cudaSuccess)
        return call.fail(error);
    const uint64_t share = device::kSharedBytesPerMultiprocessor / uint64_t(blocks);
    const uint64_t taken = device::kReservedSharedBytes + info->resources.staticSharedBytes;
    *bytes = share > taken ? std::min(share - taken, sharedLimit(*kernel) - info->resources.staticSharedBytes) : 0;
    return call.ok();
}

LS_API cudaError_t cudaOccupancyMaxActiveClusters(int* clusters, const void* function, const cudaLaunchConfig_t* config)
{
    Call call;
    Kernel* kernel = nullptr;
    const device::KernelInfo* info = nullptr;
    if (!clusters || !config)
        return call.fail(cudaErrorInvalidValue);
    if (const cudaError_t error = find(call, function, kernel, info); error != cudaSuccess)
        return call.fail(error);
    uint64_t perCluster = std::max<uint64_t>(info->resources.cluster.count(), 1);
    for (unsigned i = 0; i < config->numAttrs; ++i)
        if (const auto& [x, y, z] = config->attrs[i].val.clusterDim;
            config->attrs[i].id == cudaLaunchAttributeClusterDimension)
            perCluster = uint64_t{x} * y * z;
    const uint64_t most =
        kernel->settings().nonPortableClusters ? device::kMostBlocksOfCluster : device::kMostBlocksOfPortableCluster;
    if (perCluster == 0 || perCluster > most)
        return call.fail(cudaErrorInvalidClusterSize);
    const dim3& block = config->blockDim;
    const int perMultiprocessor =
        activeBlocks(*kernel, *info, int(block.x * block.y * block.z), config->dynamicSmemBytes);
    *clusters = int(uint64_t{device::kMultiprocessors} * uint64_t(perMultiprocessor) / perCluster);
    return call.ok();
}

LS_API cudaError_t cudaOccupancyMaxPotentialClusterSize(int* size, const void* function,
                                                        const cudaLaunchConfig_t* config)
{
    Call call;
    Kernel* kernel = nullptr;
    const device::KernelInfo* info = nullptr;
    if (!size || !config)
        return call.fail(cudaErrorInvalidValue);
    if (const cudaError_t error = find(call, function, kernel, info); error != cudaSuccess)
        return call.fail(error);
    *size = int(kernel->settings().nonPortableClusters ? device::kMostBlocksOfCluster
                                                       : device::kMostBlocksOfPortableCluster);
    return call.ok();
}
