// SPDX-License-Identifier: GPL-3.0-or-later
// In words, beside the ring: who waits for whom where nobody goes on, and what orders each reuse of a stage.
#pragma once

#include "app/gui/engine/snapshot.h"
#include "app/gui/views/canvas.h"
#include "app/gui/views/line_table.h"
#include "core/analysis/ring.h"

namespace lanescope::gui {

/// "full[1]" of "storage.ring.full[1]".
QString shortName(const analysis::RingBarrier& barrier);

/// That the card takes at that width.
double ringCardHeight(const Canvas& canvas, const analysis::Ring& ring, double width);
void paintRingCard(Canvas& canvas, const QRectF& area, const Snapshot& snapshot, const analysis::Ring& ring);

}  // namespace lanescope::gui
