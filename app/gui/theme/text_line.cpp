// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/theme/text_line.h"

#include <QFontMetricsF>
#include <QGlyphRun>
#include <QHash>
#include <QPaintEngine>
#include <QRawFont>
#include <QTextLayout>

#include <algorithm>
#include <array>

namespace lanescope::gui {

namespace {

constexpr qsizetype kMostLines = 8192;  // some megabytes
constexpr qsizetype kMostFonts = 256;

/// A text laid out, with its left end and its baseline at the origin.
struct Line {
    QList<QGlyphRun> runs;
    double width = 0;
};

struct LineKey {
    QFont font;
    QString text;
    friend bool operator==(const LineKey&, const LineKey&) = default;
};

size_t qHash(const LineKey& key, size_t seed)
{
    // Of a font only what tells the theme's fonts apart: hashing all of it costs more than drawing the line.
    return qHashMulti(seed, key.font.pixelSize(), key.font.weight(), key.text);
}

Line layOut(const QFont& font, const QString& text)
{
    QTextLayout layout(text, font);
    layout.beginLayout();
    const QTextLine line = layout.createLine();
    layout.endLayout();
    Line result;
    if (line.isValid()) {
        result.width = line.horizontalAdvance();
        result.runs = line.glyphRuns();
    }
    for (QGlyphRun& run : result.runs) {
        QList<QPointF> positions = run.positions();
        for (QPointF& position : positions)
            position.ry() -= line.ascent();
        run.setPositions(positions);
    }
    return result;
}

const Line& lineOf(const QFont& font, const QString& text)
{
    thread_local QHash<LineKey, Line> lines;
    const LineKey key{font, text};
    const auto known = lines.constFind(key);
    if (known != lines.constEnd())
        return *known;
    if (lines.size() >= kMostLines)
        lines.clear();
    return *lines.insert(key, layOut(font, text));
}

/// Files keep text as text.
bool isScreen(const QPainter& painter)
{
    return painter.paintEngine() != nullptr && painter.paintEngine()->type() == QPaintEngine::Raster;
}

/// The glyphs of a font in which all have the same width.
struct NumberFont {
    QRawFont font;
    std::array<quint32, 128> glyphs{};
    double advance = 0;
};

NumberFont numberFontOf(const QFont& font)
{
    NumberFont result;
    result.font = QRawFont::fromFont(font);
    for (size_t letter = u' '; letter < result.glyphs.size() - 1; ++letter)
        if (const auto glyphs = result.font.glyphIndexesForString(QString(QChar(static_cast<char16_t>(letter))));
            !glyphs.isEmpty())
            result.glyphs[letter] = glyphs[0];
    const auto advances = result.font.advancesForGlyphIndexes({result.glyphs[u'0']});
    result.advance = advances.isEmpty() ? 0 : advances[0].x();
    return result;
}

const NumberFont& numberFont(const QFont& font)
{
    thread_local QHash<std::pair<int, int>, NumberFont> fonts;
    const std::pair<int, int> key(font.pixelSize(), font.weight());
    const auto known = fonts.constFind(key);
    if (known != fonts.constEnd())
        return *known;
    if (fonts.size() >= kMostFonts)
        fonts.clear();
    return *fonts.insert(key, numberFontOf(font));
}

}  // namespace

double textWidth(const QFont& font, const QString& text)
{
    return text.isEmpty() ? 0 : lineOf(font, text).width;
}

QString elided(const QFont& font, const QString& text, double width)
{
    return textWidth(font, text) <= width ? text : QFontMetricsF(font).elidedText(text, Qt::ElideRight, width);
}

void drawTextLine(QPainter& painter, QPointF baseline, const QString& text)
{
    if (!isScreen(painter))
        return painter.drawText(baseline, text);
    if (text.isEmpty())
        return;
    for (const QGlyphRun& run : lineOf(painter.font(), text).runs)
        painter.drawGlyphRun(baseline, run);
}

void drawTextLine(QPainter& painter, const QRectF& box, Qt::Alignment alignment, const QString& text)
{
    // In files, too: drawText() cuts letters that are higher than their box.
    const QFontMetricsF metrics(painter.font());
    const double free = box.width() - textWidth(painter.font(), text);
    const double x = alignment.testFlag(Qt::AlignRight) ? free : alignment.testFlag(Qt::AlignHCenter) ? free / 2 : 0;
    const double y = alignment.testFlag(Qt::AlignVCenter) ? (box.height() - metrics.height()) / 2 : 0;
    drawTextLine(painter, QPointF(box.left() + x, box.top() + y + metrics.ascent()), text);
}

void drawNumber(QPainter& painter, QPointF centreOfBaseline, const QString& text)
{
    const NumberFont& font = numberFont(painter.font());
    const QPointF left(centreOfBaseline.x() - font.advance * static_cast<double>(text.size()) / 2,
                       centreOfBaseline.y());
    constexpr qsizetype kMost = 32;
    const bool plain = text.size() <= kMost && std::all_of(text.begin(), text.end(), [](QChar letter) {
                           return letter.unicode() >= u' ' && letter.unicode() < 127;
                       });
    if (!plain || font.advance <= 0 || !isScreen(painter))
        return painter.drawText(left, text);
    std::array<quint32, kMost> glyphs;
    std::array<QPointF, kMost> places;
    for (qsizetype i = 0; i < text.size(); ++i) {
        glyphs[static_cast<size_t>(i)] = font.glyphs[text[i].unicode()];
        places[static_cast<size_t>(i)] = QPointF(font.advance * static_cast<double>(i), 0);
    }
    QGlyphRun run;
    run.setRawFont(font.font);
    run.setRawData(glyphs.data(), places.data(), static_cast<int>(text.size()));
    painter.drawGlyphRun(left, run);
}

}  // namespace lanescope::gui
