// SPDX-License-Identifier: GPL-3.0-or-later
// Which lane and register holds which element of the matrices of an instruction (mma, wgmma, ldmatrix, stmatrix), and,
// of those that move memory, where each element lies.
#pragma once

#include "app/gui/views/view.h"

namespace lanescope::gui {

struct FragmentSettings {
    std::string instruction;   ///< empty: the one at the focused step, or the first that there is
    bool showsValues = false;  ///< in the place of lanes and registers

    friend bool operator==(const FragmentSettings&, const FragmentSettings&) = default;
};

class FragmentView final : public View {
public:
    FragmentView();
    [[nodiscard]] Result<ViewDataPointer> compute(AnalysisCache& cache, const Snapshot& snapshot,
                                                  const ViewSettings& settings) const override;
    void paint(Canvas& canvas, const Snapshot& snapshot, const ViewData& data,
               const ViewSettings& settings) const override;
};

}  // namespace lanescope::gui
