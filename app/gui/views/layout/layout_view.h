// SPDX-License-Identifier: GPL-3.0-or-later
// How an array of shared memory is laid out: its rows and columns beside the memory that they lie in, what that costs
// the accesses of the run, and what another layout would.
#pragma once

#include "app/gui/views/view.h"

namespace lanescope::gui {

struct LayoutSettings {
    std::optional<BufferId> buffer;  ///< none: the first that a tile was copied into
    std::string expression;          ///< of a layout to compare with, as core/layout reads it; empty: none
    bool values = false;             ///< cells say what they hold, not where they lie

    friend bool operator==(const LayoutSettings&, const LayoutSettings&) = default;
};

class LayoutView final : public View {
public:
    LayoutView();
    [[nodiscard]] bool followsSelection() const override { return true; }
    [[nodiscard]] Result<ViewDataPointer> compute(AnalysisCache& cache, const Snapshot& snapshot,
                                                  const ViewSettings& settings) const override;
    void paint(Canvas& canvas, const Snapshot& snapshot, const ViewData& data,
               const ViewSettings& settings) const override;
    void aim(ViewSettings& settings, const Snapshot& snapshot) const override;
    void leaveLaunch(ViewSettings& settings) const override;
};

}  // namespace lanescope::gui
