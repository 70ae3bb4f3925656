// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Bounds, alignment and lifetime of accesses, lane by lane.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/simt/state/warp.h"

namespace lanescope::simt {

/// Reports a bad access of one lane; merges with an earlier one of the same site and kind.
void reportFault(Warp& warp, const MemoryInfo& info, int lane, uint64_t address, bool isWrite);
/// As hostAddress for \p info's size; reports what is wrong.
std::byte* checkedAddress(Warp& warp, const MemoryInfo& info, int lane, uint64_t address, bool isWrite);
/// The race check of one lane's access to memory that may be accessed; \p written: the bytes about to be stored, null
/// for a read.
void checkLaneAt(Warp& warp, const MemoryInfo& info, int lane, uint64_t address, unsigned bytes, const void* written,
                 bool atomic);
/// Reports what the debuggee did wrong in \p lane; merges with an earlier fault of the same place and kind.
/// \p help: empty for what the kind says. Returns the fault as it is kept, until the next one is reported.
device::ProgramFault& reportProgramFault(Warp& warp, FindingKind kind, uint32_t staticSite, int lane,
                                         std::string message, std::string help = {});

}  // namespace lanescope::simt
