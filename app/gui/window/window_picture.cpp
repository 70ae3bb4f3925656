// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/window/window_picture.h"

#include <QCoreApplication>

#include "app/gui/stage/stage_widget.h"
#include "app/gui/window/gallery_panel.h"
#include "app/gui/window/main_window.h"

namespace lanescope::gui {

const ViewDescription& windowDescription()
{
    static const ViewDescription description{.name = "window", .title = "Window", .help = "the whole window"};
    return description;
}

Drawing windowDrawing(const SnapshotPointer& snapshot, const QString& theme, QSize size, const Overlays& overlays)
{
    return [=](QPainter& painter) {
        MainWindow window(QCoreApplication::applicationFilePath(), MainWindow::Use::Picture);
        window.setAttribute(Qt::WA_DontShowOnScreen);
        window.resize(size);
        window.setThemeName(theme);
        window.show();
        QCoreApplication::processEvents();
        window.resize(size);
        arrangeDocks(window, window.views());
        QCoreApplication::processEvents();
        window.views().gallery->setCatalog(snapshot->catalog);
        for (Overlay overlay : overlays)
            window.views().stage->setOverlay(overlay, true);
        window.showSnapshot(snapshot);
        QCoreApplication::processEvents();
        window.render(&painter);
    };
}

}  // namespace lanescope::gui
