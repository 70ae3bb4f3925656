// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Contexts. They differ in nothing but their names: all share the one device's memory and modules.
#include "instrumented/driver/driver.h"
#include "instrumented/runtime/handles.h"

using namespace lanescope::driver;
using lanescope::runtime::Call;
using lanescope::runtime::handles;

struct CUctx_st {
    unsigned flags = 0;
    unsigned long long id = 0;
};

namespace {

struct Primary {
    CUctx_st* context = nullptr;
    unsigned users = 0;
};

Primary& primary()
{
    static Primary one;
    return one;
}

CUctx_st* makeContext(unsigned flags)
{
    static unsigned long long number = 0;
    return handles<CUctx_st>().create(CUctx_st{flags, ++number});
}

CUctx_st* primaryContext()
{
    if (!primary().context)
        primary().context = makeContext(0);
    return primary().context;
}

/// The thread's contexts; the last one is current.
std::vector<CUcontext>& stack()
{
    thread_local std::vector<CUcontext> contexts;
    return contexts;
}

CUcontext current()
{
    return stack().empty() ? nullptr : stack().back();
}

bool isContext(CUcontext context)
{
    return handles<CUctx_st>().has(context);
}

}  // namespace

LS_API CUresult cuDevicePrimaryCtxRetain(CUcontext* context, CUdevice device)
{
    Call call;
    if (!context || device != 0)
        return context ? CUDA_ERROR_INVALID_DEVICE : CUDA_ERROR_INVALID_VALUE;
    *context = primaryContext();
    ++primary().users;
    return CUDA_SUCCESS;
}

LS_API CUresult cuDevicePrimaryCtxRelease_v2(CUdevice device)
{
    Call call;
    if (device != 0)
        return CUDA_ERROR_INVALID_DEVICE;
    if (primary().users == 0)
        return CUDA_ERROR_INVALID_CONTEXT;
    --primary().users;
    return CUDA_SUCCESS;
}

LS_API CUresult cuDevicePrimaryCtxReset_v2(CUdevice device)
{
    return device == 0 ? answer(cudaDeviceReset()) : CUDA_ERROR_INVALID_DEVICE;
}

LS_API CUresult cuDevicePrimaryCtxSetFlags_v2(CUdevice device, unsigned flags)
{
    Call call;
    if (device != 0)
        return CUDA_ERROR_INVALID_DEVICE;
    primaryContext()->flags = flags;
    return CUDA_SUCCESS;
}

LS_API CUresult cuDevicePrimaryCtxGetState(CUdevice device, unsigned* flags, int* active)
{
    Call call;
    if (!flags || !active)
        return CUDA_ERROR_INVALID_VALUE;
    if (device != 0)
        return CUDA_ERROR_INVALID_DEVICE;
    *flags = primaryContext()->flags;
    *active = primary().users > 0;
    return CUDA_SUCCESS;
}

LS_API CUresult cuCtxCreate_v2(CUcontext* context, unsigned flags, CUdevice device)
{
    Call call;
    if (!context || device != 0)
        return context ? CUDA_ERROR_INVALID_DEVICE : CUDA_ERROR_INVALID_VALUE;
    *context = makeContext(flags);
    stack().push_back(*context);
    return CUDA_SUCCESS;
}

LS_API CUresult cuCtxCreate_v3(CUcontext* context, void* /*affinities*/, int /*count*/, unsigned flags, CUdevice device)
{
    return cuCtxCreate_v2(context, flags, device);
}

LS_API CUresult cuCtxCreate_v4(CUcontext* context, void* /*parameters*/, unsigned flags, CUdevice device)
{
    return cuCtxCreate_v2(context, flags, device);
}

LS_API CUresult cuCtxDestroy_v2(CUcontext context)
{
    Call call;
    if (!isContext(context) || context == primary().context)
        return CUDA_ERROR_INVALID_CONTEXT;
    if (current() == context)
        stack().pop_back();
    handles<CUctx_st>().destroy(context);
    return CUDA_SUCCESS;
}

LS_API CUresult cuCtxSetCurrent(CUcontext context)
{
    Call call;
    if (context && !isContext(context))
        return CUDA_ERROR_INVALID_CONTEXT;
    if (!stack().empty())
        stack().pop_back();
    if (context)
        stack().push_back(context);
    return CUDA_SUCCESS;
}

LS_API CUresult cuCtxGetCurrent(CUcontext* context)
{
    if (!context)
        return CUDA_ERROR_INVALID_VALUE;
    *context = current();
    return CUDA_SUCCESS;
}

LS_API CUresult cuCtxPushCurrent_v2(CUcontext context)
{
    Call call;
    if (!isContext(context))
        return CUDA_ERROR_INVALID_CONTEXT;
    stack().push_back(context);
    return CUDA_SUCCESS;
}

LS_API CUresult cuCtxPopCurrent_v2(CUcontext* context)
{
    if (stack().empty())
        return CUDA_ERROR_INVALID_CONTEXT;
    if (context)
        *context = current();
    stack().pop_back();
    return CUDA_SUCCESS;
}

LS_API CUresult cuCtxGetDevice(CUdevice* device)
{
    if (!device)
        return CUDA_ERROR_INVALID_VALUE;
    *device = 0;
    return current() ? CUDA_SUCCESS : CUDA_ERROR_INVALID_CONTEXT;
}

LS_API CUresult cuCtxGetFlags(unsigned* flags)
{
    if (!flags || !current())
        return flags ? CUDA_ERROR_INVALID_CONTEXT : CUDA_ERROR_INVALID_VALUE;
    *flags = current()->flags;
    return CUDA_SUCCESS;
}

LS_API CUresult cuCtxGetId(CUcontext context, unsigned long long* id)
{
    Call call;
    const CUcontext asked = context ? context : current();
    if (!id || !isContext(asked))
        return id ? CUDA_ERROR_INVALID_CONTEXT : CUDA_ERROR_INVALID_VALUE;
    *id = asked->id;
    return CUDA_SUCCESS;
}

LS_API CUresult cuCtxGetApiVersion(CUcontext /*context*/, unsigned* version)
{
    constexpr unsigned kOfContexts = 3020;
    if (!version)
        return CUDA_ERROR_INVALID_VALUE;
    *version = kOfContexts;
    return CUDA_SUCCESS;
}

LS_API CUresult cuCtxGetLimit(size_t* value, CUlimit limit)
{
    return answer(cudaDeviceGetLimit(value, static_cast<cudaLimit>(limit)));
}

LS_API CUresult cuCtxSetLimit(CUlimit limit, size_t value)
{
    return answer(cudaDeviceSetLimit(static_cast<cudaLimit>(limit), value));
}

LS_API CUresult cuCtxGetCacheConfig(CUfunc_cache* config)
{
    if (!config)
        return CUDA_ERROR_INVALID_VALUE;
    *config = CU_FUNC_CACHE_PREFER_NONE;
    return CUDA_SUCCESS;
}

LS_API CUresult cuCtxSetCacheConfig(CUfunc_cache /*config*/)
{
    return CUDA_SUCCESS;
}

LS_API CUresult cuCtxGetStreamPriorityRange(int* least, int* greatest)
{
    return answer(cudaDeviceGetStreamPriorityRange(least, greatest));
}

LS_API CUresult cuCtxSynchronize(void)
{
    return answer(cudaDeviceSynchronize());
}

LS_API CUresult cuCtxResetPersistingL2Cache(void)
{
    return answer(cudaCtxResetPersistingL2Cache());
}

LS_API CUresult cuCtxEnablePeerAccess(CUcontext /*peer*/, unsigned /*flags*/)
{
    return CUDA_ERROR_PEER_ACCESS_UNSUPPORTED;
}

LS_API CUresult cuCtxDisablePeerAccess(CUcontext /*peer*/)
{
    return CUDA_ERROR_PEER_ACCESS_NOT_ENABLED;
}

LS_API CUresult cuCtxSynchronize_v2(CUcontext /*context*/)
{
    return cuCtxSynchronize();
}

LS_API CUresult cuCtxGetDevice_v2(CUdevice* device, CUcontext context)
{
    Call call;
    if (!device)
        return CUDA_ERROR_INVALID_VALUE;
    *device = 0;
    return context ? (isContext(context) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_CONTEXT) : cuCtxGetDevice(device);
}
