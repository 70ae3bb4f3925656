// SPDX-License-Identifier: GPL-3.0-or-later
// Rows are epochs, columns the elements of one buffer; arcs join what a thread read to what it then wrote.
#pragma once

#include "app/gui/views/view.h"

namespace lanescope::gui {

class SweepView final : public View {
public:
    [[nodiscard]] QString name() const override { return QStringLiteral("sweep"); }
    [[nodiscard]] QString title() const override { return QStringLiteral("Sweep"); }
    [[nodiscard]] Result<ViewDataPointer> compute(AnalysisCache& cache, const Snapshot& snapshot,
                                                  const ViewSettings& settings) const override;
    void paint(Canvas& canvas, const Snapshot& snapshot, const ViewData& data,
               const ViewSettings& settings) const override;
};

}  // namespace lanescope::gui
