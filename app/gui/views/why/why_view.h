// SPDX-License-Identifier: GPL-3.0-or-later
// Why the selected cell, or the shown variable, holds its value: who wrote it, from what they read, and who wrote that,
// back to the inputs.
#pragma once

#include "app/gui/views/view.h"

namespace lanescope::gui {

struct WhySettings {
    bool ofVariable = false;  ///< of the shown variable instead of a cell

    friend bool operator==(const WhySettings&, const WhySettings&) = default;
};

class WhyView final : public View {
public:
    WhyView();
    [[nodiscard]] Result<ViewDataPointer> compute(AnalysisCache& cache, const Snapshot& snapshot,
                                                  const ViewSettings& settings) const override;
    void paint(Canvas& canvas, const Snapshot& snapshot, const ViewData& data,
               const ViewSettings& settings) const override;
};

}  // namespace lanescope::gui
