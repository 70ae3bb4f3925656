// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/timeline/timeline_painter.h"

#include <QFontMetricsF>
#include <QObject>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include "app/gui/engine/block_phases.h"
#include "app/gui/engine/value_format.h"
#include "app/gui/theme/text_line.h"
#include "app/gui/timeline/phases_painter.h"

namespace lanescope::gui {

namespace {

using trace::SiteKind;

class Body {
public:
    Body(QPainter& painter, const Snapshot& snapshot, const TimelineLayout& layout, const Theme& theme)
        : m_painter(painter), m_snapshot(snapshot), m_layout(layout), m_theme(theme)
    {
    }

    void paint()
    {
        bands();
        for (size_t row = m_layout.firstRow; row < m_layout.firstRow + m_layout.rows; ++row) {
            label(row);
            laneNumbers(row);
            if (m_layout.pixelsPerStep() >= kBoxes)
                boxes(row);
        }
        if (m_layout.showsPhases)
            paintPhases(m_painter, m_snapshot, m_layout, m_theme);
        else if (m_layout.pixelsPerStep() < kBoxes)
            columns();
        walls();
        if (m_layout.namesLines)
            paintLineNames(m_painter, m_snapshot, m_layout, m_theme);
        else if (!m_layout.phases.isEmpty())
            paintPhaseNames(m_painter, m_snapshot, m_layout, m_theme);
        exchanges();
        flags();
    }

    void legend()
    {
        struct Entry {
            const char* text;
            SiteKind kind;
        };
        constexpr std::array<Entry, 5> kEntries{{{"read", SiteKind::Load},
                                                 {"write", SiteKind::Store},
                                                 {"branch", SiteKind::Branch},
                                                 {"variable", SiteKind::VariableWrite},
                                                 {"barrier", SiteKind::Barrier}}};
        m_painter.setFont(m_theme.sans(12));
        const QFontMetricsF metrics(m_painter.font());
        double x = m_layout.legend.right();
        const double middle = m_layout.legend.center().y() + 1;
        for (size_t i = kEntries.size(); i-- > 0;) {
            const QString text = QString::fromLatin1(kEntries[i].text);
            x -= textWidth(m_painter.font(), text);
            m_painter.setPen(m_theme.dim);
            drawTextLine(m_painter, QPointF(x, middle + metrics.capHeight() / 2), text);
            const bool wall = kEntries[i].kind == SiteKind::Barrier;
            const double height = 14 * barHeightOf(kEntries[i].kind);
            m_painter.setPen(Qt::NoPen);
            m_painter.setBrush(m_theme.ofKind(kEntries[i].kind));
            x -= 18;
            m_painter.drawRect(QRectF(x + (wall ? 5 : 0), middle - height / 2, wall ? 3 : 12, height));
            x -= 16;
        }
        if (!m_snapshot.overview->warpOperations.empty()) {
            const QString text = QObject::tr("lanes exchange");
            x -= textWidth(m_painter.font(), text);
            m_painter.setPen(m_theme.dim);
            drawTextLine(m_painter, QPointF(x, middle + metrics.capHeight() / 2), text);
            arch({x - 18, middle, 12, 1}, true);
            x -= 34;
        }
        m_painter.setPen(m_theme.dim);
        // Piece by piece: only the first is another at each step, and has to be laid out again.
        QPointF at(m_layout.legend.left(), middle + metrics.capHeight() / 2);
        const auto write = [&](const QString& piece) {
            drawTextLine(m_painter, at, piece);
            at.rx() += textWidth(m_painter.font(), piece);
        };
        const auto writeIfRoom = [&](const QString& piece) {
            if (at.x() + textWidth(m_painter.font(), piece) < x)
                write(piece);
        };
        write(QStringLiteral("step %1 of %2 in this %3")
                  .arg(m_snapshot.focus.step)
                  .arg(stepsText(*m_snapshot.overview))
                  .arg(QString::fromStdString(m_snapshot.launch().blockWord)));
        if (const size_t all = m_layout.standsFor.size(); m_layout.rows < all)
            write(QStringLiteral("  ·  rows %1–%2 of %3")
                      .arg(m_layout.firstRow + 1)
                      .arg(m_layout.firstRow + m_layout.rows)
                      .arg(all));
        if (m_layout.showsPhases)
            writeIfRoom(QObject::tr("  ·  heights: shares of a warp's steps between barriers"));
        if (!m_layout.lens.isEmpty())
            writeIfRoom(QObject::tr("  ·  below: each step, the next one right of the line"));
    }

    /// Tints the band of the epoch in which the focus is, and writes its label in bold.
    void currentEpoch()
    {
        const auto& epochs = m_snapshot.overview->epochs;
        const auto now = std::find_if(epochs.begin(), epochs.end(),
                                      [&](const EpochSpan& span) { return span.epoch == m_snapshot.epoch(); });
        if (now == epochs.end() || epochs.size() < 2)
            return;
        const QRectF band = bandOf(*now);
        if (band.width() <= 0)
            return;
        QColor tint = m_theme.accent;
        tint.setAlphaF(0.10F);
        m_painter.fillRect(band, tint);
        m_painter.setFont(m_theme.sans(12, true));
        const QString text = labelOf(*now, band);
        const double width = textWidth(m_painter.font(), text);
        const double x = besideScrubber(
            std::clamp(band.center().x() - width / 2, m_layout.plot.left(), m_layout.plot.right() - width), width);
        // The body has written it, too, in the middle of its band, and others around it.
        const double middle = band.center().x() - width / 2;
        double left = std::min(x, middle);
        double right = std::max(x, middle) + width;
        for (const EpochLabel& label : epochLabels())
            if (label.x < right + kApart && label.x + label.width + kApart > left) {
                left = std::min(left, label.x);
                right = std::max(right, label.x + label.width);
            }
        m_painter.fillRect(QRectF(left - 3, m_layout.epochs.top(), right - left + 6, m_layout.epochs.height() - 5),
                           m_theme.window);
        m_painter.setPen(m_theme.text);
        drawTextLine(m_painter, QPointF(x, m_layout.epochs.bottom() - 8), text);
    }

private:
    /// The left end of a label that the scrubber's head would cover, moved to the side that has room.
    [[nodiscard]] double besideScrubber(double x, double width) const
    {
        constexpr double kHalfHead = 9;
        const double head = m_layout.xOf(static_cast<double>(m_snapshot.focus.step));
        if (head + kHalfHead < x || head - kHalfHead > x + width)
            return x;
        const double right = head + kHalfHead;
        return right + width <= m_layout.plot.right() ? right : head - kHalfHead - width;
    }

    /// \p row: as drawn, here and below.
    [[nodiscard]] bool isFocused(size_t row) const { return m_layout.standsFor[row] == focusedRowOf(m_snapshot); }
    [[nodiscard]] const TimelineRow& rowOf(size_t row) const
    {
        return m_snapshot.overview->rows[m_layout.standsFor[row]];
    }

    void bands()
    {
        const QColor tint = mixed(m_theme.raised, m_theme.window, 0.45);
        for (const EpochSpan& span : m_snapshot.overview->epochs)
            if (const QRectF band = bandOf(span); span.epoch % 2 == 1 && band.width() > 0)
                m_painter.fillRect(band, tint);
        m_painter.setFont(m_theme.sans(12));
        m_painter.setPen(m_theme.dim);
        for (const EpochLabel& label : epochLabels())
            drawTextLine(m_painter, QPointF(label.x, m_layout.epochs.bottom() - 8), label.text);
    }

    static constexpr double kApart = 6;  // pixels between the numbers of epochs

    struct EpochLabel {
        double x;
        double width;
        QString text;
    };

    /// Those that have room beside each other.
    [[nodiscard]] std::vector<EpochLabel> epochLabels() const
    {
        const auto& epochs = m_snapshot.overview->epochs;
        const QFont font = m_theme.sans(12);
        const uint32_t every = labelsEvery();
        std::vector<EpochLabel> labels;
        double end = -1;
        for (const EpochSpan& span : epochs) {
            const QRectF band = bandOf(span);
            if (band.width() <= 0 || epochs.size() < 2 || (every > 1 && span.epoch % every != 0))
                continue;
            const QString text = labelOf(span, band);
            const double width = textWidth(font, text);
            const double x = band.center().x() - width / 2;
            if ((every == 1 && width > band.width() - 2) || x < end || x < m_layout.plot.left() ||
                x + width > m_layout.plot.right())
                continue;
            labels.push_back({x, width, text});
            end = x + width + 4;
        }
        return labels;
    }

    /// Where bands are narrower than their numbers, each fifth is numbered, or tenth …; 1: each by itself.
    [[nodiscard]] uint32_t labelsEvery() const
    {
        const auto& epochs = m_snapshot.overview->epochs;
        if (epochs.empty())
            return 1;
        const double band = m_layout.pixelsPerStep() * static_cast<double>(m_snapshot.overview->stepCount) /
                            static_cast<double>(epochs.size());
        const double widest = textWidth(m_theme.sans(12), QString::number(epochs.back().epoch)) + 2;
        uint32_t every = 1;
        for (const uint32_t factor : {5, 2, 5, 2, 5, 2, 5, 2})
            if (band * every < widest)
                every *= factor;
        return every;
    }

    [[nodiscard]] QString labelOf(const EpochSpan& span, const QRectF& band) const
    {
        const bool roomy = band.width() > 62 * m_theme.typeScale;
        return roomy ? QStringLiteral("epoch %1").arg(span.epoch) : QString::number(span.epoch);
    }

    [[nodiscard]] QRectF bandOf(const EpochSpan& span) const
    {
        const double left = std::max(m_layout.plot.left(), m_layout.xOf(static_cast<double>(span.first)));
        const double right = std::min(m_layout.plot.right(), m_layout.xOf(static_cast<double>(span.last)));
        return {left, m_layout.plot.top(), std::max(0.0, right - left), m_layout.plot.height()};
    }

    /// Of rows that are lower than their names: each second or third, and none that would meet the focused one's.
    [[nodiscard]] bool isLabelled(size_t row) const
    {
        constexpr double kLine = 12;  // pixels
        const auto every = static_cast<size_t>(std::ceil(kLine * m_theme.typeScale / m_layout.rowHeight));
        const size_t focused = m_layout.placeOf[focusedRowOf(m_snapshot)];
        return (row - m_layout.firstRow) % every == 0 && std::max(row, focused) - std::min(row, focused) >= every;
    }

    void label(size_t row)
    {
        const QRectF box = m_layout.rowRect(row);
        const double pixels = std::min(12.0, m_layout.rowHeight * 0.8 / m_theme.typeScale);
        if (pixels < 7 && !isFocused(row) && !isLabelled(row))
            return;
        m_painter.setFont(m_theme.mono(std::max(9.0, pixels), isFocused(row)));
        m_painter.setPen(isFocused(row) ? m_theme.text : m_theme.dim);
        const bool byLane = laneHeight(rowOf(row)) >= kSmallestLane && m_layout.pixelsPerStep() >= kBoxes;
        const double right = byLane ? m_layout.plot.left() - kNumbers * m_theme.typeScale : box.left() - 10;
        const double high = std::max(box.height(), m_theme.typeScale * 9);
        drawTextLine(m_painter, QRectF(0, box.center().y() - high / 2, right, high), Qt::AlignRight | Qt::AlignVCenter,
                     m_layout.labelOf(*m_snapshot.overview, row));
    }

    /// Under the name of a row that shows each lane: which is which.
    void laneNumbers(size_t row)
    {
        constexpr double kType = 10;
        constexpr int kEvery = 4;
        const TimelineRow& data = rowOf(row);
        const double high = laneHeight(data);
        if (high < kSmallestLane || m_layout.pixelsPerStep() < kBoxes)
            return;
        const QRectF box = m_layout.rowRect(row);
        const bool all = high >= kType * 1.3 * m_theme.typeScale;
        double y = box.center().y() - box.height() * kLanesShare / 2;
        m_painter.setFont(m_theme.mono(kType));
        m_painter.setPen(m_theme.dim);
        for (LaneMask rest = data.launched; rest != 0; rest &= rest - 1, y += high)
            if (const int lane = std::countr_zero(rest); all || lane % kEvery == 0)
                drawTextLine(m_painter, QRectF(0, y, box.left() - 6, high), Qt::AlignRight | Qt::AlignVCenter,
                             QString::number(lane));
    }

    [[nodiscard]] QColor colour(SiteKind kind, bool focused) const
    {
        const QColor full = m_theme.ofKind(kind);
        return focused ? full : mixed(full, m_theme.window, 0.58);
    }

    void boxes(size_t row)
    {
        const TimelineRow& data = rowOf(row);
        const bool focused = isFocused(row);
        const auto first = static_cast<size_t>(std::max(0.0, m_layout.range.first));
        const auto last = std::min(data.steps->size(), static_cast<size_t>(std::ceil(m_layout.range.last)));
        const QRectF box = m_layout.rowRect(row);
        const double gap = std::min(3.0, m_layout.pixelsPerStep() * 0.16);
        const bool byLane = laneHeight(data) >= kSmallestLane;
        m_painter.setPen(Qt::NoPen);
        for (size_t step = first; step < last; ++step) {
            const replay::StepSummary& event = (*data.steps)[step];
            if (event.warp != data.warp || event.kind == SiteKind::Barrier)
                continue;
            const double x = m_layout.xOf(static_cast<double>(step));
            if (byLane) {
                lanes(QRectF(x + gap / 2, box.top(), m_layout.pixelsPerStep() - gap, box.height()), event, data,
                      focused);
                continue;
            }
            const double height = box.height() * barHeightOf(event.kind);
            bar({x + gap / 2, box.center().y() - height / 2, m_layout.pixelsPerStep() - gap, height}, event, data,
                focused);
        }
    }

    [[nodiscard]] double laneHeight(const TimelineRow& row) const
    {
        return m_layout.rowHeight * kLanesShare / std::max(1, std::popcount(row.launched));
    }

    /// Each lane that takes part, in a line of its own.
    void lanes(const QRectF& box, const replay::StepSummary& event, const TimelineRow& row, bool focused)
    {
        const double high = laneHeight(row);
        const double bar = high * barHeightOf(event.kind);
        const double radius = box.width() > 6 ? 1.5 : 0;
        double y = box.center().y() - box.height() * kLanesShare / 2;
        m_painter.setBrush(colour(event.kind, focused));
        for (LaneMask rest = row.launched; rest != 0; rest &= rest - 1, y += high)
            if ((event.mask & rest & -rest) != 0)
                m_painter.drawRoundedRect(QRectF(box.left(), y + (high - bar) / 2, box.width(), bar), radius, radius);
    }

    /// An arch over each step in which lanes give each other values; of many close together, the first.
    void exchanges()
    {
        constexpr size_t kMostSteps = 50'000;
        const BlockOverview& overview = *m_snapshot.overview;
        if (overview.warpOperations.empty() || m_layout.range.span() > kMostSteps)
            return;
        const double width = std::max(7.0 * m_theme.typeScale, m_layout.pixelsPerStep() * 0.84);
        for (size_t row = m_layout.firstRow; row < m_layout.firstRow + m_layout.rows; ++row) {
            const TimelineRow& data = rowOf(row);
            const QRectF box = m_layout.rowRect(row);
            const auto [first, last] = visibleSteps(data.steps->size());
            double free = box.left();
            for (size_t step = first; step < last; ++step) {
                const replay::StepSummary& event = (*data.steps)[step];
                const double middle = m_layout.xOf(static_cast<double>(step) + 0.5);
                if (event.warp != data.warp || middle - width / 2 < free ||
                    !overview.warpOperations.contains(event.site))
                    continue;
                const double height = box.height() * barHeightOf(event.kind);
                arch({middle - width / 2, box.center().y() - height / 2, width, height}, isFocused(row));
                free = middle + width / 2;
            }
        }
    }

    /// Over the bar of a step in which lanes give each other values.
    void arch(const QRectF& bar, bool focused)
    {
        const double rise = std::min(5.0 * m_theme.typeScale, bar.top() - m_layout.plot.top() + 3);
        m_painter.setBrush(Qt::NoBrush);
        m_painter.setPen(QPen(focused ? m_theme.text : m_theme.dim, 1.4 * m_theme.typeScale));
        m_painter.drawArc(QRectF(bar.left(), bar.top() - rise, bar.width(), 2 * rise), 0, 180 * 16);
        m_painter.setPen(Qt::NoPen);
    }

    /// Diverged: filled as far up as lanes take part, the rest outlined.
    void bar(const QRectF& box, const replay::StepSummary& event, const TimelineRow& row, bool focused)
    {
        const QColor fill = colour(event.kind, focused);
        const double radius = box.width() > 6 ? 1.5 : 0;
        const double share =
            row.launched == 0 ? 1.0 : static_cast<double>(std::popcount(event.mask)) / std::popcount(row.launched);
        m_painter.setPen(Qt::NoPen);
        m_painter.setBrush(share < 1 ? mixed(fill, m_theme.window, 0.22) : fill);
        m_painter.drawRoundedRect(box, radius, radius);
        if (share >= 1)
            return;
        m_painter.setBrush(fill);
        m_painter.drawRect(QRectF(box.left(), box.bottom() - box.height() * share, box.width(), box.height() * share));
    }

    static constexpr double kBoxes = 2.5;        // pixels a step that is drawn by itself
    static constexpr double kNumbers = 24;       // pixels for the lanes' numbers
    static constexpr double kSmallestLane = 8;   // pixels of a lane's line
    static constexpr double kLanesShare = 0.94;  // of the row

    using Columns = std::vector<StepBucket>;

    /// Several steps a pixel.
    void columns()
    {
        const auto width = static_cast<size_t>(std::max(1.0, m_layout.plot.width()));
        std::vector<Columns> rows(m_layout.rows, Columns(width));
        const auto& all = m_snapshot.overview->rows;
        const bool together = std::all_of(all.begin(), all.end(), [](const auto& row) { return row.focusedBlock; });
        if (!gatherLevels(rows)) {
            if (together)
                gatherSteps(*all[m_layout.firstRow].steps, rows, std::nullopt);
            else
                for (size_t i = 0; i < rows.size(); ++i)
                    gatherSteps(*rowOf(m_layout.firstRow + i).steps, rows, i);
        }
        for (size_t i = 0; i < rows.size(); ++i) {
            fillGaps(rows[i]);
            paintColumns(m_layout.firstRow + i, rows[i]);
        }
    }

    [[nodiscard]] std::pair<size_t, size_t> visibleSteps(size_t count) const
    {
        const auto first = static_cast<size_t>(std::max(0.0, m_layout.range.first));
        return {first, std::min(count, static_cast<size_t>(std::ceil(m_layout.range.last)))};
    }

    /// One pass over the visible steps. \p only: they are those of one row; else each goes to its warp's row.
    void gatherSteps(const std::vector<replay::StepSummary>& steps, std::vector<Columns>& rows,
                     std::optional<size_t> only) const
    {
        const auto [first, last] = visibleSteps(steps.size());
        const double scale = m_layout.pixelsPerStep();
        for (size_t step = first; step < last; ++step) {
            const size_t warp = steps[step].warp;
            if (!only && (warp >= m_layout.placeOf.size() || m_layout.standsFor[m_layout.placeOf[warp]] != warp))
                continue;                                                                  // another one stands for it
            const size_t row = only.value_or(m_layout.placeOf[warp] - m_layout.firstRow);  // wraps for rows above
            const auto x = static_cast<size_t>((static_cast<double>(step) - m_layout.range.first) * scale);
            if (row < rows.size() && x < rows[row].size())
                rows[row][x].add(steps[step]);
        }
    }

    /// From buckets of many steps, where a pixel holds that many.
    [[nodiscard]] bool gatherLevels(std::vector<Columns>& rows) const
    {
        const double scale = m_layout.pixelsPerStep();
        for (size_t i = 0; i < rows.size(); ++i) {
            const TimelineRow& data = rowOf(m_layout.firstRow + i);
            size_t size = 0;
            const std::vector<StepBucket>* level = data.levels.levelFor(1 / scale, size);
            if (level == nullptr)
                return false;
            const auto [first, last] = visibleSteps(data.steps->size());
            for (size_t bucket = first / size; bucket * size < last; ++bucket) {
                const double x = (static_cast<double>(bucket * size) - m_layout.range.first) * scale;
                if (const auto column = static_cast<size_t>(std::max(0.0, x)); column < rows[i].size())
                    rows[i][column].add((*level)[bucket]);
            }
        }
        return true;
    }

    /// While other warps run, a row goes on with what it did last, so that it reads as a band and not as a comb.
    void fillGaps(Columns& columns) const
    {
        const auto longest = static_cast<size_t>(2 + 8 * m_layout.pixelsPerStep() *
                                                         static_cast<double>(m_snapshot.overview->rows.size()));
        size_t since = longest + 1;
        for (size_t x = 0; x < columns.size(); ++x) {
            since = columns[x].rank >= 0 ? 0 : since + 1;
            if (since != 0 && since <= longest)
                columns[x] = columns[x - 1];
        }
    }

    /// Diverged stretches as bars are: filled as far up as lanes take part in all of their steps.
    void paintColumns(size_t row, const Columns& columns)
    {
        const QRectF box = m_layout.rowRect(row);
        const bool focused = isFocused(row);
        const int launched = std::max(1, std::popcount(rowOf(row).launched));
        m_painter.setRenderHint(QPainter::Antialiasing, false);  // whole pixels, many of them
        m_painter.setPen(Qt::NoPen);
        for (size_t x = 0; x < columns.size();) {
            size_t end = x + 1;
            while (end < columns.size() && columns[end] == columns[x])
                ++end;
            if (columns[x].rank >= 0) {
                const SiteKind kind = kindOfRank(columns[x].rank);
                const double height = box.height() * barHeightOf(kind);
                const QRectF stretch(box.left() + static_cast<double>(x), std::round(box.center().y() - height / 2),
                                     static_cast<double>(end - x), std::round(height));
                const QColor fill = colour(kind, focused);
                const double share = std::min(1.0, static_cast<double>(columns[x].lanes) / launched);
                if (share < 1)
                    m_painter.fillRect(stretch, mixed(fill, m_theme.window, 0.45));
                m_painter.fillRect(stretch.adjusted(0, std::round(stretch.height() * (1 - share)), 0, 0), fill);
            }
            x = end;
        }
        m_painter.setRenderHint(QPainter::Antialiasing);
    }

    /// Findings: a flag at the step, below the epochs' labels. Advice has none.
    void flags()
    {
        m_painter.setPen(Qt::NoPen);
        double before = -10;
        for (const FindingFlag& flag : m_snapshot.overview->flags) {
            const trace::Finding& finding = m_snapshot.catalog->findings[flag.finding];
            const double x = m_layout.xOf(static_cast<double>(flag.step));
            const bool inside = x >= m_layout.plot.left() && x <= m_layout.plot.right();
            if (finding.severity == Severity::Advice || !inside || x - before < 4)
                continue;
            before = x;
            const QColor colour = finding.severity == Severity::Error ? m_theme.error : m_theme.warning;
            const double top = m_layout.plot.top() + 3;
            m_painter.setBrush(colour);
            m_painter.drawPolygon(QPolygonF{{x, top + 6}, {x, top - 6}, {x + 9, top - 2.5}, {x, top + 1}});
            m_painter.fillRect(QRectF(x, top, 1.4, m_layout.plot.height() - 3), mixed(colour, m_theme.window, 0.6));
        }
    }

    void walls()
    {
        const auto& epochs = m_snapshot.overview->epochs;
        const double tail = 5;
        double before = -10;
        const double closest = m_layout.showsPhases ? 2 : 3;
        for (size_t i = 1; i < epochs.size(); ++i) {
            const double x = m_layout.xOf(static_cast<double>(epochs[i].first));
            if (x < m_layout.plot.left() || x > m_layout.plot.right() || x - before < closest)
                continue;
            before = x;
            m_painter.setPen(QPen(m_theme.barrier, m_layout.pixelsPerStep() > 3 ? 3 : 1.5));
            m_painter.drawLine(QPointF(x, m_layout.plot.top() - tail), QPointF(x, m_layout.plot.bottom() + 2));
        }
    }

    QPainter& m_painter;
    const Snapshot& m_snapshot;
    const TimelineLayout& m_layout;
    const Theme& m_theme;
};

}  // namespace

const ViewDescription& timelineDescription()
{
    static const ViewDescription description{.name = "timeline",
                                             .title = "Timeline",
                                             .help =
                                                 "the steps of a block's warps, with barriers, epochs and findings"};
    return description;
}

void paintTimelineBody(QPainter& painter, const Snapshot& snapshot, const TimelineLayout& layout, const Theme& theme,
                       QSizeF size)
{
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.fillRect(QRectF(QPointF(0, 0), size), theme.window);
    Body(painter, snapshot, layout, theme).paint();
    painter.restore();
}

void paintTimelineLegend(QPainter& painter, const Snapshot& snapshot, const TimelineLayout& layout, const Theme& theme)
{
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.fillRect(layout.legend, theme.window);
    Body(painter, snapshot, layout, theme).legend();
    painter.restore();
}

void paintTimelineMap(QPainter& painter, const Snapshot& snapshot, const TimelineLayout& layout, const Theme& theme)
{
    if (layout.map.isEmpty())
        return;
    const BlockOverview& overview = *snapshot.overview;
    const auto xOf = [&](double step) { return layout.mapXOf(step, overview.stepCount); };
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.fillRect(layout.map, theme.raised);
    painter.setPen(QPen(theme.faint, 1));
    double before = layout.map.left();
    for (size_t i = 1; i < overview.epochs.size(); ++i) {
        constexpr double kClosest = 3;  // pixels
        const double x = xOf(static_cast<double>(overview.epochs[i].first));
        if (x - before < kClosest)
            continue;
        painter.drawLine(QPointF(x, layout.map.top()), QPointF(x, layout.map.bottom()));
        before = x;
    }
    constexpr double kNarrowest = 4;  // pixels
    const double left = xOf(layout.range.first);
    const double right = std::max(left + kNarrowest, xOf(layout.range.last));
    const QRectF shown(left, layout.map.top() - 1, right - left, layout.map.height() + 2);
    painter.setPen(QPen(theme.accent, 1.5));
    painter.setBrush(mixed(theme.accent, theme.raised, 0.35));
    painter.drawRoundedRect(shown, 2, 2);
    const double focus = xOf(static_cast<double>(snapshot.focus.step));
    painter.setPen(QPen(theme.strong, 1.5));
    painter.drawLine(QPointF(focus, layout.map.top() - 1), QPointF(focus, layout.map.bottom() + 1));
    painter.restore();
}

void paintScrubber(QPainter& painter, const Snapshot& snapshot, const TimelineLayout& layout, const Theme& theme)
{
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    Body(painter, snapshot, layout, theme).currentEpoch();
    const double x = layout.xOf(static_cast<double>(snapshot.focus.step));
    if (x < layout.plot.left() - 1 || x > layout.plot.right() + 1)
        return painter.restore();
    // Its head stands on the first row where the names of epochs are above that.
    const double top = layout.plot.top() + (layout.phases.isEmpty() ? -3 : 8);
    painter.setPen(QPen(theme.strong, 2));
    painter.drawLine(QPointF(x, top), QPointF(x, layout.plot.bottom() + 4));
    painter.setPen(Qt::NoPen);
    painter.setBrush(theme.strong);
    painter.drawPolygon(QPolygonF{{x, top + 1}, {x - 6, top - 8}, {x + 6, top - 8}});
    painter.restore();
}

/// Type grows with the picture, though less than it does: a large one has room for more steps, too.
void paintWholeTimeline(QPainter& painter, const Snapshot& snapshot, const Theme& theme, QSizeF wanted)
{
    constexpr QSizeF kUsual(1200, 700);
    const double larger = std::min(wanted.width() / kUsual.width(), wanted.height() / kUsual.height());
    const double scale = std::pow(std::max(1.0, larger), 0.7);
    const QSizeF size = wanted / scale;
    painter.save();
    painter.scale(scale, scale);
    const StepRange all{0, std::max(1.0, static_cast<double>(snapshot.overview->stepCount))};
    const auto layout = TimelineLayout::compute(*snapshot.overview, focusedRowOf(snapshot), all, size, theme.typeScale);
    paintTimelineBody(painter, snapshot, layout, theme, size);
    paintTimelineLegend(painter, snapshot, layout, theme);
    paintTimelineLens(painter, snapshot, layout, theme);
    paintScrubber(painter, snapshot, layout, theme);
    painter.restore();
}

}  // namespace lanescope::gui
