// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/views/ring/ring_layout.h"

#include <algorithm>

namespace lanescope::gui {

RingLayout::RingLayout(const analysis::Ring& ring, const QRectF& area, double rowHeight, double focus, double scroll)
    : m_area(area)
{
    for (const analysis::StageSpan& span : ring.spans)
        m_steps.push_back(span.first);
    for (const analysis::WarpSpan& span : ring.activities)
        if (span.isEndless)
            m_steps.push_back(span.first);
    m_steps.push_back(ring.steps);
    std::ranges::sort(m_steps);
    const auto same = std::ranges::unique(m_steps);
    m_steps.erase(same.begin(), same.end());
    const size_t rows = std::max<size_t>(1, m_steps.size() - 1);
    m_visible = std::clamp<size_t>(static_cast<size_t>(area.height() / rowHeight), 1, rows);
    constexpr double kMostStretch = 1.6;
    m_rowHeight = std::min(area.height() / static_cast<double>(m_visible), rowHeight * kMostStretch);
    const auto at = static_cast<size_t>(std::max<std::ptrdiff_t>(
        0, std::ranges::upper_bound(m_steps, static_cast<StepIndex>(focus)) - m_steps.begin() - 1));
    const size_t most = rows - m_visible;
    const size_t following = at > m_visible / 2 ? at - m_visible / 2 : 0;
    m_first = std::min(most, scroll > 0 ? static_cast<size_t>(scroll) : following);
}

double RingLayout::yOf(StepIndex step) const
{
    const auto behind = std::ranges::upper_bound(m_steps, step);
    double row = 0;
    if (behind == m_steps.end()) {
        row = static_cast<double>(m_steps.size() - 1);
    } else if (behind != m_steps.begin()) {
        const auto before = std::prev(behind);
        row = static_cast<double>(before - m_steps.begin()) +
              static_cast<double>(step - *before) / static_cast<double>(*behind - *before);
    }
    return m_area.top() + (row - static_cast<double>(m_first)) * m_rowHeight;
}

}  // namespace lanescope::gui
