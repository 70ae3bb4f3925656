// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Memory, lane by lane: every check, any mix of objects. The vectorised ways in ops_memory.inl come here when
// something is unusual.
#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "core/simt/definedness.h"
#include "core/simt/grid_state.h"
#include "core/simt/handlers.h"
#include "core/simt/memory_access.h"
#include "core/simt/race_check.h"

namespace lanescope::simt {

const ObjectEntry* objectOf(const Warp& warp, uint64_t address)
{
    uint64_t slot = address >> 32;
    if (slot < kSlotBase || slot >= kEndSlot)
        return nullptr;
    const ObjectEntry& entry = warp.objects[slot - kSlotBase];
    return entry.placed ? &entry : nullptr;
}

bool holds(const ObjectEntry& object, uint64_t offset, uint64_t bytes)
{
    return object.heap ? object.heap->holds(offset, bytes) : offset + bytes <= object.bytes;
}

namespace {

AccessFault::Kind faultKind(const ObjectEntry* object, uint64_t offset, const MemoryInfo& info, bool isWrite)
{
    if (!object)
        return AccessFault::Kind::NotDeviceMemory;
    if (object->freed || (object->heap && object->heap->wasFreed(offset)))
        return AccessFault::Kind::UseAfterFree;
    // Of an address that is both, GPUs tell the alignment; where it begins outside, that explains more.
    const bool beginsInside = offset < object->bytes;
    if (!holds(*object, offset, uint64_t{info.bytes} * info.components))
        return beginsInside && (offset & (info.alignment - 1)) ? AccessFault::Kind::Misaligned
                                                               : AccessFault::Kind::OutOfBounds;
    if (isWrite && object->readOnly)
        return AccessFault::Kind::ReadOnly;
    return AccessFault::Kind::Misaligned;
}

}  // namespace

/// A loop that has left its buffer for good would have been ended by a GPU long ago, and may take hours here.
constexpr uint64_t kMostFaults = uint64_t{1} << 22;

/// As a trap: the kernel fails.
void abandon(Block& block)
{
    block.stop = true;
    block.trapped = true;
    block.stopReason = "out-of-bounds: the kernel makes no other accesses any more";
}

std::byte* hostAddress(const Warp& warp, int lane, uint64_t address, uint64_t bytes, bool isWrite)
{
    const ObjectEntry* object = objectOf(warp, address);
    uint64_t offset = static_cast<uint32_t>(address);
    if (!object || object->freed || !holds(*object, offset, bytes) || (isWrite && object->readOnly))
        return nullptr;
    return object->host + offset + laneOffset(warp, *object, lane);
}

void checkLaneAt(Warp& warp, const MemoryInfo& info, int lane, uint64_t address, unsigned bytes, const void* written,
                 bool atomic)
{
    const ObjectEntry* object = objectOf(warp, address);
    if (!object || !object->races)
        return;
    auto offset = static_cast<uint32_t>(address);
    bool changes = atomic || (written && std::memcmp(object->host + offset, written, bytes) != 0);
    checkLane(warp, info, *object, lane, offset, bytes, written || atomic, changes, atomic);
}

std::byte* checkedAddress(Warp& warp, const MemoryInfo& info, int lane, uint64_t address, bool isWrite)
{
    std::byte* host = hostAddress(warp, lane, address, uint64_t{info.bytes} * info.components, isWrite);
    if (!host || (address & (info.alignment - 1)) != 0)
        reportFault(warp, info, lane, address, isWrite);
    return host;
}

void reportFault(Warp& warp, const MemoryInfo& info, int lane, uint64_t address, bool isWrite)
{
    Block& block = *warp.block;
    if (!block.checks)
        return;
    const Instance occurrence{{block.index, 0},
                              {uint32_t{warp.id} * kWarpSize + static_cast<uint32_t>(lane), 0},
                              address,
                              block.epoch,
                              warp.recorder ? warp.recorder->steps() : 0};
    AccessFault::Kind kind = faultKind(objectOf(warp, address), static_cast<uint32_t>(address), info, isWrite);
    for (AccessFault& fault : block.faults)
        if (fault.staticSite == info.staticSite && fault.kind == kind && fault.isWrite == isWrite) {
            fault.instances.add(occurrence, false);
            if (++fault.count == kMostFaults)
                abandon(block);
            return;
        }
    AccessFault fault;
    fault.kind = kind;
    fault.staticSite = info.staticSite;
    fault.isWrite = isWrite;
    fault.inHeap = objectOf(warp, address) && objectOf(warp, address)->heap;
    fault.address = address;
    fault.bytes = uint32_t{info.bytes} * info.components;
    fault.block = block.index;
    fault.thread = occurrence.threads[0];
    fault.epoch = block.epoch;
    fault.step = occurrence.step;
    fault.instances.add(occurrence, false);
    block.faults.push_back(fault);
}

void recordAccess(Warp& warp, const MemoryInfo& info, const uint64_t* addresses, const void* values, unsigned stride)
{
    std::array<BufferId, kWarpSize> buffers;
    std::array<uint64_t, kWarpSize> offsets{};
    buffers.fill(kNoBuffer);
    for (LaneMask rest = warp.mask; rest; rest &= rest - 1) {
        auto lane = static_cast<size_t>(std::countr_zero(rest));
        const ObjectEntry* object = objectOf(warp, addresses[lane]);
        buffers[lane] = object ? object->buffer : kNoBuffer;
        offsets[lane] = buffers[lane] == kNoBuffer ? addresses[lane] : static_cast<uint32_t>(addresses[lane]);
    }
    warp.recorder->accessMixed(info.site, warp.id, warp.mask, buffers.data(), offsets.data(), values,
                               static_cast<uint8_t>(info.bytes * info.components), static_cast<uint8_t>(stride));
}

namespace {

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

const Instr* slowLoad(Warp& warp, const MemoryInfo& info, const uint64_t* addresses, const Instr* next)
{
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

void slowStore(Warp& warp, const MemoryInfo& info, const uint64_t* addresses)
{
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
