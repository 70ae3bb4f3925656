// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/export/analysis_picture.h"

#include <QImage>

#include <algorithm>

#include "app/gui/views/line_table.h"

namespace lanescope::gui {

namespace {

/// How a page looks, painted nowhere.
struct Trial {
    bool isCut = false;
    double bottom = 0;  ///< of the lowest text
};

Trial tried(const View& view, const AnalysisPage& page, const ViewSettings& settings, const Theme& theme, QSizeF size,
            double magnification)
{
    QImage nowhere(1, 1, QImage::Format_ARGB32_Premultiplied);
    QPainter painter(&nowhere);
    Canvas canvas(painter, theme, size, view.title(), nullptr, magnification);
    markWarps(canvas, view, settings);
    view.paint(canvas, *page.snapshot, *page.data, settings);
    return {canvas.isCut(), canvas.bottom()};
}

/// The largest of a few at which \p page has room, from \p most downwards. Views that fill any size stay as they are.
double fitting(const View& view, const AnalysisPage& page, const ViewSettings& settings, const Theme& theme,
               QSizeF size, double most)
{
    constexpr double kStep = 0.1;
    constexpr double kFull = 0.9;  // of the height
    const auto fits = [&](const Trial& trial) { return !trial.isCut && trial.bottom <= size.height() * kFull; };
    if (!fits(tried(view, page, settings, theme, size, 1)))
        return 1;
    for (double magnification = most; magnification > 1; magnification -= kStep)
        if (fits(tried(view, page, settings, theme, size, magnification)))
            return magnification;
    return 1;
}

}  // namespace

std::vector<Drawing> analysisDrawings(const View& view, const std::vector<AnalysisPage>& pages,
                                      const ViewSettings& settings, const Theme& theme, QSizeF size)
{
    double magnification = 1.8;
    for (const AnalysisPage& page : pages)
        magnification = fitting(view, page, settings, theme, size, magnification);
    std::vector<Drawing> drawings;
    for (const AnalysisPage& page : pages)
        drawings.emplace_back([=, &view, &theme](QPainter& painter) {
            Canvas canvas(painter, theme, size, view.title(), nullptr, magnification);
            markWarps(canvas, view, settings);
            view.paint(canvas, *page.snapshot, *page.data, settings);
        });
    return drawings;
}

}  // namespace lanescope::gui
