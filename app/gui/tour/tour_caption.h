// SPDX-License-Identifier: GPL-3.0-or-later
// A tour's stop in words, below a picture.
#pragma once

#include <QPainter>

#include "app/gui/theme/theme.h"
#include "core/tour/tour.h"

namespace lanescope::gui {

/// Pixels that the caption of \p stop needs at \p width.
double tourCaptionHeight(const tour::Stop& stop, const Theme& theme, double width);
/// \p position: "2 of 6".
void paintTourCaption(QPainter& painter, const tour::Stop& stop, const QString& position, const Theme& theme,
                      const QRectF& area);

}  // namespace lanescope::gui
