// SPDX-License-Identifier: GPL-3.0-or-later
// The real main window, grabbed.
#pragma once

#include "app/gui/export/picture.h"
#include "app/gui/stage/stage_scene.h"
#include "app/gui/view_description.h"

namespace lanescope::gui {

const ViewDescription& windowDescription();

/// A drawing of the main window at \p size showing \p snapshot.
Drawing windowDrawing(const SnapshotPointer& snapshot, const QString& theme, QSize size, const Overlays& overlays);

}  // namespace lanescope::gui
