// SPDX-License-Identifier: GPL-3.0-or-later
// What the checks found: the message, the code, and each side of it, which can be gone to.
#pragma once

#include "app/gui/views/view.h"

namespace lanescope::gui {

struct FindingsSettings {
    std::string only;  ///< kind or severity that is shown; empty = all

    friend bool operator==(const FindingsSettings&, const FindingsSettings&) = default;
};

class FindingsView final : public View {
public:
    FindingsView();
    [[nodiscard]] bool followsSelection() const override { return true; }
    [[nodiscard]] Result<ViewDataPointer> compute(AnalysisCache& cache, const Snapshot& snapshot,
                                                  const ViewSettings& settings) const override;
    void paint(Canvas& canvas, const Snapshot& snapshot, const ViewData& data,
               const ViewSettings& settings) const override;
    [[nodiscard]] QString tabTitle(const trace::Catalog& catalog) const override;
};

}  // namespace lanescope::gui
