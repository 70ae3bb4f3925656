// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/views/ring/ring_card.h"

#include <QObject>

#include <algorithm>
#include <map>

#include "app/gui/engine/value_format.h"

namespace lanescope::gui {

namespace {

using analysis::Ring;
using analysis::RingBarrier;
using analysis::RingHang;
using analysis::StageReuse;

constexpr double kLine = 20;
constexpr double kPadding = 12;
constexpr int kMostHelpLines = 4;

/// "31 / 32", "0 / 1 + 0 / 128 B"
QString arrivedText(const RingBarrier& barrier)
{
    const QString arrivals = QStringLiteral("%1 / %2").arg(barrier.arrived).arg(barrier.expected);
    return barrier.bytesExpected == 0
               ? arrivals
               : QObject::tr("%1 + %2 / %3 B")
                     .arg(arrivals, countText(barrier.bytesCame), countText(barrier.bytesExpected));
}

/// What is known of how the reuses of one stage are ordered.
struct Coverage {
    size_t all = 0;
    size_t ordered = 0;
    QStringList by;
    std::vector<const StageReuse*> unordered;
};

std::map<uint32_t, Coverage> coverageOf(const Ring& ring)
{
    std::map<uint32_t, Coverage> coverage;
    for (const StageReuse& reuse : ring.reuses) {
        Coverage& stage = coverage[reuse.stage];
        ++stage.all;
        if (reuse.order == StageReuse::Order::Nothing) {
            stage.unordered.push_back(&reuse);
            continue;
        }
        ++stage.ordered;
        const QString name = reuse.order == StageReuse::Order::Phase ? shortName(ring.barriers[reuse.barrier])
                                                                     : QObject::tr("the block's barrier");
        if (!stage.by.contains(name))
            stage.by << name;
    }
    return coverage;
}

class CardPainter {
public:
    CardPainter(Canvas& canvas, const QRectF& area, const Snapshot& snapshot, const Ring& ring)
        : m_c(canvas), m_theme(canvas.theme()), m_snapshot(snapshot), m_ring(ring), m_area(area),
          m_inside(area.adjusted(canvas.u(kPadding), canvas.u(kPadding), -canvas.u(kPadding), -canvas.u(kPadding))),
          m_y(m_inside.top()), m_line(canvas.u(kLine) * canvas.theme().typeScale)
    {
    }

    void paint()
    {
        m_c.painter().setPen(QPen(m_theme.border, m_c.u(1)));
        m_c.painter().setBrush(mixed(m_theme.raised, m_theme.stage, 0.45));
        m_c.painter().drawRoundedRect(m_area, m_c.u(6), m_c.u(6));
        if (!m_ring.hangs.empty())
            paintHang();
        paintCoverage();
    }

private:
    [[nodiscard]] bool hasRoom() const { return m_y + m_line <= m_inside.bottom() + 1; }

    void words(const QString& text, const QFont& font, const QColor& colour, int mostLines)
    {
        for (const QString& line : Canvas::wrapped(text, font, m_inside.width(), mostLines)) {
            if (!hasRoom())
                return m_c.leaveOut();
            m_c.text({m_inside.left(), m_y, m_inside.width(), m_line}, line, font, colour);
            m_y += m_line;
        }
    }

    /// Smaller where only that leaves the text whole.
    [[nodiscard]] QFont fitting(const QString& text, double width, double pixels) const
    {
        constexpr double kLeast = 9.5;
        while (pixels > kLeast && Canvas::widthOf(text, m_c.sans(pixels)) > width)
            pixels -= 0.5;
        return m_c.sans(pixels);
    }

    /// \p shares: of the card's width, by column.
    void row(const QStringList& cells, const std::vector<double>& shares, double pixels,
             const std::vector<QColor>& colours)
    {
        if (!hasRoom())
            return m_c.leaveOut();
        double x = m_inside.left();
        for (int i = 0; i < cells.size(); ++i) {
            const auto at = static_cast<size_t>(i);
            const double width = m_inside.width() * shares[at];
            m_c.text({x, m_y, width - m_c.u(8), m_line}, cells[i], fitting(cells[i], width - m_c.u(8), pixels),
                     colours[std::min(at, colours.size() - 1)]);
            x += width;
        }
        m_y += m_line;
    }

    // ---- Nobody goes on ----

    [[nodiscard]] const trace::Finding* finding() const
    {
        for (const trace::Finding& finding : m_snapshot.catalog->findings)
            if (finding.launch == m_snapshot.focus.launch && finding.kind == FindingKind::BarrierDeadlock)
                return &finding;
        return nullptr;
    }

    void paintHang()
    {
        const trace::Finding* told = finding();
        const bool onCycle = m_ring.hangs.front().isOnCycle;
        words(QObject::tr("Nobody goes on: %1, line %2%3")
                  .arg(told ? QString::fromLatin1(nameOf(told->kind)) : QObject::tr("threads wait to the end"))
                  .arg(m_ring.hangs.front().where.line)
                  .arg(onCycle ? QObject::tr("; they wait for each other") : QString()),
              m_c.sans(13.5, true), m_theme.error, 2);
        const std::vector<double> shares{0.15, 0.1, 0.23, 0.52};
        row({QObject::tr("barrier"), QObject::tr("phase"), QObject::tr("arrived / expected"),
             QObject::tr("missing thread, and where it stands")},
            shares, 11.5, {m_theme.dim});
        for (const RingHang& hang : m_ring.hangs)
            paintHang(hang, shares);
        m_y += m_line * 0.3;
        if (told != nullptr && !told->help.empty())
            words(QObject::tr("help: %1").arg(QString::fromStdString(told->help)), m_c.sans(12), m_theme.good,
                  kMostHelpLines);
        m_y += m_line * 0.4;
    }

    void paintHang(const RingHang& hang, const std::vector<double>& shares)
    {
        const RingBarrier& barrier = m_ring.barriers[hang.barrier];
        const QColor weak =
            hang.missingCount > 0 || barrier.bytesCame != barrier.bytesExpected ? m_theme.error : m_theme.text;
        const QColor cycle = hang.isOnCycle ? m_theme.error : m_theme.text;
        QStringList missing;
        for (const RingHang::Missing& each : hang.missing)
            missing << missingText(each);
        if (hang.missing.empty())
            missing << (hang.missingCount > 0 ? QObject::tr("nobody is left to arrive")
                                              : QObject::tr("bytes that no copy brings"));
        row({shortName(barrier), QString::number(barrier.phase), arrivedText(barrier), missing.front()}, shares, 12,
            {cycle, m_theme.text, weak, cycle});
        for (int i = 1; i < missing.size(); ++i)
            row({QString(), QString(), QString(), missing[i]}, shares, 12, {cycle});
        if (hang.missingCount > hang.missing.size() && !hang.missing.empty())
            row({QString(), QString(), QString(),
                 QObject::tr("and %1 more").arg(hang.missingCount - hang.missing.size())},
                shares, 12, {m_theme.dim});
    }

    [[nodiscard]] QString missingText(const RingHang::Missing& missing) const
    {
        const Dim3 at = positionOf(missing.thread, m_snapshot.launch().block);
        QString text = QObject::tr("(%1,%2,%3) ").arg(at.x).arg(at.y).arg(at.z);
        if (missing.hasEnded)
            return text + QObject::tr("has ended at line %1").arg(missing.where.line);
        text += missing.calledFrom.line == 0
                    ? QObject::tr("line %1").arg(missing.where.line)
                    : QObject::tr("line %1 (from %2)").arg(missing.where.line).arg(missing.calledFrom.line);
        if (missing.waitsFor)
            text += QObject::tr(", waits %1").arg(shortName(m_ring.barriers[*missing.waitsFor]));
        return text;
    }

    // ---- Reuse ----

    void paintCoverage()
    {
        words(QObject::tr("Each reuse of a stage"), m_c.sans(13, true), m_theme.text, 1);
        const std::map<uint32_t, Coverage> coverage = coverageOf(m_ring);
        if (coverage.empty())
            return words(QObject::tr("no stage is filled a second time in this block"), m_c.sans(12), m_theme.dim, 1);
        const std::vector<double> shares{0.24, 0.36, 0.40};
        for (const auto& [stage, own] : coverage) {
            const bool isWhole = own.ordered == own.all;
            row({QString::fromStdString(m_ring.stages[stage].name),
                 QObject::tr("%1 of %2 ordered %3")
                     .arg(own.ordered)
                     .arg(own.all)
                     .arg(isWhole ? QStringLiteral("✓") : QStringLiteral("✗")),
                 own.by.isEmpty() ? QString() : QObject::tr("by %1").arg(own.by.join(QStringLiteral(", ")))},
                shares, 12, {m_theme.text, isWhole ? m_theme.good : m_theme.error, m_theme.dim});
            if (!own.unordered.empty())
                words(unorderedText(*own.unordered.front()), m_c.sans(12), m_theme.error, 2);
        }
    }

    [[nodiscard]] QString unorderedText(const StageReuse& reuse) const
    {
        return QObject::tr("   filling %1, line %2: warp %3 has waited for nothing that warp %4 did after reading it")
            .arg(reuse.generation)
            .arg(m_snapshot.site(reuse.site).where.line)
            .arg(reuse.warp)
            .arg(reuse.unordered.value_or(0));
    }

    Canvas& m_c;
    const Theme& m_theme;
    const Snapshot& m_snapshot;
    const Ring& m_ring;
    QRectF m_area, m_inside;
    double m_y;
    double m_line;
};

}  // namespace

QString shortName(const RingBarrier& barrier)
{
    return QString::fromStdString(barrier.name).section(u'.', -1);
}

double ringCardHeight(const Canvas& canvas, const Ring& ring, double /*width*/)
{
    double lines = 1;
    for (const auto& [stage, coverage] : coverageOf(ring))
        lines += coverage.unordered.empty() ? 1 : 3;
    if (ring.reuses.empty())
        lines += 1;
    for (const RingHang& hang : ring.hangs)
        lines += static_cast<double>(std::max<size_t>(1, hang.missing.size())) +
                 (hang.missingCount > hang.missing.size() && !hang.missing.empty() ? 1 : 0);
    if (!ring.hangs.empty())
        lines += 3 + kMostHelpLines + 0.7;
    return lines * canvas.u(kLine) * canvas.theme().typeScale + 2 * canvas.u(kPadding);
}

void paintRingCard(Canvas& canvas, const QRectF& area, const Snapshot& snapshot, const Ring& ring)
{
    CardPainter(canvas, area, snapshot, ring).paint();
}

}  // namespace lanescope::gui
