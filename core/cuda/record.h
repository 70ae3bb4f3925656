// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reading one record of a kernel's log.
#pragma once

#include <array>
#include <cstddef>
#include <optional>

#include "core/base/ids.h"
#include "core/cuda/device_log.h"

namespace lanescope::cuda {

/// [lane × valueBytes]
using LaneBytes = std::array<std::byte, size_t{kWarpSize} * 16>;

/// Whether a record is as long as its header says it must be: what a dying kernel left may be anything.
[[nodiscard]] bool isSound(const RecordHeader& record);

/// Addresses of a whole warp that follow from one another: lane i's is base + i × stride.
struct AffineAddresses {
    uint64_t base = 0;
    uint64_t stride = 0;
};
[[nodiscard]] std::optional<AffineAddresses> affineAddresses(const RecordHeader& record);
/// Of the active lanes; others keep what they had.
void readAddresses(const RecordHeader& record, std::array<uint64_t, kWarpSize>& addresses);
/// Whether it says what the lanes read or wrote.
[[nodiscard]] bool hasValues(const RecordHeader& record);
/// Zeros where the record has none. Lane i's value is at i × valueBytes of the result, which lies in \p record or, once
/// filled in, in \p values.
[[nodiscard]] const std::byte* readValues(const RecordHeader& record, LaneBytes& values);
/// Lanes that took a branch.
[[nodiscard]] uint32_t extraOf(const RecordHeader& record);

}  // namespace lanescope::cuda
