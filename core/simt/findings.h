// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Access faults of all blocks to findings: one per (kind, site).
#pragma once

#include <set>
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

/// The reads that another thread's write races with, by site and object. Whether such a read finds a value is a matter
/// of the schedule, so it is the race that is told, not a read of what nobody has written.
class RacingReads {
public:
    explicit RacingReads(const std::vector<std::pair<uint64_t, RaceReport>>& races);
    [[nodiscard]] bool contain(const UninitialisedUse& use) const;

private:
    std::set<std::pair<uint32_t, uint64_t>> m_reads;
};

/// One finding per kind and pair of barriers. \p barriers: (block, report), ascending by block.
std::vector<trace::Finding> findingsOf(const std::vector<std::pair<uint64_t, BarrierReport>>& barriers,
                                       const FindingContext& context);

/// One finding per pair of source lines and buffer. \p races: (block, race), ascending by block.
std::vector<trace::Finding> findingsOf(const std::vector<std::pair<uint64_t, RaceReport>>& races,
                                       const FindingContext& context);

}  // namespace lanescope::simt
