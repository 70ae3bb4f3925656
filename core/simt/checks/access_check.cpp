// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/simt/checks/access_check.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include <fmt/format.h>

#include "core/simt/checks/block_checks.h"
#include "core/simt/checks/race_check.h"
#include "core/simt/code/program.h"
#include "core/simt/memory/device_heap.h"
#include "core/simt/state/lane_memory.h"
#include "core/trace/writer.h"

namespace lanescope::simt {
namespace {

device::AccessFault::Kind faultKind(const ObjectEntry* object, uint64_t offset, const MemoryInfo& info, bool isWrite)
{
    if (!object)
        return device::AccessFault::Kind::NotDeviceMemory;
    if (object->freed || (object->heap && object->heap->wasFreed(offset)))
        return device::AccessFault::Kind::UseAfterFree;
    if (object->otherDevices)
        return device::AccessFault::Kind::NoPeerAccess;
    // Of an address that is both, GPUs tell the alignment; where it begins outside, that explains more.
    const bool beginsInside = offset < object->bytes;
    if (!holds(*object, offset, uint64_t{info.bytes} * info.components))
        return beginsInside && (offset & (info.alignment - 1)) ? device::AccessFault::Kind::Misaligned
                                                               : device::AccessFault::Kind::OutOfBounds;
    if (isWrite && object->readOnly)
        return device::AccessFault::Kind::ReadOnly;
    return device::AccessFault::Kind::Misaligned;
}

/// A loop that has left its buffer for good would have been ended by a GPU long ago, and may take hours here.
constexpr uint64_t kMostFaults = uint64_t{1} << 22;

/// As a trap: the kernel fails.
void abandon(Block& block)
{
    block.stop = true;
    block.trapped = true;
    block.stopReason = {FindingKind::OutOfBounds, "the kernel makes no other accesses any more"};
}

/// Its shared memory may be another block's by now.
void reportEndedBlock(Warp& warp, const MemoryInfo& info, int lane, const Block& owner, bool isWrite)
{
    if (!warp.block->checks->bounds)
        return;
    const Dim3& at = owner.position;
    reportProgramFault(warp, FindingKind::UseAfterFree, info.staticSite, lane,
                       fmt::format("{} shared memory of block ({},{},{}), which has ended",
                                   isWrite ? "writes to" : "reads", at.x, at.y, at.z),
                       "let all blocks of the cluster meet, cluster.sync(), behind the last access to another one's "
                       "shared memory, so that none ends before");
}

}  // namespace

void checkLaneAt(Warp& warp, const MemoryInfo& info, int lane, uint64_t address, unsigned bytes, const void* written,
                 bool atomic)
{
    const ObjectEntry* object = objectOf(warp, address);
    if (!object || !object->races)
        return;
    const uint32_t offset = offsetIn(warp, address);
    bool changes = atomic || (written && std::memcmp(object->host + offset, written, bytes) != 0);
    checkLane(warp, info, *object, lane, address, offset, bytes, written || atomic, changes, atomic);
}

std::byte* checkedAddress(Warp& warp, const MemoryInfo& info, int lane, uint64_t address, bool isWrite)
{
    std::byte* host = hostAddress(warp, lane, address, uint64_t{info.bytes} * info.components, isWrite);
    if (!host || (address & (info.alignment - 1)) != 0)
        reportFault(warp, info, lane, address, isWrite);
    else if (const Block* owner = namedBlock(warp, address); owner && owner->ended)
        reportEndedBlock(warp, info, lane, *owner, isWrite);
    return host;
}

void reportFault(Warp& warp, const MemoryInfo& info, int lane, uint64_t address, bool isWrite)
{
    Block& block = *warp.block;
    if (!block.checks->bounds)
        return;
    device::AccessFault::Kind kind = faultKind(objectOf(warp, address), offsetIn(warp, address), info, isWrite);
    // Buffers are called by where they lie in their own block.
    address = addressInBlock(warp, address);
    const device::Instance occurrence{{block.index, 0},
                                      {uint32_t{warp.id} * kWarpSize + static_cast<uint32_t>(lane), 0},
                                      address,
                                      block.epoch,
                                      warp.recorder ? warp.recorder->steps() : 0};
    for (device::AccessFault& fault : block.checks->faults)
        if (fault.staticSite == info.staticSite && fault.kind == kind && fault.isWrite == isWrite) {
            fault.instances.add(occurrence, false);
            if (++fault.count == kMostFaults)
                abandon(block);
            return;
        }
    device::AccessFault fault;
    fault.kind = kind;
    fault.staticSite = info.staticSite;
    fault.isWrite = isWrite;
    fault.inHeap = objectOf(warp, address) && objectOf(warp, address)->heap;
    fault.address = address;
    // Of an access that the compiler has split, this is the first piece.
    fault.bytes = uint32_t{info.bytes} * info.components;
    if (kind == device::AccessFault::Kind::Misaligned)
        fault.bytes = std::max(fault.bytes, info.alignment);
    fault.block = block.index;
    fault.thread = occurrence.threads[0];
    fault.epoch = block.epoch;
    fault.step = occurrence.step;
    fault.instances.add(occurrence, false);
    block.checks->faults.push_back(fault);
}

device::ProgramFault& reportProgramFault(Warp& warp, FindingKind kind, uint32_t staticSite, int lane,
                                         std::string message, std::string help)
{
    Block& block = *warp.block;
    for (device::ProgramFault& fault : block.checks->programFaults)
        if (fault.staticSite == staticSite && fault.kind == kind) {
            ++fault.count;
            return fault;
        }
    device::ProgramFault fault;
    fault.kind = kind;
    fault.staticSite = staticSite;
    fault.message = std::move(message);
    fault.help = std::move(help);
    fault.block = block.index;
    fault.thread = uint32_t{warp.id} * kWarpSize + static_cast<uint32_t>(lane);
    fault.epoch = block.epoch;
    fault.step = warp.recorder ? warp.recorder->steps() : 0;
    return block.checks->programFaults.emplace_back(std::move(fault));
}

}  // namespace lanescope::simt
