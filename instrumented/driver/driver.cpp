// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "instrumented/driver/driver.h"

#include <cstdio>
#include <mutex>
#include <set>

using namespace lanescope::runtime;

namespace lanescope::driver {

namespace {

/// Numbers that mean the same in both APIs; the driver has no others below 100.
bool isShared(cudaError_t error)
{
    return error >= 100 || error <= 8 || error == 34 || error == 36 || error == 46;
}

}  // namespace

CUresult answer(cudaError_t error)
{
    if (error == cudaSuccess)
        return CUDA_SUCCESS;
    Call call;
    if (call->stickyError() == cudaSuccess)
        call->lastError(true);
    if (error == cudaErrorInvalidDeviceFunction)
        return CUDA_ERROR_INVALID_HANDLE;
    return isShared(error) ? static_cast<CUresult>(error) : CUDA_ERROR_INVALID_VALUE;
}

CUresult missing(const char* function)
{
    static std::mutex mutex;
    static auto* const told = new std::set<std::string>;
    const std::scoped_lock lock(mutex);
    if (told->insert(function).second)
        std::fprintf(stderr, "lanescope: error: the driver function %s is not supported\n", function);
    return CUDA_ERROR_NOT_SUPPORTED;
}

bool isFunction(Runtime& runtime, const void* function)
{
    return function && runtime.kernel(function);
}

std::vector<size_t> parameterOffsets(const device::KernelInfo& info)
{
    std::vector<size_t> offsets;
    size_t end = 0;
    for (const device::KernelParameter& parameter : info.parameters) {
        const size_t alignment = std::max<size_t>(parameter.alignment, 1);
        end = (end + alignment - 1) / alignment * alignment;
        offsets.push_back(end);
        end += parameter.bytes;
    }
    offsets.push_back(end);
    return offsets;
}

}  // namespace lanescope::driver
