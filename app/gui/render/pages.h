// SPDX-License-Identifier: GPL-3.0-or-later
// The pages of a picture: the moments that a request names, and the drawing of its view at each of them.
#pragma once

#include "app/gui/engine/snapshot_builder.h"
#include "app/gui/export/picture.h"
#include "app/gui/gui.h"
#include "app/gui/stage/stage_scene.h"

namespace lanescope::gui {

/// One drawing for each focus of the request; it names a view that there is.
Result<std::vector<Drawing>> pagesOf(SnapshotBuilder& builder, const RenderRequest& request, const Overlays& overlays,
                                     const StageCamera& camera);

}  // namespace lanescope::gui
