// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/source/source_painter.h"

#include <QFileInfo>
#include <QFontMetricsF>
#include <QStringList>

#include <algorithm>
#include <map>

#include "app/gui/source/syntax.h"

namespace lanescope::gui {

namespace {

constexpr double kLineStep = 1.55;  // of the type size

class SourcePainter {
public:
    SourcePainter(QPainter& painter, const Snapshot& snapshot, const Theme& theme, QSizeF size)
        : m_painter(painter), m_snapshot(snapshot), m_theme(theme), m_size(size), m_marks(SourceMarks::of(snapshot))
    {
        const trace::Source& source = snapshot.catalog->sources[m_marks.source.value];
        m_lines = QString::fromStdString(source.text).split(QLatin1Char('\n'));
        while (m_lines.size() > 1 && m_lines.back().isEmpty())
            m_lines.removeLast();
        qsizetype longest = 40;
        for (const QString& line : m_lines)
            longest = std::max(longest, line.size());
        const double byWidth = (size.width() - 300) / (0.6 * static_cast<double>(longest));
        constexpr qsizetype kEnough = 28;  // lines around the next one: a kernel, mostly
        const double byHeight =
            (size.height() - 70) / (kLineStep * static_cast<double>(std::min(kEnough, m_lines.size())));
        m_type = std::clamp(std::min(byWidth, byHeight) / theme.typeScale, 13.0, 22.0);
        m_step = m_type * theme.typeScale * kLineStep;
    }

    void paint()
    {
        title();
        const auto fit = static_cast<qsizetype>((m_size.height() - kTop - 10) / m_step);
        const qsizetype next = m_marks.nextLine > 0 ? m_marks.nextLine : anchor();
        m_first = std::clamp<qsizetype>(next - fit / 2, 1, std::max<qsizetype>(1, m_lines.size() - fit + 1));
        m_most = mostAccesses(*m_snapshot.overview);
        bool inComment = false;
        const SourceLanguage language = languageOf(m_snapshot.catalog->sources[m_marks.source.value].path);
        for (qsizetype line = 1; line <= m_lines.size(); ++line) {
            const auto tokens = tokensOf(m_lines[line - 1], inComment, language);
            if (line >= m_first && line < m_first + fit)
                paintLine(line, tokens);
        }
    }

private:
    static constexpr double kTop = 54;

    [[nodiscard]] qsizetype anchor() const
    {
        return m_marks.underlines.empty() ? 1 : static_cast<qsizetype>(m_marks.underlines.front().line);
    }

    void title()
    {
        m_painter.setFont(m_theme.sans(16, true));
        m_painter.setPen(m_theme.text);
        const QString path = QString::fromStdString(m_snapshot.catalog->sources[m_marks.source.value].path);
        m_painter.drawText(QRectF(24, 8, m_size.width() / 2, 36), Qt::AlignVCenter, QFileInfo(path).fileName());
        m_painter.setFont(m_theme.sans(13));
        m_painter.setPen(m_theme.dim);
        m_painter.drawText(QRectF(m_size.width() / 2, 8, m_size.width() / 2 - 24, 36),
                           Qt::AlignVCenter | Qt::AlignRight,
                           QStringLiteral("lane accesses of this block: reads, writes"));
    }

    void paintLine(qsizetype line, const std::vector<Token>& tokens)
    {
        const double top = kTop + static_cast<double>(line - m_first) * m_step;
        const QRectF row(0, top, m_size.width(), m_step);
        const bool next = line == m_marks.nextLine;
        if (next)
            m_painter.fillRect(row, mixed(m_theme.accent, m_theme.stage, 0.20));
        m_painter.setFont(m_theme.mono(m_type * 0.85));
        m_painter.setPen(next ? m_theme.text : m_theme.faint);
        m_painter.drawText(QRectF(0, top, 58 * m_theme.typeScale, m_step), Qt::AlignRight | Qt::AlignVCenter,
                           QString::number(line));
        for (const auto& fault : m_marks.faults)
            if (fault.line == line)
                m_painter.fillRect(QRectF(61 * m_theme.typeScale, top, 4, m_step),
                                   fault.isError ? m_theme.error : m_theme.warning);
        if (next)
            arrow(row);
        const QFont font = m_theme.mono(m_type);
        m_painter.setFont(font);
        const double advance = QFontMetricsF(font).horizontalAdvance(QLatin1Char('0'));
        const double left = 92 * m_theme.typeScale;
        const double baseline = row.center().y() + QFontMetricsF(font).capHeight() / 2;
        for (const Token& token : tokens) {
            m_painter.setPen(tokenColour(m_theme, token.kind));
            m_painter.drawText(QPointF(left + advance * static_cast<double>(token.start), baseline),
                               m_lines[line - 1].mid(token.start, token.length));
        }
        for (const auto& mark : m_marks.underlines)
            if (mark.line == line)
                underline(mark, left, advance, baseline);
        bar(line, row);
    }

    void arrow(const QRectF& row)
    {
        const double h = m_step * 0.26;
        const double x = 68 * m_theme.typeScale;
        m_painter.setPen(Qt::NoPen);
        m_painter.setBrush(m_theme.accent);
        m_painter.drawPolygon(
            QPolygonF{{x, row.center().y() - h}, {x + h * 1.5, row.center().y()}, {x, row.center().y() + h}});
    }

    void underline(const SourceMarks::Underline& mark, double left, double advance, double baseline)
    {
        m_painter.setPen(
            QPen(mark.writes ? m_theme.write : m_theme.read, 2, mark.writes ? Qt::SolidLine : Qt::DashLine));
        const double x = left + advance * (mark.column - 1);
        m_painter.drawLine(QPointF(x, baseline + 5), QPointF(x + advance * mark.length, baseline + 5));
    }

    void bar(qsizetype line, const QRectF& row)
    {
        const auto found = m_snapshot.overview->lines.find({m_marks.source.value, static_cast<uint32_t>(line)});
        if (found == m_snapshot.overview->lines.end())
            return;
        constexpr double kWidest = 110;
        const double unit = kWidest / static_cast<double>(m_most);
        const double reads = static_cast<double>(found->second.reads) * unit;
        const double writes = static_cast<double>(found->second.writes) * unit;
        const double right = m_size.width() - 24;
        m_painter.fillRect(QRectF(right - reads, row.center().y() - 3, reads, 6), m_theme.read);
        m_painter.fillRect(QRectF(right - reads - writes, row.center().y() - 3, writes, 6), m_theme.write);
        m_painter.setFont(m_theme.mono(m_type * 0.75));
        m_painter.setPen(m_theme.dim);
        m_painter.drawText(QRectF(right - kWidest - 90, row.top(), 84, m_step), Qt::AlignRight | Qt::AlignVCenter,
                           QString::number(found->second.reads + found->second.writes));
    }

    QPainter& m_painter;
    const Snapshot& m_snapshot;
    const Theme& m_theme;
    QSizeF m_size;
    SourceMarks m_marks;
    QStringList m_lines;
    double m_type = 14;
    double m_step = 20;
    qsizetype m_first = 1;
    uint64_t m_most = 1;
};

}  // namespace

namespace {

std::vector<SourceMarks::Fault> faultsIn(const trace::Catalog& catalog, SourceId source)
{
    std::map<uint32_t, bool> isError;
    for (const trace::Finding& finding : catalog.findings)
        for (const trace::FindingAccess& access : finding.accesses)
            if (finding.severity != Severity::Advice && access.where.source == source && access.where.line > 0)
                isError[access.where.line] |= finding.severity == Severity::Error;
    std::vector<SourceMarks::Fault> faults;
    for (const auto& [line, error] : isError)
        faults.push_back({line, error});
    return faults;
}

}  // namespace

SourceMarks SourceMarks::of(const Snapshot& snapshot)
{
    SourceMarks marks;
    const trace::SourceLocation& next = snapshot.focusedWarp().nextLine;
    marks.source = next.line > 0 ? next.source : snapshot.launch().where.source;
    marks.nextLine = next.line;
    for (const StatementEvent& event : snapshot.statement) {
        const trace::Site& site = snapshot.site(event.event.site);
        if (next.line == 0)
            marks.source = site.where.source;
        if (!event.event.isAccess() || site.where.source != marks.source)
            continue;
        marks.underlines.push_back({site.where.line, std::max(1U, site.where.column),
                                    std::max<uint32_t>(1, static_cast<uint32_t>(site.expression.size())),
                                    event.event.kind != trace::SiteKind::Load});
    }
    marks.faults = faultsIn(*snapshot.catalog, marks.source);
    return marks;
}

uint64_t mostAccesses(const BlockOverview& overview)
{
    uint64_t most = 1;
    for (const auto& [where, count] : overview.lines)
        most = std::max(most, count.reads + count.writes);
    return most;
}

const ViewDescription& sourceDescription()
{
    static const ViewDescription description{
        .name = "source", .title = "Source", .help = "the code: the next line, what has just run, accesses per line"};
    return description;
}

void paintSource(QPainter& painter, const Snapshot& snapshot, const Theme& theme, QSizeF size)
{
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.fillRect(QRectF(QPointF(0, 0), size), theme.stage);
    if (SourceMarks::of(snapshot).source.value < snapshot.catalog->sources.size())
        SourcePainter(painter, snapshot, theme, size).paint();
    painter.restore();
}

}  // namespace lanescope::gui
