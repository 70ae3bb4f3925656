// SPDX-License-Identifier: GPL-3.0-or-later
// Clicks in views that need recordings of PTX instructions, which the command makes of the gallery's programs.
#include <QFile>
#include <QIODevice>
#include <QRegularExpression>
#include <QTabBar>
#include <QTemporaryDir>
#include <QTest>

#include "app/gui/stage/stage_widget.h"
#include "app/gui/views/view_widget.h"
#include "app/gui/window/main_window.h"
#include "tests/support/process.h"

using namespace lanescope;
using namespace lanescope::gui;

class ViewClicksTest : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;

    QString record(const QString& program, const QStringList& more = {})
    {
        const QString trace = m_folder.filePath(program + ".lanes");
        const test::ProcessResult recorded = test::runProcess(
            QStringLiteral(LANESCOPE_COMMAND),
            QStringList{"record", "-q", "-o", trace, QStringLiteral(LANESCOPE_KERNELS_FOLDER "/%1.cu").arg(program)} +
                more);
        return recorded.code == 0 ? trace : QString();
    }

    static std::unique_ptr<MainWindow> opened(const QString& trace, const QString& focus)
    {
        auto window = std::make_unique<MainWindow>(QStringLiteral("/nowhere/lanescope"), MainWindow::Use::Interactive);
        window->resize(1600, 1000);
        window->show();
        window->open(trace, focus);
        [&] { QTRY_VERIFY_WITH_TIMEOUT(window->focus().snapshot() != nullptr, 30'000); }();
        return window;
    }

    static ViewWidget* shown(MainWindow& window, const QString& name)
    {
        for (size_t i = 0; i < window.views().analyses.size(); ++i)
            if (ViewWidget* view = window.views().analyses[i]; view->view().name() == name) {
                window.views().tabs->setCurrentIndex(kFirstAnalysisTab + static_cast<int>(i));
                return view;
            }
        return nullptr;
    }

    /// The \p number-th of the places that lead to another focus, which is returned.
    static std::optional<replay::Focus> click(ViewWidget& view, const replay::Focus& now, size_t number)
    {
        [&] { QTRY_VERIFY_WITH_TIMEOUT(view.hasData() && !view.hits().empty(), 30'000); }();
        for (const Hit& hit : view.hits()) {
            if (!hit.focus || *hit.focus == now || number-- > 0)
                continue;
            const replay::Focus wanted = *hit.focus;
            QTest::mouseClick(&view, Qt::LeftButton, {}, hit.area.center().toPoint());
            return wanted;
        }
        return std::nullopt;
    }

private slots:
    void aClickInTheViewLeadsToItsStepOrLane_data()
    {
        QTest::addColumn<QString>("view");
        QTest::addColumn<QString>("program");
        QTest::newRow("ring") << "ring" << "24_matmul_ring";
        QTest::newRow("fragment") << "fragment" << "16_gemm_mma";
        QTest::newRow("cluster") << "cluster" << "23_cluster_reduction";
        QTest::newRow("tensor copy") << "tensor" << "24_matmul_ring";
        QTest::newRow("tiles") << "tiles" << "28_gemm_stream_k";
    }
    void aClickInTheViewLeadsToItsStepOrLane()
    {
        QFETCH(QString, view);
        QFETCH(QString, program);
        const QString trace = record(program);
        QVERIFY(!trace.isEmpty());
        const auto window = opened(trace, "50%");
        ViewWidget* widget = shown(*window, view);
        QVERIFY(widget != nullptr);
        for (const size_t number : {size_t{0}, size_t{3}}) {
            const replay::Focus before = window->focus().snapshot()->focus;
            const auto wanted = click(*widget, before, number);
            QVERIFY(wanted.has_value());
            QTRY_VERIFY(window->focus().snapshot()->focus == *wanted);
            QVERIFY(!(window->focus().snapshot()->focus == before));
        }
    }

    void aRolesHeadHasAllViewsCountItsWarps()
    {
        const QString trace = record("24_matmul_ring");
        const auto window = opened(trace, "50%");
        ViewWidget* ring = shown(*window, "ring");
        const auto choices = [&] {
            std::vector<Hit> all;
            std::ranges::copy_if(ring->hits(), std::back_inserter(all),
                                 [](const Hit& hit) { return hit.steps.has_value(); });
            return all;
        };
        QTRY_VERIFY_WITH_TIMEOUT(!choices().empty(), 30'000);
        const Hit copies = choices().front();
        QVERIFY(copies.steps->has_value() && (*copies.steps)->role.starts_with("copies"));
        QTest::mouseClick(ring, Qt::LeftButton, {}, copies.area.center().toPoint());
        ViewWidget* lines = shown(*window, "lines");
        QVERIFY(lines->settings().selection == *copies.steps);
        // The chip in the line of its title takes all warps again.
        const auto chip = [&] {
            return std::ranges::find_if(lines->hits(), [](const Hit& hit) { return hit.steps.has_value(); });
        };
        QTRY_VERIFY_WITH_TIMEOUT(chip() != lines->hits().end(), 30'000);
        ViewWidget* roofline = shown(*window, "roofline");
        QVERIFY(roofline->settings().selection == *copies.steps);
        lines = shown(*window, "lines");
        QTRY_VERIFY_WITH_TIMEOUT(chip() != lines->hits().end(), 30'000);
        QTest::mouseClick(lines, Qt::LeftButton, {}, chip()->area.center().toPoint());
        QVERIFY(!lines->settings().selection.has_value() && !ring->settings().selection.has_value());
    }

    /// Those that only read shared memory and multiply move nothing but their results.
    void aRooflineOfARoleIsThatOfItsWarps()
    {
        const QString trace = record("24_matmul_ring");
        const QString picture = m_folder.filePath("role.svg");
        const auto of = [&](const QString& role) {
            const test::ProcessResult done =
                test::runProcess(QStringLiteral(LANESCOPE_COMMAND),
                                 {"render", trace, "--view", "roofline", "--at", "50%", "--role", role, "-o", picture});
            QFile file(picture);
            return done.code == 0 && file.open(QIODevice::ReadOnly) ? QString::fromUtf8(file.readAll()) : QString();
        };
        QVERIFY(of("copies, reads").contains("copies, reads: warp 0 of block"));
        QVERIFY(of("reads").contains("reads: warps 1"));
    }

    /// The layout is of who copied the tile, accesses and tiles are of the warps alone: in the ring warp 0 copies, and
    /// all read and multiply.
    void picturesOfARoleAreThatOfItsWarps_data()
    {
        QTest::addColumn<QString>("view");
        QTest::addColumn<QString>("role");
        QTest::addColumn<QString>("expected");
        QTest::newRow("tiles of who copies") << "tiles" << "copies" << "These warps write no global memory";
        QTest::newRow("tiles of who multiplies") << "tiles" << "products" << "4 tiles by 4 blocks";
        QTest::newRow("layout of who multiplies") << "layout" << "products" << "Swizzle&lt;3,3,3&gt;";
        QTest::newRow("blocks of who copies") << "blocks" << "copies" << "copies: warp 4";
    }
    void picturesOfARoleAreThatOfItsWarps()
    {
        QFETCH(QString, view);
        QFETCH(QString, role);
        const QString picture = m_folder.filePath("of_a_role.svg");
        const test::ProcessResult done =
            test::runProcess(QStringLiteral(LANESCOPE_COMMAND), {"render", record("26_gemm_wgmma"), "--view", view,
                                                                 "--at", "50%", "--role", role, "-o", picture});
        QFile file(picture);
        QVERIFY2(done.code == 0 && file.open(QIODevice::ReadOnly), qPrintable(done.errors));
        const QString text = QString::fromUtf8(file.readAll());
        QFETCH(QString, expected);
        QVERIFY2(text.contains(expected), qPrintable(text.left(4000)));
        QVERIFY(text.contains(role + ": warp"));
    }

    /// Bytes are known of the recorded blocks, flops of all: the point lies where it lies when all are recorded.
    void aRooflineOfSomeBlocksIsThatOfAll()
    {
        const auto intensityIn = [&](const QStringList& more) {
            const QString trace = record("14_matmul_tiled_32", more);
            const QString picture = m_folder.filePath("roofline.svg");
            test::runProcess(QStringLiteral(LANESCOPE_COMMAND), {"render", trace, "--view", "roofline", "-o", picture});
            QFile file(picture);
            if (!file.open(QIODevice::ReadOnly))
                return QString();
            const auto found = QRegularExpression("([0-9.e+]+) flop/B").match(QString::fromUtf8(file.readAll()));
            return found.captured(1);
        };
        const QString whole = intensityIn({});
        QVERIFY(!whole.isEmpty());
        QCOMPARE(intensityIn({"--blocks", "0:1,0:1"}), whole);
    }
};

QTEST_MAIN(ViewClicksTest)
#include "tst_view_clicks.moc"
