// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/stage/overlay_tint.h"

#include <QFileInfo>

#include <cmath>
#include <map>

#include "app/gui/engine/statement_map.h"
#include "app/gui/engine/value_format.h"
#include "app/gui/source/syntax.h"
#include "app/gui/stage/arrow_router.h"
#include "app/gui/stage/caption.h"
#include "app/gui/theme/text_line.h"

namespace lanescope::gui {

namespace {

QColor toneColour(const Theme& theme, CaptionPart::Tone tone)
{
    switch (tone) {
    case CaptionPart::Tone::Read:
        return theme.read;
    case CaptionPart::Tone::Write:
        return theme.dark ? theme.write : theme.warning;
    case CaptionPart::Tone::Fault:
        return theme.error;
    case CaptionPart::Tone::Dim:
        return theme.dim;
    case CaptionPart::Tone::Plain:
        break;
    }
    return theme.text;
}

QPolygonF mapped(const QPolygonF& line, const StageView& view)
{
    QPolygonF result;
    for (const QPointF& point : line)
        result << view.map(point);
    return result;
}

QPolygonF routeOf(const StageDrawing& d, const Link& link)
{
    const CellRef cell{link.buffer, link.cell};
    const CellRef thread{*d.scene.threadsPanel, link.thread};
    return link.kind == MarkKind::Read ? routeArrow(d.layout, cell, thread, link.track)
                                       : routeArrow(d.layout, thread, cell, link.track);
}

void drawHead(QPainter& painter, const QPolygonF& line, double length)
{
    const QLineF last(line[line.size() - 1], line[line.size() - 2]);
    const QLineF unit = last.unitVector();
    const QPointF along(unit.dx() * length, unit.dy() * length);
    const QPointF across(-unit.dy() * length * 0.5, unit.dx() * length * 0.5);
    painter.drawPolygon(QPolygonF{line.back(), line.back() + along + across, line.back() + along - across});
}

/// The first line of the statement just run, or of the next one at the start; trimmed.
QString statementText(const Snapshot& snapshot, uint32_t& lineNumber, SourceLanguage& language)
{
    const trace::SourceLocation where = snapshot.statement.empty()
                                            ? snapshot.focusedWarp().nextLine
                                            : snapshot.site(snapshot.statement.front().event.site).where;
    if (where.source.value >= snapshot.catalog->sources.size() || where.line == 0)
        return {};
    const std::string& source = snapshot.catalog->sources[where.source.value].text;
    const std::string& path = snapshot.catalog->sources[where.source.value].path;
    language = languageOf(path);
    if (source.empty()) {  // a library's, which nobody has here
        lineNumber = where.line;
        return QObject::tr("of %1").arg(QFileInfo(QString::fromStdString(path)).fileName());
    }
    const StatementMap map(source, language);
    lineNumber = map.firstLine(where.line);
    QStringList parts;
    const QStringList lines = QString::fromStdString(source).split(QLatin1Char('\n'));
    for (uint32_t line = lineNumber; line <= map.lastLine(where.line) && line <= lines.size(); ++line)
        parts << lines[line - 1].trimmed();
    return parts.join(QLatin1Char(' '));
}

double swatchWidth(const LegendEntry& entry, double side)
{
    return entry.colours.size() > 1 ? side * 0.66 * static_cast<double>(entry.colours.size()) : side;
}

void paintSwatch(QPainter& painter, const LegendEntry& entry, const QRectF& box)
{
    using Swatch = LegendEntry::Swatch;
    const double part = box.width() / static_cast<double>(entry.colours.size());
    for (size_t i = 0; i < entry.colours.size(); ++i) {
        const QColor& colour = entry.colours[i];
        const bool filled = entry.swatch == Swatch::Filled;
        painter.setPen(filled ? QPen(Qt::NoPen)
                              : QPen(colour, 1.4, entry.swatch == Swatch::Dashed ? Qt::DashLine : Qt::SolidLine));
        painter.setBrush(filled                            ? QBrush(colour)
                         : entry.swatch == Swatch::Hatched ? QBrush(colour, Qt::BDiagPattern)
                                                           : QBrush(Qt::NoBrush));
        painter.drawRect(QRectF(box.left() + part * static_cast<double>(i), box.top(), part, box.height()));
    }
}

}  // namespace

QColor colourOf(const Theme& theme, MarkKind kind)
{
    return kind == MarkKind::Read ? theme.read : kind == MarkKind::Write ? theme.write : theme.atomic;
}

double StageDrawing::progressOf(MarkKind kind) const
{
    if (!moves())
        return 1;
    const auto& links = scene.links;
    const bool reads = std::any_of(links.begin(), links.end(), [](const Link& l) { return l.kind == MarkKind::Read; });
    const bool writes = std::any_of(links.begin(), links.end(), [](const Link& l) { return l.kind != MarkKind::Read; });
    if (!reads || !writes)
        return progress;
    return std::clamp(kind == MarkKind::Read ? progress * 2 : progress * 2 - 1, 0.0, 1.0);
}

bool StageDrawing::shows(const Link& link) const
{
    return layout.panels[link.buffer].shows(link.cell) && layout.panels[*scene.threadsPanel].shows(link.thread);
}

namespace {

/// The value on its way, at the arrow's head.
void paintValueOnTheWay(QPainter& painter, const StageDrawing& d, const Link& link, QPointF head)
{
    const BufferView& view = d.scene.snapshot->buffers[d.layout.panels[link.buffer].spec.buffer];
    const uint64_t element = view.shape.elementOf(link.cell);
    if (!view.hasValue(element))
        return;
    const QString text = shortValueText(view.buffer.element, view.at(element), 6);
    const QFont font = d.theme.mono(12.5, true);
    const QSizeF size(textWidth(font, text) + 12 * d.theme.typeScale, 20 * d.theme.typeScale);
    const QRectF chip(head.x() - size.width() / 2, head.y() - size.height() / 2, size.width(), size.height());
    painter.setPen(QPen(colourOf(d.theme, link.kind), 1.6));
    painter.setBrush(mixed(colourOf(d.theme, link.kind), d.theme.stage, 0.3));
    painter.drawRoundedRect(chip, chip.height() / 2, chip.height() / 2);
    painter.setFont(font);
    painter.setPen(d.theme.text);
    drawTextLine(painter, chip, Qt::AlignCenter, text);
}

}  // namespace

void paintArrows(QPainter& painter, const StageDrawing& d)
{
    painter.save();
    painter.setBrush(Qt::NoBrush);
    std::map<MarkKind, QPainterPath> bundles;  // one stroke each, so that shared parts stay thin and even
    for (const Link& link : d.scene.links)
        if (!link.focused && d.progressOf(link.kind) > 0 && d.shows(link))
            bundles[link.kind].addPath(
                roundedPath(mapped(beginningOf(routeOf(d, link), d.progressOf(link.kind)), d.view), 6));
    for (const auto& [kind, path] : bundles) {
        painter.setPen(QPen(mixed(colourOf(d.theme, kind), d.theme.stage, 0.5), 1.0));
        painter.drawPath(path);
    }
    for (const Link& link : d.scene.links) {
        if (!link.focused || !d.shows(link))
            continue;
        const double progress = d.progressOf(link.kind);
        if (progress <= 0)
            continue;
        const QPolygonF line = mapped(beginningOf(routeOf(d, link), progress), d.view);
        const QColor colour = colourOf(d.theme, link.kind);
        painter.setBrush(Qt::NoBrush);
        painter.setPen(QPen(colour, 2.4 * d.theme.typeScale, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
        painter.drawPath(roundedPath(line, 7));
        if (progress < 1) {
            paintValueOnTheWay(painter, d, link, line.back());
            continue;
        }
        painter.setPen(Qt::NoPen);
        painter.setBrush(colour);
        drawHead(painter, line, 9 * d.theme.typeScale);
    }
    painter.restore();
}

namespace {

/// The longest of \p texts, each shorter than the one before, that has room; none: nothing.
QString fittingText(const QFont& font, const QStringList& texts, double room)
{
    const auto fits = [&](const QString& text) { return textWidth(font, text) <= room; };
    const auto found = std::find_if(texts.begin(), texts.end(), fits);
    return found == texts.end() ? QString() : *found;
}

class TitlePainter {
public:
    TitlePainter(QPainter& painter, const StageDrawing& d)
        : m_painter(painter), m_d(d), m_bold(d.theme.sans(15, true)), m_plain(d.theme.sans(12.5)),
          m_line(20 * d.theme.typeScale)
    {
    }

    void paint(size_t index)
    {
        const Panel& panel = m_d.layout.panels[index];
        m_texts = &m_d.scene.texts[index];
        const QRectF frame = m_d.view.map(panel.frame);
        m_noteTone =
            m_d.scene.marks[index].empty()
                ? m_d.theme.dim
                : toneColour(m_d.theme, m_texts->noteIsWrite ? CaptionPart::Tone::Write : CaptionPart::Tone::Read);
        if (panel.lens)
            return paintBesideLens(m_d.view.map(panel.title), windowText(m_d, panel));
        if (panel.titleBeside)
            return paintBeside(frame, panel.title.width());
        const double width = std::max(panel.title.width(), frame.width());
        if (panel.spec.band == Band::Upper)
            paintAbove(QRectF(frame.left(), frame.top() - m_line - 4, width, m_line));
        else
            paintBelow(QRectF(frame.left(), frame.bottom() + 5 * m_d.theme.typeScale, width, m_line),
                       panel.title.height() > 1.7 * m_line);
    }

private:
    /// "float[9][9] global", or its first word where that is too long.
    [[nodiscard]] QString typeIn(double room) const
    {
        return fittingText(m_plain, {m_texts->subtitle, m_texts->subtitle.section(u' ', 0, 0)}, room);
    }

    [[nodiscard]] QString noteIn(double room) const
    {
        return fittingText(m_plain, {m_texts->note, m_texts->shortNote}, room);
    }

    void write(const QRectF& line, Qt::Alignment side, const QFont& font, const QColor& colour, const QString& text)
    {
        m_painter.setFont(font);
        m_painter.setPen(colour);
        drawTextLine(m_painter, line, side | Qt::AlignVCenter, text);
    }

    void paintAbove(const QRectF& line)
    {
        const double name = textWidth(m_bold, m_texts->title) + 9;
        const QString type = typeIn(line.width() - name);
        write(line, Qt::AlignLeft, m_bold, m_d.theme.text, m_texts->title);
        write(line.adjusted(name, 1, 0, 1), Qt::AlignLeft, m_plain, m_d.theme.dim, type);
        const double left = name + textWidth(m_plain, type) + 14;
        if (left + textWidth(m_plain, m_texts->note) <= line.width())
            write(line.translated(0, 1), Qt::AlignRight, m_plain, m_noteTone, m_texts->note);
    }

    /// Arrows may pass behind the words; their heads stand above them.
    void paintBelow(const QRectF& line, bool withNote)
    {
        const double name = textWidth(m_bold, m_texts->title) + 9;
        const QString type = typeIn(line.width() - name);
        const QString note = withNote ? noteIn(line.width()) : QString();
        const QRectF second = line.translated(0, m_line * 0.95);
        if (!m_d.scene.links.empty()) {
            clear(line, name + textWidth(m_plain, type));
            clear(second, note.isEmpty() ? 0 : textWidth(m_plain, note));
        }
        write(line, Qt::AlignLeft, m_bold, m_d.theme.text, m_texts->title);
        write(line.adjusted(name, 1, 0, 1), Qt::AlignLeft, m_plain, m_d.theme.dim, type);
        write(second, Qt::AlignLeft, m_plain, m_noteTone, note);
    }

    void paintBeside(const QRectF& frame, double width)
    {
        constexpr double kGap = 14;
        QRectF line(frame.left() - kGap - width, frame.top() - 1, width, m_line);
        write(line, Qt::AlignRight, m_bold, m_d.theme.text, m_texts->title);
        line.translate(0, m_line);
        write(line, Qt::AlignRight, m_plain, m_d.theme.dim, typeIn(width));
        line.translate(0, m_line * 0.95);
        write(line, Qt::AlignRight, m_plain, m_noteTone, noteIn(width));
    }

    /// As many lines as have room: name and type, what happens, which part is shown.
    void paintBesideLens(const QRectF& box, const QString& part)
    {
        const double name = textWidth(m_bold, m_texts->title) + 9;
        QRectF line(box.left(), box.top() - 2, box.width(), m_line * 0.9);
        write(line, Qt::AlignLeft, m_bold, m_d.theme.text, m_texts->title);
        const QString type = typeIn(box.width() - name);
        write(line.adjusted(name, 1, 0, 1), Qt::AlignLeft, m_plain, m_d.theme.dim, type);
        const auto next = [&](const QFont& font, const QColor& colour, const QString& text) {
            if (text.isEmpty() || line.bottom() + line.height() > box.bottom() + 4)
                return;
            line.translate(0, line.height());
            write(line, Qt::AlignLeft, font, colour, text);
        };
        if (type.isEmpty())
            next(m_plain, m_d.theme.dim,
                 fittingText(m_plain, {m_texts->subtitle, m_texts->subtitle.section(u' ', 0, 0)}, box.width()));
        next(m_plain, m_noteTone, noteIn(box.width()));
        const QFont mono = m_d.theme.mono(11.5);
        next(mono, m_d.theme.dim, fittingText(mono, {part}, box.width()));
    }

    void clear(const QRectF& line, double width)
    {
        const double head = 4 * m_d.theme.typeScale;
        if (width > 0)
            m_painter.fillRect(
                QRectF(line.left() - 2, line.top() + head, std::min(width, line.width()) + 6, line.height() - head),
                m_d.theme.stage);
    }

    QPainter& m_painter;
    const StageDrawing& m_d;
    QFont m_bold;
    QFont m_plain;
    double m_line;
    const PanelTexts* m_texts = nullptr;
    QColor m_noteTone;
};

}  // namespace

void paintTitles(QPainter& painter, const StageDrawing& d)
{
    painter.save();
    TitlePainter titles(painter, d);
    for (size_t i = 0; i < d.layout.panels.size(); ++i)
        titles.paint(i);
    painter.restore();
}

void paintHeader(QPainter& painter, const StageDrawing& d)
{
    const Snapshot& snapshot = *d.scene.snapshot;
    const trace::Launch& launch = snapshot.launch();
    const auto extent = [](Dim3 e) {
        return e.z > 1   ? QStringLiteral("(%1,%2,%3)").arg(e.x).arg(e.y).arg(e.z)
               : e.y > 1 ? QStringLiteral("(%1,%2)").arg(e.x).arg(e.y)
                         : QString::number(e.x);
    };
    painter.save();
    constexpr double kGap = 24;
    const QFont plain = d.theme.sans(13), bold = d.theme.sans(13, true), mono = d.theme.mono(14, true);
    QRectF between = d.layout.header;
    /// From the right; what comes later has less room.
    const auto atRight = [&](const QString& text, const QFont& font, const QColor& colour) {
        painter.setFont(font);
        painter.setPen(colour);
        drawTextLine(painter, between, Qt::AlignRight | Qt::AlignVCenter, text);
        between.setRight(between.right() - textWidth(font, text) - kGap);
    };
    const QString whole = QStringLiteral("%1<<<%2, %3>>>")
                              .arg(QString::fromStdString(launch.kernel), extent(launch.grid), extent(launch.block));
    const uint32_t epochs = snapshot.overview->epochs.empty() ? 1 : snapshot.overview->epochs.back().epoch + 1;
    const QString epoch =
        epochs > 1 ? QStringLiteral("epoch %1 of 0–%2").arg(snapshot.epoch()).arg(epochs - 1) : QString();
    // The first of these that has room beside the call; a step stands below the timeline, too.
    const QString step = QStringLiteral("step %1 of %2").arg(snapshot.focus.step).arg(stepsText(*snapshot.overview));
    const double room = between.width() - textWidth(mono, whole) - textWidth(bold, epoch) - 2 * kGap;
    if (const QString text = fittingText(plain, {step, QStringLiteral("step %1").arg(snapshot.focus.step)}, room);
        !text.isEmpty())
        atRight(text, plain, d.theme.dim);
    if (epochs > 1)
        atRight(epoch, bold, d.theme.text);
    const QString call = QFontMetricsF(mono).elidedText(whole, Qt::ElideRight, between.width());
    painter.setFont(mono);
    painter.setPen(d.theme.text);
    drawTextLine(painter, between, Qt::AlignLeft | Qt::AlignVCenter, call);
    between.setLeft(between.left() + textWidth(mono, call) + kGap);
    paintLegend(painter, d, between);
    painter.restore();
}

void paintLegend(QPainter& painter, const StageDrawing& d, const QRectF& area)
{
    const QFont font = d.theme.sans(12.5);
    painter.setFont(font);
    const double swatch = 12 * d.theme.typeScale;
    const auto entries = legendOf(d.overlays, *d.scene.snapshot, d.theme);
    const auto widthOf = [&](const LegendEntry& entry) {
        return swatchWidth(entry, swatch) + 6 + textWidth(font, entry.text) + 18;
    };
    double all = 0;
    for (const LegendEntry& entry : entries)
        all += widthOf(entry);
    const bool two = entries.size() > 1 && all > area.width();  // two lines where one has no room
    QRectF line(area.left(), two ? area.center().y() - area.height() * 0.44 : area.top(), area.width(),
                two ? area.height() * 0.44 : area.height());
    double x = line.left();
    for (const LegendEntry& entry : entries) {
        if (x > line.left() && x + widthOf(entry) - 18 > line.right()) {
            if (!two || line.top() > area.center().y() - 1)
                return;
            line.moveTop(area.center().y());
            x = line.left();
        }
        const double left = x + swatchWidth(entry, swatch) + 6;
        QStringList texts{entry.text};
        if (const QString first = entry.text.section(QStringLiteral("; "), 0, 0); first != entry.text)
            texts << first << first.section(QStringLiteral(": "), 1);
        texts << entry.text.section(QStringLiteral(": "), 0, 0) << entry.text.section(u' ', 0, 0);
        const QString text = fittingText(font, texts, line.right() - left);
        if (text.isEmpty())
            return;
        paintSwatch(painter, entry, QRectF(x, line.center().y() - swatch / 2, swatchWidth(entry, swatch), swatch));
        painter.setPen(d.theme.dim);
        drawTextLine(painter, QRectF(left, line.top(), line.right() - left, line.height()),
                     Qt::AlignLeft | Qt::AlignVCenter, text);
        x += widthOf(entry);
    }
}

/// Whether the whole sentence is at most so wide. Of a long one only what has room is measured.
static bool areWithin(const std::vector<CaptionPart>& parts, const QFont& font, double room)
{
    return std::ranges::all_of(parts,
                               [&](const CaptionPart& part) { return (room -= textWidth(font, part.text)) >= 0; });
}

/// Large, or smaller where the whole sentence has no room otherwise; in a lecture it takes more lines instead.
static QFont captionFont(const Theme& theme, const std::vector<CaptionPart>& parts, double room)
{
    constexpr double kSmallest = Theme::kCaptionPixels - 4;
    double size = Theme::kCaptionPixels;
    const auto fits = [&](double pixels) { return areWithin(parts, theme.caption(pixels), room); };
    if (theme.captionLines() > 1 || fits(size))
        return theme.caption(size);
    if (!fits(kSmallest))
        return theme.caption(kSmallest);
    do
        size -= 1;
    while (!fits(size));
    return theme.caption(size);
}

/// How much of \p text, up to behind a word, is at most so wide.
static qsizetype wordsWithin(const QFont& font, const QString& text, double room)
{
    if (textWidth(font, text) <= room)
        return text.size();
    std::vector<qsizetype> ends{0};
    for (qsizetype at = text.indexOf(u' '); at >= 0 && at + 1 < text.size(); at = text.indexOf(u' ', at + 1))
        ends.push_back(at + 1);
    const auto behind = std::partition_point(ends.begin() + 1, ends.end(),
                                             [&](qsizetype end) { return textWidth(font, text.left(end)) <= room; });
    return *std::prev(behind);
}

/// The parts one after the other, over as many lines as there are, broken between words; where the last one ends.
static QPointF paintParts(QPainter& painter, const std::vector<CaptionPart>& parts, const QFont& font,
                          const QRectF& line, int lines, const Theme& theme)
{
    painter.setFont(font);
    QPointF at = line.topLeft();
    for (const CaptionPart& part : parts) {
        painter.setPen(toneColour(theme, part.tone));
        QString rest = part.text;
        while (!rest.isEmpty()) {
            const double room = line.right() - at.x();
            const bool isLast = lines <= 1;
            const qsizetype fits = isLast ? rest.size() : wordsWithin(font, rest, room);
            const QString here = isLast && textWidth(font, rest) > room ? elided(font, rest, room) : rest.left(fits);
            drawTextLine(painter, QRectF(at, QSizeF(room, line.height())), Qt::AlignLeft | Qt::AlignVCenter, here);
            at.rx() += textWidth(font, here);
            if (isLast && here != rest)
                return {line.right(), at.y()};
            rest = rest.mid(fits);
            if (!rest.isEmpty()) {
                at = {line.left(), at.y() + line.height()};
                --lines;
            }
        }
    }
    return at;
}

/// Pixels of type on lines of half the height.
static constexpr double kHalfCaption = 10.5;

/// Over as many lines as there are; where the sentence has no room in the only one, over two of small type.
static QPointF paintCaptionParts(QPainter& painter, const std::vector<CaptionPart>& parts, const QRectF& line,
                                 const Theme& theme)
{
    const QFont font = captionFont(theme, parts, line.width());
    if (theme.captionLines() > 1 || areWithin(parts, font, line.width()))
        return paintParts(painter, parts, font, line, theme.captionLines(), theme);
    const QRectF upper(line.left(), line.top(), line.width(), line.height() * 0.5);
    return paintParts(painter, parts, theme.caption(kHalfCaption), upper, 2, theme);
}

struct CodeLine {
    uint32_t number = 0;
    QString text;
    SourceLanguage language = SourceLanguage::Cuda;
};

/// Large, or smaller where the whole line has no room otherwise; one that has none then either goes on below. In a
/// lecture it keeps its size.
static void paintCodeLine(QPainter& painter, const CodeLine& code, const QRectF& box, const Theme& theme)
{
    constexpr double kSmallest = 11;
    constexpr double kHalf = 10;  // of two lines in the place of one
    const QString label = QStringLiteral("%1  ").arg(code.number);
    const auto lettersAt = [&](const QFont& font) {
        const double letter = textWidth(font, QStringLiteral("0"));
        return static_cast<qsizetype>(box.width() / letter + 1e-6) - label.size();
    };
    QFont font = theme.codeLine();
    for (double pixels = Theme::kCodePixels; theme.captionLines() == 1 && pixels > kSmallest; pixels -= 0.5)
        if (lettersAt(font) < code.text.size())
            font = theme.mono(pixels - 0.5);
    QStringList lines{code.text};
    if (theme.captionLines() == 1 && lettersAt(font) < code.text.size()) {
        font = theme.mono(kHalf);
        const qsizetype most = lettersAt(font);
        const qsizetype end = most < code.text.size() ? code.text.lastIndexOf(u' ', most) + 1 : code.text.size();
        const qsizetype first = end > 0 ? end : most;
        lines = {code.text.left(first).trimmed(), code.text.mid(first)};
    }
    const double indent = textWidth(font, label);
    const double high = box.height() / static_cast<double>(lines.size());
    painter.setFont(font);
    painter.setPen(theme.faint);
    drawTextLine(painter, QRectF(box.topLeft(), QSizeF(indent, high)), Qt::AlignLeft | Qt::AlignVCenter, label);
    for (qsizetype i = 0; i < lines.size(); ++i)
        drawCode(painter, QRectF(box.left() + indent, box.top() + static_cast<double>(i) * high, box.width(), high),
                 elided(font, lines[i], box.width() - indent), theme, font, code.language);
}

void paintCaption(QPainter& painter, const StageDrawing& d)
{
    const Snapshot& snapshot = *d.scene.snapshot;
    painter.save();
    const QRectF area = d.layout.caption;
    painter.setPen(QPen(d.theme.border, 1));
    painter.drawLine(area.topLeft(), area.topRight());
    const int lines = d.theme.captionLines();
    const double line = area.height() / (1 + lines);
    uint32_t number = 0;
    SourceLanguage language = SourceLanguage::Cuda;
    const QString code = statementText(snapshot, number, language);
    paintCodeLine(painter, {number, code, language}, QRectF(area.left(), area.top() + 3, area.width(), line), d.theme);
    const std::vector<CaptionPart> parts = captionOf(snapshot);
    const QRectF first(area.left(), area.top() + line - 3, area.width(), line);
    const QPointF end = paintCaptionParts(painter, parts, first, d.theme);
    // Where the sentence ends on the second of two small lines, there is room for small type beside it.
    const double high = std::min(line, first.top() + lines * line - end.y());
    painter.setFont(d.theme.sans(high < 0.75 * line ? kHalfCaption : 13.5));
    painter.setPen(d.theme.dim);
    const QString cost = costOf(snapshot);
    if (textWidth(painter.font(), cost) + 30 < area.right() - end.x())
        drawTextLine(painter, QRectF(end.x(), end.y(), area.right() - end.x(), high), Qt::AlignRight | Qt::AlignVCenter,
                     cost);
    painter.restore();
}

void paintStage(QPainter& painter, const StageDrawing& d)
{
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setRenderHint(QPainter::TextAntialiasing);
    painter.fillRect(QRectF(QPointF(0, 0), d.size), d.theme.stage);
    painter.save();
    const QRectF open(0, d.layout.header.bottom(), d.size.width(), d.layout.caption.top() - d.layout.header.bottom());
    if (!d.view.isHome())
        painter.setClipRect(open);
    for (size_t i = 0; i < d.layout.panels.size(); ++i)
        if (d.layout.panels[i].spec.kind == PanelKind::Buffer)
            paintBuffer(painter, d, i);
    for (size_t i = 0; i < d.layout.panels.size(); ++i)
        if (d.layout.panels[i].lens)
            paintLens(painter, d, i);
    paintGrid(painter, d);
    if (d.scene.threadsPanel)
        paintThreads(painter, d);
    if (d.overlays.contains(Overlay::Tiles))
        for (size_t i = 0; i < d.layout.panels.size(); ++i)
            if (d.layout.panels[i].spec.kind == PanelKind::Buffer)
                paintTiles(painter, d, i);
    for (size_t i = 0; i < d.layout.panels.size(); ++i)
        if (d.layout.panels[i].spec.kind == PanelKind::Buffer)
            paintOverlayMarks(painter, d, i);
    paintArrows(painter, d);
    paintExchanges(painter, d);
    paintCollective(painter, d);
    paintRaceSides(painter, d);
    paintHoveredThreads(painter, d);
    paintTitles(painter, d);
    painter.restore();
    paintHeader(painter, d);
    paintCaption(painter, d);
}

}  // namespace lanescope::gui
