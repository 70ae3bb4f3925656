// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/gui.h"
#include "app/gui/window/application.h"
#include "app/gui/window/gallery_panel.h"
#include "app/gui/window/main_window.h"
#include "app/gui/window/session_store.h"

namespace lanescope::gui {

int runWindow(int& argc, char** argv, const ViewRequest& request)
{
    const ApplicationGuard application(argc, argv);
    const QString executable = QString::fromStdString(request.executable);
    MainWindow window(executable, MainWindow::Use::Interactive);
    window.show();
    LastSession start{QString::fromStdString(request.input), QString::fromStdString(request.focus)};
    if (start.input.isEmpty() && start.focus.isEmpty())
        start = SessionStore::last();
    const bool isFirst = SessionStore::isFirstRun();
    if (start.input.isEmpty() && isFirst)
        start.input = openingProgram(kernelsFolder(executable));
    if (isFirst)
        window.greet();
    QStringList traces{start.input};
    for (const std::string& rank : request.ranks)
        traces << QString::fromStdString(rank);
    if (!start.input.isEmpty())
        window.openRanks(traces, start.focus);
    else  // there is nothing that was open last
        window.actionTable()[Command::Start]->setChecked(true);
    if (!request.compare.empty())
        window.compareWith(QString::fromStdString(request.compare));
    return QApplication::exec();
}

}  // namespace lanescope::gui
