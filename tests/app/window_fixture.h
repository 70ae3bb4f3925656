// SPDX-License-Identifier: GPL-3.0-or-later
// What suites that drive the real window share: a folder of their own, a recorded sample, a window that shows it.
#pragma once

#include <QFile>
#include <QSettings>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <QTest>

#include "app/gui/stage/stage_widget.h"
#include "app/gui/theme/theme.h"
#include "app/gui/window/main_window.h"
#include "tests/app/sample_kernels.h"

namespace lanescope::test {

class WindowFixture : public QObject {
protected:
    QTemporaryDir m_folder;
    static constexpr uint32_t kFaultLine = 16;  ///< where the finding is: the store to a_shared
    QString m_trace;                            ///< of a tiled matmul, 9x9 with tiles of 3x3, and one finding

    void record()
    {
        QStandardPaths::setTestModeEnabled(true);
        QSettings::setPath(QSettings::NativeFormat, QSettings::UserScope, m_folder.path());
        gui::loadFonts();
        m_trace = m_folder.filePath("t.lanes");
        writeTrace(m_trace.toStdString(), [](trace::TraceWriter& writer) {
            writeTiledMatmul(writer, 9, 3);
            trace::Finding finding;
            finding.kind = FindingKind::SharedRace;
            finding.severity = Severity::Error;
            finding.message = "race on a_shared[0][0]";
            finding.kernel = "matmul_tiled";
            finding.buffer = "a_shared";
            finding.cell = {0, 0};
            trace::FindingAccess side;
            side.where = {SourceId{0}, kFaultLine, 40};
            side.access = "write";
            side.block = {1, 1, 0};
            side.thread = {2, 1, 0};
            side.step = 24;
            finding.accesses = {side};
            writer.putFinding(0, finding);
        });
    }

    /// A program that stands in for the recorder.
    QString script(const char* name, const QByteArray& text)
    {
        QFile file(m_folder.filePath(name));
        LS_ASSERT(file.open(QIODevice::WriteOnly));
        file.write("#!/bin/sh\n" + text);
        file.close();
        file.setPermissions(QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner);
        return file.fileName();
    }

    QString program()
    {
        QFile file(m_folder.filePath("p.cu"));
        LS_ASSERT(file.open(QIODevice::WriteOnly));
        file.write("int main() {}\n");
        return file.fileName();
    }

    /// None that there is while nothing is shown.
    static StepIndex stepOf(gui::MainWindow& window)
    {
        const gui::SnapshotPointer snapshot = window.focus().snapshot();
        return snapshot ? snapshot->focus.step : StepIndex{UINT64_MAX};
    }

    std::unique_ptr<gui::MainWindow> opened(const QString& focus)
    {
        auto window =
            std::make_unique<gui::MainWindow>(QStringLiteral("/nowhere/lanescope"), gui::MainWindow::Use::Interactive);
        window->resize(1400, 900);
        window->show();
        window->open(m_trace, focus);
        [&] { QTRY_VERIFY(window->focus().snapshot() != nullptr); }();
        window->views().stage->setFocus();
        QApplication::setActiveWindow(window.get());
        return window;
    }
};

}  // namespace lanescope::test
