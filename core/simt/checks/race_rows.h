// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The race check of lanes side by side, each at a word of its own, side by side, all at once: also where they race.
#pragma once

#include "core/simt/checks/repeated_rows.h"
#include "core/simt/state/block.h"

namespace lanescope::simt {

/// As checkReads and checkWrites; stores nothing. False, and nothing is done, where lanes are not so, or their cells
/// remember something different.
[[nodiscard]] bool checkRowOfReads(Warp& warp, const MemoryInfo& info, const ObjectEntry& object,
                                   const uint32_t* offsets, LaneMask lanes);
[[nodiscard]] bool checkRowOfWrites(Warp& warp, const MemoryInfo& info, const ObjectEntry& object,
                                    const uint32_t* offsets, LaneMask lanes);
/// The races of one more access like the one that is kept, by \p lanes lanes.
void tellAgain(Block& block, const RepeatedRow::Side& kept, unsigned lanes);

}  // namespace lanescope::simt
