// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Several devices: which one a host thread has chosen, and which of them may touch each other's memory. All addresses
// are of one space, so that an address says whose memory it is. Used under the runtime's lock, but for the thread's own
// device.
#pragma once

#include <cstdint>
#include <span>

#include "core/device/device_memory.h"
#include "instrumented/runtime/options.h"

namespace lanescope::runtime {

/// Of this host thread; 0 until it chooses.
uint32_t currentDevice();
/// cudaSetDevice: the device's primary context is the thread's current one from now on.
void chooseDevice(uint32_t device);
/// How often this thread has called chooseDevice.
uint32_t deviceChoices();
/// The driver's API has made a context of \p device the current one.
void followContext(uint32_t device);

/// Of the first device; the last byte is the device's number.
inline constexpr char kUuid[16] = "Lanescope sm_90";

/// While work that was submitted for another device is performed.
class DeviceScope {
public:
    explicit DeviceScope(uint32_t device);
    ~DeviceScope();
    DeviceScope(const DeviceScope&) = delete;
    DeviceScope& operator=(const DeviceScope&) = delete;

private:
    uint32_t m_before;
};

/// cudaDeviceEnablePeerAccess: kernels on \p device may touch what was allocated on \p peer.
bool hasPeerAccess(uint32_t device, uint32_t peer);
void setPeerAccess(uint32_t device, uint32_t peer, bool allowed);
/// Ends all that \p device has, and all that others have to it (cudaDeviceReset).
void endPeerAccess(uint32_t device);

/// One bit for each device.
using DeviceSet = uint32_t;
/// Memory of pools and mapped memory has a list of its own of who may touch it, in place of peer access.
void listAccess(device::DeviceAddress address, DeviceSet devices);
/// Empty where there is no list.
DeviceSet listedAccess(device::DeviceAddress address);
void forgetListedAccess(device::DeviceAddress address);

/// Whether kernels on \p device may touch \p buffer.
bool mayTouch(uint32_t device, const device::Allocation& buffer);

}  // namespace lanescope::runtime
