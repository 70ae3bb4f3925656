// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/views/ring/ring_view.h"

#include <QPainterPath>

#include <algorithm>
#include <map>

#include "app/gui/engine/value_format.h"
#include "app/gui/views/ring/ring_card.h"
#include "app/gui/views/ring/ring_layout.h"

namespace lanescope::gui {

namespace {

using analysis::Ring;
using analysis::RingArrival;
using analysis::RingBarrier;
using analysis::RingRole;
using analysis::StageSpan;
using analysis::StageState;
using analysis::WarpActivity;
using analysis::WarpSpan;

struct RingData final : ViewData {
    std::shared_ptr<const Ring> ring;
};

QString stateText(const StageSpan& span)
{
    const auto bytes = [&](const QString& word) {
        return QObject::tr("%1 %2 / %3 B").arg(word, countText(span.bytesCame), countText(span.bytesExpected));
    };
    switch (span.state) {
    case StageState::Empty:
        return QObject::tr("empty");
    case StageState::Armed:
        return bytes(QObject::tr("armed"));
    case StageState::Filling:
        return span.bytesExpected > 0 ? bytes(QObject::tr("filling"))
                                      : QObject::tr("filled by %1").arg(warpsText(span.warps));
    case StageState::Full:
        return QObject::tr("full");
    case StageState::Read:
        return QObject::tr("read by %1").arg(warpsText(span.warps));
    case StageState::Released:
        return QObject::tr("released");
    }
    return {};
}

/// A column of one warp's doings, which stands for all of its role.
struct RoleColumn {
    const RingRole* role = nullptr;
    uint16_t warp = 0;
    QRectF area;
};

class RingPainter {
public:
    RingPainter(Canvas& canvas, const Snapshot& snapshot, const Ring& ring, const ViewSettings& settings)
        : m_c(canvas), m_p(canvas.painter()), m_theme(canvas.theme()), m_snapshot(snapshot), m_ring(ring),
          m_settings(settings)
    {
    }

    void paint()
    {
        QRectF area = m_c.begin(subtitle());
        const QRectF card = cardArea(area);
        paintRingCard(m_c, card, m_snapshot, m_ring);
        area = card.left() > area.left() ? area.adjusted(0, 0, card.left() - area.right() - m_c.u(22), 0)
                                         : area.adjusted(0, 0, 0, card.top() - area.bottom() - m_c.u(12));
        const double head = m_c.u(42) * m_theme.typeScale, foot = m_c.u(20) * m_theme.typeScale;
        m_layout.emplace(m_ring, area.adjusted(0, head, 0, -foot), m_c.u(26) * m_theme.typeScale,
                         static_cast<double>(m_snapshot.focus.step), m_settings.scroll);
        placeColumns(area);
        paintHeads(head);
        m_p.save();
        m_p.setClipRect(m_layout->area().adjusted(-m_c.u(4), 0, m_c.u(4), 0));
        paintNow();
        paintStages();
        paintRoles();
        paintArrows();
        m_p.restore();
        paintFoot({area.left(), area.bottom() - foot, area.width(), foot});
    }

private:
    [[nodiscard]] QString subtitle() const
    {
        QStringList memory;
        for (const Ring::Stage& stage : m_ring.stages)
            if (!stage.memory.empty())
                memory << QString::fromStdString(stage.memory);
        QString text = QObject::tr("%1  ·  %2")
                           .arg(m_ring.stages.size() == 1 ? QObject::tr("1 stage")
                                                          : QObject::tr("%1 stages").arg(m_ring.stages.size()),
                                blockText(m_snapshot.focus.block, m_snapshot.launch()));
        if (!memory.isEmpty() && memory.size() <= 4)
            text += QStringLiteral("  ·  ") + memory.join(QStringLiteral("  |  "));
        return text;
    }

    /// Beside the ring where there is room, else below it.
    [[nodiscard]] QRectF cardArea(const QRectF& area) const
    {
        const size_t columns = m_ring.stages.size() + m_ring.roles.size();
        const double wanted = m_ring.hangs.empty() ? m_c.u(330) : m_c.u(540);
        const double width = std::min(area.width() * 0.46, wanted * m_theme.typeScale);
        const double least = m_c.u(128) * m_theme.typeScale * static_cast<double>(columns);
        const double height = ringCardHeight(m_c, m_ring, width);
        if (area.width() - width > least)
            return {area.right() - width, area.top(), width, std::min(height, area.height())};
        const double below = std::min(ringCardHeight(m_c, m_ring, area.width()), area.height() * 0.45);
        return {area.left(), area.bottom() - below, area.width(), below};
    }

    // ---- Columns ----

    void placeColumns(const QRectF& area)
    {
        const auto count = static_cast<double>(m_ring.stages.size() + m_ring.roles.size());
        const double gap = m_c.u(20);
        const double width = std::min((area.width() - gap * (count - 1)) / count, m_c.u(230) * m_theme.typeScale);
        double x = area.left();
        const auto next = [&] {
            const QRectF column(x, m_layout->area().top(), width, m_layout->area().height());
            x += width + gap;
            return column;
        };
        const auto addRoles = [&](bool filling) {
            for (const RingRole& role : m_ring.roles)
                if (role.fills == filling)
                    m_roles.push_back({&role, shownWarp(role), next()});
        };
        addRoles(true);
        for (size_t i = 0; i < m_ring.stages.size(); ++i)
            m_stages.push_back(next());
        addRoles(false);
    }

    /// The focused one where it has the role, else its first.
    [[nodiscard]] uint16_t shownWarp(const RingRole& role) const
    {
        const auto focused = static_cast<uint16_t>(m_snapshot.warp);
        return std::ranges::find(role.warps, focused) != role.warps.end() ? focused : role.warps.front();
    }

    void paintHeads(double height)
    {
        const auto head = [&](const QRectF& column, const QString& title, const QString& below, const QColor& colour) {
            const double line = m_c.u(18) * m_theme.typeScale;
            const double top = column.top() - height;
            m_c.text({column.left(), top, column.width(), line}, title, m_c.sans(13, true), colour, Qt::AlignCenter);
            m_c.text({column.left(), top + line, column.width(), line}, below, m_c.sans(11), m_theme.dim,
                     Qt::AlignCenter);
        };
        for (const RoleColumn& column : m_roles) {
            paintChoice(*column.role, {column.area.left(), column.area.top() - height, column.area.width(), height});
            head(column.area, QString::fromStdString(nameOf(*column.role)),
                 column.role->warps.size() == 1
                     ? QObject::tr("warp %1").arg(column.warp)
                     : QObject::tr("%2; here: %1").arg(column.warp).arg(warpsText(column.role->warps)),
                 column.role->fills ? m_theme.read : m_theme.write);
        }
        for (size_t stage = 0; stage < m_stages.size(); ++stage)
            head(m_stages[stage], QString::fromStdString(m_ring.stages[stage].name), barriersOf(stage), m_theme.text);
    }

    /// A click on a role's head has all views count its warps alone, another one all again.
    void paintChoice(const RingRole& role, const QRectF& area)
    {
        const bool isChosen = m_settings.selection && m_settings.selection->warps == role.warps;
        if (isChosen) {
            m_p.setPen(QPen(m_theme.accent, m_c.u(1.2)));
            m_p.setBrush(mixed(m_theme.accent, m_theme.stage, 0.2));
            m_p.drawRoundedRect(area.adjusted(0, -m_c.u(2), 0, -m_c.u(2)), m_c.u(6), m_c.u(6));
        }
        const analysis::StepsOfBlock steps{m_snapshot.focus.launch,
                                           BlockIndex{linearIndex(m_snapshot.focus.block, m_snapshot.launch().grid)},
                                           0,
                                           m_ring.steps,
                                           role.warps,
                                           nameOf(role)};
        Hit choice{area,
                   isChosen ? QObject::tr("a click counts all warps again")
                            : QObject::tr("a click has the other views count these warps alone, a double click or F2 "
                                          "gives them another name"),
                   {},
                   {}};
        choice.steps.emplace(isChosen ? std::nullopt : std::optional(steps));
        choice.role = role.name;
        m_c.hit(std::move(choice));
    }

    /// As the user calls it.
    [[nodiscard]] const std::string& nameOf(const RingRole& role) const
    {
        const auto given = m_settings.roleNames.find(role.name);
        return given == m_settings.roleNames.end() ? role.name : given->second;
    }

    [[nodiscard]] QString barriersOf(size_t stage) const
    {
        QStringList names;
        for (const RingBarrier& barrier : m_ring.barriers)
            if (barrier.stage == stage)
                names << shortName(barrier);
        return names.join(QStringLiteral(", "));
    }

    // ---- Cells ----

    [[nodiscard]] QRectF cellOf(const QRectF& column, StepIndex first, StepIndex end) const
    {
        const double top = m_layout->yOf(first), bottom = m_layout->yOf(end);
        return QRectF(column.left(), top, column.width(), bottom - top).adjusted(0, m_c.u(1.5), 0, -m_c.u(1.5));
    }
    [[nodiscard]] bool isVisible(const QRectF& cell) const
    {
        return cell.bottom() > m_layout->area().top() && cell.top() < m_layout->area().bottom();
    }
    /// The part of a cell that is not scrolled away.
    [[nodiscard]] QRectF shown(const QRectF& cell) const { return cell.intersected(m_layout->area()); }

    [[nodiscard]] QColor colourOf(const StageSpan& span) const
    {
        switch (span.state) {
        case StageState::Armed:
        case StageState::Filling:
            return m_theme.read;
        case StageState::Full:
        case StageState::Read:
            return isStuck(span) ? m_theme.error : m_theme.write;
        case StageState::Released:
            return m_theme.good;
        case StageState::Empty:
            break;
        }
        return m_theme.border;
    }

    /// Nobody goes on, and somebody waits for this stage to be released or filled.
    [[nodiscard]] bool isStuck(const StageSpan& span) const
    {
        return span.end >= m_ring.steps && std::ranges::any_of(m_ring.hangs, [&](const analysis::RingHang& hang) {
                   return m_ring.barriers[hang.barrier].stage == span.stage;
               });
    }

    void paintBox(const QRectF& cell, const QColor& colour, bool isFilled)
    {
        m_p.setPen(QPen(colour, m_c.u(1.3)));
        m_p.setBrush(isFilled ? mixed(colour, m_theme.stage, 0.16) : m_theme.cell);
        m_p.drawRoundedRect(cell, m_c.u(4), m_c.u(4));
    }

    void paintStages()
    {
        for (const StageSpan& span : m_ring.spans) {
            const QRectF cell = cellOf(m_stages[span.stage], span.first, span.end);
            if (!isVisible(cell))
                continue;
            const bool isRest = span.state == StageState::Empty;
            paintBox(cell, colourOf(span), !isRest);
            paintStageText(shown(cell), span);
            hit(cell, span.first, stageHint(span));
        }
    }

    void paintStageText(const QRectF& cell, const StageSpan& span)
    {
        const double line = std::min(cell.height(), m_c.u(23) * m_theme.typeScale);
        if (line < m_c.u(13))
            return;
        const QFont small = m_c.mono(9.5);
        const QRectF text(cell.left() + m_c.u(8), cell.top(), cell.width() - m_c.u(16), line);
        QString chip = QObject::tr("p%1 g%2").arg(span.generation % 2).arg(span.generation);
        const auto room = [&] { return text.width() - Canvas::widthOf(chip, small) - m_c.u(6); };
        const QString words = stateText(span, room());
        if (Canvas::widthOf(words, fitting(words, room())) > room())
            chip = QObject::tr("p%1").arg(span.generation % 2);
        m_c.text({text.left(), text.top(), room(), text.height()}, words, fitting(words, room()),
                 span.state == StageState::Empty ? m_theme.dim : m_theme.text);
        m_c.text(text, chip, small, m_theme.dim, Qt::AlignRight | Qt::AlignVCenter);
    }

    /// In fewer words where there is no room for all.
    [[nodiscard]] QString stateText(const StageSpan& span, double width) const
    {
        QString whole = gui::stateText(span);
        const bool fits = Canvas::widthOf(whole, fitting(whole, width)) <= width;
        const bool isCount =
            span.bytesExpected > 0 && (span.state == StageState::Armed || span.state == StageState::Filling);
        if (fits || (!isCount && span.warps.empty()))
            return whole;
        return isCount ? QObject::tr("%1 / %2 B").arg(countText(span.bytesCame), countText(span.bytesExpected))
                       : warpsText(span.warps);
    }

    /// Smaller where only that leaves the text whole.
    [[nodiscard]] QFont fitting(const QString& text, double width) const
    {
        for (const double pixels : {12.0, 11.0, 10.0, 9.5})
            if (Canvas::widthOf(text, m_c.sans(pixels)) <= width)
                return m_c.sans(pixels);
        return m_c.sans(9);
    }

    [[nodiscard]] QString stageHint(const StageSpan& span) const
    {
        return QObject::tr("%1: %2, generation %3, steps %4 to %5, line %6")
            .arg(QString::fromStdString(m_ring.stages[span.stage].name), gui::stateText(span))
            .arg(span.generation)
            .arg(span.first)
            .arg(span.end)
            .arg(m_snapshot.site(span.site).where.line);
    }

    void hit(const QRectF& area, StepIndex step, const QString& text)
    {
        replay::Focus focus = m_snapshot.focus;
        focus.step = std::min(step, m_ring.steps);
        m_c.hit({shown(area), text, focus, {}});
    }

    // ---- Roles ----

    void paintRoles()
    {
        for (const RoleColumn& column : m_roles) {
            m_p.setPen(QPen(m_theme.border, m_c.u(1)));
            m_p.drawLine(column.area.topLeft(), column.area.bottomLeft());
            for (const WarpSpan& span : m_ring.activities)
                if (span.warp == column.warp && span.activity != WarpActivity::Waits)
                    paintDoing(column, span);
            for (const WarpSpan& span : m_ring.activities)
                if (span.warp == column.warp && span.activity == WarpActivity::Waits)
                    paintWait(column, span);
        }
    }

    void paintDoing(const RoleColumn& column, const WarpSpan& span)
    {
        QRectF cell = cellOf(column.area, span.first, span.end);
        const double least = m_c.u(18) * m_theme.typeScale;
        if (cell.height() < least)
            cell.setHeight(least);
        if (!isVisible(cell) || cell.top() < m_lastBottom[column.warp])
            return;
        m_lastBottom[column.warp] = cell.bottom();
        const QColor colour = span.activity == WarpActivity::Copies || span.activity == WarpActivity::Stores
                                  ? m_theme.read
                              : span.activity == WarpActivity::Writes ? m_theme.dim
                                                                      : m_theme.write;
        paintBox(cell, mixed(colour, m_theme.stage, 0.75), true);
        const QString text = doingText(span);
        const QRectF inside = shown(cell);
        if (inside.height() >= m_c.u(13))
            m_c.text({inside.left() + m_c.u(8), inside.top(), inside.width() - m_c.u(12),
                      std::min(inside.height(), m_c.u(23) * m_theme.typeScale)},
                     text, fitting(text, inside.width() - m_c.u(12)), m_theme.text);
        hit(cell, span.first, QObject::tr("warp %1 %2").arg(span.warp).arg(text));
    }

    [[nodiscard]] QString doingText(const WarpSpan& span) const
    {
        const QString stage = span.stage ? QString::fromStdString(m_ring.stages[*span.stage].name) : QString();
        switch (span.activity) {
        case WarpActivity::Copies:
            return QObject::tr("copies to %1").arg(stage);
        case WarpActivity::Stores:
            return QObject::tr("stores to %1").arg(stage);
        case WarpActivity::Products:
            return QObject::tr("multiplies %1").arg(stage);
        case WarpActivity::Reads:
            return QObject::tr("reads %1").arg(stage);
        case WarpActivity::Writes:
            return QObject::tr("writes results");
        case WarpActivity::Waits:
            return QObject::tr("waits %1 p%2").arg(shortName(m_ring.barriers[*span.barrier])).arg(span.phase % 2);
        }
        return {};
    }

    void paintWait(const RoleColumn& column, const WarpSpan& span)
    {
        QRectF cell = cellOf(column.area, span.first, span.end);
        if (!isVisible(cell))
            return;
        const double line = m_c.u(19) * m_theme.typeScale;
        const QColor colour = span.isEndless && !m_ring.hangs.empty() ? m_theme.error : m_theme.dim;
        m_p.setPen(QPen(colour, m_c.u(1.2)));
        m_p.setBrush(m_theme.stage);
        m_p.drawRoundedRect(cell, m_c.u(4), m_c.u(4));
        m_p.setBrush(QBrush(mixed(colour, m_theme.stage, 0.45), Qt::BDiagPattern));
        m_p.drawRoundedRect(cell, m_c.u(4), m_c.u(4));
        const QRectF inside = shown(cell);
        const QString text = doingText(span);
        hit(cell, span.first, QObject::tr("warp %1 %2").arg(span.warp).arg(text));
        if (inside.height() < m_c.u(13))
            return;
        const QFont font = fitting(text, inside.width() - m_c.u(24));
        const double width = std::min(Canvas::widthOf(text, font) + m_c.u(12), inside.width() - m_c.u(8));
        const QRectF label(inside.center().x() - width / 2,
                           inside.top() + std::max(0.0, std::min(inside.height(), line * 3) - line) / 2, width,
                           std::min(line, inside.height() - 2));
        m_p.setPen(Qt::NoPen);
        m_p.setBrush(m_theme.stage);
        m_p.drawRoundedRect(label, m_c.u(3), m_c.u(3));
        m_c.text(label, text, font, span.isEndless && !m_ring.hangs.empty() ? m_theme.error : m_theme.text,
                 Qt::AlignCenter);
    }

    // ---- Arrows ----

    [[nodiscard]] const RoleColumn* columnOf(uint16_t warp) const
    {
        const auto exact = std::ranges::find(m_roles, warp, &RoleColumn::warp);
        if (exact != m_roles.end())
            return &*exact;
        const auto role = std::ranges::find_if(m_roles, [&](const RoleColumn& column) {
            return std::ranges::find(column.role->warps, warp) != column.role->warps.end();
        });
        return role == m_roles.end() ? nullptr : &*role;
    }

    void paintArrow(const QRectF& from, double fromY, const QRectF& to, double toY, const QColor& colour, double width)
    {
        const bool rightwards = to.center().x() > from.center().x();
        const QPointF start(rightwards ? from.right() : from.left(), fromY);
        const QPointF end(rightwards ? to.left() : to.right(), toY);
        const double bend = (end.x() - start.x()) / 2;
        QPainterPath path(start);
        path.cubicTo(start + QPointF(bend, 0), end - QPointF(bend, 0), end);
        m_p.setPen(QPen(colour, width, Qt::SolidLine, Qt::RoundCap));
        m_p.setBrush(Qt::NoBrush);
        m_p.drawPath(path);
        const double head = m_c.u(4.5);
        const double back = rightwards ? -head : head;
        m_p.setBrush(colour);
        m_p.setPen(Qt::NoPen);
        m_p.drawPolygon(QPolygonF({end, end + QPointF(back, -head * 0.7), end + QPointF(back, head * 0.7)}));
    }

    /// Arrive → flip → who waited goes on.
    void paintArrows()
    {
        for (const RingArrival& arrival : m_ring.arrivals) {
            const RingBarrier& barrier = m_ring.barriers[arrival.barrier];
            const RoleColumn* column = columnOf(arrival.warp);
            const double y = m_layout->yOf(arrival.step);
            if (!arrival.ends || !column || barrier.stage == RingBarrier::kNoStage || !isRow(y))
                continue;
            const bool fills = barrier.kind != RingBarrier::Kind::Empty;
            paintArrow(column->area, y, m_stages[barrier.stage], y, fills ? m_theme.read : m_theme.good, m_c.u(1.4));
            paintWakes(arrival, y);
        }
        for (const WarpSpan& span : m_ring.activities)
            if (span.isEndless && span.stage && !m_ring.hangs.empty())
                paintEndless(span);
        const double end = m_layout->yOf(m_ring.steps), line = m_c.u(20) * m_theme.typeScale;
        if (!m_ring.hangs.empty() && m_ring.hangs.front().isOnCycle && end + line < m_layout->area().bottom())
            m_c.text({m_layout->area().left(), end, m_stages.back().right() - m_layout->area().left(), line},
                     QObject::tr("each waits for the other"), m_c.sans(12.5), m_theme.error, Qt::AlignCenter);
    }

    [[nodiscard]] bool isRow(double y) const
    {
        return y >= m_layout->area().top() - 1 && y <= m_layout->area().bottom() + 1;
    }

    void paintWakes(const RingArrival& arrival, double y)
    {
        for (const WarpSpan& span : m_ring.activities) {
            const RoleColumn* column = columnOf(span.warp);
            const bool waited = span.activity == WarpActivity::Waits && span.barrier == arrival.barrier &&
                                span.first <= arrival.step && arrival.step <= span.end && !span.isEndless;
            if (waited && column && column->warp == span.warp)
                paintArrow(m_stages[m_ring.barriers[arrival.barrier].stage], y, column->area, m_layout->yOf(span.end),
                           m_theme.write, m_c.u(1.4));
        }
    }

    void paintEndless(const WarpSpan& span)
    {
        const RoleColumn* column = columnOf(span.warp);
        if (!column || column->warp != span.warp)
            return;
        const double y = std::min(m_layout->yOf(m_ring.steps), m_layout->area().bottom()) - m_c.u(8);
        paintArrow(column->area, y - m_c.u(6), m_stages[*span.stage], y - m_c.u(6), m_theme.error, m_c.u(2));
    }

    void paintNow()
    {
        const double y = m_layout->yOf(m_snapshot.focus.step);
        if (!isRow(y))
            return;
        m_p.setPen(QPen(m_theme.accent, m_c.u(1.6), Qt::DashLine));
        m_p.drawLine(QPointF(m_layout->area().left() - m_c.u(4), y),
                     QPointF(m_roles.empty() ? m_stages.back().right()
                                             : std::max(m_roles.back().area.right(), m_stages.back().right()),
                             y));
    }

    void paintFoot(const QRectF& line)
    {
        QString range;
        if (m_layout->isCut()) {
            m_c.leaveOut();
            range = QObject::tr("changes %1 to %2 of %3; scroll, or step; ")
                        .arg(m_layout->first() + 1)
                        .arg(m_layout->first() + m_layout->visible())
                        .arg(m_layout->rows());
        }
        const QFont font = m_c.sans(11);
        for (const QString& marks :
             {QObject::tr("time runs downwards; dashed: this step; hatched: waits; pN: parity, gN: how often filled "
                          "before"),
              QObject::tr("dashed: this step; hatched: waits; pN: parity, gN: fillings before"),
              QObject::tr("pN: parity, gN: fillings before")})
            if (m_c.widthOf(range + marks, font) <= line.width())
                return m_c.text(line, range + marks, font, m_theme.dim);
        m_c.text(line, range, font, m_theme.dim);
    }

    Canvas& m_c;
    QPainter& m_p;
    const Theme& m_theme;
    const Snapshot& m_snapshot;
    const Ring& m_ring;
    const ViewSettings& m_settings;
    std::optional<RingLayout> m_layout;
    std::vector<RoleColumn> m_roles;
    std::vector<QRectF> m_stages;
    std::map<uint16_t, double> m_lastBottom;  ///< by warp, of the last thing drawn
};

}  // namespace

RingView::RingView()
    : View({.name = "ring",
            .title = "Ring",
            .help = "stages of shared memory that are filled and read in turns, and who waits for whom"})
{
}

Result<ViewDataPointer> RingView::compute(AnalysisCache& cache, const Snapshot& snapshot, const ViewSettings&) const
{
    auto ring =
        cache.ring(snapshot.focus.launch, BlockIndex{linearIndex(snapshot.focus.block, snapshot.launch().grid)});
    if (!ring)
        return ring.error();
    auto data = std::make_shared<RingData>();
    data->ring = ring.value();
    return ViewDataPointer(data);
}

void RingView::paint(Canvas& canvas, const Snapshot& snapshot, const ViewData& data, const ViewSettings& settings) const
{
    const Ring& ring = *static_cast<const RingData&>(data).ring;
    if (ring.stages.empty() || ring.spans.empty()) {
        canvas.begin({});
        return canvas.empty(QObject::tr("This block hands nothing over by mbarrier objects."));
    }
    RingPainter(canvas, snapshot, ring, settings).paint();
}

}  // namespace lanescope::gui
