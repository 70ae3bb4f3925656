// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/gui.h"
#include "app/gui/window/application.h"
#include "app/gui/window/gallery_panel.h"
#include "app/gui/window/main_window.h"

namespace lanescope::gui {

int runWindow(int& argc, char** argv, const ViewRequest& request)
{
    const ApplicationGuard application(argc, argv);
    const QString executable = QString::fromStdString(request.executable);
    MainWindow window(executable, MainWindow::Use::Interactive);
    window.show();
    QString input = QString::fromStdString(request.input);
    if (input.isEmpty())
        input = openingProgram(kernelsFolder(executable));
    if (!input.isEmpty())
        window.open(input, QString::fromStdString(request.focus));
    if (!request.compare.empty())
        window.compareWith(QString::fromStdString(request.compare));
    return QApplication::exec();
}

}  // namespace lanescope::gui
