// SPDX-License-Identifier: GPL-3.0-or-later
// Opens every program of the gallery in the real window, offscreen, and plays its tour: the recorder runs, every stop
// is found, and no message appears.
#include <QDirIterator>
#include <QLabel>
#include <QPixmap>
#include <QSettings>
#include <QStandardPaths>
#include <QTabBar>
#include <QTemporaryDir>
#include <QTest>

#include <algorithm>

#include "app/gui/stage/stage_widget.h"
#include "app/gui/theme/theme.h"
#include "app/gui/tour/tour_bar.h"
#include "app/gui/tour/tour_library.h"
#include "app/gui/views/view_widget.h"
#include "app/gui/window/banner.h"
#include "app/gui/window/main_window.h"
#include "tests/support/sampling.h"

using namespace lanescope;
using namespace lanescope::gui;

class ToursTest : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;

    static QString kernels() { return QStringLiteral(LANESCOPE_KERNELS_FOLDER); }
    static QString tours() { return QStringLiteral(LANESCOPE_TOURS_FOLDER); }

    static void addPrograms()
    {
        QTest::addColumn<QString>("program");
        for (QDirIterator it(kernels(), {"*.cu"}, QDir::Files, QDirIterator::Subdirectories); it.hasNext();)
            if (const QString path = it.next(); lanescope::test::sampled())
                QTest::newRow(qPrintable(QFileInfo(path).completeBaseName())) << path;
    }

    /// A message other than that of a recording that is going on.
    static QString message(const MainWindow& window)
    {
        const Banner& banner = *window.views().banner;
        return banner.isVisible() ? banner.text() : QString();
    }

    static void press(MainWindow& window, Qt::Key key)
    {
        QTest::keyClick(&window, key);
        QCoreApplication::processEvents();
    }

private slots:
    void initTestCase()
    {
        QStandardPaths::setTestModeEnabled(true);
        QSettings::setPath(QSettings::NativeFormat, QSettings::UserScope, m_folder.path());
        // The programs that other tests have compiled need not be compiled again.
        qputenv("XDG_CACHE_HOME", (QCoreApplication::applicationDirPath() + "/test-cache").toLocal8Bit());
        loadFonts();
    }

    void everyTourIsReadableAndNamesAProgram()
    {
        int count = 0;
        for (QDirIterator it(tours(), {"*.tour"}, QDir::Files, QDirIterator::Subdirectories); it.hasNext(); ++count) {
            const QString path = it.next();
            const auto tour = readTour(path);
            QVERIFY2(tour.ok(), tour ? "" : tour.error().text().c_str());
            const QString program = kernels() + "/" + QString::fromStdString(tour.value().program);
            QVERIFY2(QFile::exists(program), qPrintable(program));
            QCOMPARE(QFileInfo(program).completeBaseName(), QFileInfo(path).completeBaseName());
            QVERIFY2(tourThrough(program).has_value(), "not in lanescope.qrc");
            for (const tour::Stop& stop : tour.value().stops) {
                QVERIFY2(overlaysNamed(stop.overlays).ok(), stop.title.c_str());
                QVERIFY2(stop.view.empty() || viewNamed(QString::fromStdString(stop.view)), stop.view.c_str());
                constexpr size_t kReadableFromAfar = 360;
                QVERIFY2(stop.caption.size() <= kReadableFromAfar, stop.title.c_str());
            }
            QVERIFY2(std::ranges::any_of(tour.value().stops, asks), qPrintable(path + " asks nothing"));
            QVERIFY2(!asks(tour.value().stops.back()), "its last question stays without an answer");
        }
        QVERIFY(count >= 20);
    }

    void everyPublishedMistakeHasATour()
    {
        for (QDirIterator it(kernels(), {"*.cu", "mistake_*.mojo"}, QDir::Files, QDirIterator::Subdirectories);
             it.hasNext();) {
            const QString path = it.next();
            const bool isMistake = path.contains("/as_published/") || path.contains("/mistake_");
            QVERIFY2(!isMistake || tourThrough(path).has_value(), qPrintable(path));
        }
    }

    void aProgramInMojoHasTheTourOfItsTwinInCuda()
    {
        for (QDirIterator it(kernels() + "/mojo", {"*.mojo"}, QDir::Files); it.hasNext();) {
            const QString path = it.next();
            const QString twin = kernels() + "/" + QFileInfo(path).completeBaseName() + ".cu";
            const auto mojo = tourThrough(path), cuda = tourThrough(twin);
            if (!QFile::exists(twin))
                continue;
            QCOMPARE(mojo.has_value(), cuda.has_value());
            if (mojo)
                QCOMPARE(mojo->stops.size(), cuda->stops.size());
        }
    }

    /// In lecture mode the caption stays, in large type.
    void aTourPlaysInLectureMode()
    {
        const QString program = kernels() + "/14_matmul_tiled.cu";
        MainWindow window(QStringLiteral(LANESCOPE_COMMAND), MainWindow::Use::Interactive);
        window.show();
        window.open(program, {});
        QTRY_VERIFY_WITH_TIMEOUT(window.tour().tour() && window.focus().snapshot(), 120'000);
        window.actionTable()[Command::Lecture]->setChecked(true);
        window.resize(1920, 1080);
        window.actionTable()[Command::Tour]->setChecked(true);
        press(window, Qt::Key_Right);
        QTRY_COMPARE(window.tour().position(), std::optional<size_t>(1));
        reached(window, window.tour().tour()->stops[1]);
        QVERIFY(window.views().tourBar->isVisible());
        const auto* caption = window.findChild<QLabel*>(QStringLiteral("tourCaption"));
        QVERIFY(QFontInfo(caption->font()).pixelSize() >= 20);
        keepPicture(window, QStringLiteral("lecture"));
        window.actionTable()[Command::Lecture]->setChecked(false);
    }

    void everyProgramOpensAndItsTourPlays_data() { addPrograms(); }
    void everyProgramOpensAndItsTourPlays()
    {
        QFETCH(QString, program);
        MainWindow window(QStringLiteral(LANESCOPE_COMMAND), MainWindow::Use::Interactive);
        window.resize(1400, 900);
        window.show();
        window.open(program, {});
        QTRY_VERIFY_WITH_TIMEOUT(window.focus().snapshot() && !window.recorder().isRunning(), 120'000);
        QTRY_VERIFY(window.focus().snapshot()->catalog->session.finished);
        // Programs with a published mistake return 1, which the window says.
        const std::optional<int> status = window.focus().snapshot()->catalog->session.programEnd.status;
        QVERIFY(status);
        QTRY_COMPARE(message(window),
                     *status == 0 ? QString() : QString("The program ended with exit status %1.").arg(*status));
        QVERIFY(!window.grab().isNull());
        const std::optional<tour::Tour> tour = tourThrough(program);
        QTRY_COMPARE(window.tour().tour() != nullptr, tour.has_value());
        if (tour) {
            answersComeLater(window, *tour);
            play(window, *tour);
        }
    }

private:
    /// What will be seen at the next stop.
    static bool asks(const tour::Stop& stop) { return stop.caption.find('?') != std::string::npos; }

    /// The program has gone on between a question and the stop that answers it.
    static void answersComeLater(const MainWindow& window, const tour::Tour& tour)
    {
        auto session = replay::Session::open(window.tracePath().toStdString());
        QVERIFY(session.ok());
        for (size_t i = 0; i + 1 < tour.stops.size(); ++i) {
            const auto asked = tour::placeOf(*session.value(), tour.stops[i]);
            const auto answered = tour::placeOf(*session.value(), tour.stops[i + 1]);
            QVERIFY(asked.ok() && answered.ok());
            const replay::Focus &before = asked.value().focus, &then = answered.value().focus;
            const bool isSameBlock =
                before.launch == then.launch && before.block == then.block;  // others count on their own
            QVERIFY2(!asks(tour.stops[i]) || !isSameBlock || before.step < then.step, tour.stops[i].title.c_str());
        }
    }

    /// Forwards with the presenter's key, and one stop back.
    static void play(MainWindow& window, const tour::Tour& tour)
    {
        window.views().stage->setFocus();
        QApplication::setActiveWindow(&window);
        press(window, Qt::Key_G);
        for (size_t i = 0; i < tour.stops.size(); ++i) {
            if (i > 0)
                press(window, Qt::Key_PageDown);
            QTRY_COMPARE(window.tour().position(), std::optional(i));
            QCOMPARE(window.views().tourBar->caption(), QString::fromStdString(tour.stops[i].caption));
            reached(window, tour.stops[i]);
            keepPicture(window, QStringLiteral("%1-%2").arg(QTest::currentDataTag()).arg(i + 1));
        }
        press(window, Qt::Key_PageDown);
        QCOMPARE(window.tour().position(), std::optional(tour.stops.size() - 1));
        if (tour.stops.size() > 1) {
            press(window, Qt::Key_PageUp);
            QCOMPARE(window.tour().position(), std::optional(tour.stops.size() - 2));
            reached(window, tour.stops[tour.stops.size() - 2]);
        }
        press(window, Qt::Key_G);
        QVERIFY(!window.tour().position());
        QVERIFY(!window.views().tourBar->isVisible());
    }

    static bool shows(const MainWindow& window, const QString& view)
    {
        const auto widgets = window.centralWidget()->findChildren<ViewWidget*>();
        return widgets.size() == 1 && widgets.front()->isVisible() && widgets.front()->view().name() == view &&
               widgets.front()->hasData();
    }

    /// For a person to look at, in the folder that LANESCOPE_PICTURES names.
    static void keepPicture(MainWindow& window, const QString& name)
    {
        const QPixmap picture = window.grab();
        QVERIFY(!picture.isNull());
        if (const QString folder = qEnvironmentVariable("LANESCOPE_PICTURES"); !folder.isEmpty())
            picture.save(folder + "/" + name + ".png");
    }

    /// The window has come to where the stop lies.
    static void reached(MainWindow& window, const tour::Stop& stop)
    {
        auto session = replay::Session::open(window.tracePath().toStdString());
        QVERIFY(session.ok());
        const auto place = tour::placeOf(*session.value(), stop);
        QVERIFY2(place.ok(), place ? "" : place.error().text().c_str());
        QTRY_COMPARE(window.focus().text(), QString::fromStdString(replay::focusText(place.value().focus)));
        QCOMPARE(message(window), QString());
        QCOMPARE(window.views().stage->isVisible(), stop.view.empty());
        if (!stop.view.empty())
            QTRY_VERIFY(shows(window, QString::fromStdString(stop.view)));
        if (!stop.camera.empty() && stop.view.empty())
            QTRY_COMPARE(window.views().stage->scene()->specs.size(), stop.camera.size());
    }
};

QTEST_MAIN(ToursTest)
#include "tst_tours.moc"
