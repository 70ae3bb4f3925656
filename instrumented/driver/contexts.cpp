// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Contexts. Those of one device differ in nothing but their names: all share its memory. Modules are those of the
// device whose context they were loaded in.
#include <map>

#include "instrumented/driver/driver.h"
#include "instrumented/runtime/devices.h"
#include "instrumented/runtime/handles.h"
#include "instrumented/runtime/memory.h"
#include "instrumented/runtime/streams.h"

using namespace lanescope::driver;
using lanescope::runtime::Call;
using lanescope::runtime::handles;

struct CUctx_st {
    unsigned flags = 0;
    unsigned long long id = 0;
    uint32_t device = 0;
};

namespace {

struct Primary {
    CUctx_st* context = nullptr;
    unsigned users = 0;
};

Primary& primaryOf(uint32_t device)
{
    static auto* const all = new std::map<uint32_t, Primary>;
    return (*all)[device];
}

CUctx_st* makeContext(unsigned flags, uint32_t device)
{
    static unsigned long long number = 0;
    return handles<CUctx_st>().create(CUctx_st{flags, ++number, device});
}

CUctx_st* primaryContext(uint32_t device)
{
    Primary& primary = primaryOf(device);
    if (!primary.context)
        primary.context = makeContext(0, device);
    return primary.context;
}

/// The thread's contexts; the last one is current.
struct ContextStack {
    std::vector<CUcontext> contexts;
    uint32_t choices = 0;  ///< deviceChoices() when the last of them was made current
};

/// What cudaSetDevice has chosen since is done first.
std::vector<CUcontext>& stack()
{
    thread_local ContextStack own;
    if (own.choices != lanescope::runtime::deviceChoices()) {
        own.choices = lanescope::runtime::deviceChoices();
        if (!own.contexts.empty())
            own.contexts.pop_back();
        own.contexts.push_back(primaryContext(lanescope::runtime::currentDevice()));
    }
    return own.contexts;
}

CUcontext current()
{
    return stack().empty() ? nullptr : stack().back();
}

/// The runtime's calls are for the device of the context that is current now.
void followCurrent()
{
    if (current())
        lanescope::runtime::followContext(current()->device);
}

bool isContext(CUcontext context)
{
    return handles<CUctx_st>().has(context);
}

}  // namespace

LS_API CUresult cuDevicePrimaryCtxRetain(CUcontext* context, CUdevice device)
{
    Call call;
    if (!context || !isDevice(device))
        return context ? CUDA_ERROR_INVALID_DEVICE : CUDA_ERROR_INVALID_VALUE;
    *context = primaryContext(static_cast<uint32_t>(device));
    ++primaryOf(static_cast<uint32_t>(device)).users;
    return CUDA_SUCCESS;
}

LS_API CUresult cuDevicePrimaryCtxRelease_v2(CUdevice device)
{
    Call call;
    if (!isDevice(device))
        return CUDA_ERROR_INVALID_DEVICE;
    if (primaryOf(static_cast<uint32_t>(device)).users == 0)
        return CUDA_ERROR_INVALID_CONTEXT;
    --primaryOf(static_cast<uint32_t>(device)).users;
    return CUDA_SUCCESS;
}

LS_API CUresult cuDevicePrimaryCtxReset_v2(CUdevice device)
{
    if (!isDevice(device))
        return CUDA_ERROR_INVALID_DEVICE;
    const Call call;
    const lanescope::runtime::DeviceScope scope(static_cast<uint32_t>(device));
    return answer(cudaDeviceReset());
}

LS_API CUresult cuDevicePrimaryCtxSetFlags_v2(CUdevice device, unsigned flags)
{
    Call call;
    if (!isDevice(device))
        return CUDA_ERROR_INVALID_DEVICE;
    primaryContext(static_cast<uint32_t>(device))->flags = flags;
    return CUDA_SUCCESS;
}

LS_API CUresult cuDevicePrimaryCtxGetState(CUdevice device, unsigned* flags, int* active)
{
    Call call;
    if (!flags || !active)
        return CUDA_ERROR_INVALID_VALUE;
    if (!isDevice(device))
        return CUDA_ERROR_INVALID_DEVICE;
    *flags = primaryContext(static_cast<uint32_t>(device))->flags;
    *active = primaryOf(static_cast<uint32_t>(device)).users > 0;
    return CUDA_SUCCESS;
}

LS_API CUresult cuCtxCreate_v2(CUcontext* context, unsigned flags, CUdevice device)
{
    Call call;
    if (!context || !isDevice(device))
        return context ? CUDA_ERROR_INVALID_DEVICE : CUDA_ERROR_INVALID_VALUE;
    *context = makeContext(flags, static_cast<uint32_t>(device));
    stack().push_back(*context);
    followCurrent();
    return CUDA_SUCCESS;
}

LS_API CUresult cuCtxCreate_v3(CUcontext* context, void* /*affinities*/, int /*count*/, unsigned flags, CUdevice device)
{
    return cuCtxCreate_v2(context, flags, device);
}

LS_API CUresult cuCtxCreate_v4(CUcontext* context, CUctxCreateParams* /*parameters*/, unsigned flags, CUdevice device)
{
    return cuCtxCreate_v2(context, flags, device);
}

LS_API CUresult cuCtxDestroy_v2(CUcontext context)
{
    Call call;
    if (!isContext(context) || context == primaryOf(context->device).context)
        return CUDA_ERROR_INVALID_CONTEXT;
    if (current() == context)
        stack().pop_back();
    followCurrent();
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
    followCurrent();
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
    followCurrent();
    return CUDA_SUCCESS;
}

LS_API CUresult cuCtxPopCurrent_v2(CUcontext* context)
{
    if (stack().empty())
        return CUDA_ERROR_INVALID_CONTEXT;
    if (context)
        *context = current();
    stack().pop_back();
    followCurrent();
    return CUDA_SUCCESS;
}

LS_API CUresult cuCtxGetDevice(CUdevice* device)
{
    if (!device)
        return CUDA_ERROR_INVALID_VALUE;
    *device = current() ? static_cast<CUdevice>(current()->device) : 0;
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

LS_API CUresult cuCtxEnablePeerAccess(CUcontext peer, unsigned flags)
{
    Call call;
    if (!isContext(peer) || !current())
        return CUDA_ERROR_INVALID_CONTEXT;
    if (peer->device == current()->device)
        return CUDA_ERROR_PEER_ACCESS_UNSUPPORTED;
    return answer(cudaDeviceEnablePeerAccess(static_cast<int>(peer->device), flags));
}

LS_API CUresult cuCtxDisablePeerAccess(CUcontext peer)
{
    Call call;
    if (!isContext(peer) || !current())
        return CUDA_ERROR_INVALID_CONTEXT;
    return answer(cudaDeviceDisablePeerAccess(static_cast<int>(peer->device)));
}

LS_API CUresult cuCtxSynchronize_v2(CUcontext context)
{
    const Call call;
    if (context && !isContext(context))
        return CUDA_ERROR_INVALID_CONTEXT;
    const lanescope::runtime::DeviceScope scope(context ? context->device : lanescope::runtime::currentDevice());
    return cuCtxSynchronize();
}

LS_API CUresult cuStreamGetCtx(CUstream stream, CUcontext* context)
{
    Call call;
    if (!context)
        return CUDA_ERROR_INVALID_VALUE;
    if (!lanescope::runtime::isStream(stream))
        return CUDA_ERROR_INVALID_HANDLE;
    *context = lanescope::driver::contextOf(lanescope::runtime::streamOf(stream).device);
    return CUDA_SUCCESS;
}

CUcontext lanescope::driver::contextOf(uint32_t device)
{
    return current() && current()->device == device ? current() : primaryContext(device);
}

CUresult lanescope::driver::deviceOfContext(CUcontext context, int& device)
{
    if (!isContext(context))
        return CUDA_ERROR_INVALID_CONTEXT;
    device = static_cast<int>(context->device);
    return CUDA_SUCCESS;
}

LS_API CUresult cuCtxGetDevice_v2(CUdevice* device, CUcontext context)
{
    Call call;
    if (!device)
        return CUDA_ERROR_INVALID_VALUE;
    return context ? deviceOfContext(context, *device) : cuCtxGetDevice(device);
}
