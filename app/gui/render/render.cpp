// SPDX-License-Identifier: GPL-3.0-or-later
// Pictures without a window.
#include "app/gui/gui.h"

#include <algorithm>
#include <cmath>

#include "app/gui/export/text_proof.h"
#include "app/gui/render/pages.h"
#include "app/gui/render/toured_stop.h"
#include "app/gui/tour/tour_caption.h"
#include "app/gui/window/application.h"

namespace lanescope::gui {

namespace {

constexpr int kSmallestSide = 200;
constexpr int kLargestSide = 16'384;

Error badArgument(const std::string& message, const char* where)
{
    return {Error::Code::BadInput, message, where};
}

/// The names of all views, or of those that show two traces.
std::string viewNames(int fewestTraces)
{
    QStringList names;
    for (const ViewDescription& view : viewDescriptions())
        if (view.traces >= fewestTraces)
            names << QString::fromStdString(view.name);
    return names.join(QStringLiteral(", ")).toStdString();
}

Result<void> checkView(const RenderRequest& request)
{
    const auto& views = viewDescriptions();
    const auto view = std::find_if(views.begin(), views.end(), [&](const auto& v) { return v.name == request.view; });
    if (view == views.end())
        return badArgument("unknown view '" + request.view + "', expected " + viewNames(1), "--view");
    if (view->traces == 2 && request.compare.empty())
        return badArgument("view " + view->name + " has no second trace, expected one", "--compare");
    if (view->traces == 1 && !request.compare.empty())
        return badArgument("a second trace, expected with view " + viewNames(2) + " alone", "--compare");
    return {};
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
    return checkView(request);
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

/// Makes \p request one of the stop's focus and overlays. Returns the pixels that its caption takes from the height.
double takeStop(RenderRequest& request, const TouredStop& stop)
{
    request.focus = replay::focusText(stop.place.focus);
    if (request.overlays.empty())
        request.overlays = stop.stop.overlays;
    const Theme& theme = themeNamed(QString::fromStdString(request.theme));
    const double height = request.caption ? std::ceil(tourCaptionHeight(stop.stop, theme, request.width)) : 0;
    request.height = std::max(kSmallestSide, request.height - static_cast<int>(height));
    return height;
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
    StageCamera camera;
    if (request.tourStop > 0) {
        auto toured = touredStop(builder, request);
        if (!toured)
            return toured.error();
        stop = toured.value();
        captionHeight = takeStop(request, *stop);
        camera = {stop->place.camera, stop->place.threads, stop->place.blocks};
    }
    const std::vector<std::string> usual{"tiles", "race", "bounds"};
    auto overlays = overlaysNamed(request.overlays.empty() ? usual : request.overlays);
    if (!overlays)
        return overlays.error();
    auto pages = pagesOf(builder, request, overlays.value(), camera);
    if (!pages)
        return pages.error();
    std::vector<Drawing> drawings;
    for (const Drawing& page : pages.value())
        drawings.push_back(
            magnified(captionHeight > 0 ? captioned(page, *stop, request, captionHeight) : page, factor));
    return drawings;
}

bool isPage(const RenderRequest& request)
{
    return QString::fromStdString(request.output).endsWith(QLatin1String(".html"), Qt::CaseInsensitive);
}

PageColours coloursOf(const Theme& theme)
{
    return {theme.stage.name(), theme.raised.name(), theme.border.name(),
            theme.text.name(),  theme.dim.name(),    theme.accent.name()};
}

/// Every step in every theme, as large as was asked for and as a telephone has room for.
Result<void> renderPage(const RenderRequest& request)
{
    constexpr size_t kMostSteps = 500;
    constexpr QSize kNarrow(480, 800);
    auto session = replay::Session::open(request.trace);
    if (!session)
        return session.error();
    SnapshotBuilder builder(std::move(session).value());
    auto words = wordsOf(builder, request);
    if (!words)
        return words.error();
    if (words.value().steps.size() > kMostSteps)
        return badArgument(std::to_string(words.value().steps.size()) + " steps, expected at most " +
                               std::to_string(kMostSteps) + " in a page; choose fewer with --from, --to and --by",
                           "-o");
    StepsPage page(words.value().title, QString::fromStdString(request.theme));
    for (const auto& [path, text] : words.value().sources)
        page.addSource(path, text);
    for (const StepWords& step : words.value().steps)
        page.addStep(step);
    for (const QString& theme : themeNames())
        for (const QSize size : {QSize(request.width, request.height), kNarrow}) {
            RenderRequest variant = request;
            variant.theme = theme.toStdString();
            variant.width = size.width();
            variant.height = size.height();
            auto drawings = drawingsOf(variant);
            if (!drawings)
                return drawings.error();
            page.addPictures(theme, coloursOf(themeNamed(theme)), size, drawings.value());
        }
    return page.write(QString::fromStdString(request.output));
}

}  // namespace

Result<void> render(int& argc, char** argv, const RenderRequest& request)
{
    const ApplicationGuard application(argc, argv);
    if (auto checked = checkRequest(request); !checked)
        return checked;
    if (isPage(request))
        return renderPage(request);
    if (!isPictureEnding(QString::fromStdString(request.output)))
        return badArgument("'" + request.output +
                               "' has no known picture format, expected .png, .svg, .pdf, .gif, .mp4 or .html",
                           "-o");
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

}  // namespace lanescope::gui
