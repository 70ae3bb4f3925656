// SPDX-License-Identifier: GPL-3.0-or-later
// How a block's stages are filled and read, over time: a column for each stage and one for each role of its warps; and
// who waits for whom where nobody goes on.
#pragma once

#include "app/gui/views/view.h"

namespace lanescope::gui {

class RingView final : public View {
public:
    RingView();
    [[nodiscard]] bool followsSelection() const override { return true; }
    [[nodiscard]] Result<ViewDataPointer> compute(AnalysisCache& cache, const Snapshot& snapshot,
                                                  const ViewSettings& settings) const override;
    void paint(Canvas& canvas, const Snapshot& snapshot, const ViewData& data,
               const ViewSettings& settings) const override;
};

}  // namespace lanescope::gui
