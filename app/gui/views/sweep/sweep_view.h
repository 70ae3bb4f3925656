// SPDX-License-Identifier: GPL-3.0-or-later
// Rows are epochs, columns the elements of one buffer; arcs join what a thread read to what it then wrote.
#pragma once

#include "app/gui/views/view.h"

namespace lanescope::gui {

struct SweepSettings {
    std::optional<BufferId> buffer;  ///< none: as analysis::traceSweep chooses

    friend bool operator==(const SweepSettings&, const SweepSettings&) = default;
};

class SweepView final : public View {
public:
    SweepView();
    [[nodiscard]] bool followsSelection() const override { return true; }
    [[nodiscard]] Result<ViewDataPointer> compute(AnalysisCache& cache, const Snapshot& snapshot,
                                                  const ViewSettings& settings) const override;
    void paint(Canvas& canvas, const Snapshot& snapshot, const ViewData& data,
               const ViewSettings& settings) const override;
    void aim(ViewSettings& settings, const Snapshot& snapshot) const override;
    void leaveLaunch(ViewSettings& settings) const override;
};

}  // namespace lanescope::gui
