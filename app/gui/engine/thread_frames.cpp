// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/engine/thread_frames.h"

namespace lanescope::gui {

analysis::CallStack ThreadFrames::of(const Snapshot& snapshot)
{
    if (!snapshot.overview || snapshot.overview->rows.empty())
        return {};
    if (m_catalog != snapshot.catalog) {
        m_catalog = snapshot.catalog;
        m_calls.emplace(*m_catalog);
    }
    // Rows of the focused block share the steps of all of it.
    for (const TimelineRow& row : snapshot.overview->rows)
        if (row.focusedBlock && row.steps)
            return m_calls->stackAt(snapshot.launch().kernel, *row.steps, snapshot.warp, snapshot.lane,
                                    snapshot.focus.step);
    return {};
}

}  // namespace lanescope::gui
