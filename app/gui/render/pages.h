// SPDX-License-Identifier: GPL-3.0-or-later
// The pages of a picture: the moments that a request names, and the drawing of its view at each of them.
#pragma once

#include "app/gui/engine/snapshot_builder.h"
#include "app/gui/export/picture.h"
#include "app/gui/export/steps_page.h"
#include "app/gui/gui.h"
#include "app/gui/stage/stage_scene.h"

namespace lanescope::gui {

/// One drawing for each focus of the request; it names a view that there is.
Result<std::vector<Drawing>> pagesOf(SnapshotBuilder& builder, const RenderRequest& request, const Overlays& overlays,
                                     const StageCamera& camera);
/// What a page says of each of them, in the same order, and the title of the whole.
struct PageWords {
    QString title;
    std::vector<StepWords> steps;
    std::map<QString, QString> sources;  ///< texts of the files that the steps name, by path
};
Result<PageWords> wordsOf(SnapshotBuilder& builder, const RenderRequest& request);

}  // namespace lanescope::gui
