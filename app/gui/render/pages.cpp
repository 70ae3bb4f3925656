// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/render/pages.h"

#include <QFileInfo>

#include <map>

#include "app/gui/engine/step_target.h"
#include "app/gui/engine/value_format.h"
#include "app/gui/export/analysis_picture.h"
#include "app/gui/source/source_painter.h"
#include "app/gui/stage/caption.h"
#include "app/gui/stage/overlay_tint.h"
#include "app/gui/stage/stage_picture.h"
#include "app/gui/timeline/timeline_painter.h"
#include "app/gui/views/compare/compare_view.h"
#include "app/gui/window/window_picture.h"

namespace lanescope::gui {

namespace {

constexpr size_t kMostPages = 2'000;

Result<replay::Focus> focusOf(SnapshotBuilder& builder, const std::string& text)
{
    auto opening = openingView(builder);
    if (!opening || text.empty())
        return opening;
    return builder.session().parseFocus(text, opening.value());
}

/// One focus, or all from `from` to `to` in steps of `by`.
Result<std::vector<replay::Focus>> focusesOf(SnapshotBuilder& builder, const RenderRequest& request)
{
    auto first = focusOf(builder, request.from.empty() ? request.focus : request.from);
    if (!first)
        return first.error();
    std::vector<replay::Focus> all{first.value()};
    if (request.from.empty() && request.to.empty())
        return all;
    const auto unit = stepUnitNamed(request.by.empty() ? "line" : request.by);
    if (!unit)
        return Error{Error::Code::BadInput,
                     "unknown step unit '" + request.by + "', expected access, line, epoch or block", "--by"};
    auto last = builder.session().parseFocus(request.to.empty() ? "last" : request.to, first.value());
    if (!last)
        return last.error();
    const Dim3 grid = builder.catalog()->launches[first.value().launch.value].grid;
    const auto isPast = [&](const replay::Focus& focus) {
        return unit == StepUnit::Block
                   ? !request.to.empty() && linearIndex(focus.block, grid) > linearIndex(last.value().block, grid)
                   : focus.step > last.value().step;
    };
    while (all.size() < kMostPages) {
        auto target = focusTarget(builder, all.back(), *unit, Direction::Forward, {});
        if (!target)
            return target.error();
        if (!target.value() || isPast(*target.value()))
            break;
        all.push_back(*target.value());
    }
    return all;
}

Result<std::vector<SnapshotPointer>> snapshotsOf(SnapshotBuilder& builder, const RenderRequest& request,
                                                 const Overlays& overlays)
{
    auto focuses = focusesOf(builder, request);
    if (!focuses)
        return focuses.error();
    SnapshotOptions options;
    askFor(overlays, options);
    options.footprints = true;
    std::vector<SnapshotPointer> snapshots;
    for (const replay::Focus& focus : focuses.value()) {
        auto snapshot = builder.build(focus, options);
        if (!snapshot)
            return snapshot.error();
        snapshots.push_back(snapshot.value());
    }
    return snapshots;
}

/// All steps of the warps of the focused block that have the role \p name.
Result<analysis::StepsOfBlock> stepsOfRole(AnalysisCache& cache, const Snapshot& snapshot, const std::string& name)
{
    const LaunchId launch = snapshot.focus.launch;
    const BlockIndex block{linearIndex(snapshot.focus.block, snapshot.launch().grid)};
    const auto ring = cache.ring(launch, block);
    if (!ring)
        return ring.error();
    std::string known;
    for (const analysis::RingRole& role : ring.value()->roles) {
        if (role.name == name)
            return analysis::StepsOfBlock{launch, block, 0, ring.value()->steps, role.warps, name};
        known += (known.empty() ? "'" : ", '") + role.name + "'";
    }
    return Error{Error::Code::BadInput,
                 "no warps of the block have the role '" + name + "', found " + (known.empty() ? "none" : known),
                 "--role"};
}

/// A view that is computed from the whole launch or block, at each of \p snapshots.
Result<std::vector<Drawing>> analysisPages(const View& view, AnalysisCache& cache, const RenderRequest& request,
                                           const std::vector<SnapshotPointer>& snapshots)
{
    ViewSettings settings = settingsOf(view.description().options, request.options);
    settings.compareWith = request.compare;
    std::vector<AnalysisPage> pages;
    for (const SnapshotPointer& snapshot : snapshots) {
        view.aim(settings, *snapshot);
        if (!request.role.empty()) {
            auto steps = stepsOfRole(cache, *snapshot, request.role);
            if (!steps)
                return steps.error();
            settings.selection = std::move(steps).value();
        }
        auto data = view.compute(cache, *snapshot, settings);
        if (!data)
            return data.error();
        pages.push_back({snapshot, data.value()});
    }
    return analysisDrawings(view, pages, settings, themeNamed(QString::fromStdString(request.theme)),
                            QSizeF(request.width, request.height));
}

/// One moment, and how its page is to look.
struct Page {
    SnapshotPointer snapshot;
    Overlays overlays;
    StageCamera camera;
    QString themeName;
    QSize size;

    [[nodiscard]] const Theme& theme() const { return themeNamed(themeName); }
};

Drawing stagePage(const Page& page)
{
    return [page](QPainter& painter) {
        paintWholeStage(painter, {page.snapshot, page.overlays, page.camera}, page.theme(), page.size);
    };
}

Drawing sourcePage(const Page& page)
{
    return [page](QPainter& painter) { paintSource(painter, *page.snapshot, page.theme(), page.size); };
}

Drawing timelinePage(const Page& page)
{
    return [page](QPainter& painter) { paintWholeTimeline(painter, *page.snapshot, page.theme(), page.size); };
}

Drawing windowPage(const Page& page)
{
    return windowDrawing(page.snapshot, page.themeName, page.size, page.overlays);
}

/// Views that show a snapshot as it is.
Drawing drawingOf(const std::string& view, const Page& page)
{
    static const std::map<std::string, Drawing (*)(const Page&)> kPages{{stageDescription().name, &stagePage},
                                                                        {sourceDescription().name, &sourcePage},
                                                                        {timelineDescription().name, &timelinePage},
                                                                        {windowDescription().name, &windowPage}};
    return kPages.at(view)(page);
}

/// Null for one that shows a snapshot as it is.
const View* analysisNamed(const std::string& name)
{
    return name == compareView().description().name ? &compareView() : viewNamed(QString::fromStdString(name));
}

}  // namespace

Result<std::vector<Drawing>> pagesOf(SnapshotBuilder& builder, const RenderRequest& request, const Overlays& overlays,
                                     const StageCamera& camera)
{
    auto snapshots = snapshotsOf(builder, request, overlays);
    if (!snapshots)
        return snapshots.error();
    if (const View* view = analysisNamed(request.view))
        return analysisPages(*view, builder.analyses(), request, snapshots.value());
    std::vector<Drawing> pages;
    for (const SnapshotPointer& snapshot : snapshots.value())
        pages.push_back(drawingOf(request.view, {snapshot, overlays, camera, QString::fromStdString(request.theme),
                                                 QSize(request.width, request.height)}));
    return pages;
}

Result<PageWords> wordsOf(SnapshotBuilder& builder, const RenderRequest& request)
{
    auto snapshots = snapshotsOf(builder, request, {});
    if (!snapshots)
        return snapshots.error();
    PageWords words;
    for (const SnapshotPointer& snapshot : snapshots.value()) {
        const trace::Launch& launch = snapshot->launch();
        StepWords step;
        step.place = QObject::tr("%1, step %2 of %3")
                         .arg(blockText(snapshot->focus.block, launch))
                         .arg(snapshot->focus.step)
                         .arg(stepsText(*snapshot->overview));
        step.caption = captionText(*snapshot);
        const SourceMarks marks = SourceMarks::of(*snapshot);
        if (marks.source.value < snapshot->catalog->sources.size()) {
            const trace::Source& source = snapshot->catalog->sources[marks.source.value];
            step.source = QFileInfo(QString::fromStdString(source.path)).fileName();
            step.line = static_cast<int>(marks.nextLine);
            words.sources.emplace(step.source, QString::fromStdString(source.text));
        }
        words.steps.push_back(step);
        words.title = QObject::tr("%1 in %2")
                          .arg(QString::fromStdString(launch.kernel),
                               QFileInfo(QString::fromStdString(snapshot->catalog->session.program)).fileName());
    }
    return words;
}

}  // namespace lanescope::gui
