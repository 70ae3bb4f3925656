// SPDX-License-Identifier: GPL-3.0-or-later
// Each launch's arithmetic intensity against what the modelled device could do; with some warps selected, theirs.
#pragma once

#include "app/gui/views/view.h"

namespace lanescope::gui {

class RooflineView final : public View {
public:
    RooflineView();
    [[nodiscard]] bool followsSelection() const override { return true; }
    [[nodiscard]] Result<ViewDataPointer> compute(AnalysisCache& cache, const Snapshot& snapshot,
                                                  const ViewSettings& settings) const override;
    void paint(Canvas& canvas, const Snapshot& snapshot, const ViewData& data,
               const ViewSettings& settings) const override;
};

}  // namespace lanescope::gui
