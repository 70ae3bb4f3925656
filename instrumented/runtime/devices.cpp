// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "instrumented/runtime/devices.h"

#include <array>
#include <map>

namespace lanescope::runtime {

namespace {

thread_local uint32_t t_device = 0;
thread_local uint32_t t_choices = 0;

/// By device: those whose memory it may touch.
std::array<DeviceSet, kMostDevices> g_peers{};

std::map<device::DeviceAddress, DeviceSet>& listed()
{
    static auto* const all = new std::map<device::DeviceAddress, DeviceSet>;
    return *all;
}

constexpr DeviceSet only(uint32_t device)
{
    return DeviceSet{1} << device;
}
static_assert(kMostDevices <= 32);

}  // namespace

uint32_t currentDevice()
{
    return t_device;
}

void chooseDevice(uint32_t device)
{
    t_device = device;
    ++t_choices;
}

uint32_t deviceChoices()
{
    return t_choices;
}

void followContext(uint32_t device)
{
    t_device = device;
}

DeviceScope::DeviceScope(uint32_t device) : m_before(t_device)
{
    t_device = device;
}

DeviceScope::~DeviceScope()
{
    t_device = m_before;
}

bool hasPeerAccess(uint32_t device, uint32_t peer)
{
    return (g_peers[device] & only(peer)) != 0;
}

void setPeerAccess(uint32_t device, uint32_t peer, bool allowed)
{
    g_peers[device] = allowed ? g_peers[device] | only(peer) : g_peers[device] & ~only(peer);
}

void endPeerAccess(uint32_t device)
{
    g_peers[device] = 0;
    for (DeviceSet& peers : g_peers)
        peers &= ~only(device);
}

void listAccess(device::DeviceAddress address, DeviceSet devices)
{
    listed()[address] = devices;
}

DeviceSet listedAccess(device::DeviceAddress address)
{
    const auto found = listed().find(address);
    return found == listed().end() ? 0 : found->second;
}

void forgetListedAccess(device::DeviceAddress address)
{
    listed().erase(address);
}

bool mayTouch(uint32_t device, const device::Allocation& buffer)
{
    if (buffer.everywhere || buffer.device == device)
        return true;
    const auto own = listed().find(buffer.address);
    return own == listed().end() ? hasPeerAccess(device, buffer.device) : (own->second & only(device)) != 0;
}

}  // namespace lanescope::runtime
