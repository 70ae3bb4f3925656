// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Stages of shared memory that are filled by groups of cp.async, with no mbarrier that tells so: the first of the two
// passes behind traceRing, where there are none.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "core/analysis/barrier_uses.h"

namespace lanescope::analysis {

/// Arrays whose first extent counts stages: each is filled by copies, and, while others wait to be read, read. Commits
/// and waits are no events; what has been read behind a barrier was there at that barrier.
class GroupStages {
public:
    GroupStages(const trace::Catalog& catalog, const trace::Launch& launch) : m_catalog(catalog), m_launch(launch) {}

    void add(StepIndex step, const trace::Event& event);

    /// Empty where no stage was filled while an earlier filled one was still to be read.
    [[nodiscard]] std::vector<Ring::Stage> stages() const;
    [[nodiscard]] std::map<Piece, uint32_t> stageOfPieces() const;
    /// Barriers of the block, by the step of the last warp that came, at which a stage turns full.
    [[nodiscard]] const std::set<std::pair<uint32_t, StepIndex>>& full() const { return m_full; }

private:
    static constexpr uint64_t kMostStages = 8;
    struct Filling {
        bool isPending = false;  ///< filled and not yet read
        uint32_t epoch = 0;      ///< barriers of the block before its latest copy
        StepIndex last = 0;
    };

    [[nodiscard]] uint64_t stageBytes(const trace::Buffer& buffer) const;
    void meet(StepIndex step, const trace::Event& event);
    void read(uint32_t stage);

    const trace::Catalog& m_catalog;
    const trace::Launch& m_launch;
    std::map<uint32_t, std::set<uint64_t>> m_copied;  ///< by buffer: stages that copies have filled
    std::map<uint32_t, Filling> m_fillings;
    std::set<std::pair<uint32_t, StepIndex>> m_full;
    std::map<uint16_t, LaneMask> m_met;
    uint32_t m_epoch = 0;
    StepIndex m_lastMeeting = 0;
    bool m_isRing = false;
};

}  // namespace lanescope::analysis
