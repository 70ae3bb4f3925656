// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What can be said of a block's steps without its memory: which warp runs when, epochs, and where to step to.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "core/replay/replay.h"

namespace lanescope::replay {

/// How many of a block's \p recorded steps are shown, the first ones: of a hang, which may have a billion, as many as a
/// sixteenth of this machine's memory has room for, or what LANESCOPE_STEPS_SHOWN says. BadInput where that is no
/// number above 0.
Result<StepIndex> stepsShown(StepIndex recorded);

/// Built once per block from the events' headers; immutable.
class BlockTimeline {
public:
    /// Of the first \p steps of the block.
    static Result<std::shared_ptr<const BlockTimeline>> build(trace::TraceReader& reader, LaunchId launch,
                                                              BlockIndex block, StepIndex steps);

    /// Shares ownership with the timeline.
    [[nodiscard]] const std::vector<StepSummary>& summary() const { return m_summary; }
    [[nodiscard]] WarpImage warp(uint32_t warp, StepIndex step, const trace::Catalog& catalog) const;

    [[nodiscard]] std::optional<StepIndex> nextLine(uint32_t warp, StepIndex step) const;
    [[nodiscard]] std::optional<StepIndex> previousLine(uint32_t warp, StepIndex step) const;
    [[nodiscard]] std::optional<StepIndex> nextAccess(uint32_t warp, StepIndex step) const;
    [[nodiscard]] std::optional<StepIndex> previousAccess(uint32_t warp, StepIndex step) const;
    [[nodiscard]] std::optional<StepIndex> nextEpoch(StepIndex step) const;
    [[nodiscard]] std::optional<StepIndex> previousEpoch(StepIndex step) const;

private:
    struct Arrival {
        StepIndex step = 0;
        size_t epoch = 0;  ///< index in m_epochEnds of the barrier's completion
    };
    struct Exit {
        StepIndex step = 0;
        LaneMask exited = 0;  ///< all lanes that have exited by then
    };
    struct WarpTrack {
        LaneMask launched = 0;
        std::vector<StepIndex> steps;       ///< of its events
        std::vector<StepIndex> lineStarts;  ///< of events on another line than the one before
        std::vector<StepIndex> accesses;
        std::vector<Arrival> arrivals;
        std::vector<Exit> exits;
        trace::SourceLocation line;  ///< while building
        LaneMask arrived = 0;        ///< while building
        LaneMask exited = 0;         ///< while building
    };

    void add(StepIndex step, const trace::Event& event, const trace::Catalog& catalog);
    void addBarrier(StepIndex step, const trace::Event& event);
    void completeBarrierIfAllArrived(StepIndex after);
    void completeBarrier(StepIndex after);
    /// The warp's first event at or after \p step.
    [[nodiscard]] static std::optional<StepIndex> eventFrom(const WarpTrack& track, StepIndex step);

    std::vector<StepSummary> m_summary;
    std::vector<WarpTrack> m_warps;
    std::vector<StepIndex> m_epochEnds;  ///< the step after each completed barrier's last arrival, ascending
};

}  // namespace lanescope::replay
