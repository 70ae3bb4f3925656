// SPDX-License-Identifier: GPL-3.0-or-later
// Two recordings side by side, in step, with the report's numbers and how they differ.
#pragma once

#include "app/gui/views/view.h"

namespace lanescope::gui {

/// The other recording is ViewSettings::compareWith. Not one of allViews(): it needs a second trace.
class CompareView final : public View {
public:
    CompareView();
    [[nodiscard]] Result<ViewDataPointer> compute(AnalysisCache& cache, const Snapshot& snapshot,
                                                  const ViewSettings& settings) const override;
    void paint(Canvas& canvas, const Snapshot& snapshot, const ViewData& data,
               const ViewSettings& settings) const override;
};

const View& compareView();

}  // namespace lanescope::gui
