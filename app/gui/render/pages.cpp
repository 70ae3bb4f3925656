// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/render/pages.h"

#include <algorithm>

#include "app/gui/engine/step_target.h"
#include "app/gui/export/analysis_picture.h"
#include "app/gui/source/source_painter.h"
#include "app/gui/stage/overlay_tint.h"
#include "app/gui/stage/stage_picture.h"
#include "app/gui/timeline/timeline_painter.h"
#include "app/gui/views/banks/banks_view.h"
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

ViewSettings viewSettingsOf(const RenderRequest& request)
{
    ViewSettings settings;
    analysis::SharedLayout layout;
    layout.padElements = request.pad;
    layout.swizzle = request.swizzle == "xor"      ? analysis::Swizzle::XorRow
                     : request.swizzle == "rotate" ? analysis::Swizzle::RotateRow
                                                   : analysis::Swizzle::None;
    settings.own.set(BanksSettings{layout});
    settings.zoom = std::max(1.0, request.zoom);
    settings.pan = std::clamp(request.pan, 0.0, 1.0);
    settings.compareWith = request.compare;
    return settings;
}

/// A view that is computed from the whole launch or block, at each of \p snapshots.
Result<std::vector<Drawing>> analysisPages(const View& view, AnalysisCache& cache, const RenderRequest& request,
                                           const std::vector<SnapshotPointer>& snapshots)
{
    ViewSettings settings = viewSettingsOf(request);
    std::vector<AnalysisPage> pages;
    for (const SnapshotPointer& snapshot : snapshots) {
        view.aim(settings, *snapshot);
        auto data = view.compute(cache, *snapshot, settings);
        if (!data)
            return data.error();
        pages.push_back({snapshot, data.value()});
    }
    return analysisDrawings(view, pages, settings, themeNamed(QString::fromStdString(request.theme)),
                            QSizeF(request.width, request.height));
}

Drawing drawingOf(const RenderRequest& request, const SnapshotPointer& snapshot, const Overlays& overlays,
                  const StageCamera& camera)
{
    const QString themeName = QString::fromStdString(request.theme);
    const Theme& theme = themeNamed(themeName);
    const QSizeF size(request.width, request.height);
    if (request.view == "stage")
        return [=, &theme](QPainter& painter) { paintWholeStage(painter, {snapshot, overlays, camera}, theme, size); };
    if (request.view == "source")
        return [=, &theme](QPainter& painter) { paintSource(painter, *snapshot, theme, size); };
    if (request.view == "timeline")
        return [=, &theme](QPainter& painter) { paintWholeTimeline(painter, *snapshot, theme, size); };
    return windowDrawing(snapshot, themeName, QSize(request.width, request.height), overlays);
}

}  // namespace

Result<std::vector<Drawing>> pagesOf(SnapshotBuilder& builder, const RenderRequest& request, const Overlays& overlays,
                                     const StageCamera& camera)
{
    auto snapshots = snapshotsOf(builder, request, overlays);
    if (!snapshots)
        return snapshots.error();
    const View* view = request.view == "compare" ? &compareView() : viewNamed(QString::fromStdString(request.view));
    if (view != nullptr)
        return analysisPages(*view, builder.analyses(), request, snapshots.value());
    std::vector<Drawing> pages;
    for (const SnapshotPointer& snapshot : snapshots.value())
        pages.push_back(drawingOf(request, snapshot, overlays, camera));
    return pages;
}

}  // namespace lanescope::gui
