// SPDX-License-Identifier: GPL-3.0-or-later
// bench_stage [TRACE]: what a step costs the window, from the request to the painted picture, on a 256³ tiled
// matmul by default. Prints the median and the 95th percentile of random seeks and of single steps, in ms.
#include <QApplication>
#include <QElapsedTimer>
#include <QImage>
#include <QTemporaryDir>

#include <algorithm>
#include <cstdio>
#include <random>

#include "app/gui/engine/snapshot_builder.h"
#include "app/gui/stage/stage_painter.h"
#include "app/gui/timeline/timeline_painter.h"
#include "app/gui/window/application.h"
#include "tests/app/sample_kernels.h"

using namespace lanescope;
using namespace lanescope::gui;

namespace {

struct Series {
    const char* name;
    std::vector<double> milliseconds;

    void print()
    {
        std::sort(milliseconds.begin(), milliseconds.end());
        const size_t count = milliseconds.size();
        std::printf("%-28s median %7.3f ms   p95 %7.3f ms   max %7.3f ms\n", name, milliseconds[count / 2],
                    milliseconds[count * 95 / 100], milliseconds.back());
    }
};

template <typename Work>
void time(Series& series, Work work)
{
    QElapsedTimer timer;
    timer.start();
    work();
    series.milliseconds.push_back(static_cast<double>(timer.nsecsElapsed()) / 1e6);
}

void paint(const SnapshotPointer& snapshot, QImage& image, Series& stage, Series& timeline)
{
    const Theme& theme = themeNamed(QStringLiteral("dark"));
    const QSizeF size = image.size();
    time(stage, [&] {
        const StageScene scene = StageScene::of(snapshot, theme);
        const StageLayout layout = StageLayout::compute(scene.specs, size, theme.typeScale);
        QPainter painter(&image);
        paintStage(painter, {scene, layout, theme, {}, {Overlay::Tiles}, {}, size});
    });
    time(timeline, [&] {
        QPainter painter(&image);
        const StepRange all{0, static_cast<double>(snapshot->overview->stepCount)};
        const auto layout = TimelineLayout::compute(*snapshot->overview, focusedRowOf(*snapshot), all, {1600, 200}, 1);
        paintTimelineBody(painter, *snapshot, layout, theme, {1600, 200});
    });
}

}  // namespace

int main(int argc, char** argv)
{
    const ApplicationGuard application(argc, argv);
    QTemporaryDir folder;
    const std::string path = argc > 1 ? argv[1] : folder.filePath(QStringLiteral("t.lanes")).toStdString();
    if (argc < 2)
        test::writeTrace(path, [](trace::TraceWriter& writer) { test::writeTiledMatmul(writer, 256, 16); });
    auto session = replay::Session::open(path);
    if (!session)
        return std::fprintf(stderr, "bench_stage: %s\n", session.error().text().c_str()), 2;
    SnapshotBuilder builder(std::move(session).value());
    auto focus = builder.session().openingFocus();
    if (!focus)
        return std::fprintf(stderr, "bench_stage: %s\n", focus.error().text().c_str()), 2;
    auto first = builder.build(focus.value(), {});
    LS_ASSERT(first.ok());
    const StepIndex count = first.value()->overview->stepCount;
    Series seeks{"snapshot, random seek", {}};
    Series steps{"snapshot, one step on", {}};
    Series stage{"stage painted 1100x640", {}};
    Series timeline{"timeline painted 1600x200", {}};
    QImage image(1100, 640, QImage::Format_ARGB32_Premultiplied);
    std::mt19937_64 random(1);
    for (int i = 0; i < 300; ++i) {
        replay::Focus at = focus.value();
        at.step = random() % count;
        time(seeks, [&] { LS_ASSERT(builder.build(at, {}).ok()); });
        ++at.step;
        SnapshotPointer snapshot;
        time(steps, [&] { snapshot = builder.build(at, {}).value(); });
        paint(snapshot, image, stage, timeline);
    }
    for (Series* series : {&seeks, &steps, &stage, &timeline})
        series->print();
    return 0;
}
