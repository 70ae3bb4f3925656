// SPDX-License-Identifier: GPL-3.0-or-later
// A stop of a guided tour as `render` draws it: where in the trace it is, and its caption under the picture.
#pragma once

#include <QString>

#include "app/gui/engine/snapshot_builder.h"
#include "app/gui/export/picture.h"
#include "app/gui/gui.h"
#include "core/tour/tour.h"

namespace lanescope::gui {

struct TouredStop {
    tour::Stop stop;
    tour::Place place;
    QString position;  ///< "2 of 6"
};

/// The stop that the request names. Errors: no tour, no such stop, or one that does not fit the trace.
Result<TouredStop> touredStop(SnapshotBuilder& builder, const RenderRequest& request);
/// \p drawing with the stop's caption under it, \p captionHeight pixels high.
Drawing captioned(const Drawing& drawing, const TouredStop& stop, const RenderRequest& request, double captionHeight);

}  // namespace lanescope::gui
