// SPDX-License-Identifier: GPL-3.0-or-later
// A shared-memory request in its 32 banks, the conflicts of every line, and what another layout would cost.
#pragma once

#include "app/gui/views/view.h"
#include "core/analysis/bank_layout.h"

namespace lanescope::gui {

/// How the shared arrays are laid out in the what-if.
struct BanksSettings {
    analysis::SharedLayout layout;

    friend bool operator==(const BanksSettings& a, const BanksSettings& b)
    {
        return a.layout.padElements == b.layout.padElements && a.layout.swizzle == b.layout.swizzle;
    }
};

class BanksView final : public View {
public:
    BanksView();
    [[nodiscard]] bool followsSelection() const override { return true; }
    [[nodiscard]] Result<ViewDataPointer> compute(AnalysisCache& cache, const Snapshot& snapshot,
                                                  const ViewSettings& settings) const override;
    void paint(Canvas& canvas, const Snapshot& snapshot, const ViewData& data,
               const ViewSettings& settings) const override;
    [[nodiscard]] std::optional<ViewSettings> afterKey(int key, const ViewSettings& settings) const override;
};

}  // namespace lanescope::gui
