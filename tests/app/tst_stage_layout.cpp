// SPDX-License-Identifier: GPL-3.0-or-later
#include <QApplication>
#include <QTemporaryDir>
#include <QTest>

#include <set>

#include "app/gui/engine/block_phases.h"
#include "app/gui/engine/step_target.h"
#include "app/gui/stage/arrow_router.h"
#include "app/gui/stage/caption.h"
#include "app/gui/stage/stage_scene.h"
#include "app/gui/timeline/phases_painter.h"
#include "app/gui/window/application.h"
#include "tests/app/sample_kernels.h"

using namespace lanescope;
using namespace lanescope::gui;

class StageLayoutTest : public QObject {
    Q_OBJECT

private:
    QTemporaryDir m_folder;

    SnapshotPointer snapshot(const std::function<void(trace::TraceWriter&)>& kernel, const std::string& focus)
    {
        const std::string path = m_folder.filePath("t.lanes").toStdString();
        QFile::remove(QString::fromStdString(path));
        auto session = replay::Session::open(test::writeTrace(path, kernel));
        LS_ASSERT(session.ok());
        SnapshotBuilder builder(std::move(session).value());
        auto opening = openingView(builder);
        LS_ASSERT(opening.ok());
        auto at = builder.session().parseFocus(focus, opening.value());
        LS_ASSERT(at.ok());
        auto built = builder.build(at.value(), {});
        LS_ASSERT(built.ok());
        return built.value();
    }

    static std::function<void(trace::TraceWriter&)> kernelNamed(const QString& name)
    {
        if (name == "tiled 9x9")
            return [](auto& w) { test::writeTiledMatmul(w, 9, 3); };
        if (name == "tiled ragged 8x8")
            return [](auto& w) { test::writeTiledMatmul(w, 8, 3); };
        if (name == "tiled 64x64")
            return [](auto& w) { test::writeTiledMatmul(w, 64, 16); };
        if (name == "map 4")
            return [](auto& w) { test::writeMap(w, 4, 8, 1); };
        if (name == "map 15")
            return [](auto& w) { test::writeMap(w, 15, 8, 2); };
        if (name == "map 64k")
            return [](auto& w) { test::writeMap(w, 65536, 256, 256); };
        return [](auto& w) { test::writeMap2d(w, 2, 3); };
    }

    static void shapes()
    {
        QTest::addColumn<QString>("kernel");
        QTest::addColumn<QSize>("size");
        for (const char* kernel :
             {"tiled 9x9", "tiled ragged 8x8", "tiled 64x64", "map 4", "map 15", "map 64k", "map 2x2"})
            for (const QSize size : {QSize(620, 480), QSize(1280, 800), QSize(1600, 1000), QSize(3840, 2160)})
                QTest::newRow(qPrintable(QString("%1 at %2").arg(kernel).arg(size.width()))) << QString(kernel) << size;
    }

private slots:
    void initTestCase() { loadFonts(); }

    void panelsLieApartAndInside_data() { shapes(); }
    void panelsLieApartAndInside()
    {
        QFETCH(QString, kernel);
        QFETCH(QSize, size);
        const StageScene scene = StageScene::of(snapshot(kernelNamed(kernel), ""), themeNamed("dark"));
        const StageLayout layout = StageLayout::compute(scene.specs, QSizeF(size), 1);
        const QRectF open(0, layout.header.bottom(), size.width(), layout.caption.top() - layout.header.bottom());
        for (size_t i = 0; i < layout.panels.size(); ++i) {
            const QRectF all = layout.panels[i].body.united(layout.panels[i].title);
            QVERIFY2(open.adjusted(-0.5, -0.5, 0.5, 0.5).contains(all), qPrintable(scene.texts[i].title));
            QVERIFY(!layout.panels[i].body.intersects(layout.panels[i].title.adjusted(0, 0.5, 0, -0.5)));
            for (size_t j = 0; j < i; ++j)
                QVERIFY2(!all.intersects(layout.panels[j].body.united(layout.panels[j].title)),
                         qPrintable(scene.texts[i].title + " over " + scene.texts[j].title));
        }
    }

    void cellsTileTheirPanel()
    {
        const StageScene scene = StageScene::of(snapshot(kernelNamed("tiled 9x9"), ""), themeNamed("dark"));
        const StageLayout layout = StageLayout::compute(scene.specs, QSizeF(1600, 1000), 1);
        for (const Panel& panel : layout.panels) {
            for (int64_t row = 0; row < int64_t(panel.spec.rows); ++row) {
                for (int64_t column = 0; column < int64_t(panel.spec.columns); ++column) {
                    const QRectF cell = panel.cellRect({row, column});
                    QVERIFY(panel.body.adjusted(-0.01, -0.01, 0.01, 0.01).contains(cell));
                    QCOMPARE(panel.cellAt(cell.center()), (std::optional<Cell>({row, column})));
                }
            }
        }
    }

    /// The point of the routing: no arrow runs over the middle of a cell that shows a value.
    void arrowsCrossNoValue()
    {
        for (const char* focus : {"step=10", "step=11", "step=20", "last", "50%"}) {
            const StageScene scene = StageScene::of(snapshot(kernelNamed("tiled 9x9"), focus), themeNamed("dark"));
            const StageLayout layout = StageLayout::compute(scene.specs, QSizeF(1600, 1000), 1);
            for (const Link& link : scene.links) {
                const CellRef cell{link.buffer, link.cell};
                const CellRef thread{*scene.threadsPanel, link.thread};
                checkClear(layout, routeArrow(layout, cell, thread, link.track));
                checkClear(layout, routeArrow(layout, thread, cell, link.track));
            }
        }
    }

    /// Whatever the data's size: what the focused lane touches is on the stage, in cells as wide as a value.
    void lensesShowWhatTheLaneTouches()
    {
        for (const char* focus : {"step=10", "step=500", "50%", "last"}) {
            for (const QSize size : {QSize(900, 520), QSize(1280, 800), QSize(1600, 1000), QSize(3840, 2160)}) {
                const StageScene scene =
                    StageScene::of(snapshot(kernelNamed("tiled 64x64"), focus), themeNamed("dark"));
                const StageLayout layout = scene.layout(QSizeF(size), themeNamed("dark"));
                for (size_t i = 0; i < layout.panels.size(); ++i) {
                    const Panel& panel = layout.panels[i];
                    if (panel.spec.kind == PanelKind::Grid)
                        continue;
                    QVERIFY2(panel.lens, qPrintable(scene.texts[i].title));
                    QVERIFY(panel.pitchX - panel.gap >= 8 * 0.6 * panel.spec.letters);
                    QCOMPARE(panel.body.left(), layout.panels[*scene.threadsPanel].body.left());
                    QCOMPARE(panel.pitchX, layout.panels[*scene.threadsPanel].pitchX);
                    for (const CellMark& mark : scene.marks[i])
                        QVERIFY(!mark.focused || panel.shows(mark.cell));
                }
                for (const Link& link : scene.links) {
                    const CellRef cell{link.buffer, link.cell};
                    const CellRef thread{*scene.threadsPanel, link.thread};
                    if (layout.panels[cell.panel].shows(cell.cell) && layout.panels[thread.panel].shows(thread.cell))
                        checkClear(layout, routeArrow(layout, cell, thread, link.track));
                }
            }
        }
    }

    /// CUDA C++ Programming Guide, Warp Shuffle Functions.
    void shufflesJoinLanes_data()
    {
        QTest::addColumn<QString>("statement");
        QTest::addColumn<int>("lane");
        QTest::addColumn<int>("source");  // its own: no arc
        QTest::newRow("down") << "v += __shfl_down_sync(mask, a[f(1, 2)], 16);" << 3 << 19;
        QTest::newRow("down, beyond the warp") << "v += __shfl_down_sync(mask, v, 16);" << 20 << 20;
        QTest::newRow("down, beyond its group") << "v += __shfl_down_sync(mask, v, 1, 4);" << 7 << 7;
        QTest::newRow("up") << "v = __shfl_up_sync(mask, v, 2, 8);" << 11 << 9;
        QTest::newRow("up, before its group") << "v = __shfl_up_sync(mask, v, 2, 8);" << 9 << 9;
        QTest::newRow("xor") << "v = max(v, __shfl_xor_sync (mask, v, 5));" << 6 << 3;
        QTest::newRow("index in its group") << "v = __shfl_sync(mask, v, 1, 8);" << 13 << 9;
        QTest::newRow("no shuffle") << "v = my__shfl(v, 1);" << 5 << 5;
        QTest::newRow("not all of it") << "v = __shfl_sync(mask, v, 1" << 5 << 5;
    }
    void shufflesJoinLanes()
    {
        QFETCH(QString, statement);
        QFETCH(int, lane);
        QFETCH(int, source);
        const auto calls = ShuffleCall::allIn(statement.toStdString());
        QVERIFY(calls.size() <= 1);
        const auto number = [](const std::string& text, int) { return std::optional<int64_t>(std::stoll(text)); };
        const std::vector<LaneArc> arcs =
            calls.empty() ? std::vector<LaneArc>() : arcsOf(calls.front(), ~LaneMask{0}, number);
        const auto found = std::find_if(arcs.begin(), arcs.end(), [&](const LaneArc& arc) { return arc.to == lane; });
        QCOMPARE(found == arcs.end() ? lane : found->from, source);
        if (!calls.empty())
            QVERIFY(arcsOf(calls.front(), LaneMask{1} << lane, number).empty());  // nobody gives anything
    }

    void severalShufflesOfAStatementAreAllFound()
    {
        const auto calls = ShuffleCall::allIn("v = __shfl_xor_sync(m, v, 1) + __shfl_up_sync(m, v, 2) + "
                                              "__shfl_xor_sync(m, v, 4);");
        QCOMPARE(calls.size(), size_t{3});
        QCOMPARE(calls[0].operand, std::string(" 1"));
        QVERIFY(calls[1].kind == ShuffleCall::Kind::Up);
        QCOMPARE(calls[2].operand, std::string(" 4"));
    }

    /// CUDA C++ Programming Guide, Warp Vote, Match and Reduce Functions.
    void lanesDecideTogether()
    {
        using Kind = CollectiveCall::Kind;
        const auto number = [](const std::string& text, int lane) -> std::optional<int64_t> {
            return text == " odd(lane)"  ? lane % 2
                   : text == " lane / 8" ? std::optional<int64_t>(lane / 8)
                                         : std::nullopt;
        };
        const auto of = [&](const char* statement, LaneMask active) {
            const auto call = CollectiveCall::in(statement);
            return call ? collectiveOf(*call, active, number) : std::nullopt;
        };
        const auto vote = of("unsigned int yes = __ballot_sync(mask, odd(lane));", 0xff);
        QVERIFY(vote && vote->kind == Kind::Ballot && vote->isVote());
        QCOMPARE(vote->participants(), LaneMask{0xff});
        QCOMPARE(vote->alike(1), LaneMask{0xaa});
        const auto match = of("peers = __match_any_sync(mask, lane / 8);", ~LaneMask{0});
        QVERIFY(match && match->isMatch());
        QCOMPARE(match->alike(9), LaneMask{0xff00});
        const auto sum = of("v = __reduce_add_sync(mask, lane / 8);", 0xf);
        QVERIFY(sum && sum->kind == Kind::Add && !sum->isVote() && !sum->isMatch());
        QVERIFY(!of("v = __reduce_add_sync(mask, what);", 0xf));  // nobody knows what they bring
        QVERIFY(!of("v = my_reduce_add(mask, lane);", 0xf));
        QVERIFY(!of("if (__all_sync(mask, odd(lane)))", 0));
    }

    void aLensTurnsByPages()
    {
        Panel panel;
        panel.lens = true;
        panel.spec.rows = 64;
        panel.spec.columns = 64;
        panel.rows = 4;
        panel.columns = 24;
        const auto cornerAt = [&](Cell anchor) {
            panel.lookAt({anchor, {32, 32}, {64, 64}});
            return panel.first;
        };
        QCOMPARE(cornerAt({32, 32}), (Cell{32, 32}));
        QCOMPARE(cornerAt({35, 55}), (Cell{32, 32}));
        QCOMPARE(cornerAt({36, 56}), (Cell{36, 40}));  // no further than the tile's end
        QCOMPARE(cornerAt({63, 63}), (Cell{60, 40}));
        QCOMPARE(cornerAt({3, 3}), (Cell{0, 0}));  // outside the tile
        panel.lookAt({{40, 40}, {32, 32}, {64, 64}});
        panel.lookAt({{32, 32}, {32, 32}, {64, 64}, false});
        QCOMPARE(panel.first, (Cell{40, 32}));  // nothing happens: it stays
        panel.lookAt({{0, 0}, {0, 0}, {32, 32}, false});
        QCOMPARE(panel.first, (Cell{0, 0}));  // but not off the tile
        panel.spec.fringe = {1, 1, 1, 1};
        panel.lookAt({{0, 0}, {0, 0}, {64, 64}});
        QCOMPARE(panel.first, (Cell{-1, -1}));
    }

    /// What lies beside a slice in the picture of all of them is no neighbour of its cells.
    void aLensStaysInItsSlice()
    {
        Panel panel;
        panel.lens = true;
        panel.spec.rows = panel.spec.columns = 64;
        panel.spec.sliceRows = panel.spec.sliceColumns = 16;
        panel.rows = 5;
        panel.columns = 12;
        for (int64_t row = 0; row < 64; ++row)
            for (int64_t column = 0; column < 64; ++column) {
                panel.lookAt({{row, column}, {7, 9}, {57, 55}});
                QVERIFY(panel.shows({row, column}));
                QCOMPARE(panel.first.row / 16, row / 16);
                QCOMPARE((panel.first.row + 4) / 16, row / 16);
                QCOMPARE(panel.first.column / 16, column / 16);
                QCOMPARE((panel.first.column + 11) / 16, column / 16);
            }
    }

    /// Of three dimensions the matrices of the last two stand side by side; every element has a cell of its own.
    void slicesStandSideBySide()
    {
        trace::Buffer buffer;
        buffer.element = {trace::ScalarKind::Float, 4, 1, "float"};
        for (const std::vector<uint64_t>& dims :
             {std::vector<uint64_t>{16, 16, 16}, {5, 3, 4}, {2, 3, 4, 5}, {7, 1, 9}, {4, 6, 1}}) {
            buffer.dims = dims;
            const BufferShape shape = BufferShape::of(buffer);
            std::set<std::pair<int64_t, int64_t>> cells;
            for (uint64_t element = 0; element < shape.elements; ++element) {
                const Cell cell = shape.cellOf(element);
                QVERIFY(cell.row < int64_t(shape.rows) && cell.column < int64_t(shape.columns));
                QCOMPARE(shape.elementOf(cell), element);
                cells.emplace(cell.row, cell.column);
            }
            QCOMPARE(cells.size(), size_t(shape.elements));
        }
        buffer.dims = {16, 16, 16};
        const BufferShape volume = BufferShape::of(buffer);
        QCOMPARE(volume.rows, uint64_t{64});
        QCOMPARE(volume.columns, uint64_t{64});
        QCOMPARE(volume.cellOf(1 * 256 + 2 * 16 + 3), (Cell{2, 16 + 3}));
        QCOMPARE(volume.sliceOf({17, 16}), uint64_t{5});
        QVERIFY(!volume.reshaped({256, 16, false}).hasSlices());
        buffer.dims = {5, 3, 4};  // three slices above two: no element stands where the sixth would be
        const BufferShape ragged = BufferShape::of(buffer);
        QVERIFY(ragged.elementOf({int64_t(ragged.rows) - 1, int64_t(ragged.columns) - 1}) >= ragged.elements);
    }

    void slicesOfAPanelStandApart()
    {
        PanelSpec spec;
        spec.rows = 6;
        spec.columns = 8;
        spec.sliceRows = 3;
        spec.sliceColumns = 4;
        const StageLayout layout = StageLayout::compute({spec}, QSizeF(900, 600), 1);
        const Panel& panel = layout.panels[0];
        QVERIFY(panel.sliceGap > 0);
        QVERIFY(panel.cellRect({0, 4}).left() - panel.cellRect({0, 3}).right() > panel.gap + panel.sliceGap / 2);
        QVERIFY(std::abs(panel.cellRect({5, 7}).right() - panel.body.right()) < 0.01);
        QVERIFY(std::abs(panel.cellRect({5, 7}).bottom() - panel.body.bottom()) < 0.01);
        for (int64_t row = 0; row < 6; ++row)
            for (int64_t column = 0; column < 8; ++column)
                QCOMPARE(panel.cellAt(panel.cellRect({row, column}).center()), std::optional(Cell{row, column}));
        const QRectF before = panel.cellRect({0, 3});
        QCOMPARE(panel.cellAt({before.right() + panel.gap + panel.sliceGap / 2, before.center().y()}), std::nullopt);
    }

    /// Where 32 lanes have no room beside each other, rows go on below: all of a warp's cells are on the stage.
    void aWarpsLanesAllShow()
    {
        size_t links = 0;
        for (const char* focus : {"step=4 thread=0", "step=9 thread=40"}) {
            const SnapshotPointer at = snapshot(kernelNamed("map 64k"), focus);
            for (const QSize size : {QSize(1280, 720), QSize(1600, 1000)}) {
                const StageScene scene = StageScene::of(at, themeNamed("projector"));
                const StageLayout layout = scene.layout(QSizeF(size), themeNamed("projector"));
                const Panel& threads = layout.panels[*scene.threadsPanel];
                QVERIFY(threads.lens);
                std::set<std::pair<double, double>> places;
                for (uint64_t thread = at->warp * 32; thread < at->warp * 32 + 32; ++thread) {
                    const Cell cell = scene.threadCell(thread);
                    QVERIFY(threads.shows(cell));
                    const QRectF rect = threads.cellRect(cell);
                    QVERIFY(threads.body.adjusted(-1, -1, 1, 1).contains(rect));
                    QCOMPARE(threads.cellAt(rect.center()), std::optional(cell));
                    places.emplace(rect.left(), rect.top());
                }
                QCOMPARE(places.size(), size_t{32});
                for (const Link& link : scene.links)
                    QVERIFY(layout.panels[link.buffer].shows(link.cell));
                links += scene.links.size();
                for (const Panel& panel : layout.panels)
                    if (panel.lens)
                        QVERIFY(QRectF(QPointF(0, 0), QSizeF(size)).contains(panel.body));
            }
        }
        QVERIFY(links > 0);
    }

    /// Of a 32 x 32 block beside five matrices there is no height for all rows to go on below: the threads' do.
    void lanesShowBesideManyMatrices()
    {
        std::vector<PanelSpec> specs(6);
        for (size_t i = 0; i < specs.size(); ++i) {
            specs[i].rows = specs[i].columns = i < 3 ? 1024 : 32;
            specs[i].band = i < 3 ? Band::Upper : Band::Lower;
            specs[i].letters = 5;
            specs[i].nameWidth = 60;
        }
        specs[3].kind = PanelKind::Threads;
        const StageLayout layout = StageLayout::compute(specs, QSizeF(634, 454), 1);
        const Panel& threads = layout.panels[3];
        QVERIFY(threads.lens);
        for (int64_t lane = 0; lane < kWarpSize; ++lane) {
            QVERIFY(threads.shows({0, lane}));
            QVERIFY(threads.body.adjusted(-1, -1, 1, 1).contains(threads.cellRect({0, lane})));
        }
        QCOMPARE(layout.panels[0].linesPerRow(), uint64_t{1});
        QVERIFY(layout.panels[5].body.bottom() <= layout.caption.top() + 1);
        for (PanelSpec& spec : specs)
            spec.rows = spec.columns = spec.band == Band::Upper ? 9 : 3;
        const StageLayout small = StageLayout::compute(specs, QSizeF(634, 360), 1);
        QVERIFY(small.panels[3].lens);
        QCOMPARE(small.panels[3].rows, uint64_t{3});
    }

    void aLensZoomsAlone()
    {
        Panel panel;
        panel.lens = true;
        panel.spec.rows = 64;
        panel.spec.columns = 64;
        panel.rows = 4;
        panel.columns = 16;
        panel.pitchX = 40;
        panel.pitchY = 20;
        panel.gap = 4;
        panel.body = QRectF(100, 100, 16 * 40 - 4, 4 * 20 - 4);
        panel.zoom(2);
        QCOMPARE(panel.columns, uint64_t{8});
        QCOMPARE(panel.rows, uint64_t{2});
        panel.zoom(1e-9);  // all there is, and no more
        QCOMPARE(panel.rows, uint64_t{64});
        QCOMPARE(panel.columns, uint64_t{64});
        QVERIFY(panel.body.contains(panel.cellRect({63, 63}).center()));
        panel.zoom(1);
        QCOMPARE(panel.columns, uint64_t{16});
        QCOMPARE(panel.pitchX, 40.0);
        QCOMPARE(panel.gap, 4.0);
    }

    void theFocusedLaneIsDrawnLast()
    {
        const StageScene scene = StageScene::of(snapshot(kernelNamed("tiled 9x9"), ""), themeNamed("dark"));
        QVERIFY(!scene.links.empty());
        QVERIFY(scene.links.back().focused);
        QVERIFY(!scene.links.front().focused);
    }

    void captionSaysWhatHappened()
    {
        const auto at = snapshot(kernelNamed("tiled 9x9"), "block=1,1 thread=2,1 step=10");
        QCOMPARE(captionText(*at).section(". ", 0, 0),
                 QString("Thread (2,1) reads a[4][2] = 14.17 and writes a_shared[1][2] = 14.17"));
        QVERIFY(costOf(*at).startsWith("9 lanes"));
        QVERIFY(costOf(*at).contains("a_shared: no bank conflict"));
    }

    void captionSaysWhatIsOutside()
    {
        auto at = std::make_shared<Snapshot>(*snapshot(kernelNamed("tiled 9x9"), "block=1,1 thread=2,1 step=10"));
        for (BufferView& view : at->buffers)
            if (view.buffer.name == "a") {
                view.buffer.dims = {4, 9};
                view.buffer.bytes = sizeof(float) * 4 * 9;
            }
        const std::vector<CaptionPart> parts = captionOf(*at);
        QCOMPARE(parts[1].text, QString("reads a[4][2], outside float[4][9]"));
        QCOMPARE(parts[1].tone, CaptionPart::Tone::Fault);
        QCOMPARE(parts[3].tone, CaptionPart::Tone::Write);
    }

    /// cp.async and ldmatrix move bits: the buffer knows what they are.
    void bitsOfFloatsReadAsFloats()
    {
        auto at = std::make_shared<Snapshot>(*snapshot(kernelNamed("tiled 9x9"), "block=1,1 thread=2,1 step=10"));
        auto catalog = std::make_shared<trace::Catalog>(*at->catalog);
        for (trace::Site& site : catalog->sites)
            if (site.kind == trace::SiteKind::Load || site.kind == trace::SiteKind::Store)
                site.type = {trace::ScalarKind::Unsigned, 4, 1, "unsigned int"};
        at->catalog = catalog;
        // The same once more, as a function of the headers that the compiler inlined may give it.
        const std::vector<StatementEvent> once = at->statement;
        at->statement.insert(at->statement.end(), once.begin(), once.end());
        QCOMPARE(captionText(*at).section(". ", 0, 0),
                 QString("Thread (2,1) reads a[4][2] = 14.17 and writes a_shared[1][2] = 14.17"));
    }

    void ghostCellsHaveRoomBesideTheBuffer()
    {
        auto at = std::make_shared<Snapshot>(*snapshot(kernelNamed("tiled 9x9"), "block=1,1 step=10"));
        const BufferId a = at->buffers[0].buffer.id;
        analysis::PaddingCell zero{-1, 9, true, at->buffers[0].buffer.element, {}};
        at->padding = std::make_shared<analysis::Padding>(analysis::Padding{{a, {zero, {9, 0, false, {}, {}}}}});
        auto catalog = std::make_shared<trace::Catalog>(*at->catalog);
        trace::Finding outside;
        outside.kind = FindingKind::OutOfBounds;
        outside.buffer = "b_shared";
        outside.cell = {700};
        catalog->findings.push_back(outside);
        at->catalog = catalog;
        StageScene scene = StageScene::of(at, themeNamed("dark"));
        scene.leaveRoom({Overlay::Halo, Overlay::Bounds});
        const StageLayout layout = StageLayout::compute(scene.specs, QSizeF(1280, 800), 1);
        const size_t panel = *scene.panelOf(a);
        QCOMPARE(scene.ghosts[panel].size(), size_t{2});
        QCOMPARE(scene.ghosts[panel][0].text, QString("0"));
        for (size_t i = 0; i < layout.panels.size(); ++i) {
            for (const GhostCell& ghost : scene.ghosts[i]) {
                const QRectF box = layout.panels[i].cellRect(ghost.cell);
                QVERIFY(layout.panels[i].frame.adjusted(-1, -1, 1, 1).contains(box));
                QVERIFY(!layout.panels[i].body.intersects(box));
            }
            for (size_t other = i + 1; other < layout.panels.size(); ++other)
                QVERIFY(!layout.panels[i].frame.intersects(layout.panels[other].frame));
        }
        const auto fault = std::find_if(scene.ghosts.begin(), scene.ghosts.end(), [](const auto& ghosts) {
            return std::any_of(ghosts.begin(), ghosts.end(), [](const GhostCell& g) { return g.isFault; });
        });
        QVERIFY(fault != scene.ghosts.end());
        QCOMPARE(fault->front().text, QString("[700]"));
        scene.leaveRoom({Overlay::Tiles});
        QVERIFY(scene.ghosts[panel].empty());
    }

    void buffersAreCalledAsTheKernelCallsThem()
    {
        auto at = std::make_shared<Snapshot>(*snapshot(kernelNamed("tiled 9x9"), ""));
        auto catalog = std::make_shared<trace::Catalog>(*at->catalog);
        const trace::Buffer& buffer = at->buffers[0].buffer;
        std::vector<trace::LaunchArgument>& arguments = catalog->launches[at->focus.launch.value].arguments;
        const auto title = [&] {
            at->catalog = catalog;
            const StageScene scene = StageScene::of(at, themeNamed("dark"));
            const PanelTexts& texts = scene.texts[*scene.panelOf(buffer.id)];
            return texts.title + " " + texts.subtitle;
        };
        arguments = {{"mine", "float*", buffer.name, buffer.id}};
        QCOMPARE(title(), QString("mine float[9][9] global · %1").arg(QString::fromStdString(buffer.name)));
        arguments = {{"mine", "float*", buffer.name + " + 4 bytes", buffer.id}};
        QCOMPARE(title(), QString("%1 float[9][9] global").arg(QString::fromStdString(buffer.name)));
    }

    void idleThreadsAreToldApart()
    {
        const StageScene scene = StageScene::of(snapshot(kernelNamed("map 2x2"), "step=4"), themeNamed("dark"));
        QCOMPARE(std::count(scene.lanes.begin(), scene.lanes.end(), LaneState::Active), 4);
        QCOMPARE(std::count(scene.lanes.begin(), scene.lanes.end(), LaneState::Idle), 5);
    }

    void tilesFollowTheEpochs()
    {
        const auto at = snapshot(kernelNamed("tiled 9x9"), "block=1,1 step=10");
        int found = 0;
        for (const Footprint& print : *at->footprints) {
            if (at->buffers[*at->indexOf(print.buffer)].buffer.name != "a")
                continue;
            QCOMPARE(print.first, (Cell{3, print.epoch / 2 * 3}));
            QCOMPARE(print.last, (Cell{6, print.epoch / 2 * 3 + 3}));
            ++found;
        }
        QCOMPARE(found, 3);
    }

private:
    static void checkClear(const StageLayout& layout, const QPolygonF& line)
    {
        for (qsizetype i = 0; i + 1 < line.size(); ++i) {
            const QRectF stroke = QRectF(line[i], line[i + 1]).normalized().adjusted(-0.5, -0.5, 0.5, 0.5);
            for (const Panel& panel : layout.panels)
                for (int64_t row = 0; !panel.image && row < int64_t(panel.rows); ++row)
                    for (int64_t column = 0; column < int64_t(panel.columns); ++column) {
                        const QRectF cell = panel.cellRect({panel.first.row + row, panel.first.column + column});
                        const QRectF middle = cell.adjusted(cell.width() * 0.15, cell.height() * 0.2,
                                                            -cell.width() * 0.15, -cell.height() * 0.2);
                        QVERIFY(!stroke.intersects(middle));
                    }
        }
    }

private slots:
    void timelineLevelsKeepTheMostTellingStepOfEachWarp()
    {
        std::vector<replay::StepSummary> steps(1000);
        for (size_t i = 0; i < steps.size(); ++i) {
            steps[i].warp = static_cast<uint16_t>(i % 2);
            steps[i].kind = trace::SiteKind::VariableWrite;
            steps[i].mask = ~LaneMask{0};
        }
        steps[130].kind = trace::SiteKind::Store;  // of warp 0, in the third bucket
        steps[131].mask = 0xff;                    // of warp 1
        const auto rows = StepLevels::of(steps, 2);
        size_t size = 0;
        const std::vector<StepBucket>* level = rows[0].levelFor(70, size);
        QVERIFY(level != nullptr);
        QCOMPARE(size, StepLevels::kFinest);
        QCOMPARE(kindOfRank((*level)[2].rank), trace::SiteKind::Store);
        QCOMPARE(kindOfRank((*level)[1].rank), trace::SiteKind::VariableWrite);
        QCOMPARE(int((*rows[1].levelFor(70, size))[2].lanes), 8);
        QCOMPARE(int((*level)[2].lanes), 32);
        QVERIFY(rows[0].levelFor(63, size) == nullptr);
    }

    /// Two warps: a first epoch, then three times a pair of epochs.
    void epochsThatDoTheSameAreALoop()
    {
        using trace::SiteKind;
        trace::Catalog catalog;
        for (const uint32_t line : {10U, 20U, 30U}) {
            trace::Site site;
            site.where.line = line;
            catalog.sites.push_back(site);
        }
        std::vector<replay::StepSummary> steps;
        const auto add = [&](uint32_t epoch, uint32_t site, SiteKind kind, int times) {
            for (int i = 0; i < times; ++i)
                for (const uint16_t warp : {uint16_t{0}, uint16_t{1}})
                    steps.push_back({SiteId(site), warp, kind, ~LaneMask{0}, epoch});
        };
        add(0, 0, SiteKind::VariableWrite, 4);
        for (uint32_t epoch = 1; epoch < 7; epoch += 2) {
            add(epoch, 1, SiteKind::Store, 1);
            add(epoch + 1, 2, SiteKind::Load, 3);
            add(epoch + 1, 1, SiteKind::Store, 1);
        }
        const BlockPhases phases = BlockPhases::of(steps, 2, catalog);
        QCOMPARE(phases.epochs(), size_t{7});
        QCOMPARE(phases.patterns.size(), size_t{3});
        QCOMPARE(phases.patterns[1].line, uint32_t{20});
        QCOMPARE(phases.patterns[2].line, uint32_t{30});
        QCOMPARE(phases.patterns[2].epochs, size_t{3});
        QCOMPARE(phases.loops.size(), size_t{1});
        QCOMPARE(phases.loops[0].first, size_t{1});
        QCOMPARE(phases.loops[0].every, size_t{2});
        QCOMPARE(phases.loops[0].times, size_t{3});
        const BlockPhases::Phase& phase = phases.phase(2, 1);
        QCOMPARE(phase.total(), uint32_t{4});
        QCOMPARE(phase.steps[size_t(rankOf(SiteKind::Load))], uint32_t{3});
        QCOMPARE(phase.first, StepIndex{11});
        QCOMPARE(phase.last, StepIndex{18});
    }

    /// Of eight warps, the last runs another line.
    static std::shared_ptr<BlockOverview> overviewOfWarps(const trace::Catalog& catalog)
    {
        constexpr uint16_t kWarps = 8;
        auto steps = std::make_shared<std::vector<replay::StepSummary>>();
        for (uint32_t epoch = 0; epoch < 40; ++epoch)
            for (int i = 0; i < 50; ++i)
                for (uint16_t warp = 0; warp < kWarps; ++warp)
                    steps->push_back(
                        {SiteId(warp == kWarps - 1 ? 1 : 0), warp, trace::SiteKind::Load, ~LaneMask{0}, epoch});
        auto overview = std::make_shared<BlockOverview>();
        overview->stepCount = steps->size();
        overview->phases = std::make_shared<const BlockPhases>(BlockPhases::of(*steps, kWarps, catalog));
        overview->ranLines = {{0, 10}, {0, 20}};
        for (uint16_t warp = 0; warp < kWarps; ++warp)
            overview->rows.push_back(
                {QStringLiteral("warp %1").arg(warp), BlockIndex(0), warp, true, ~LaneMask{0}, steps, {}});
        return overview;
    }

    void warpsThatDoTheSameShareARow()
    {
        trace::Catalog catalog;
        for (const uint32_t line : {10U, 20U}) {
            trace::Site site;
            site.where.line = line;
            catalog.sites.push_back(site);
        }
        const auto overview = overviewOfWarps(catalog);
        const StepRange all{0, static_cast<double>(overview->stepCount)};
        const auto layout = TimelineLayout::compute(*overview, 3, all, {1000, 400}, 1);
        QVERIFY(layout.showsPhases);
        QCOMPARE(layout.rows, size_t{2});
        QCOMPARE(layout.labelOf(*overview, 0), QStringLiteral("warps 0–6"));
        QCOMPARE(layout.labelOf(*overview, 1), QStringLiteral("warp 7"));
        QCOMPARE(layout.standsFor[0], size_t{3});
        QCOMPARE(layout.placeOf[7], size_t{1});
        const auto near = TimelineLayout::compute(*overview, 3, {1000, 1100}, {1000, 400}, 1);
        QCOMPARE(near.standsFor.size(), overview->rows.size());
        QVERIFY(near.lens.isEmpty());
        QCOMPARE(near.plot.left(), layout.plot.left());
    }

    void aLensHasTheStepsAroundTheFocus()
    {
        trace::Catalog catalog;
        catalog.sites.resize(2);
        Snapshot snapshot;
        snapshot.overview = overviewOfWarps(catalog);
        snapshot.warp = 3;
        snapshot.focus.step = 8000;
        const StepRange all{0, static_cast<double>(snapshot.overview->stepCount)};
        const auto layout = TimelineLayout::compute(*snapshot.overview, 3, all, {1000, 400}, 1);
        QVERIFY(layout.lens.top() >= layout.plot.bottom());
        QVERIFY(layout.lens.bottom() <= layout.legend.top());
        const QPointF middle = layout.lens.center();
        const auto next = lensStepAt(snapshot, layout, middle + QPointF(9, 0), 1);
        const auto last = lensStepAt(snapshot, layout, middle - QPointF(9, 0), 1);
        QVERIFY(next && last);
        QVERIFY(*last < snapshot.focus.step && *next >= snapshot.focus.step);
        QCOMPARE(*next % 8, StepIndex{3});  // the warp's own
        QCOMPARE(*last % 8, StepIndex{3});
        QVERIFY(!lensStepAt(snapshot, layout, layout.plot.center(), 1));
    }
};

QTEST_MAIN(StageLayoutTest)
#include "tst_stage_layout.moc"
