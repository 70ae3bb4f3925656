// SPDX-License-Identifier: GPL-3.0-or-later
// Two recordings side by side: that they keep step, and what is said of them.
#include <QApplication>
#include <QFile>
#include <QSignalSpy>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <QTest>

#include "app/gui/engine/in_step.h"
#include "app/gui/gui.h"
#include "app/gui/stage/stage_widget.h"
#include "app/gui/window/application.h"
#include "app/gui/window/main_window.h"
#include "tests/app/sample_kernels.h"

using namespace lanescope;
using namespace lanescope::gui;

class CompareTest : public QObject {
    Q_OBJECT

private:
    QTemporaryDir m_folder;
    std::string m_small;
    std::string m_large;
    std::string m_map;

    std::unique_ptr<SnapshotBuilder> builderOf(const std::string& path)
    {
        auto session = replay::Session::open(path);
        LS_ASSERT(session.ok());
        return std::make_unique<SnapshotBuilder>(std::move(session).value());
    }

    static SnapshotPointer at(SnapshotBuilder& builder, const std::string& focus)
    {
        auto parsed = builder.session().parseFocus(focus, {});
        LS_ASSERT(parsed.ok());
        auto built = builder.build(parsed.value(), {});
        LS_ASSERT(built.ok());
        return built.value();
    }

    RenderRequest request(const std::string& view)
    {
        RenderRequest wanted;
        wanted.trace = m_small;
        wanted.view = view;
        wanted.output = m_folder.filePath("c.svg").toStdString();
        return wanted;
    }

    static Result<void> render(const RenderRequest& wanted)
    {
        int argc = 0;
        char* argv[] = {nullptr};
        return gui::render(argc, argv, wanted);
    }

private slots:
    void initTestCase()
    {
        QStandardPaths::setTestModeEnabled(true);
        loadFonts();
        const auto write = [&](const char* name, const auto& kernel) {
            return test::writeTrace(m_folder.filePath(name).toStdString(), kernel);
        };
        m_small = write("small.lanes", [](auto& w) { test::writeTiledMatmul(w, 9, 3); });
        m_large = write("large.lanes", [](auto& w) { test::writeTiledMatmul(w, 12, 4); });
        m_map = write("map.lanes", [](auto& w) { test::writeMap(w, 15, 8, 2); });
    }

    void theSameRecordingIsAtTheSameStep()
    {
        const auto mine = builderOf(m_small);
        const auto other = builderOf(m_small);
        const StepIndex last = at(*mine, "block=1,1 last")->focus.step;
        for (StepIndex step = 0; step <= last; ++step) {
            const SnapshotPointer leader = at(*mine, "block=1,2 thread=2,1 step=" + std::to_string(step));
            const auto focus = inStep(*other, *leader);
            QVERIFY(focus.ok());
            QCOMPARE(replay::focusText(focus.value()), replay::focusText(leader->focus));
        }
    }

    void anotherSizeKeepsTheEpoch()
    {
        const auto mine = builderOf(m_small);
        const auto other = builderOf(m_large);
        for (uint32_t epoch = 0; epoch < 7; ++epoch) {
            const SnapshotPointer leader = at(*mine, "block=1,1 epoch=" + std::to_string(epoch));
            const auto focus = inStep(*other, *leader);
            QVERIFY(focus.ok());
            const auto there = other->build(focus.value(), {});
            QVERIFY(there.ok());
            QCOMPARE(there.value()->epoch(), leader->epoch());
        }
    }

    void anotherProgramKeepsTheShare()
    {
        const auto mine = builderOf(m_small);
        const auto other = builderOf(m_map);
        const auto end = inStep(*other, *at(*mine, "block=2,2 thread=2,2 last"));
        QVERIFY(end.ok());
        QVERIFY(end.value().block == (Dim3{1, 0, 0}));
        QCOMPARE(end.value().step, at(*other, "block=1 last")->focus.step);
        const auto start = inStep(*other, *at(*mine, "block=0,0 step=0"));
        QCOMPARE(start.value().step, StepIndex{0});
    }

    void thePictureHasBothAndTheirNumbers()
    {
        RenderRequest wanted = request("compare");
        wanted.compare = m_large;
        const auto done = render(wanted);
        QVERIFY2(done.ok(), done.ok() ? "" : done.error().text().c_str());
        QFile file(QString::fromStdString(wanted.output));
        QVERIFY(file.open(QIODevice::ReadOnly));
        const QByteArray svg = file.readAll();
        // 9³ and 12³ products, 9 blocks each: two loads a product, and two stores a tile's cell
        for (const char* text : {"(3,3), (3,3)", "(3,3), (4,4)", "shared accesses, bytes", "× "})
            QVERIFY2(svg.contains(QByteArray(text)) || svg.contains(QByteArray(text).replace("×", "&#xd7;")), text);
    }

    void itNeedsASecondTrace()
    {
        QVERIFY(!render(request("compare")).ok());
        RenderRequest wanted = request("stage");
        wanted.compare = m_large;
        QVERIFY(!render(wanted).ok());
        wanted = request("compare");
        wanted.compare = "/nowhere/b.lanes";
        const auto done = render(wanted);
        QVERIFY(!done.ok());
        QVERIFY(done.error().text().find("b.lanes") != std::string::npos);
    }

    void theWindowShowsItInTheStagesPlace()
    {
        MainWindow window(QStringLiteral("/nowhere/lanescope"), MainWindow::Use::Interactive);
        window.resize(1400, 900);
        window.show();
        window.open(QString::fromStdString(m_small), {});
        QTRY_VERIFY(window.focus().snapshot() != nullptr);
        window.compareWith(QString::fromStdString(m_large));
        QVERIFY(window.actionTable()[Command::Compare]->isChecked());
        QVERIFY(!window.views().stage->isVisible());
        ViewWidget* compared = window.comparison().widget();
        QTRY_VERIFY(compared->hasData());
        QSignalSpy changed(compared, &ViewWidget::dataChanged);
        window.actionTable()[Command::Epoch]->trigger();
        QTRY_VERIFY(changed.count() > 0);
        window.actionTable()[Command::Compare]->setChecked(false);
        QVERIFY(window.comparison().widget() == nullptr);
        QVERIFY(window.views().stage->isVisible());
    }
};

QTEST_MAIN(CompareTest)
#include "tst_compare.moc"
