// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/stage/stage_picture.h"

#include "app/gui/stage/stage_painter.h"

namespace lanescope::gui {

const ViewDescription& stageDescription()
{
    static const ViewDescription description{.name = "stage",
                                             .title = "Stage",
                                             .help =
                                                 "the blocks, the threads and the buffers that they touch, at a step"};
    return description;
}

void paintWholeStage(QPainter& painter, const StagePicture& picture, const Theme& theme, QSizeF size)
{
    StageScene scene = StageScene::of(picture.snapshot, theme);
    scene.keepOnly(picture.camera);
    scene.leaveRoom(picture.overlays);
    const StageLayout layout = scene.layout(size, theme);
    paintStage(painter, {scene, layout, theme, {}, picture.overlays, {}, size});
}

}  // namespace lanescope::gui
