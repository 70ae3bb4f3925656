// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the host code of clang and nvcc calls: from module constructors, before main, and to launch. A fat binary of a
// program that Lanescope compiled whole is a placeholder, since its device code came with __lanescopeRegisterProgram;
// an object's is an image of ours; nvcc's has PTX in it.
#include <dlfcn.h>

#include <algorithm>
#include <cstdlib>

#include "core/base/device_image.h"

#include "instrumented/driver/driver.h"
#include "instrumented/driver/module_image.h"

using namespace lanescope;
using namespace lanescope::driver;
using namespace lanescope::runtime;

namespace {

/// What nvcc registers.
struct Wrapper {
    uint32_t magic;
    uint32_t version;
    const void* image;
    void* unused;
};

DeviceCode& codeOf(void** handle)
{
    return *reinterpret_cast<DeviceCode*>(handle);
}

/// Where the executable or library that \p wrapper is in begins: what is relocatable is linked within it.
const void* binaryOf(const Wrapper& wrapper)
{
    Dl_info info = {};
    return dladdr(&wrapper, &info) ? info.dli_fbase : nullptr;
}

/// The code of an object that `lanescope nvcc` made.
DeviceCode& codeOf(Call& call, const DeviceImage& image, const Wrapper& wrapper)
{
    const auto* begin = reinterpret_cast<const std::byte*>(image.bitcode.data());
    std::vector<std::byte> bytes(begin, begin + image.bitcode.size());
    call->noteObject(std::string(image.info));
    const bool isRelocatable = (image.flags & DeviceImage::kRelocatable) != 0;
    DeviceCode& code =
        isRelocatable ? call->relocatableCode(binaryOf(wrapper)) : call->addCode(DeviceCode::Kind::Bitcode, {});
    if (isRelocatable)
        code.parts.push_back(std::move(bytes));
    else
        code.bytes = std::move(bytes);
    code.isPrograms = true;
    code.hasManagedVariables |= (image.flags & DeviceImage::kManagedVariables) != 0;
    return code;
}

/// Code that cannot be used is told when it is: libraries bring much that a program never launches.
DeviceCode& codeOf(Call& call, const Wrapper& wrapper)
{
    uint32_t magic = 0;
    std::memcpy(&magic, wrapper.image, sizeof(magic));
    if (magic == DeviceImage::kMagic)
        return codeOf(call, DeviceImage::unpacked(wrapper.image), wrapper);
    Result<ModuleImage> read = readImage(wrapper.image);
    if (read)
        return call->addCode(read.value().kind, std::move(read.value().bytes));
    DeviceCode& code = call->addCode(DeviceCode::Kind::Ptx, {});
    code.problem = read.error();
    return code;
}

}  // namespace

LS_API void** __cudaRegisterFatBinary(void* wrapper)
{
    Call call;
    if (call->isCompiledWhole())
        return reinterpret_cast<void**>(&call->program());
    return reinterpret_cast<void**>(&codeOf(call, *static_cast<const Wrapper*>(wrapper)));
}

LS_API void __cudaRegisterFatBinaryEnd(void** handle)
{
    // The host may read __managed__ variables before it calls anything of ours. What is relocatable is not whole yet.
    Call call;
    const DeviceCode& code = codeOf(handle);
    if (code.hasManagedVariables && code.parts.empty())
        (void)call->module(codeOf(handle));
}

LS_API void __cudaUnregisterFatBinary(void** /*handle*/) {}

/// Before the host's first use of a __managed__ variable.
LS_API char __cudaInitModule(void** handle)
{
    Call call;
    (void)call->module(codeOf(handle));
    return 1;
}

LS_API void __cudaRegisterFunction(void** handle, const char* hostFunction, char* /*deviceFunction*/,
                                   const char* deviceName, int /*threadLimit*/, uint3* /*tid*/, uint3* /*bid*/,
                                   dim3* /*blockDim*/, dim3* /*gridDim*/, int* /*warpSize*/)
{
    Call call;
    call->registerKernel(hostFunction, deviceName, codeOf(handle));
}

LS_API void __cudaRegisterVar(void** handle, char* hostVariable, char* /*deviceAddress*/, const char* deviceName,
                              int /*isExtern*/, size_t bytes, int /*isConstant*/, int /*isGlobal*/)
{
    Call call;
    call->registerSymbol(hostVariable, deviceName, bytes, codeOf(handle));
}

/// nvcc's host code reaches a __managed__ variable through a pointer, which is filled in here: from when the module is
/// loaded the device works on that memory.
LS_API void __cudaRegisterManagedVar(void** handle, void** hostVariable, char* /*deviceAddress*/,
                                     const char* deviceName, int /*isExtern*/, size_t bytes, int /*isConstant*/,
                                     int /*isGlobal*/)
{
    constexpr size_t kPageBytes = 4096;
    Call call;
    // It lives as long as the process: nobody says when the host has read it for the last time.
    *hostVariable =
        std::aligned_alloc(kPageBytes, (std::max<size_t>(bytes, 1) + kPageBytes - 1) / kPageBytes * kPageBytes);
    if (!*hostVariable)
        return call->noteStop({Error::Code::Limit, "there is no memory for a __managed__ variable", deviceName});
    call->registerSymbol(*hostVariable, deviceName, bytes, codeOf(handle));
}

/// A kernel is called by its host function here.
LS_API cudaError_t __cudaGetKernel(const void** kernel, const void* hostFunction)
{
    Call call;
    if (!kernel)
        return call.fail(cudaErrorInvalidValue);
    *kernel = hostFunction;
    return call->kernel(hostFunction) ? cudaSuccess : call.fail(cudaErrorInvalidDeviceFunction);
}

LS_API cudaError_t __cudaLaunchKernel(const void* kernel, dim3 grid, dim3 block, void** arguments, size_t sharedBytes,
                                      cudaStream_t stream)
{
    return cudaLaunchKernel(kernel, grid, block, arguments, sharedBytes, stream);
}
