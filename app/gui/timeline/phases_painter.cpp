// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/timeline/phases_painter.h"

#include <QObject>

#include <algorithm>
#include <array>
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
    painter.setPen(Qt::NoPen);
    painter.setBrush(theme.raised);
    painter.drawRoundedRect(bar, 3, 3);
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
        for (size_t row = m_layout.firstRow; row < m_layout.firstRow + m_layout.rows; ++row)
            for (size_t epoch = 0; epoch < m_phases.epochs(); ++epoch)
                bar(m_layout.rowRect(row), epoch, m_snapshot.overview->rows[row].warp, row == focused);
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

}  // namespace

bool showsPhases(const Snapshot& snapshot, const TimelineLayout& layout)
{
    const BlockOverview& overview = *snapshot.overview;
    if (overview.phases == nullptr || overview.phases->epochs() < 2 || layout.phases.isEmpty())
        return false;
    constexpr double kNarrowest = 3;  // pixels of an epoch
    constexpr double kWidest = 240;
    const double epoch = layout.pixelsPerStep() * static_cast<double>(overview.stepCount) /
                         static_cast<double>(overview.phases->epochs());
    const double stepsOfARow = 1 / (layout.pixelsPerStep() * static_cast<double>(overview.rows.size()));
    return stepsOfARow > 1 && epoch >= kNarrowest && epoch <= kWidest;
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
