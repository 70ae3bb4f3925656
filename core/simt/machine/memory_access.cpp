// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Memory, lane by lane: every check, any mix of objects. The vectorised ways in ops_memory.inl come here when
// something is unusual.
#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "core/simt/checks/access_check.h"
#include "core/simt/checks/definedness.h"
#include "core/simt/checks/race_check.h"
#include "core/simt/machine/handlers.h"
#include "core/simt/memory/address_slots.h"
#include "core/simt/state/lane_memory.h"
#include "core/simt/state/lane_values.h"
#include "core/trace/remote_shared.h"
#include "core/trace/writer.h"

namespace lanescope::simt {

namespace {

/// How a recording names a place in another block of the cluster. \p object: that it lies in.
uint64_t placeInCluster(const Warp& warp, const ObjectEntry& object, uint64_t address)
{
    // The arrays of a block lie in one piece of memory, in which the lowest comes first.
    const ObjectEntry* const arrays = objectsOf(ownerOf(warp, address)) + (kSharedSlot - kSlotBase);
    std::byte* first = object.host;
    for (size_t i = 0; i < kMostSharedArrays && arrays[i].placed; ++i)
        first = std::min(first, arrays[i].host);
    return trace::offsetOf(
        {namedRank(address) - 1, static_cast<uint64_t>(object.host - first) + offsetIn(warp, address)});
}

}  // namespace

void recordAccess(Warp& warp, const MemoryInfo& info, const uint64_t* addresses, const void* values, unsigned stride)
{
    std::array<BufferId, kWarpSize> buffers;
    std::array<uint64_t, kWarpSize> offsets{};
    buffers.fill(kNoBuffer);
    for (LaneMask rest = warp.mask; rest; rest &= rest - 1) {
        auto lane = static_cast<size_t>(std::countr_zero(rest));
        const ObjectEntry* object = objectOf(warp, addresses[lane]);
        // Buffers of shared memory are the block's own.
        const bool isOwn = &ownerOf(warp, addresses[lane]) == warp.block;
        buffers[lane] = object && isOwn ? object->buffer : kNoBuffer;
        offsets[lane] = buffers[lane] != kNoBuffer ? offsetIn(warp, addresses[lane])
                        : object && !isOwn         ? placeInCluster(warp, *object, addresses[lane])
                                                   : addresses[lane];
    }
    warp.recorder->accessMixed(info.site, warp.id, warp.mask, buffers.data(), offsets.data(), values,
                               static_cast<uint8_t>(info.bytes * info.components), static_cast<uint8_t>(stride));
}

namespace {

using LaneAddresses = std::array<uint64_t, kWarpSize>;

/// Addresses of shared memory have 32 bits on a GPU: what is computed from a pointer to it wraps around there, p[~0u]
/// is p[-1]. So does what would miss every object here, when that leads into the pointer's own.
LaneAddresses wrapShared(const Warp& warp, const MemoryInfo& info, const uint64_t* addresses)
{
    LaneAddresses wrapped;
    std::copy_n(addresses, kWarpSize, wrapped.begin());
    for (LaneMask rest = warp.mask; rest; rest &= rest - 1) {
        const auto lane = static_cast<size_t>(std::countr_zero(rest));
        const uint64_t slot = valueOf(warp, {info.base, 64}, lane) >> 32;
        if (slot < kSharedSlot || slot >= kParameterSlot || addresses[lane] >> 32 == slot)
            continue;
        const uint64_t within = static_cast<uint32_t>(addresses[lane]);
        const ObjectEntry* object = objectOf(warp, slotAddress(slot));
        if (object && holds(*object, within, uint64_t{info.bytes} * info.components))
            wrapped[lane] = slotAddress(slot) | within;
    }
    return wrapped;
}

using LaneData = std::array<std::array<std::byte, 16>, kWarpSize>;

void storeComponent(Warp& warp, const MemoryInfo& info, unsigned component, const LaneData& data)
{
    const Operand& out = info.values[component];
    for (LaneMask rest = warp.mask; rest; rest &= rest - 1) {
        auto lane = static_cast<unsigned>(std::countr_zero(rest));
        uint64_t bits = 0;
        std::memcpy(&bits, data[lane].data() + component * info.bytes, info.bytes);
        if (out.form == Form::Scalar)
            warp.scalars[out.reg] = bits;
        else if (info.wide || info.bytes == 8)
            warp.vector<uint64_t>(out.reg)[lane] = bits;
        else
            warp.vector<uint32_t>(out.reg)[lane] = static_cast<uint32_t>(bits);
    }
}

void loadComponent(Warp& warp, const MemoryInfo& info, unsigned component, LaneData& data)
{
    const Operand& in = info.values[component];
    bool wide = info.wide || info.bytes == 8;
    for (unsigned lane = 0; lane < kWarpSize; ++lane) {
        uint64_t bits = in.form == Form::Scalar ? warp.scalars[in.reg]
                        : wide                  ? warp.vector<uint64_t>(in.reg)[lane]
                                                : warp.vector<uint32_t>(in.reg)[lane];
        std::memcpy(data[lane].data() + component * info.bytes, &bits, info.bytes);
    }
}

}  // namespace

const Instr* slowLoad(Warp& warp, const MemoryInfo& info, const uint64_t* computed, const Instr* next)
{
    const LaneAddresses all = wrapShared(warp, info, computed);
    const uint64_t* const addresses = all.data();
    LaneData data{};
    for (LaneMask rest = warp.mask; rest; rest &= rest - 1) {
        int lane = std::countr_zero(rest);
        const std::byte* host = checkedAddress(warp, info, lane, addresses[lane], false);
        if (!host)
            continue;
        checkLaneAt(warp, info, lane, addresses[lane], unsigned{info.bytes} * info.components, nullptr, false);
        std::memcpy(data[static_cast<size_t>(lane)].data(), host, size_t{info.bytes} * info.components);
    }
    for (unsigned component = 0; component < info.components; ++component)
        storeComponent(warp, info, component, data);
    if (warp.recorder)
        recordAccess(warp, info, addresses, data.data(), 16);
    bool undefined = false;
    for (LaneMask rest = warp.mask; rest && !undefined; rest &= rest - 1) {
        int lane = std::countr_zero(rest);
        for (unsigned c = 0; c < info.components; ++c)
            undefined |= undefinedBits(warp, lane, addresses[lane] + c * info.bytes, info.bytes) != 0;
    }
    return undefined && noteUndefinedLoad(warp, info, addresses, next) ? nullptr : next;
}

void slowStore(Warp& warp, const MemoryInfo& info, const uint64_t* computed)
{
    const LaneAddresses all = wrapShared(warp, info, computed);
    const uint64_t* const addresses = all.data();
    LaneData data{};
    for (unsigned component = 0; component < info.components; ++component)
        loadComponent(warp, info, component, data);
    for (LaneMask rest = warp.mask; rest; rest &= rest - 1) {
        int lane = std::countr_zero(rest);
        unsigned bytes = unsigned{info.bytes} * info.components;
        std::byte* host = checkedAddress(warp, info, lane, addresses[lane], true);
        if (!host)
            continue;
        checkLaneAt(warp, info, lane, addresses[lane], bytes, data[static_cast<size_t>(lane)].data(), false);
        std::memcpy(host, data[static_cast<size_t>(lane)].data(), bytes);
        for (unsigned c = 0; c < info.components; ++c)
            setDefinedBits(warp, lane, addresses[lane] + c * info.bytes, info.bytes, 0);
    }
    if (warp.recorder)
        recordAccess(warp, info, addresses, data.data(), 16);
}

}  // namespace lanescope::simt
