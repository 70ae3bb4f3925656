// SPDX-License-Identifier: GPL-3.0-or-later
// Which block computed which tile of the output, in what order, and who is idle at the end.
#pragma once

#include "app/gui/views/view.h"

namespace lanescope::gui {

class TilesView final : public View {
public:
    TilesView();
    [[nodiscard]] bool followsSelection() const override { return true; }
    [[nodiscard]] Result<ViewDataPointer> compute(AnalysisCache& cache, const Snapshot& snapshot,
                                                  const ViewSettings& settings) const override;
    void paint(Canvas& canvas, const Snapshot& snapshot, const ViewData& data,
               const ViewSettings& settings) const override;
};

}  // namespace lanescope::gui
