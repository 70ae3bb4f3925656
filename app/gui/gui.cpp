// SPDX-License-Identifier: GPL-3.0-or-later
// Pictures without a window.
#include "app/gui/gui.h"

#include <QApplication>

#include <algorithm>
#include <cmath>
#include <map>

#include "app/gui/engine/step_target.h"
#include "app/gui/export/analysis_picture.h"
#include "app/gui/export/picture.h"
#include "app/gui/export/text_proof.h"
#include "app/gui/source/source_painter.h"
#include "app/gui/stage/overlay_tint.h"
#include "app/gui/timeline/timeline_painter.h"
#include "app/gui/tour/tour_caption.h"
#include "app/gui/tour/tour_library.h"
#include "app/gui/views/compare/compare_view.h"
#include "app/gui/views/view.h"
#include "app/gui/window/application.h"
#include "app/gui/window/window_picture.h"

namespace lanescope::gui {

namespace {

constexpr int kSmallestSide = 200;
constexpr int kLargestSide = 16'384;
constexpr size_t kMostPages = 2'000;

Error badArgument(const std::string& message, const char* where)
{
    return {Error::Code::BadInput, message, where};
}

Result<void> checkRequest(const RenderRequest& request)
{
    for (int side : {request.width, request.height})
        if (side < kSmallestSide || side > kLargestSide)
            return badArgument("size " + std::to_string(request.width) + "x" + std::to_string(request.height) +
                                   ", expected " + std::to_string(kSmallestSide) + " to " +
                                   std::to_string(kLargestSide) + " pixels a side",
                               "--size");
    if (!themeNames().contains(QString::fromStdString(request.theme)))
        return badArgument("unknown theme '" + request.theme + "', expected " +
                               themeNames().join(QStringLiteral(", ")).toStdString(),
                           "--theme");
    QStringList views{QStringLiteral("stage"), QStringLiteral("source"), QStringLiteral("timeline"),
                      QStringLiteral("compare"), QStringLiteral("window")};
    for (const auto& view : allViews())
        views << view->name();
    if (!views.contains(QString::fromStdString(request.view)))
        return badArgument("unknown view '" + request.view + "', expected " +
                               views.join(QStringLiteral(", ")).toStdString(),
                           "--view");
    if ((request.view == "compare") == request.compare.empty())
        return badArgument(request.compare.empty() ? "view compare has no second trace, expected one"
                                                   : "a second trace, expected with view compare alone",
                           "--compare");
    return {};
}

ViewSettings viewSettingsOf(const RenderRequest& request)
{
    ViewSettings settings;
    settings.layout.padElements = request.pad;
    settings.layout.swizzle = request.swizzle == "xor"      ? analysis::Swizzle::XorRow
                              : request.swizzle == "rotate" ? analysis::Swizzle::RotateRow
                                                            : analysis::Swizzle::None;
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
        settings.sweepBuffer = snapshot->focus.buffer;
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
    const Theme& theme = themeNamed(QString::fromStdString(request.theme));
    const QSizeF size(request.width, request.height);
    if (request.view == "stage")
        return [=, &theme](QPainter& painter) {
            StageScene scene = StageScene::of(snapshot, theme);
            scene.keepOnly(camera);
            scene.leaveRoom(overlays);
            const StageLayout layout = StageLayout::compute(scene.specs, size, theme.typeScale);
            paintStage(painter, {scene, layout, theme, {}, overlays, {}, size});
        };
    if (request.view == "source")
        return [=, &theme](QPainter& painter) { paintSource(painter, *snapshot, theme, size); };
    return [=, &theme](QPainter& painter) {
        const StepRange all{0, std::max(1.0, static_cast<double>(snapshot->overview->stepCount))};
        const auto layout =
            TimelineLayout::compute(*snapshot->overview, focusedRowOf(*snapshot), all, size, theme.typeScale);
        paintTimelineBody(painter, *snapshot, layout, theme, size);
        paintTimelineLegend(painter, *snapshot, layout, theme);
        paintScrubber(painter, *snapshot, layout, theme);
    };
}

/// Pictures beyond full HD are drawn larger, not with more room: type that can be read on a small one can be read on a
/// large one.
double magnification(const RenderRequest& request)
{
    constexpr double kWidth = 1920;
    constexpr double kHeight = 1080;
    return std::max(1.0, std::min(request.width / kWidth, request.height / kHeight));
}

Drawing magnified(const Drawing& drawing, double factor)
{
    return [=](QPainter& painter) {
        painter.scale(factor, factor);
        drawing(painter);
    };
}

Result<replay::Focus> focusOf(SnapshotBuilder& builder, const std::string& text)
{
    auto opening = openingView(builder);
    if (!opening || text.empty())
        return opening;
    return builder.session().parseFocus(text, opening.value());
}

/// A stop of a tour, with its place in this trace.
struct TouredStop {
    tour::Stop stop;
    tour::Place place;
    QString position;  ///< "2 of 6"
};

Result<TouredStop> touredStop(SnapshotBuilder& builder, const RenderRequest& request)
{
    const QString program = QString::fromStdString(builder.catalog()->session.program);
    std::optional<tour::Tour> tour = request.tour.empty() ? tourThrough(program) : std::nullopt;
    if (!request.tour.empty()) {
        auto read = readTour(QString::fromStdString(request.tour));
        if (!read)
            return read.error();
        tour = read.value();
    }
    if (!tour)
        return badArgument("there is no tour through " + program.toStdString() + ", expected one named with --tour",
                           "--tour-stop");
    const size_t count = tour->stops.size();
    if (static_cast<size_t>(request.tourStop) > count)
        return badArgument("stop " + std::to_string(request.tourStop) + ", expected 1 to " + std::to_string(count),
                           "--tour-stop");
    const tour::Stop& stop = tour->stops[static_cast<size_t>(request.tourStop) - 1];
    auto place = tour::placeOf(builder.session(), stop);
    if (!place)
        return place.error();
    return TouredStop{stop, place.value(), QStringLiteral("%1 of %2").arg(request.tourStop).arg(count)};
}

/// \p drawing with the stop's caption under it.
Drawing captioned(const Drawing& drawing, const TouredStop& stop, const RenderRequest& request, double captionHeight)
{
    const QRectF area(0, request.height, request.width, captionHeight);
    const Theme& theme = themeNamed(QString::fromStdString(request.theme));
    return [=, &theme](QPainter& painter) {
        drawing(painter);
        paintTourCaption(painter, stop.stop, stop.position, theme, area);
    };
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
        return badArgument("unknown step unit '" + request.by + "', expected access, line, epoch or block", "--by");
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

/// One drawing for each focus of the request.
Result<std::vector<Drawing>> pagesOf(SnapshotBuilder& builder, const RenderRequest& request, const Overlays& overlays,
                                     const std::optional<TouredStop>& stop)
{
    auto focuses = focusesOf(builder, request);
    if (!focuses)
        return focuses.error();
    const QSize size(request.width, request.height);
    std::vector<Drawing> pages;
    std::vector<SnapshotPointer> snapshots;
    ViewOptions options;
    askFor(overlays, options);
    options.footprints = true;
    const View* view = request.view == "compare" ? &compareView() : viewNamed(QString::fromStdString(request.view));
    const StageCamera camera =
        stop ? StageCamera{stop->place.camera, stop->place.threads, stop->place.blocks} : StageCamera{};
    for (const replay::Focus& focus : focuses.value()) {
        auto snapshot = builder.build(focus, options);
        if (!snapshot)
            return snapshot.error();
        snapshots.push_back(snapshot.value());
        if (view != nullptr)
            continue;
        pages.push_back(request.view == "window"
                            ? windowDrawing(snapshot.value(), QString::fromStdString(request.theme), size, overlays)
                            : drawingOf(request, snapshot.value(), overlays, camera));
    }
    return view != nullptr ? analysisPages(*view, builder.analyses(), request, snapshots) : pages;
}

/// A picture of \p wanted's size, page by page.
Result<std::vector<Drawing>> drawingsOf(const RenderRequest& wanted)
{
    const double factor = magnification(wanted);
    RenderRequest request = wanted;
    request.width = qRound(wanted.width / factor);
    request.height = qRound(wanted.height / factor);
    auto session = replay::Session::open(request.trace);
    if (!session)
        return session.error();
    SnapshotBuilder builder(std::move(session).value());
    std::optional<TouredStop> stop;
    double captionHeight = 0;
    if (request.tourStop > 0) {
        auto toured = touredStop(builder, request);
        if (!toured)
            return toured.error();
        stop = toured.value();
        request.focus = replay::focusText(stop->place.focus);
        if (request.overlays.empty())
            request.overlays = stop->stop.overlays;
        if (request.caption)
            captionHeight = std::ceil(
                tourCaptionHeight(stop->stop, themeNamed(QString::fromStdString(request.theme)), request.width));
        request.height = std::max(kSmallestSide, request.height - static_cast<int>(captionHeight));
    }
    const std::vector<std::string> usual{"tiles", "race", "bounds"};
    auto overlays = overlaysNamed(request.overlays.empty() ? usual : request.overlays);
    if (!overlays)
        return overlays.error();
    auto pages = pagesOf(builder, request, overlays.value(), stop);
    if (!pages)
        return pages.error();
    std::vector<Drawing> drawings;
    for (const Drawing& page : pages.value())
        drawings.push_back(
            magnified(captionHeight > 0 ? captioned(page, *stop, request, captionHeight) : page, factor));
    return drawings;
}

}  // namespace

Result<void> render(int& argc, char** argv, const RenderRequest& request)
{
    const ApplicationGuard application(argc, argv);
    if (auto checked = checkRequest(request); !checked)
        return checked;
    if (!isPictureEnding(QString::fromStdString(request.output)))
        return badArgument(
            "'" + request.output + "' has no known picture format, expected .png, .svg, .pdf, .gif or .mp4", "-o");
    auto drawings = drawingsOf(request);
    if (!drawings)
        return drawings.error();
    return writePicture(QString::fromStdString(request.output), QSize(request.width, request.height), drawings.value(),
                        request.palette ? PictureColours::Palette : PictureColours::All);
}

Result<std::vector<TextFault>> proofread(int& argc, char** argv, const RenderRequest& request)
{
    const ApplicationGuard application(argc, argv);
    if (auto checked = checkRequest(request); !checked)
        return checked.error();
    auto drawings = drawingsOf(request);
    if (!drawings)
        return drawings.error();
    std::vector<TextFault> faults;
    for (const Drawing& drawing : drawings.value()) {
        TextProof proof(QSize(request.width, request.height));
        QPainter painter(&proof);
        drawing(painter);
        painter.end();
        const std::vector<TextFault> found = proof.faults();
        faults.insert(faults.end(), found.begin(), found.end());
    }
    return faults;
}

std::string describe(const TextFault& fault)
{
    static const std::map<TextFault::Kind, const char*> kNames{{TextFault::Kind::Cut, "cut"},
                                                               {TextFault::Kind::Covered, "covered"},
                                                               {TextFault::Kind::Overlaps, "overlaps"},
                                                               {TextFault::Kind::Small, "too small"},
                                                               {TextFault::Kind::Elided, "elided"}};
    return std::string(kNames.at(fault.kind)) + (fault.other.empty() ? "" : " '" + fault.other + "'") + ": '" +
           fault.text + "' at " + std::to_string(fault.x) + "," + std::to_string(fault.y) + ", " +
           std::to_string(fault.width) + "x" + std::to_string(fault.height);
}

}  // namespace lanescope::gui
