// SPDX-License-Identifier: GPL-3.0-or-later
// A global-memory request in its 32-byte sectors, and the sectors per request of every line.
#pragma once

#include "app/gui/views/view.h"

namespace lanescope::gui {

class CoalescingView final : public View {
public:
    CoalescingView();
    [[nodiscard]] bool followsSelection() const override { return true; }
    [[nodiscard]] Result<ViewDataPointer> compute(AnalysisCache& cache, const Snapshot& snapshot,
                                                  const ViewSettings& settings) const override;
    void paint(Canvas& canvas, const Snapshot& snapshot, const ViewData& data,
               const ViewSettings& settings) const override;
};

}  // namespace lanescope::gui
