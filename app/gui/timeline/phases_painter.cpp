// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/timeline/phases_painter.h"

#include <QObject>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <utility>

#include "app/gui/engine/block_phases.h"
#include "app/gui/engine/step_levels.h"
#include "app/gui/engine/value_format.h"
#include "app/gui/theme/text_line.h"

namespace lanescope::gui {

namespace {

using Phase = BlockPhases::Phase;

/// From the bottom up.
constexpr std::array kStacked{trace::SiteKind::Atomic, trace::SiteKind::Store, trace::SiteKind::Load,
                              trace::SiteKind::Branch, trace::SiteKind::VariableWrite};

/// The longest of the names that has room in a bar.
void paintName(QPainter& painter, const Theme& theme, const QRectF& box, const QStringList& names)
{
    if (box.width() < 3)
        return;
    const QRectF bar = box.adjusted(1, 2, -1, -3);
    if (constexpr double kRounded = 40; bar.width() < kRounded) {  // many of them: plain ones cost a tenth
        painter.fillRect(bar.toRect(), theme.raised);
    } else {
        painter.setPen(Qt::NoPen);
        painter.setBrush(theme.raised);
        painter.drawRoundedRect(bar, 3, 3);
    }
    painter.setFont(theme.sans(11.5));
    for (const QString& text : names) {
        if (textWidth(painter.font(), text) > bar.width() - 8)
            continue;
        painter.setPen(theme.text);
        return drawTextLine(painter, bar, Qt::AlignCenter, text);
    }
}

class PhasesPainter {
public:
    PhasesPainter(QPainter& painter, const Snapshot& snapshot, const TimelineLayout& layout, const Theme& theme)
        : m_painter(painter), m_snapshot(snapshot), m_phases(*snapshot.overview->phases), m_layout(layout),
          m_theme(theme)
    {
    }

    void bars()
    {
        m_painter.setRenderHint(QPainter::Antialiasing, false);
        m_painter.setPen(Qt::NoPen);
        const size_t focused = focusedRowOf(m_snapshot);
        for (size_t row = m_layout.firstRow; row < m_layout.firstRow + m_layout.rows; ++row) {
            const size_t shown = m_layout.standsFor[row];
            for (size_t epoch = 0; epoch < m_phases.epochs(); ++epoch)
                bar(m_layout.rowRect(row), epoch, m_snapshot.overview->rows[shown].warp, shown == focused);
        }
        m_painter.setRenderHint(QPainter::Antialiasing);
    }

    void names()
    {
        size_t next = 0;
        for (const BlockPhases::Loop& loop : m_phases.loops) {
            for (; next < loop.first; ++next)
                name(next, next + 1, nameOf(next));
            next = loop.first + loop.every * loop.times;
            if (const QRectF turn = place(loop.first, loop.first + loop.every);
                turn.width() >= kRoomy * m_theme.typeScale)
                for (size_t epoch = loop.first; epoch < next; ++epoch)
                    name(epoch, epoch + 1, nameOf(epoch));
            else
                name(loop.first, next, nameOf(loop));
        }
        for (; next < m_phases.epochs(); ++next)
            name(next, next + 1, nameOf(next));
    }

private:
    static constexpr double kRoomy = 150;  // pixels in which an epoch's name says something

    /// While it waits at the barrier and others run, a warp goes on in pale: a band, not a comb.
    void bar(const QRectF& row, size_t epoch, size_t warp, bool focused)
    {
        const Phase& phase = m_phases.phase(epoch, warp);
        if (phase.last == 0)
            return;
        if (epoch + 1 < m_phases.epochs() && m_phases.phase(epoch + 1, warp).first > phase.last)
            stack(row, phase, {phase.last, m_phases.phase(epoch + 1, warp).first}, focused ? 0.4 : 0.25);
        stack(row, phase, {phase.first, phase.last}, focused ? 1 : 0.58);
    }

    /// The shares of a phase between two steps, of which something shows; \p strength: of its colours.
    void stack(const QRectF& row, const Phase& phase, std::pair<StepIndex, StepIndex> steps, double strength)
    {
        const double left = std::max(m_layout.plot.left(), m_layout.xOf(static_cast<double>(steps.first)));
        const double right = std::min(m_layout.plot.right(), m_layout.xOf(static_cast<double>(steps.second)));
        if (right < left)
            return;
        constexpr double kFilled = 0.84;  // of the row
        const double high = std::max(1.0, std::round(row.height() * kFilled));
        double y = std::round(row.center().y() + high / 2);
        uint32_t all = 0;
        for (const trace::SiteKind kind : kStacked)
            all += phase.steps.at(static_cast<size_t>(rankOf(kind)));
        uint32_t sum = 0;
        double below = 0;
        for (const trace::SiteKind kind : kStacked) {
            sum += phase.steps.at(static_cast<size_t>(rankOf(kind)));
            const double above = all == 0 ? 0 : std::round(high * sum / all);
            if (above > below)
                m_painter.fillRect(QRectF(std::round(left), y - (above - below),
                                          std::max(1.0, std::round(right) - std::round(left)), above - below),
                                   mixed(m_theme.ofKind(kind), m_theme.window, strength));
            y -= above - below;
            below = above;
        }
    }

    /// Of epochs first to last, half-open, as far as it shows.
    [[nodiscard]] QRectF place(size_t first, size_t last) const
    {
        StepIndex from = UINT64_MAX;
        StepIndex to = 0;
        for (size_t warp = 0; warp < m_phases.warps; ++warp) {
            if (const Phase& phase = m_phases.phase(first, warp); phase.last > 0)
                from = std::min(from, phase.first);
            to = std::max(to, m_phases.phase(last - 1, warp).last);
        }
        const double left = std::max(m_layout.phases.left(), m_layout.xOf(static_cast<double>(from)));
        const double right = std::min(m_layout.phases.right(), m_layout.xOf(static_cast<double>(to)));
        return {left, m_layout.phases.top(), std::max(0.0, right - left), m_layout.phases.height()};
    }

    [[nodiscard]] const BlockPhases::Pattern& patternOf(size_t epoch) const
    {
        return m_phases.patterns[m_phases.patternOf[epoch]];
    }

    /// The longest first; what has room is written.
    [[nodiscard]] QStringList nameOf(size_t epoch) const
    {
        const BlockPhases::Pattern& pattern = patternOf(epoch);
        if (pattern.line == 0)
            return {};
        const QString line = QObject::tr("line %1").arg(pattern.line);
        return {line + QStringLiteral(": ") + textOf(pattern), line, QString::number(pattern.line)};
    }

    [[nodiscard]] QStringList nameOf(const BlockPhases::Loop& loop) const
    {
        QStringList texts;
        QStringList lines;
        for (size_t i = 0; i < loop.every; ++i)
            if (const BlockPhases::Pattern& pattern = patternOf(loop.first + i); pattern.line != 0) {
                texts << QObject::tr("line %1: %2").arg(pattern.line).arg(textOf(pattern));
                lines << QString::number(pattern.line);
            }
        const QString times = QObject::tr("%1 times ").arg(loop.times);
        const QString each = loop.every > 1 ? QObject::tr("%1 epochs: ").arg(loop.every) : QString();
        return {times + each + texts.join(QStringLiteral("  |  ")),
                times + each + (lines.size() > 1 ? QObject::tr("lines ") : QObject::tr("line ")) +
                    lines.join(QStringLiteral(", ")),
                QStringLiteral("%1×").arg(loop.times)};
    }

    [[nodiscard]] QString textOf(const BlockPhases::Pattern& pattern) const
    {
        return codeText(*m_snapshot.catalog, pattern.source, pattern.line);
    }

    void name(size_t first, size_t last, const QStringList& names)
    {
        paintName(m_painter, m_theme, place(first, last), names);
    }

    QPainter& m_painter;
    const Snapshot& m_snapshot;
    const BlockPhases& m_phases;
    const TimelineLayout& m_layout;
    const Theme& m_theme;
};

/// Steps beside each other, the next one in the middle.
class StepsLens {
public:
    StepsLens(const Snapshot& snapshot, const TimelineLayout& layout, double typeScale)
        : m_row(snapshot.overview->rows[focusedRowOf(snapshot)]), m_box(layout.lens), m_pitch(kPitch * typeScale)
    {
        const size_t wanted = std::max<size_t>(2, static_cast<size_t>(m_box.width() / m_pitch));
        m_pitch = m_box.width() / static_cast<double>(wanted);
        gather(snapshot.focus.step, wanted);
    }

    [[nodiscard]] const TimelineRow& row() const { return m_row; }
    [[nodiscard]] const std::vector<StepIndex>& steps() const { return m_steps; }
    [[nodiscard]] const replay::StepSummary& event(size_t i) const { return (*m_row.steps)[m_steps[i]]; }
    [[nodiscard]] double pitch() const { return m_pitch; }
    [[nodiscard]] double xOf(size_t i) const { return m_box.left() + static_cast<double>(m_skipped + i) * m_pitch; }
    /// Between what has run and what is next.
    [[nodiscard]] double now() const { return xOf(m_before); }
    [[nodiscard]] std::optional<StepIndex> stepAt(double x) const
    {
        const double i = (x - xOf(0)) / m_pitch;
        return i < 0 || i >= static_cast<double>(m_steps.size()) ? std::nullopt
                                                                 : std::optional(m_steps[static_cast<size_t>(i)]);
    }

private:
    static constexpr double kPitch = 15;           // pixels of a step
    static constexpr size_t kFarthest = 1U << 16;  // steps of other warps that are looked past

    void gather(StepIndex focus, size_t wanted)
    {
        const std::vector<replay::StepSummary>& all = *m_row.steps;
        const size_t half = wanted / 2;
        const auto here = static_cast<size_t>(std::min<StepIndex>(focus, all.size()));
        for (size_t step = here; step > here - std::min(here, kFarthest) && m_steps.size() < half; --step)
            if (all[step - 1].warp == m_row.warp)
                m_steps.push_back(step - 1);
        std::reverse(m_steps.begin(), m_steps.end());
        m_before = m_steps.size();
        m_skipped = half - m_before;
        for (size_t step = here; step < std::min(all.size(), here + kFarthest) && m_steps.size() + m_skipped < wanted;
             ++step)
            if (all[step].warp == m_row.warp)
                m_steps.push_back(step);
    }

    const TimelineRow& m_row;
    QRectF m_box;
    double m_pitch;
    std::vector<StepIndex> m_steps;  ///< the warp's own, ascending
    size_t m_before = 0;             ///< of those, how many have run
    size_t m_skipped = 0;            ///< places without a step, before the block's first
};

class StepsLensPainter {
public:
    StepsLensPainter(QPainter& painter, const Snapshot& snapshot, const TimelineLayout& layout, const Theme& theme)
        : m_painter(painter), m_snapshot(snapshot), m_layout(layout), m_theme(theme),
          m_lens(snapshot, layout, theme.typeScale), m_box(layout.lens)
    {
        m_rows = m_box.adjusted(0, kHead * theme.typeScale, 0, -2);
    }

    void paint()
    {
        if (m_lens.steps().empty())
            return;
        funnel();
        chooseLines();
        head();
        for (size_t line = 0; line < std::max<size_t>(1, m_lines.size()); line += 2)
            m_painter.fillRect(rectOf(line), colourOf(line));
        steps();
        now();
        for (size_t line = 0; line < m_lines.size(); ++line)
            code(line);
    }

private:
    using Line = std::pair<uint32_t, uint32_t>;  // source, number
    static constexpr double kHead = 22;          // pixels above the bars
    static constexpr double kLeastLine = 26;     // of a line of code with its bars
    static constexpr double kMostLine = 54;
    static constexpr double kNumberedLine = 13;  // with its number beside it
    static constexpr double kMostRow = 96;       // of all steps

    [[nodiscard]] Line lineOf(size_t i) const
    {
        const trace::SourceLocation& where = m_snapshot.catalog->sites[m_lens.event(i).site.value].where;
        return {where.source.value, where.line};
    }

    /// All lines of the block, so that each keeps its place while one steps, else those that show, with their code or
    /// at least their numbers; none: one row has all steps.
    void chooseLines()
    {
        const auto roomFor = [&](double line) {
            return static_cast<size_t>(m_rows.height() / (line * m_theme.typeScale));
        };
        m_lines = m_snapshot.overview->ranLines;
        if (m_lines.size() > roomFor(kLeastLine)) {
            m_lines.clear();
            for (size_t i = 0; i < m_lens.steps().size(); ++i)
                m_lines.push_back(lineOf(i));
            std::sort(m_lines.begin(), m_lines.end());
            m_lines.erase(std::unique(m_lines.begin(), m_lines.end()), m_lines.end());
        }
        m_hasCode = m_lines.size() <= roomFor(kLeastLine) && roomFor(kLeastLine) >= 2;
        if (!m_hasCode && (m_lines.size() > roomFor(kNumberedLine) || roomFor(kNumberedLine) < 3))
            m_lines.clear();
        const double most = m_lines.empty() ? kMostRow : m_hasCode ? kMostLine : kLeastLine;
        m_line = std::min(m_rows.height() / static_cast<double>(std::max<size_t>(1, m_lines.size())),
                          most * m_theme.typeScale);
        m_rows.setHeight(m_line * static_cast<double>(std::max<size_t>(1, m_lines.size())));
    }

    [[nodiscard]] QRectF rectOf(size_t line) const
    {
        return {m_rows.left(), m_rows.top() + static_cast<double>(line) * m_line, m_rows.width(), m_line};
    }

    /// From where they are in the whole to the lens.
    void funnel()
    {
        const double x = std::clamp(m_layout.xOf(static_cast<double>(m_snapshot.focus.step)), m_layout.plot.left(),
                                    m_layout.plot.right());
        const QPointF from(x, m_layout.plot.bottom() + 3);
        const double top = m_box.top() + 6;
        m_painter.setRenderHint(QPainter::Antialiasing,
                                false);  // long and almost flat: smooth ones cost more than bars
        m_painter.setPen(QPen(m_theme.faint, 1));
        m_painter.drawPolyline(QPolygonF{
            {m_box.left(), top + 4}, {m_box.left(), top}, from, {m_box.right(), top}, {m_box.right(), top + 4}});
        m_painter.setRenderHint(QPainter::Antialiasing);
    }

    /// Whose steps they are; and in one row, the lines' names.
    void head()
    {
        const double scale = m_theme.typeScale;
        const QRectF strip(m_box.left(), m_rows.top() - (kHead - 5) * scale, m_box.width(), (kHead - 5) * scale);
        m_painter.setFont(m_theme.mono(12, true));
        m_painter.setPen(m_theme.text);
        drawTextLine(m_painter, QRectF(0, strip.top(), strip.left() - 10, strip.height()),
                     Qt::AlignRight | Qt::AlignVCenter, m_lens.row().label);
        if (m_lines.empty())
            for (size_t i = 0, end = 0; i < m_lens.steps().size(); i = end) {
                for (end = i; end < m_lens.steps().size() && lineOf(end) == lineOf(i);)
                    ++end;
                nameLine(lineOf(i), {m_lens.xOf(i), strip.top(), m_lens.xOf(end) - m_lens.xOf(i), strip.height()});
            }
        else
            nameEpochs(strip);
    }

    void nameLine(const Line& line, const QRectF& box)
    {
        if (line.second == 0)
            return;
        if (constexpr double kNoRoom = 20; box.width() < kNoRoom * m_theme.typeScale)
            return paintName(m_painter, m_theme, box, {});
        QStringList names{QObject::tr("line %1").arg(line.second), QString::number(line.second)};
        if (constexpr double kRoomForCode = 90; box.width() > kRoomForCode * m_theme.typeScale)
            names.prepend(names.first() + QStringLiteral(": ") +
                          codeText(*m_snapshot.catalog, line.first, line.second));
        paintName(m_painter, m_theme, box, names);
    }

    void nameEpochs(const QRectF& strip)
    {
        if (m_snapshot.overview->epochs.size() < 2)
            return;
        for (size_t i = 0, end = 0; i < m_lens.steps().size(); i = end) {
            for (end = i; end < m_lens.steps().size() && m_lens.event(end).epoch == m_lens.event(i).epoch;)
                ++end;
            const QString number = QString::number(m_lens.event(i).epoch);
            paintName(m_painter, m_theme, {m_lens.xOf(i), strip.top(), m_lens.xOf(end) - m_lens.xOf(i), strip.height()},
                      {QObject::tr("epoch %1").arg(number), number});
        }
    }

    /// Each second row is paler.
    [[nodiscard]] QColor colourOf(size_t line) const
    {
        return line % 2 == 0 ? mixed(m_theme.raised, m_theme.window, 0.45) : m_theme.window;
    }

    /// Above the bars, and over the walls that cross it.
    void code(size_t line)
    {
        const bool isNext = m_lens.steps().size() > next() && lineOf(next()) == m_lines[line];
        const QRectF row = rectOf(line);
        m_painter.setPen(isNext ? m_theme.text : m_theme.dim);
        m_painter.setFont(m_theme.mono(m_hasCode ? 12 : 11, isNext));
        drawTextLine(m_painter, QRectF(0, row.top(), row.left() - 10, m_hasCode ? codeHeight() : row.height()),
                     Qt::AlignRight | Qt::AlignVCenter, QObject::tr("line %1").arg(m_lines[line].second));
        if (!m_hasCode)
            return;
        const QRectF box(row.left() + 6, row.top(), row.width() - 12, codeHeight());
        m_painter.setFont(m_theme.mono(12.5, isNext));
        const QString text = elided(
            m_painter.font(), codeText(*m_snapshot.catalog, m_lines[line].first, m_lines[line].second), box.width());
        m_painter.fillRect(QRectF(row.left(), row.top(), textWidth(m_painter.font(), text) + 12, codeHeight()),
                           colourOf(line));
        drawTextLine(m_painter, box, Qt::AlignLeft | Qt::AlignVCenter, text);
    }

    [[nodiscard]] double codeHeight() const { return m_hasCode ? std::min(m_line * 0.55, 18 * m_theme.typeScale) : 0; }

    /// Of the lens's steps, the one that is next; past the last one where none is.
    [[nodiscard]] size_t next() const
    {
        return static_cast<size_t>(
            std::lower_bound(m_lens.steps().begin(), m_lens.steps().end(), m_snapshot.focus.step) -
            m_lens.steps().begin());
    }

    /// In whole pixels, which costs a tenth: each step of the program paints all of these.
    void steps()
    {
        const double gap = std::max(1.0, std::round(m_lens.pitch() * 0.16));
        const size_t next = this->next();
        for (size_t i = 0; i < m_lens.steps().size(); ++i) {
            const replay::StepSummary& event = m_lens.event(i);
            const double left = std::round(m_lens.xOf(i));
            const double right = std::round(m_lens.xOf(i + 1));
            const QColor fill = m_theme.ofKind(event.kind);
            if (event.kind == trace::SiteKind::Barrier) {
                m_painter.fillRect(QRectF(std::round((left + right) / 2) - 1, m_rows.top(), 3, m_rows.height()), fill);
                continue;
            }
            const auto place = std::lower_bound(m_lines.begin(), m_lines.end(), lineOf(i));
            if (!m_lines.empty() && (place == m_lines.end() || *place != lineOf(i)))
                continue;
            const QRectF line = rectOf(static_cast<size_t>(place - m_lines.begin()));
            const QRectF band = line.adjusted(0, m_hasCode ? codeHeight() : 1, 0, m_hasCode ? -2 : -1);
            const double high =
                std::round(band.height() * barHeightOf(event.kind) / barHeightOf(trace::SiteKind::Load));
            fillStep({left + std::floor(gap / 2), std::round(band.bottom()) - high, right - left - gap, high}, event,
                     i < next ? mixed(fill, m_theme.window, 0.58) : fill);
        }
    }

    /// Diverged: filled as far up as lanes take part, the rest is pale.
    void fillStep(const QRectF& box, const replay::StepSummary& event, const QColor& colour)
    {
        const int launched = std::max(1, std::popcount(m_lens.row().launched));
        const int lanes = std::min(launched, std::popcount(event.mask));
        if (lanes < launched)
            m_painter.fillRect(box, mixed(colour, m_theme.window, 0.22));
        m_painter.fillRect(box.adjusted(0, std::round(box.height() * (launched - lanes) / launched), 0, 0), colour);
    }

    void now()
    {
        const double x = m_lens.now();
        m_painter.setPen(QPen(m_theme.strong, 2));
        m_painter.drawLine(QPointF(x, m_rows.top() - 2), QPointF(x, m_rows.bottom() + 2));
    }

    QPainter& m_painter;
    const Snapshot& m_snapshot;
    const TimelineLayout& m_layout;
    const Theme& m_theme;
    StepsLens m_lens;
    QRectF m_box;
    QRectF m_rows;  ///< the bars'
    std::vector<Line> m_lines;
    bool m_hasCode = false;  ///< above the bars of each
    double m_line = 0;       ///< height
};

}  // namespace

void paintTimelineLens(QPainter& painter, const Snapshot& snapshot, const TimelineLayout& layout, const Theme& theme)
{
    if (layout.lens.isEmpty() || snapshot.overview->rows.empty())
        return;
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    StepsLensPainter(painter, snapshot, layout, theme).paint();
    painter.restore();
}

std::optional<StepIndex> lensStepAt(const Snapshot& snapshot, const TimelineLayout& layout, QPointF place,
                                    double typeScale)
{
    if (!layout.lens.contains(place) || snapshot.overview->rows.empty())
        return std::nullopt;
    return StepsLens(snapshot, layout, typeScale).stepAt(place.x());
}

void paintPhases(QPainter& painter, const Snapshot& snapshot, const TimelineLayout& layout, const Theme& theme)
{
    PhasesPainter(painter, snapshot, layout, theme).bars();
}

void paintPhaseNames(QPainter& painter, const Snapshot& snapshot, const TimelineLayout& layout, const Theme& theme)
{
    painter.save();
    PhasesPainter(painter, snapshot, layout, theme).names();
    painter.restore();
}

void paintLineNames(QPainter& painter, const Snapshot& snapshot, const TimelineLayout& layout, const Theme& theme)
{
    const TimelineRow& row = snapshot.overview->rows[focusedRowOf(snapshot)];
    const std::vector<trace::Site>& sites = snapshot.catalog->sites;
    painter.save();
    trace::SourceLocation line{};
    double from = 0;
    double to = 0;
    const auto paintRun = [&] {
        const double left = std::max(layout.phases.left(), from);
        const QRectF box(left, layout.phases.top(), std::min(layout.phases.right(), to) - left, layout.phases.height());
        if (line.line == 0)
            return;
        const QString number = QObject::tr("line %1").arg(line.line);
        paintName(painter, theme, box,
                  {number + QStringLiteral(": ") + codeText(*snapshot.catalog, line.source.value, line.line), number,
                   QString::number(line.line)});
    };
    const auto first = static_cast<size_t>(std::max(0.0, layout.range.first));
    const size_t last = std::min(row.steps->size(), static_cast<size_t>(std::ceil(layout.range.last)));
    for (size_t step = first; step < last; ++step) {
        const replay::StepSummary& event = (*row.steps)[step];
        if (event.warp != row.warp || event.kind == trace::SiteKind::Barrier)
            continue;
        const trace::SourceLocation& where = sites[event.site.value].where;
        if (where.line != line.line || where.source != line.source) {
            paintRun();
            line = where;
            from = layout.xOf(static_cast<double>(step));
        }
        to = layout.xOf(static_cast<double>(step + 1));
    }
    paintRun();
    painter.restore();
}

}  // namespace lanescope::gui
