// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a device reports of a launch, in words: the findings.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "core/device/launch_device.h"
#include "core/device/reports.h"
#include "core/trace/model.h"

namespace lanescope::device {

struct JudgeContext {
    std::span<const trace::Site> sites;  ///< of the kernel; reports name them by index
    const trace::Launch& launch;
    const std::map<uint64_t, trace::Buffer>& buffers;  ///< by address slot
    bool hasPhaseBarriers = false;                     ///< the kernel synchronises by mbarrier objects, too
    /// Buffers of shared memory that one slot is divided into, by slot, ascending; null: none is.
    const std::map<uint64_t, std::vector<trace::Buffer>>* parts = nullptr;

    /// The buffer an address slot belongs to; null for an unknown slot.
    [[nodiscard]] const trace::Buffer* bufferAt(uint64_t slot) const
    {
        const auto found = buffers.find(slot);
        return found == buffers.end() ? nullptr : &found->second;
    }

    struct Place {
        const trace::Buffer* buffer = nullptr;  ///< null: in none that is known
        uint64_t begin = 0;                     ///< bytes of the slot before it
        /// As if the buffer were alone in its slot.
        [[nodiscard]] uint64_t within(uint64_t address) const { return address - begin; }
    };
    /// The part, where the slot of \p address is divided; else the slot's buffer.
    [[nodiscard]] Place placeOf(uint64_t address) const;
};

/// A launch that another one may overlap, as findings tell of it.
struct EarlierLaunch {
    trace::Launch launch;
    std::function<trace::Site(uint32_t index)> siteAt;  ///< of its kernel, which lies where the trace has it
};

/// All findings of a launch, kind by kind. What races is not told again as an undefined value: such uses, and
/// copies of them, are taken out of \p outcome.
std::vector<trace::Finding> judge(DeviceOutcome& outcome, const JudgeContext& context);

/// None also where assertions failed, which is not told by reports.
LaunchError errorOf(const DeviceOutcome& outcome, const JudgeContext& context);

/// \p faults: of all blocks, ascending by block. Locations carry the program's own source ids.
std::vector<trace::Finding> findingsOf(const std::vector<AccessFault>& faults, const JudgeContext& context);
/// The same for what threads do wrong other than accessing memory (judge_misuse.cpp).
std::vector<trace::Finding> findingsOf(const std::vector<ProgramFault>& faults, const JudgeContext& context);

/// One finding per read and per line of use. \p uses: (block, use), ascending by block.
std::vector<trace::Finding> findingsOf(const std::vector<std::pair<uint64_t, UninitialisedUse>>& uses,
                                       const JudgeContext& context);

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
                                       const JudgeContext& context);

/// One finding per pair of source lines and buffer. \p races: (block, race), ascending by block.
std::vector<trace::Finding> findingsOf(const std::vector<std::pair<uint64_t, RaceReport>>& races,
                                       const JudgeContext& context);
/// The same of those with a launch that this one may overlap. The first access of each lies where the trace has it.
std::vector<trace::Finding> findingsAgainst(const EarlierLaunch& earlier,
                                            const std::vector<std::pair<uint64_t, RaceReport>>& races,
                                            const JudgeContext& context);

}  // namespace lanescope::device
