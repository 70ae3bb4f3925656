// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/stage/stage_picture.h"

#include "app/gui/stage/stage_painter.h"

namespace lanescope::gui {

void paintWholeStage(QPainter& painter, const StagePicture& picture, const Theme& theme, QSizeF size)
{
    StageScene scene = StageScene::of(picture.snapshot, theme);
    scene.keepOnly(picture.camera);
    scene.leaveRoom(picture.overlays);
    const StageLayout layout = StageLayout::compute(scene.specs, size, theme.typeScale);
    paintStage(painter, {scene, layout, theme, {}, picture.overlays, {}, size});
}

}  // namespace lanescope::gui
