// SPDX-License-Identifier: GPL-3.0-or-later
// Where the ring's steps and columns lie.
#pragma once

#include <QRectF>

#include <vector>

#include "core/analysis/ring.h"

namespace lanescope::gui {

/// Time runs downwards, a row to each change of a stage, however many steps it takes.
class RingLayout {
public:
    /// \p rowHeight: least pixels of a row, which gets more where there is room. \p focus: a step that is to be seen
    /// while \p scroll, in rows, is 0.
    RingLayout(const analysis::Ring& ring, const QRectF& area, double rowHeight, double focus, double scroll);

    [[nodiscard]] double yOf(StepIndex step) const;
    [[nodiscard]] const QRectF& area() const { return m_area; }
    [[nodiscard]] bool isCut() const { return m_visible < m_steps.size() - 1; }
    [[nodiscard]] size_t first() const { return m_first; }
    [[nodiscard]] size_t rows() const { return m_steps.size() - 1; }
    [[nodiscard]] size_t visible() const { return m_visible; }

private:
    QRectF m_area;
    std::vector<StepIndex> m_steps;  ///< where rows begin, and where the last ends
    double m_rowHeight = 1;
    size_t m_first = 0;
    size_t m_visible = 0;
};

}  // namespace lanescope::gui
