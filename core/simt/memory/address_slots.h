// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which part of the address space is whose: the upper 32 bits of an address are its slot, one per object.
#pragma once

#include <cstdint>

#include "core/device/device_memory.h"

namespace lanescope::simt {

// Chosen below the addresses at which Linux maps programs.
inline constexpr uint64_t kSharedSlot = 0x4000;
inline constexpr uint64_t kParameterSlot = 0x4400;
inline constexpr uint64_t kLocalSlot = 0x4800;
inline constexpr uint64_t kEndSlot = 0x5400;
inline constexpr uint64_t kCodeSlot = 0x5401;  ///< function addresses; nothing can be read there
inline constexpr uint64_t kSlotBase = device::DeviceMemory::kFirstSlot;

/// Arrays in a block's shared memory, as far as addresses of the shared window can tell them apart.
inline constexpr uint64_t kMostSharedArrays = 512;

/// Shared memory of another block of the cluster, as mapa gives it, has that block's rank plus one in the upper bits of
/// the offset: no array reaches that far, so what looks at offsets alone takes it for an access outside.
inline constexpr unsigned kRankShift = 27;
inline constexpr uint32_t kOffsetInBlock = (uint32_t{1} << kRankShift) - 1;

constexpr uint64_t slotAddress(uint64_t slot)
{
    return slot << 32;
}

constexpr bool isSharedAddress(uint64_t address)
{
    return address >> 32 >= kSharedSlot && address >> 32 < kParameterSlot;
}

/// The rank plus one that an address of shared memory names; 0: none, it is the block's own.
constexpr uint32_t namedRank(uint64_t address)
{
    return static_cast<uint32_t>(address) >> kRankShift;
}

}  // namespace lanescope::simt
