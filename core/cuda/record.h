// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reading one record of a kernel's log.
#pragma once

#include <array>
#include <cstddef>

#include "core/base/ids.h"
#include "core/cuda/device_log.h"

namespace lanescope::cuda {

/// [lane × valueBytes]
using LaneBytes = std::array<std::byte, size_t{kWarpSize} * 16>;

/// Whether a record is as long as its header says it must be: what a dying kernel left may be anything.
[[nodiscard]] bool isSound(const RecordHeader& record);

/// Of the active lanes; others keep what they had.
void readAddresses(const RecordHeader& record, std::array<uint64_t, kWarpSize>& addresses);
/// Lane i's value at i × valueBytes.
void readValues(const RecordHeader& record, LaneBytes& values);
/// Lanes that took a branch.
[[nodiscard]] uint32_t extraOf(const RecordHeader& record);

}  // namespace lanescope::cuda
