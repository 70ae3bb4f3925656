// SPDX-License-Identifier: GPL-3.0-or-later
// The whole launch: every block's steps in a row of its own, on one scale, so that what is longer, parts or waits
// stands out.
#pragma once

#include "app/gui/views/view.h"

namespace lanescope::gui {

class BlocksView final : public View {
public:
    BlocksView();
    [[nodiscard]] Result<ViewDataPointer> compute(AnalysisCache& cache, const Snapshot& snapshot,
                                                  const ViewSettings& settings) const override;
    void paint(Canvas& canvas, const Snapshot& snapshot, const ViewData& data,
               const ViewSettings& settings) const override;
};

}  // namespace lanescope::gui
