// SPDX-License-Identifier: GPL-3.0-or-later
// Accesses, sectors, wavefronts and conflicts of every access, source line or function, and how often arithmetic,
// shuffles and votes were run; sortable.
#pragma once

#include "app/gui/views/view.h"

namespace lanescope::gui {

struct LinesSettings {
    /// Accesses are with branches and what the lanes of a warp exchange, operations with arithmetic, too.
    enum class Rows : uint8_t { Access, Line, Function, Operation };
    Rows rows = Rows::Access;  ///< what each row is the sum of

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
