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

constexpr uint64_t slotAddress(uint64_t slot)
{
    return slot << 32;
}

}  // namespace lanescope::simt
