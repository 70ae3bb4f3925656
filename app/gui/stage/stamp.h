// SPDX-License-Identifier: GPL-3.0-or-later
// Small shapes that a picture repeats thousands of times: drawn once and then stamped on a screen, drawn as vectors in
// a file. GUI thread only.
#pragma once

#include <QPainter>

namespace lanescope::gui {

/// A rounded box with the painter's pen and brush. Where it is stamped it lies within an eighth of a pixel of its
/// place.
void paintBox(QPainter& painter, const QRectF& box, double radius);

/// Thin diagonals across \p box, \p step pixels apart.
void paintHatch(QPainter& painter, const QRectF& box, const QColor& colour, double step);

}  // namespace lanescope::gui
