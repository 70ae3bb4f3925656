// SPDX-License-Identifier: GPL-3.0-or-later
// The start page and exercises in the real window, offscreen, with the real command.
#include <QAbstractItemModel>
#include <QCoreApplication>
#include <QDir>
#include <QDockWidget>
#include <QFile>
#include <QListView>
#include <QModelIndex>
#include <QSettings>
#include <QStandardPaths>
#include <QTest>
#include <QTreeView>

#include "app/gui/source/source_view.h"
#include "app/gui/stage/stage_widget.h"
#include "app/gui/tour/tour_bar.h"
#include "app/gui/window/banner.h"
#include "app/gui/window/exercise_panel.h"
#include "app/gui/window/main_window.h"
#include "app/gui/window/start_page.h"
#include "core/exercise/sheet.h"
#include "core/exercise/shelf.h"

using namespace lanescope;
using namespace lanescope::gui;

class LearningTest : public QObject {
    Q_OBJECT

    static constexpr int kPatience = 120'000;  // ms

    static QString kernels() { return QStringLiteral(LANESCOPE_KERNELS_FOLDER); }

    static std::unique_ptr<MainWindow> shown()
    {
        auto window = std::make_unique<MainWindow>(QStringLiteral(LANESCOPE_COMMAND), MainWindow::Use::Interactive);
        window->resize(1400, 900);
        window->show();
        QApplication::setActiveWindow(window.get());
        return window;
    }

    static std::unique_ptr<MainWindow> started(const QString& name)
    {
        auto window = shown();
        window->startExercise(name);
        [&] {
            QTRY_VERIFY_WITH_TIMEOUT(window->focus().snapshot() && !window->recorder().isRunning(), kPatience);
            QTRY_VERIFY(window->views().source->text().contains(QStringLiteral(">>> your code, exercise ") + name));
        }();
        return window;
    }

    /// Puts \p code into the hole, as somebody does who types.
    static void write(MainWindow& window, const QString& code)
    {
        SourceView& source = *window.views().source;
        const auto hole = exercise::holeLinesOf(source.text().toStdString());
        QVERIFY(hole.has_value());
        source.setSelection(static_cast<int>(hole->first) - 1, 0, static_cast<int>(hole->last), 0);
        source.replaceSelectedText(code);
        QVERIFY(source.isEdited());
    }

    static QString solutionOf(const QString& name)
    {
        auto task = exercise::load(kernels().toStdString(), name.toStdString());
        return task ? QString::fromStdString(task.value().sheet.solution()) : QString();
    }

    /// Until the verdict is there and the recording of the test that it shows is open.
    static void checkAnswer(MainWindow& window)
    {
        const auto before = window.focus().snapshot()->catalog;
        QTest::keyClick(window.views().source, Qt::Key_Return, Qt::ControlModifier);
        QTRY_VERIFY_WITH_TIMEOUT(
            !window.exercise().runner().isRunning() && window.views().exercise->verdict()->isVisible(), kPatience);
        QTRY_VERIFY_WITH_TIMEOUT(window.focus().snapshot() && window.focus().snapshot()->catalog != before, kPatience);
    }

    static QModelIndex checkStarting(const MainWindow& window, const QString& text)
    {
        const QAbstractItemModel* model = window.views().exercise->verdict()->model();
        for (int test = 0; test < model->rowCount(); ++test)
            for (int check = 0; check < model->rowCount(model->index(test, 0)); ++check)
                if (const QModelIndex index = model->index(check, 0, model->index(test, 0));
                    index.data().toString().contains(text))
                    return index;
        return {};
    }

private slots:
    void initTestCase()
    {
        QStandardPaths::setTestModeEnabled(true);
        QCoreApplication::setOrganizationName("lanescope");
        QCoreApplication::setApplicationName("lanescope-test-learning");
        loadFonts();
        qputenv("LANESCOPE_KERNELS", kernels().toUtf8());
        QSettings().clear();
        QDir(QStandardPaths::writableLocation(QStandardPaths::AppDataLocation)).removeRecursively();
    }

    void anExerciseIsWrittenCheckedAndSolved()
    {
        const auto window = started("12_prefix_sum");
        QVERIFY(window->views().exerciseDock->isVisible());
        QVERIFY(!window->views().source->isReadOnly());
        QVERIFY(!window->views().exercise->text().contains("Hint 1."));
        QVERIFY(!window->views().exercise->text().contains("One solution"));
        // A wrong answer leads to the step that is wrong.
        write(*window, "    int from = 0;\n"
                       "    shared[0][threadIdx.x] = local_i < size ? a[local_i] : 0.0f;\n"
                       "    __syncthreads();\n"
                       "    for (int offset = 1; offset < TPB; offset *= 2) {\n"
                       "        if (local_i >= offset)\n"
                       "            shared[0][local_i] += shared[0][local_i - offset];\n"
                       "        __syncthreads();\n"
                       "    }\n"
                       "    if (local_i < size)\n"
                       "        out[local_i] = shared[from][local_i];\n");
        checkAnswer(*window);
        QVERIFY(window->views().exercise->text().contains("Not yet"));
        const QModelIndex race = checkStarting(*window, "→");
        QVERIFY(race.isValid());
        QTRY_VERIFY(window->focus().snapshot() && window->focus().snapshot()->focus.step > 0);
        window->focus().goToText("step=0");
        QTRY_COMPARE(window->focus().snapshot()->focus.step, StepIndex{0});
        emit window->views().exercise->verdict()->clicked(race);
        QTRY_VERIFY(window->focus().snapshot()->focus.step > 0);
        // Hints come one by one.
        window->actionTable()[Command::Hint]->trigger();
        QVERIFY(window->views().exercise->text().contains("Hint 1."));
        QVERIFY(!window->views().exercise->text().contains("Hint 2."));
        // And the right one solves it.
        write(*window, solutionOf("12_prefix_sum"));
        checkAnswer(*window);
        QVERIFY2(window->views().exercise->text().contains("Solved"), qPrintable(window->views().exercise->text()));
        QVERIFY(window->views().exercise->text().contains("One solution"));
        const auto entries = window->exercise().list();
        QCOMPARE(std::ranges::count_if(entries, &ExerciseEntry::isSolved), 1);
    }

    void anAnswerOutlivesTheWindow()
    {
        {
            const auto window = started("02_zip");
            write(*window, "    // mine\n");
            window->checkAnswer();
            QTRY_VERIFY_WITH_TIMEOUT(!window->exercise().runner().isRunning(), kPatience);
            window->close();
        }
        const auto window = started("02_zip");
        QVERIFY(window->views().source->text().contains("    // mine\n"));
        window->throwAnswerAway();
        QTRY_VERIFY_WITH_TIMEOUT(!window->views().source->text().contains("    // mine\n"), kPatience);
    }

    void whatDoesNotCompileIsSaidInTheSource()
    {
        const auto window = started("01_map");
        write(*window, "    nonsense\n");
        window->checkAnswer();
        QTRY_VERIFY_WITH_TIMEOUT(window->views().banner->text().contains("does not compile"), kPatience);
        bool told = false;
        for (int line = 0; line < window->views().source->lines(); ++line)
            told |= window->views().source->annotation(line).contains("error");
        QVERIFY(told);
        window->throwAnswerAway();
    }

    void anotherProgramEndsTheExercise()
    {
        const auto window = started("01_map");
        window->open(kernels() + "/01_map.cu", {});
        QVERIFY(!window->views().exerciseDock->isVisible());
        QVERIFY(!window->actionTable()[Command::CheckAnswer]->isEnabled());
        QVERIFY(window->views().source->isReadOnly());
    }

    void theStartPageTakesTheWholeWindowAndGivesItBack()
    {
        const auto window = shown();
        window->open(kernels() + "/14_matmul_tiled.cu", {});
        QTRY_VERIFY_WITH_TIMEOUT(window->focus().snapshot() && !window->recorder().isRunning(), kPatience);
        QTest::keyClick(window.get(), Qt::Key_Home, Qt::AltModifier);
        StartPage& page = *window->views().start;
        QVERIFY(page.isVisible());
        QVERIFY(!window->views().stage->isVisible());
        QVERIFY(!window->views().sourceDock->isVisible());
        QVERIFY(page.lists()[0]->model()->rowCount() > 20);
        QCOMPARE(page.lists()[1]->model()->rowCount(), 20);
        QVERIFY(page.lists()[2]->model()->rowCount() > 0);
        QVERIFY(page.lists()[0]->hasFocus());
        QTest::keyClick(page.lists()[0], Qt::Key_Escape);
        QVERIFY(!page.isVisible());
        QVERIFY(window->views().stage->isVisible());
        QVERIFY(window->views().sourceDock->isVisible());
    }

    void theStartPageStartsATourByTheKeyboard()
    {
        const auto window = shown();
        window->actionTable()[Command::Start]->setChecked(true);
        QListView* tours = window->views().start->lists()[0];
        QTest::keyClick(tours, Qt::Key_Right);
        QCOMPARE(tours->currentIndex().row(), 1);
        QTest::keyClick(tours, Qt::Key_Return);
        QVERIFY(!window->views().start->isVisible());
        QTRY_VERIFY_WITH_TIMEOUT(window->tour().position().has_value(), kPatience);
        QVERIFY(window->views().tourBar->isVisible());
    }

    void thumbnailsAreDrawnOneByOne()
    {
        const auto window = shown();
        window->actionTable()[Command::Start]->setChecked(true);
        const QString program =
            window->views().start->lists()[0]->model()->index(0, 0).data(Qt::UserRole + 3).toString();
        QVERIFY(QFile::exists(program));
        Thumbnails& thumbnails = window->thumbnails();
        QTRY_VERIFY_WITH_TIMEOUT(!thumbnails.of({program, true}).isNull(), kPatience);
        QCOMPARE(thumbnails.of({program, true}).size(), Thumbnails::kSize);
    }
};

QTEST_MAIN(LearningTest)
#include "tst_learning.moc"
