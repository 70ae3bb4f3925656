// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How an object whose device code is relocatable (nvcc's -rdc=true) registers it: what nvcc generates when it links
// device code, and what needs no such step here, since the runtime links the code when it is first used.
#pragma once

extern "C" {

void** __cudaRegisterFatBinary(void* wrapper);
void __cudaRegisterFatBinaryEnd(void** handle);

// Hidden: each executable and library registers its own.
__attribute__((weak, used, visibility("hidden"))) void __lanescopeRegisterRelocatable(void (*registerGlobals)(void*),
                                                                                      void* wrapper, void* /*name*/,
                                                                                      void (* /*callback*/)(void**))
{
    void** handle = __cudaRegisterFatBinary(wrapper);
    registerGlobals(handle);
    __cudaRegisterFatBinaryEnd(handle);
}
}
