// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What clang's host code calls from module constructors, before main.
#include "instrumented/runtime/runtime.h"

using lanescope::runtime::Call;

LS_API void __lanescopeRegisterProgram(const char* deviceCode, unsigned long deviceCodeBytes, const char* ptx,
                                       unsigned long ptxBytes, const char* info, unsigned long infoBytes,
                                       int hasManagedVariables)
{
    Call call;
    const auto* bytes = reinterpret_cast<const std::byte*>(deviceCode);
    call->setProgram({bytes, bytes + deviceCodeBytes}, std::string(ptx, ptxBytes), std::string(info, infoBytes),
                     hasManagedVariables != 0);
}

/// What the stand-ins of NVIDIA's libraries call when they are loaded into a program that Lanescope did not compile.
LS_API void __lanescopeStartProcess(void)
{
    Call call;
    call->start();
}

LS_API void** __cudaRegisterFatBinary(void* /*wrapper*/)
{
    // The wrapper holds a placeholder: the device code came with __lanescopeRegisterProgram.
    static void* handle = nullptr;
    return &handle;
}

LS_API void __cudaRegisterFatBinaryEnd(void** /*handle*/)
{
    // The host may read __managed__ variables before it calls anything of ours.
    Call call;
    if (call->hasManagedVariables())
        (void)call->module(call->program());
}

LS_API void __cudaUnregisterFatBinary(void** /*handle*/) {}

LS_API void __cudaRegisterFunction(void** /*handle*/, const char* hostFunction, char* /*deviceFunction*/,
                                   const char* deviceName, int /*threadLimit*/, uint3* /*tid*/, uint3* /*bid*/,
                                   dim3* /*blockDim*/, dim3* /*gridDim*/, int* /*warpSize*/)
{
    Call call;
    call->registerKernel(hostFunction, deviceName, call->program());
}

LS_API void __cudaRegisterVar(void** /*handle*/, char* hostVariable, char* /*deviceAddress*/, const char* deviceName,
                              int /*isExtern*/, size_t bytes, int /*isConstant*/, int /*isGlobal*/)
{
    Call call;
    call->registerSymbol(hostVariable, deviceName, bytes, call->program());
}
