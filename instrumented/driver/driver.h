// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the files of the driver API share. A CUfunction (and a CUkernel, which is the same object) is what the runtime
// calls a kernel by, so that all that is done with kernels is the runtime API's.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "instrumented/runtime/runtime.h"

// After the runtime API's: both define a few macros alike.
#include "instrumented/include/cuda.h"

/// A kernel of a loaded module.
struct CUfunc_st {
    CUmod_st* module = nullptr;
    std::string name;  ///< mangled
};

/// A module, or a library: code that is the same in every context. Both are the same objects here.
struct CUmod_st {
    lanescope::runtime::DeviceCode* code = nullptr;
    std::map<std::string, std::unique_ptr<CUfunc_st>> functions;  ///< those that were asked for
};

namespace lanescope::driver {

/// The driver's answer for the runtime's. The driver has no last error: a failure is forgotten as it is told.
CUresult answer(cudaError_t error);

/// Errors that only the driver has are as numbers of the runtime's.
inline cudaError_t runtimeError(CUresult error)
{
    return static_cast<cudaError_t>(error);
}

inline void* pointerTo(CUdeviceptr address)
{
    return reinterpret_cast<void*>(address);
}

/// Error InvalidContext: it is none.
CUresult deviceOfContext(CUcontext context, int& device);

bool isDevice(CUdevice device);

/// The thread's current context, if it is of \p device, or else the device's primary one.
CUcontext contextOf(uint32_t device);

/// Says once, on stderr, that \p function is not there.
CUresult missing(const char* function);

/// Whether \p function is a kernel that is loaded.
bool isFunction(runtime::Runtime& runtime, const void* function);

/// Byte offsets of a kernel's parameters in its parameter buffer, and behind the last the buffer's size.
std::vector<size_t> parameterOffsets(const device::KernelInfo& info);

}  // namespace lanescope::driver
