// SPDX-License-Identifier: GPL-3.0-or-later
// The whole launch: every block's steps in a row of its own, on one scale, so that what is longer, parts or waits
// stands out.
#pragma once

#include "app/gui/views/view.h"

namespace lanescope::gui {

struct BlocksSettings {
    /// What the colours of the map of the grid are.
    enum class Map : uint8_t { Patterns, Steps, Divergence, Findings };
    Map map = Map::Patterns;

    friend bool operator==(const BlocksSettings&, const BlocksSettings&) = default;
};

class BlocksView final : public View {
public:
    BlocksView();
    [[nodiscard]] bool followsSelection() const override { return true; }
    [[nodiscard]] Result<ViewDataPointer> compute(AnalysisCache& cache, const Snapshot& snapshot,
                                                  const ViewSettings& settings) const override;
    void paint(Canvas& canvas, const Snapshot& snapshot, const ViewData& data,
               const ViewSettings& settings) const override;
    [[nodiscard]] std::optional<ViewSettings> afterKey(int key, const ViewSettings& settings) const override;
};

}  // namespace lanescope::gui
