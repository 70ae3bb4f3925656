// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// cuGetProcAddress: any function of the driver by its name and the version whose form the caller knows.
#include <dlfcn.h>

#include <string>

#include "instrumented/driver/driver.h"

namespace {

/// From \p since on, \p name means \p form; other names mean their _v2 where there is one.
struct Form {
    const char* name;
    int since;
    const char* form;
};

constexpr Form kForms[] = {
    {"cuCtxCreate", 12050, "cuCtxCreate_v4"},
    {"cuCtxCreate", 11040, "cuCtxCreate_v3"},
    {"cuCtxGetDevice", 13000, "cuCtxGetDevice_v2"},
    {"cuCtxGetDevice", 0, "cuCtxGetDevice"},
    {"cuStreamGetCtx", 12050, "cuStreamGetCtx_v2"},
    {"cuStreamGetCtx", 0, "cuStreamGetCtx"},
    {"cuEventElapsedTime", 0, "cuEventElapsedTime"},
    {"cuCtxSynchronize", 13000, "cuCtxSynchronize_v2"},
    {"cuCtxSynchronize", 0, "cuCtxSynchronize"},
    {"cuStreamGetCaptureInfo", 12030, "cuStreamGetCaptureInfo_v3"},
    {"cuStreamGetCaptureInfo", 11030, "cuStreamGetCaptureInfo_v2"},
    {"cuStreamGetCaptureInfo", 0, "cuStreamGetCaptureInfo"},
    {"cuGraphInstantiate", 11040, "cuGraphInstantiateWithFlags"},
    {"cuGraphAddDependencies", 12030, "cuGraphAddDependencies_v2"},
    {"cuGraphAddDependencies", 0, "cuGraphAddDependencies"},
    {"cuMemPrefetchAsync", 12020, "cuMemPrefetchAsync_v2"},
    {"cuMemPrefetchAsync", 0, "cuMemPrefetchAsync"},
    {"cuMemAdvise", 12020, "cuMemAdvise_v2"},
    {"cuMemAdvise", 0, "cuMemAdvise"},
    {"cuGetProcAddress", 12000, "cuGetProcAddress_v2"},
    {"cuGetProcAddress", 0, "cuGetProcAddress"},
};

/// This library, whatever others the process has that define the same names.
void* ownLibrary()
{
    static void* const handle = [] {
        Dl_info self = {};
        if (dladdr(reinterpret_cast<void*>(&ownLibrary), &self) == 0)
            return static_cast<void*>(nullptr);
        return dlopen(self.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
    }();
    return handle;
}

void* find(const std::string& name, int version)
{
    for (const Form& form : kForms)
        if (name == form.name && version >= form.since)
            return dlsym(ownLibrary(), form.form);
    void* const newer = dlsym(ownLibrary(), (name + "_v2").c_str());
    return newer ? newer : dlsym(ownLibrary(), name.c_str());
}

}  // namespace

LS_API CUresult cuGetProcAddress_v2(const char* name, void** function, int version, cuuint64_t flags,
                                    CUdriverProcAddressQueryResult* found)
{
    constexpr cuuint64_t kPerThreadStream = 2;
    if (!name || !function)
        return CUDA_ERROR_INVALID_VALUE;
    *function = nullptr;
    if (flags & kPerThreadStream)
        *function = dlsym(ownLibrary(), (std::string(name) + "_ptsz").c_str());
    if (!*function && std::string(name).starts_with("cu"))
        *function = find(name, version);
    if (found)
        *found = *function ? CU_GET_PROC_ADDRESS_SUCCESS : CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
    return *function ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND;
}

LS_API cudaError_t cudaGetDriverEntryPointByVersion(const char* name, void** function, unsigned version,
                                                    unsigned long long flags, cudaDriverEntryPointQueryResult* found)
{
    if (!name || !function)
        return lanescope::runtime::Call().fail(cudaErrorInvalidValue);
    CUdriverProcAddressQueryResult result;
    // A name that there is not is no failure, where the caller gets to know.
    const CUresult answered = cuGetProcAddress_v2(name, function, static_cast<int>(version), flags, &result);
    if (found)
        *found = static_cast<cudaDriverEntryPointQueryResult>(result);
    return answered == CUDA_SUCCESS || found ? cudaSuccess : lanescope::runtime::Call().fail(cudaErrorSymbolNotFound);
}

LS_API cudaError_t cudaGetDriverEntryPoint(const char* name, void** function, unsigned long long flags,
                                           cudaDriverEntryPointQueryResult* found)
{
    return cudaGetDriverEntryPointByVersion(name, function, CUDA_VERSION, flags, found);
}

#undef cuGetProcAddress
LS_API CUresult cuGetProcAddress(const char* name, void** function, int version, cuuint64_t flags)
{
    return cuGetProcAddress_v2(name, function, version, flags, nullptr);
}
