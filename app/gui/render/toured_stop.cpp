// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/render/toured_stop.h"

#include "app/gui/theme/theme.h"
#include "app/gui/tour/tour_caption.h"
#include "app/gui/tour/tour_library.h"

namespace lanescope::gui {

namespace {

Error badStop(const std::string& message)
{
    return {Error::Code::BadInput, message, "--tour-stop"};
}

}  // namespace

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
        return badStop("there is no tour through " + program.toStdString() + ", expected one named with --tour");
    const size_t count = tour->stops.size();
    if (static_cast<size_t>(request.tourStop) > count)
        return badStop("stop " + std::to_string(request.tourStop) + ", expected 1 to " + std::to_string(count));
    const tour::Stop& stop = tour->stops[static_cast<size_t>(request.tourStop) - 1];
    auto place = tour::placeOf(builder.session(), stop);
    if (!place)
        return place.error();
    return TouredStop{stop, place.value(), QStringLiteral("%1 of %2").arg(request.tourStop).arg(count)};
}

Drawing captioned(const Drawing& drawing, const TouredStop& stop, const RenderRequest& request, double captionHeight)
{
    const QRectF area(0, request.height, request.width, captionHeight);
    const Theme& theme = themeNamed(QString::fromStdString(request.theme));
    return [=, &theme](QPainter& painter) {
        drawing(painter);
        paintTourCaption(painter, stop.stop, stop.position, theme, area);
    };
}

}  // namespace lanescope::gui
