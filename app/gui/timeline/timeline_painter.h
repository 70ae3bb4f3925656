// SPDX-License-Identifier: GPL-3.0-or-later
// Draws the timeline: the body, which a widget may cache, and the scrubber on top of it.
#pragma once

#include <QPainter>

#include "app/gui/theme/theme.h"
#include "app/gui/timeline/timeline_layout.h"
#include "app/gui/view_description.h"

namespace lanescope::gui {

const ViewDescription& timelineDescription();

/// Rows, walls, epochs, flags; the background too. Cost: pixels, or one pass over the visible steps where they are few.
void paintTimelineBody(QPainter& painter, const Snapshot& snapshot, const TimelineLayout& layout, const Theme& theme,
                       QSizeF size);
/// The line of text under the plot, over its own background: changes with every step, unlike the body.
void paintTimelineLegend(QPainter& painter, const Snapshot& snapshot, const TimelineLayout& layout, const Theme& theme);
/// The line between what has run and what is next, and the epoch in which it is.
/// All of the block's steps, the shown ones framed; nothing while all are shown.
void paintTimelineMap(QPainter& painter, const Snapshot& snapshot, const TimelineLayout& layout, const Theme& theme);
void paintScrubber(QPainter& painter, const Snapshot& snapshot, const TimelineLayout& layout, const Theme& theme);
/// All of it, with every step of the block: a picture of its own.
void paintWholeTimeline(QPainter& painter, const Snapshot& snapshot, const Theme& theme, QSizeF size);

}  // namespace lanescope::gui
