// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How a process begins: with the program that Lanescope compiled, or with a stand-in of one of NVIDIA's libraries.
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
