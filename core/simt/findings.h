// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Access faults of all blocks to findings: one per (kind, site).
#pragma once

#include <vector>

#include "core/simt/program.h"

namespace lanescope::simt {

struct FindingContext {
    const Program& program;
    const trace::Launch& launch;
    /// The buffer an address slot belongs to; null for an unknown slot.
    const trace::Buffer* (*bufferAt)(const void* table, uint64_t slot);
    const void* table;
};

/// \p faults: of all blocks, ascending by block. Locations carry the program's own source ids.
std::vector<trace::Finding> findingsOf(const std::vector<AccessFault>& faults, const FindingContext& context);
/// The same for what threads do wrong other than accessing memory (program_faults.cpp).
std::vector<trace::Finding> findingsOf(const std::vector<ProgramFault>& faults, const FindingContext& context);

/// One finding per read and per line of use. \p uses: (block, use), ascending by block.
std::vector<trace::Finding> findingsOf(const std::vector<std::pair<uint64_t, UninitialisedUse>>& uses,
                                       const FindingContext& context);

/// One finding per kind and pair of barriers. \p barriers: (block, report), ascending by block.
std::vector<trace::Finding> findingsOf(const std::vector<std::pair<uint64_t, BarrierReport>>& barriers,
                                       const FindingContext& context);

/// One finding per pair of source lines and buffer. \p races: (block, race), ascending by block.
std::vector<trace::Finding> findingsOf(const std::vector<std::pair<uint64_t, RaceReport>>& races,
                                       const FindingContext& context);

}  // namespace lanescope::simt
