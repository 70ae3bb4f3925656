// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/simt/checks/local_pointers.h"

#include <bit>
#include <cstring>
#include <string>

#include <fmt/format.h>

#include "core/simt/checks/access_check.h"
#include "core/simt/checks/block_checks.h"
#include "core/simt/checks/race_check.h"
#include "core/simt/code/program.h"
#include "core/simt/memory/address_slots.h"
#include "core/simt/state/lane_memory.h"

namespace lanescope::simt {
namespace {

bool isLocal(uint64_t address)
{
    const uint64_t slot = address >> 32;
    return slot >= kLocalSlot && slot < kEndSlot;
}

std::string nameOf(const Program& program, uint64_t address)
{
    const uint64_t index = (address >> 32) - kLocalSlot;
    return index < program.locals.size() && !program.locals[index].name.empty()
               ? fmt::format("the local variable '{}'", program.locals[index].name)
               : "a local variable";
}

bool isOfThisLaunch(const Block& block, const ObjectEntry& object, const Toucher& writer)
{
    return object.races->isShared() || writer.time >= block.checks->launchStart;
}

std::string ownerText(const Block& block, const ObjectEntry& object, const Toucher& writer)
{
    if (!isOfThisLaunch(block, object, writer))
        return "a thread of an earlier launch";
    if (writer.block != block.cellIndex)
        return "a thread of another block";
    const uint32_t thread = writer.thread();
    return fmt::format("thread ({},{},{})", thread % block.size.x, thread / block.size.x % block.size.y,
                       thread / (block.size.x * block.size.y));
}

void report(Warp& warp, const MemoryInfo& info, int lane, uint64_t pointer, const std::string& owner)
{
    const Block& block = *warp.block;
    device::ProgramFault& fault =
        reportProgramFault(warp, FindingKind::OutOfBounds, info.staticSite, lane,
                           fmt::format("this pointer leads to {} of {}, which has left it here: local memory is each "
                                       "thread's own, so that others find something else there",
                                       nameOf(*block.program, pointer), owner),
                           "keep what threads share in shared or global memory, and hand out pointers to that");
    fault.isSurvived = true;
}

}  // namespace

void checkLoadedPointers(Warp& warp, const MemoryInfo& info)
{
    if (!warp.block->checks->bounds)
        return;
    for (LaneMask rest = warp.mask; rest; rest &= rest - 1) {
        const int lane = std::countr_zero(rest);
        const uint64_t address = laneAddress(warp, info, lane);
        const ObjectEntry* object = objectOf(warp, address);
        // Objects that a member function's pointer leads to are mostly local, and then so for all lanes.
        if (!object || !object->races)
            return;
        const std::byte* host = hostAddress(warp, lane, address, sizeof(uint64_t), false);
        uint64_t pointer = 0;
        if (host)
            std::memcpy(&pointer, host, sizeof pointer);
        if (!isLocal(pointer))
            continue;
        const Block& block = *warp.block;
        const Toucher writer = lastWriter(warp, *object, offsetIn(warp, address));
        const uint32_t self = uint32_t{warp.id} * kWarpSize + static_cast<uint32_t>(lane);
        if (writer.thread() != self || writer.block != block.cellIndex || !isOfThisLaunch(block, *object, writer))
            report(warp, info, lane, pointer, ownerText(block, *object, writer));
    }
}

}  // namespace lanescope::simt
