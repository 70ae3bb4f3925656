// SPDX-License-Identifier: GPL-3.0-or-later
// The timeline from afar: what each warp does between two barriers, as shares, and what those epochs are called; and
// the steps around the focus, of which none can be seen in it.
#pragma once

#include <QPainter>

#include "app/gui/theme/theme.h"
#include "app/gui/timeline/timeline_layout.h"

namespace lanescope::gui {

/// A bar from barrier to barrier in each row. Cost: epochs times rows that show.
void paintPhases(QPainter& painter, const Snapshot& snapshot, const TimelineLayout& layout, const Theme& theme);
/// "63 × line 27: acc += …" over the epochs that do the same; over each epoch where there is room.
void paintPhaseNames(QPainter& painter, const Snapshot& snapshot, const TimelineLayout& layout, const Theme& theme);
/// "line 19: acc += …" over the steps that the focused row has of it in a row. Cost: steps that show.
void paintLineNames(QPainter& painter, const Snapshot& snapshot, const TimelineLayout& layout, const Theme& theme);

/// The focused warp's own steps before and after the focus, each large enough to be seen: in a row for each line of
/// code where there is height, else in one. Nothing where the layout has no lens. Cost: pixels, and the other warps'
/// steps among them.
void paintTimelineLens(QPainter& painter, const Snapshot& snapshot, const TimelineLayout& layout, const Theme& theme);
/// The step under a point of the lens.
std::optional<StepIndex> lensStepAt(const Snapshot& snapshot, const TimelineLayout& layout, QPointF place,
                                    double typeScale);

}  // namespace lanescope::gui
