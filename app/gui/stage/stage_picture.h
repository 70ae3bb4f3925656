// SPDX-License-Identifier: GPL-3.0-or-later
// The stage as a picture of its own: all of it, at home.
#pragma once

#include <QPainter>

#include "app/gui/stage/stage_scene.h"
#include "app/gui/view_description.h"

namespace lanescope::gui {

const ViewDescription& stageDescription();

struct StagePicture {
    SnapshotPointer snapshot;
    Overlays overlays;
    StageCamera camera;
};

void paintWholeStage(QPainter& painter, const StagePicture& picture, const Theme& theme, QSizeF size);

}  // namespace lanescope::gui
