// SPDX-License-Identifier: GPL-3.0-or-later
// One copy of a box of a tensor: where the box lies on the tensor, what of it is outside, how it lies in shared memory,
// and the tensor map that says so.
#pragma once

#include "app/gui/views/view.h"

namespace lanescope::gui {

class TensorView final : public View {
public:
    TensorView();
    [[nodiscard]] bool hasSubject(const trace::Catalog& catalog) const override;
    [[nodiscard]] Result<ViewDataPointer> compute(AnalysisCache& cache, const Snapshot& snapshot,
                                                  const ViewSettings& settings) const override;
    void paint(Canvas& canvas, const Snapshot& snapshot, const ViewData& data,
               const ViewSettings& settings) const override;
};

}  // namespace lanescope::gui
