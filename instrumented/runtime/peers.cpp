// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Peer access: every two devices of the model can have it, and each direction is asked for by itself.
#include "instrumented/runtime/memory.h"

using namespace lanescope::runtime;

namespace {

/// What one device can do with another's memory, as devices that NVLink connects have it.
int peerAttribute(cudaDeviceP2PAttr attribute)
{
    return attribute == cudaDevP2PAttrPerformanceRank ? 0 : 1;
}

}  // namespace

LS_API cudaError_t cudaDeviceCanAccessPeer(int* canAccess, int device, int peerDevice)
{
    Call call;
    if (!canAccess)
        return call.fail(cudaErrorInvalidValue);
    if (!isDevice(call.runtime(), device) || !isDevice(call.runtime(), peerDevice))
        return call.fail(cudaErrorInvalidDevice);
    *canAccess = device != peerDevice;
    return call.ok();
}

LS_API cudaError_t cudaDeviceGetP2PAttribute(int* value, cudaDeviceP2PAttr attribute, int from, int to)
{
    Call call;
    if (!value || attribute < cudaDevP2PAttrPerformanceRank || attribute > cudaDevP2PAttrCudaArrayAccessSupported)
        return call.fail(cudaErrorInvalidValue);
    if (!isDevice(call.runtime(), from) || !isDevice(call.runtime(), to) || from == to)
        return call.fail(cudaErrorInvalidDevice);
    *value = peerAttribute(attribute);
    return call.ok();
}

LS_API cudaError_t cudaDeviceEnablePeerAccess(int peerDevice, unsigned int flags)
{
    Call call;
    if (flags != 0)
        return call.fail(cudaErrorInvalidValue);
    const uint32_t device = currentDevice();
    const auto peer = static_cast<uint32_t>(peerDevice);
    if (!isDevice(call.runtime(), peerDevice))
        return call.fail(cudaErrorInvalidDevice);
    if (peer == device)
        return call.fail(cudaErrorPeerAccessUnsupported);
    if (hasPeerAccess(device, peer))
        return call.fail(cudaErrorPeerAccessAlreadyEnabled);
    setPeerAccess(device, peer, true);
    return call.ok();
}

LS_API cudaError_t cudaDeviceDisablePeerAccess(int peerDevice)
{
    Call call;
    if (!isDevice(call.runtime(), peerDevice))
        return call.fail(cudaErrorInvalidDevice);
    const auto peer = static_cast<uint32_t>(peerDevice);
    if (!hasPeerAccess(currentDevice(), peer))
        return call.fail(cudaErrorPeerAccessNotEnabled);
    setPeerAccess(currentDevice(), peer, false);
    return call.ok();
}
