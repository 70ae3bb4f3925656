// SPDX-License-Identifier: GPL-3.0-or-later
// The timeline from afar: what each warp does between two barriers, as shares, and what those epochs are called.
#pragma once

#include <QPainter>

#include "app/gui/theme/theme.h"
#include "app/gui/timeline/timeline_layout.h"

namespace lanescope::gui {

/// Whether there are so many steps to a pixel that shares tell more than steps do.
bool showsPhases(const Snapshot& snapshot, const TimelineLayout& layout);
/// A bar from barrier to barrier in each row. Cost: epochs times rows that show.
void paintPhases(QPainter& painter, const Snapshot& snapshot, const TimelineLayout& layout, const Theme& theme);
/// "63 × line 27: acc += …" over the epochs that do the same; over each epoch where there is room.
void paintPhaseNames(QPainter& painter, const Snapshot& snapshot, const TimelineLayout& layout, const Theme& theme);
/// "line 19: acc += …" over the steps that the focused row has of it in a row. Cost: steps that show.
void paintLineNames(QPainter& painter, const Snapshot& snapshot, const TimelineLayout& layout, const Theme& theme);

}  // namespace lanescope::gui
