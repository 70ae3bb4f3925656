// SPDX-License-Identifier: GPL-3.0-or-later
// Single lines of text, laid out once and then drawn and measured again and again: most of what a step paints was
// painted by the step before it. One cache per thread.
#pragma once

#include <QPainter>

namespace lanescope::gui {

/// As QFontMetricsF::horizontalAdvance.
[[nodiscard]] double textWidth(const QFont& font, const QString& text);
/// \p text, cut at its end with an ellipsis where it is wider than \p width.
[[nodiscard]] QString elided(const QFont& font, const QString& text, double width);
/// Draws with the painter's font and pen; \p baseline is where the first letter stands.
void drawTextLine(QPainter& painter, QPointF baseline, const QString& text);
/// As QPainter::drawText with these flags, for one line that is not cut.
void drawTextLine(QPainter& painter, const QRectF& box, Qt::Alignment alignment, const QString& text);
/// Like drawTextLine, for texts that are seen once, as numbers in cells of changing size: no layout, no cache. The font
/// is Theme::mono's.
void drawNumber(QPainter& painter, QPointF centreOfBaseline, const QString& text);

}  // namespace lanescope::gui
