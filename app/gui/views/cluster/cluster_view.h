// SPDX-License-Identifier: GPL-3.0-or-later
// The blocks of a cluster side by side: what each does to the others' shared memory, between the cluster's barriers.
#pragma once

#include "app/gui/views/view.h"

namespace lanescope::gui {

class ClusterView final : public View {
public:
    ClusterView();
    [[nodiscard]] bool followsSelection() const override { return true; }
    [[nodiscard]] bool hasSubject(const trace::Catalog& catalog) const override;
    [[nodiscard]] Result<ViewDataPointer> compute(AnalysisCache& cache, const Snapshot& snapshot,
                                                  const ViewSettings& settings) const override;
    void paint(Canvas& canvas, const Snapshot& snapshot, const ViewData& data,
               const ViewSettings& settings) const override;
};

}  // namespace lanescope::gui
