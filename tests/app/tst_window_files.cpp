// SPDX-License-Identifier: GPL-3.0-or-later
// Drives the real window, offscreen: programs, recordings and other files, and the children that make them.
#include <QClipboard>
#include <QDir>
#include <QDropEvent>
#include <QLabel>
#include <QMenu>
#include <QMimeData>
#include <QPlainTextEdit>
#include <QTabBar>

#include "app/gui/inspector/inspector_widget.h"
#include "app/gui/source/source_view.h"
#include "app/gui/window/banner.h"
#include "app/gui/window/export_dialog.h"
#include "app/gui/window/rank_choice.h"
#include "app/gui/window/session_store.h"
#include "tests/app/window_fixture.h"

using namespace lanescope;
using namespace lanescope::gui;

class WindowFilesTest : public test::WindowFixture {
    Q_OBJECT

private slots:
    void initTestCase() { record(); }

    /// As a recording looks before its first launch.
    void aTraceWithoutLaunchesOpens()
    {
        const QString trace = m_folder.filePath("empty.lanes");
        test::writeTrace(trace.toStdString(), [](auto&) {});
        MainWindow window(QStringLiteral("/nowhere/lanescope"), MainWindow::Use::Interactive);
        window.show();
        window.open(trace, {});
        QTRY_VERIFY(window.views().banner->isVisible());
        QVERIFY(!window.focus().snapshot());
    }

    void ranksOfAJobAreChosen()
    {
        QStringList traces;
        for (uint32_t rank = 0; rank < 3; ++rank) {
            traces << m_folder.filePath(QString("run.%1.lanes").arg(rank));
            test::writeTrace(
                traces.back().toStdString(), [](auto& writer) { test::writeTiledMatmul(writer, 9, 3); },
                trace::ProcessRank{rank, 3});
        }
        MainWindow window(QStringLiteral("/nowhere/lanescope"), MainWindow::Use::Interactive);
        window.show();
        window.openRanks(traces, "block=1,1,0 step=20");
        QTRY_COMPARE(stepOf(window), StepIndex{20});
        RankChoice* const choice = window.views().ranks;
        QVERIFY(choice->isVisible());
        QTRY_COMPARE(choice->itemText(2), QString("rank 2 of 3"));
        window.actionTable()[Command::Rank]->trigger();
        QCOMPARE(window.tracePath(), traces[1]);
        QTRY_COMPARE(stepOf(window), StepIndex{20});
        window.actionTable()[Command::RankBack]->trigger();
        window.actionTable()[Command::RankBack]->trigger();  // there is none before the first
        QCOMPARE(window.tracePath(), traces[0]);
        window.open(m_trace, {});
        QTRY_VERIFY(!choice->isVisible());
    }

    void aMissingFileIsSaid()
    {
        MainWindow window(QStringLiteral("/nowhere/lanescope"), MainWindow::Use::Interactive);
        window.show();
        window.open(m_folder.filePath("gone.lanes"), {});
        QVERIFY(window.views().banner->isVisible());
        QVERIFY(window.views().banner->text().contains("gone.lanes"));
    }

    void aProgramThatDoesNotCompileShowsClangsMessage()
    {
        const QString fake = script("bad", "echo \"$2:3:5: error: expected ';'\" >&2; exit 2\n");
        MainWindow window(fake, MainWindow::Use::Interactive);
        window.show();
        window.open(program(), {});
        QTRY_VERIFY(!window.recorder().isRunning());
        QTRY_VERIFY(window.views().banner->text().contains("3:5: error: expected ';'"));
        QVERIFY(window.views().output->toPlainText().contains("expected ';'"));
        QCOMPARE(window.views().tabs->currentIndex(), int(kOutputTab));
    }

    void aRecordingIsShownWhenTheChildWroteIt()
    {
        const QString fake = script("good", "cp '" + m_trace.toUtf8() + "' \"$4\"; echo done; exit 0\n");
        MainWindow window(fake, MainWindow::Use::Interactive);
        window.show();
        window.open(program(), {});
        QTRY_VERIFY(window.focus().snapshot() != nullptr);
        QTRY_VERIFY(!window.views().banner->isVisible());
        QVERIFY(window.views().output->toPlainText().contains("done"));
    }

    /// Where there is no driver the menu says so; where there is, the recorder is asked for the GPU.
    void theDeviceIsChosen()
    {
        qputenv("LANESCOPE_CUDA_DRIVER", "/nowhere/libcuda.so");
        const QString asked = m_folder.filePath("asked");
        MainWindow window(script("r.sh", "echo \"$@\" > " + asked.toUtf8() + "\n"), MainWindow::Use::Interactive);
        window.show();
        QMenu* menu = window.views().deviceMenu;
        emit menu->aboutToShow();
        QVERIFY(!window.device().gpu()->isEnabled());
        QVERIFY(window.device().gpu()->text().contains("no driver"));
        QCOMPARE(window.device().device(), QString("simulator"));
        qputenv("LANESCOPE_CUDA_DRIVER", "libm.so.6");  // any library will do
        emit menu->aboutToShow();
        QVERIFY(window.device().gpu()->isEnabled());
        window.device().gpu()->trigger();
        window.record(program(), {});
        QTRY_VERIFY(QFile::exists(asked) && !window.recorder().isRunning());
        QFile file(asked);
        QVERIFY(file.open(QIODevice::ReadOnly));
        QVERIFY(file.readAll().trimmed().contains("--device cuda "));
        qputenv("LANESCOPE_CUDA_DRIVER", "/nowhere/libcuda.so");
        emit menu->aboutToShow();
        QCOMPARE(window.device().device(), QString("simulator"));
        qunsetenv("LANESCOPE_CUDA_DRIVER");
    }

    void aGpusTraceSaysWhatItLacks()
    {
        const auto noteOf = [](MainWindow& window) {
            return window.views().inspector->findChild<QLabel*>(QStringLiteral("variablesNote"));
        };
        QVERIFY(!noteOf(*opened("step=0"))->isVisible());
        const std::string path = m_folder.filePath("gpu.lanes").toStdString();
        trace::SessionInfo session = test::sampleSession("sample.cu");
        session.device = "NVIDIA H200";
        session.variablesRecorded = false;
        {
            auto writer = trace::TraceWriter::create(path, session, {0, false});
            QVERIFY(writer.ok());
            test::writeTiledMatmul(*writer.value(), 9, 3);
            QVERIFY(writer.value()->finish(trace::ProgramEnd::exited(0), {}).ok());
        }
        MainWindow window(QStringLiteral("/nowhere/lanescope"), MainWindow::Use::Interactive);
        window.resize(1400, 900);
        window.show();
        window.open(QString::fromStdString(path), {});
        QTRY_VERIFY(window.focus().snapshot() != nullptr);
        QVERIFY(noteOf(window)->isVisible());
        QVERIFY(noteOf(window)->text().contains("NVIDIA H200"));
    }

    void whatIsEditedIsSavedAndRecordedAgain()
    {
        const QString fake = script("edit", "cp '" + m_trace.toUtf8() + "' \"$4\"; cp \"$2\" '" +
                                                m_folder.filePath("seen.cu").toUtf8() + "'; exit 0\n");
        MainWindow window(fake, MainWindow::Use::Interactive);
        window.show();
        window.open(program(), {});
        QTRY_VERIFY(window.focus().snapshot() != nullptr);
        QTRY_VERIFY(!window.recorder().isRunning());
        SourceView* source = window.views().source;
        QVERIFY(source->isReadOnly());
        window.actionTable()[Command::Edit]->setChecked(true);
        source->selectAll();
        source->replaceSelectedText("int main() { return 7; }\n");
        QVERIFY(source->isEdited());
        window.actionTable()[Command::Record]->trigger();
        QTRY_VERIFY(!window.recorder().isRunning());
        QFile seen(m_folder.filePath("seen.cu"));
        QVERIFY(seen.open(QIODevice::ReadOnly));
        QCOMPARE(seen.readAll(), QByteArray("int main() { return 7; }\n"));
        QVERIFY(!source->isEdited());
    }

    /// Keys that step while one reads are the editor's while one edits.
    void keysEditOnlyWhileOneEdits()
    {
        const QString fake = script("keys", "cp '" + m_trace.toUtf8() + "' \"$4\"; exit 0\n");
        MainWindow window(fake, MainWindow::Use::Interactive);
        window.show();
        window.open(program(), {});
        QTRY_VERIFY(window.focus().snapshot() != nullptr);
        QTRY_VERIFY(!window.recorder().isRunning());
        SourceView* source = window.views().source;
        source->setFocus();
        const QString before = source->text();
        const auto step = [&] { return window.focus().snapshot()->focus.step; };
        window.actionTable()[Command::First]->trigger();
        QTRY_COMPARE(step(), StepIndex{0});
        QTest::keyClick(source, Qt::Key_Right);
        QTRY_VERIFY(step() > 0);
        const StepIndex reached = step();
        window.actionTable()[Command::Edit]->setChecked(true);
        source->setCursorPosition(0, 3);
        QTest::keyClick(source, Qt::Key_Home);
        QTest::keyClicks(source, "ab c");
        QTest::keyClick(source, Qt::Key_Left);
        QTest::keyClick(source, Qt::Key_Backspace);
        QCOMPARE(source->text(), QStringLiteral("abc") + before);
        for (int i = 0; i < 8 && source->text() != before; ++i)
            QTest::keyClick(source, Qt::Key_Z, Qt::ControlModifier);
        QCOMPARE(source->text(), before);
        QCOMPARE(step(), reached);
    }

    void compileErrorsAreUnderTheirLines()
    {
        const QString fake = script("marks", "echo \"$2:1:5: error: expected ';'\" >&2; exit 2\n");
        MainWindow window(fake, MainWindow::Use::Interactive);
        window.show();
        window.open(program(), {});
        QTRY_VERIFY(window.views().source->annotation(0).contains("error: expected ';'"));
    }

    void aCrashingChildIsSurvived()
    {
        const QString fake = script("crash", "kill -SEGV $$\n");
        MainWindow window(fake, MainWindow::Use::Interactive);
        window.show();
        window.open(program(), {});
        QTRY_VERIFY(window.views().banner->text().contains("crashed"));
    }

    /// As `lanescope record` tells it; exit statuses 2 and 3 may be the program's own.
    void theBannerSaysHowTheProgramEnded_data()
    {
        QTest::addColumn<QString>("end");
        QTest::addColumn<int>("code");
        QTest::addColumn<QString>("says");
        QTest::newRow("return 2") << "\"how\":\"exited\",\"status\":2" << 2 << "exit status 2";
        QTest::newRow("return 3") << "\"how\":\"exited\",\"status\":3" << 3 << "exit status 3";
        QTest::newRow("crash") << "\"how\":\"signal\",\"signal\":\"SIGSEGV\"" << 139 << "ended by SIGSEGV";
        QTest::newRow("limit") << "\"how\":\"limit\",\"status\":0,\"stopped\":{\"code\":\"limit\",\"kind\":"
                                  "\"step-limit\",\"message\":\"more than 10\"}"
                               << 3 << "A limit stopped the recording, which is shown up to there: more than 10";
        QTest::newRow("livelock") << "\"how\":\"exited\",\"status\":0,\"stopped\":{\"code\":\"limit\",\"kind\":"
                                     "\"livelock\",\"message\":\"at line 7\"}"
                                  << 3 << "A launch can never end, threads that go round for ever: at line 7";
        QTest::newRow("not compiled") << "\"how\":\"not-started\"" << 2 << "could not be compiled or run";
    }
    void theBannerSaysHowTheProgramEnded()
    {
        QFETCH(QString, end);
        QFETCH(int, code);
        QFETCH(QString, says);
        const QString fake =
            script("ends",
                   QString("echo '{\"event\":\"programEnd\",%1}' > /dev/fd/$8\nexit %2\n").arg(end).arg(code).toUtf8());
        MainWindow window(fake, MainWindow::Use::Interactive);
        window.show();
        window.open(program(), {});
        QTRY_VERIFY(!window.recorder().isRunning());
        QTRY_VERIFY2(window.views().banner->text().contains(says), qPrintable(window.views().banner->text()));
    }

    void howFarARecordingIsCanBeSeen()
    {
        const QString fake = script(
            "far", "echo '{\"event\":\"progress\",\"launch\":2,\"kernel\":\"k\",\"blocksDone\":12,\"blocks\":64,"
                   "\"warpInstructions\":3500000,\"seconds\":2.5,\"bytes\":1200000}' > /dev/fd/$8\nexec sleep 30\n");
        MainWindow window(fake, MainWindow::Use::Interactive);
        window.show();
        window.open(program(), {});
        QTRY_VERIFY2(window.views().banner->text().contains(
                         "launch 2, k: 12 of 64 blocks, 3.5 million warp instructions, 2.5 s, 1.2 MB"),
                     qPrintable(window.views().banner->text()));
        window.actionTable()[Command::Cancel]->trigger();
        QTRY_VERIFY_WITH_TIMEOUT(!window.recorder().isRunning(), 4000);
    }

    void aRecordingCanBeCancelled()
    {
        const QString fake = script("slow", "exec sleep 30\n");
        MainWindow window(fake, MainWindow::Use::Interactive);
        window.show();
        window.open(program(), {});
        QTRY_VERIFY(window.recorder().isRunning());
        QTRY_VERIFY(window.views().banner->isVisible());
        window.actionTable()[Command::Cancel]->trigger();
        QTRY_VERIFY_WITH_TIMEOUT(!window.recorder().isRunning(), 4000);
        QVERIFY(window.views().banner->text().contains("cancelled"));
    }

    void aTraceThatIsDeletedStaysReadable()
    {
        const QString trace = m_folder.filePath("short_lived.lanes");
        QVERIFY(QFile::copy(m_trace, trace));
        MainWindow window(QStringLiteral("/nowhere/lanescope"), MainWindow::Use::Interactive);
        window.show();
        window.open(trace, "block=1,1 step=10");
        QTRY_VERIFY(window.focus().snapshot() != nullptr);
        QVERIFY(QFile::remove(trace));
        window.focus().goToText("block=0,2 step=40");
        QTRY_COMPARE(stepOf(window), StepIndex{40});
    }

    void aDamagedTraceIsSaidAndTheWindowGoesOn()
    {
        QFile file(m_trace);
        QVERIFY(file.open(QIODevice::ReadOnly));
        QByteArray bytes = file.readAll();
        for (qsizetype at = 100; at < bytes.size(); at += 7)
            bytes[at] = static_cast<char>(bytes[at] ^ 0x5a);
        QFile damaged(m_folder.filePath("damaged.lanes"));
        QVERIFY(damaged.open(QIODevice::WriteOnly));
        damaged.write(bytes);
        damaged.close();
        const auto window = opened("block=1,1 step=10");
        window->open(damaged.fileName(), {});
        QTRY_VERIFY(window->views().banner->text().contains("damaged.lanes"));
        window->open(m_trace, "block=1,1 step=12");
        QTRY_COMPARE(stepOf(*window), StepIndex{12});
        QVERIFY(!window->views().banner->isVisible());
    }

    void filesAreRememberedAndOpenedAgain()
    {
        {
            const auto window = opened("block=1,1 step=17");
            QCOMPARE(SessionStore::recentFiles().front(), m_trace);
            window->close();
        }
        QCOMPARE(SessionStore::last().input, m_trace);
        QVERIFY(SessionStore::last().focus.contains("step=17"));
        MainWindow window(QStringLiteral("/nowhere/lanescope"), MainWindow::Use::Interactive);
        window.show();
        emit window.views().recentMenu->aboutToShow();
        QVERIFY(!window.views().recentMenu->actions().isEmpty());
        window.views().recentMenu->actions().front()->trigger();
        QTRY_VERIFY(window.focus().snapshot() != nullptr);
    }

    void anExampleIsRecordedOnceAndThenOpensAtOnce()
    {
        const QDir gallery(m_folder.filePath("gallery"));
        QVERIFY(QDir().mkpath(gallery.path()));
        QFile example(gallery.filePath("example.cu"));
        QVERIFY(example.open(QIODevice::WriteOnly));
        example.write("int main() {}\n");
        example.close();
        qputenv("LANESCOPE_KERNELS", gallery.path().toLocal8Bit());
        const QString fake = script("once", "cp '" + m_trace.toUtf8() + "' \"$4\"; echo x >> '" +
                                                m_folder.filePath("runs").toUtf8() + "'\n");
        const auto runs = [this] {
            QFile file(m_folder.filePath("runs"));
            return file.open(QIODevice::ReadOnly) ? file.readAll().count('x') : 0;
        };
        const auto show = [&] {
            MainWindow window(fake, MainWindow::Use::Interactive);
            window.show();
            window.open(example.fileName(), {});
            [&] {
                QTRY_VERIFY(window.focus().snapshot() != nullptr);
                QTRY_VERIFY(!window.recorder().isRunning());
            }();
            QTest::qWait(10);
        };
        show();
        show();
        QCOMPARE(runs(), 1);
        QVERIFY(example.open(QIODevice::Append));
        example.write("// changed\n");
        example.close();
        show();
        QCOMPARE(runs(), 2);
        qunsetenv("LANESCOPE_KERNELS");
    }

    void stepsAreExportedByAChildThatCanBeCancelled()
    {
        const QString seen = m_folder.filePath("arguments");
        const QString child = script("render", "echo \"$@\" > " + seen.toUtf8() +
                                                   "\nfor last; do :; done\n"
                                                   "case \"$last\" in *slow*) echo half > \"$last\"; sleep 60;; "
                                                   "*bad*) echo 'lanescope: error: no room'; exit 2;; esac\n"
                                                   "echo film > \"$last\"\n");
        MainWindow window(child, MainWindow::Use::Interactive);
        window.show();
        window.open(m_trace, "block=1,1 step=10");
        QTRY_VERIFY(window.focus().snapshot() != nullptr);
        const ExportDialog dialog(*window.focus().snapshot(), {}, "sweep");
        const QString good = m_folder.filePath("film.gif");
        window.exportSteps(dialog.arguments(), good);
        QTRY_VERIFY(window.views().banner->text().contains("Saved"));
        QVERIFY(QFile::exists(good));
        QFile arguments(seen);
        QVERIFY(arguments.open(QIODevice::ReadOnly));
        const QString said = QString::fromUtf8(arguments.readAll());
        QVERIFY2(said.startsWith("render " + m_trace) && said.contains("--view sweep") && said.contains("--by line"),
                 qPrintable(said));
        window.exportSteps(dialog.arguments(), m_folder.filePath("bad.gif"));
        QTRY_COMPARE(window.views().banner->text(), QString("lanescope: error: no room"));
        const QString slow = m_folder.filePath("slow.gif");
        window.exportSteps(dialog.arguments(), slow);
        QTRY_VERIFY(QFile::exists(slow));
        emit window.views().banner->actionTriggered();
        QTRY_VERIFY(window.views().banner->text().contains("cancelled"));
        QVERIFY(!QFile::exists(slow));
    }

    void aDroppedTraceIsOpened()
    {
        MainWindow window(QStringLiteral("/nowhere/lanescope"), MainWindow::Use::Interactive);
        window.show();
        QMimeData data;
        data.setUrls({QUrl::fromLocalFile(m_trace)});
        QDragEnterEvent enter(QPoint(20, 20), Qt::CopyAction, &data, Qt::LeftButton, {});
        QApplication::sendEvent(&window, &enter);
        QVERIFY(enter.isAccepted());
        QDropEvent drop(QPointF(20, 20), Qt::CopyAction, &data, Qt::LeftButton, {});
        QApplication::sendEvent(&window, &drop);
        QTRY_VERIFY(window.focus().snapshot() != nullptr);
    }

    void aMissingRecorderIsSaid()
    {
        MainWindow window(QStringLiteral("/nowhere/lanescope"), MainWindow::Use::Interactive);
        window.show();
        window.open(program(), {});
        QTRY_VERIFY(window.views().banner->text().contains("/nowhere/lanescope"));
    }
};

QTEST_MAIN(WindowFilesTest)
#include "tst_window_files.moc"
