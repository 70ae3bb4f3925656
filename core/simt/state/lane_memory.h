// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Address to host memory, for one lane.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/simt/memory/address_slots.h"
#include "core/simt/state/warp.h"

namespace lanescope::simt {

/// The block of the cluster that an address with a rank names; null: there is none of that rank.
Block* blockOfRank(const Warp& warp, uint64_t address);
/// Indexed as Warp::objects.
const ObjectEntry* objectsOf(const Block& block);
/// Of the device's heap.
bool heapHolds(const ObjectEntry& object, uint64_t offset, uint64_t bytes);
/// As blockOfRank, of any address: most have no rank.
inline Block* namedBlock(const Warp& warp, uint64_t address)
{
    return namedRank(address) == 0 ? nullptr : blockOfRank(warp, address);
}
/// The block of the cluster whose shared memory \p address names, its own where it names none or nobody's.
inline Block& ownerOf(const Warp& warp, uint64_t address)
{
    Block* const named = namedBlock(warp, address);
    return named ? *named : *warp.block;
}
/// Where \p address lies in its object: without the rank of a block that there is.
inline uint32_t offsetIn(const Warp& warp, uint64_t address)
{
    return static_cast<uint32_t>(address) & (namedBlock(warp, address) ? kOffsetInBlock : UINT32_MAX);
}
/// \p address as the block that it lies in has it.
inline uint64_t addressInBlock(const Warp& warp, uint64_t address)
{
    return (address & ~uint64_t{UINT32_MAX}) | offsetIn(warp, address);
}
/// The object whose slot \p address lies in; null when there never was one.
inline const ObjectEntry* objectOf(const Warp& warp, uint64_t address)
{
    const uint64_t slot = address >> 32;
    if (slot < kSlotBase || slot >= kEndSlot)
        return nullptr;
    const Block* const named = namedBlock(warp, address);
    const ObjectEntry& entry = (named ? objectsOf(*named) : warp.objects)[slot - kSlotBase];
    return entry.placed ? &entry : nullptr;
}
/// Whether the bytes from \p offset on lie in it.
inline bool holds(const ObjectEntry& object, uint64_t offset, uint64_t bytes)
{
    return object.heap ? heapHolds(object, offset, bytes) : offset + bytes <= object.bytes;
}
/// Where a lane's copy of a local object lies behind the first one's, in host bytes; 0 for any other object.
inline uint64_t laneOffset(const Warp& warp, const ObjectEntry& object, int lane)
{
    return object.laneStride * (uint64_t{warp.id} * kWarpSize + static_cast<unsigned>(lane));
}
/// Host memory behind [address, address + bytes) of a lane; null when it may not be accessed.
std::byte* hostAddress(const Warp& warp, int lane, uint64_t address, uint64_t bytes, bool isWrite);
/// Address of one lane's access.
uint64_t laneAddress(const Warp& warp, const MemoryInfo& info, int lane);

}  // namespace lanescope::simt
