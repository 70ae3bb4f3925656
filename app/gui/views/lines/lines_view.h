// SPDX-License-Identifier: GPL-3.0-or-later
// Accesses, sectors, wavefronts and conflicts of every access or source line, sortable.
#pragma once

#include "app/gui/views/view.h"

namespace lanescope::gui {

struct LinesSettings {
    bool byLine = false;  ///< a row for each line, else for each access in it

    friend bool operator==(const LinesSettings&, const LinesSettings&) = default;
};

class LinesView final : public View {
public:
    LinesView();
    [[nodiscard]] bool followsSelection() const override { return true; }
    [[nodiscard]] Result<ViewDataPointer> compute(AnalysisCache& cache, const Snapshot& snapshot,
                                                  const ViewSettings& settings) const override;
    void paint(Canvas& canvas, const Snapshot& snapshot, const ViewData& data,
               const ViewSettings& settings) const override;
    [[nodiscard]] std::optional<ViewSettings> afterKey(int key, const ViewSettings& settings) const override;
};

}  // namespace lanescope::gui
