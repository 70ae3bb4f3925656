// SPDX-License-Identifier: GPL-3.0-or-later
// The block's threads and the grid's blocks.
#include <QPainterPath>

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>

#include "app/gui/engine/value_format.h"
#include "app/gui/stage/cell_text.h"
#include "app/gui/stage/overlay_tint.h"
#include "app/gui/stage/picture_cache.h"
#include "app/gui/stage/stamp.h"
#include "app/gui/theme/text_line.h"

namespace lanescope::gui {

namespace {

constexpr int kMostLetters = 6;

class ThreadsPainter {
public:
    ThreadsPainter(QPainter& painter, const StageDrawing& drawing)
        : m_painter(painter), m_d(drawing), m_snapshot(*drawing.scene.snapshot),
          m_panel(drawing.layout.panels[*drawing.scene.threadsPanel])
    {
        const QSizeF cell = drawing.view.map(m_panel.cellRect({0, 0})).size();
        m_large = cell.height() >= 34 && cell.width() >= 36;
        const double margin = m_panel.lens ? 2 : 6;
        const double comfortable = m_panel.lens ? kSmallestCellType : 9.5;  // a lens has room for a whole value
        const auto lettersAt = [&](double type) {
            return static_cast<int>((cell.width() - margin) / (kMonoAdvance * type));
        };
        m_letters =
            std::clamp(lettersAt(comfortable), kFewestCellLetters, std::max(kMostLetters, m_panel.spec.letters));
        const double byWidth = (cell.width() - margin) / (kMonoAdvance * m_letters);
        constexpr double kTwoLines = 20;  // pixels that a number and a value take
        m_isTight = m_panel.lens && cell.height() < kTwoLines * drawing.theme.typeScale;
        const double share = m_isTight ? 0.68 : m_large ? 0.29 : 0.46;
        m_type = std::min({cell.height() * share, byWidth, 20 * drawing.theme.typeScale});
    }

    void paint()
    {
        const uint64_t count = m_snapshot.launch().threadsPerBlock();
        const uint64_t focused = linearIndex(m_snapshot.focus.thread, m_snapshot.launch().block);
        for (uint64_t thread = 0; thread < count; ++thread)
            if (thread != focused)
                paintThread(thread, false);
        paintThread(focused, true);
        m_painter.setOpacity(1);
    }

private:
    [[nodiscard]] CellLook lookOf(LaneState state, bool focused) const
    {
        const Theme& t = m_d.theme;
        switch (state) {
        case LaneState::Active:
            return {mixed(t.accent, t.stage, focused ? 0.34 : 0.13),
                    focused ? t.strong : mixed(t.accent, t.stage, 0.75), focused ? 2.6 : 1.4, t.text, true};
        case LaneState::Idle:
        case LaneState::Exited:
            return {mixed(t.cell, t.stage, 0.35), focused ? t.strong : t.border, focused ? 2.6 : 1.0, t.faint, false};
        case LaneState::Resting:
            return {t.cell, t.border, 1.0, t.cellText, false};
        }
        return {};
    }

    void paintThread(uint64_t thread, bool focused)
    {
        const Cell cell = m_d.scene.threadCell(thread);
        if (!m_panel.shows(cell))
            return;
        const QRectF box = m_d.view.map(m_panel.cellRect(cell));
        if (!box.intersects(QRectF(QPointF(0, 0), m_d.size)))
            return;
        const LaneState state = m_d.scene.lanes[thread];
        const CellLook look = lookOf(state, focused);
        const std::vector<uint16_t>& warps = m_d.scene.warps;
        const bool fades = !warps.empty() &&
                           !std::binary_search(warps.begin(), warps.end(), static_cast<uint16_t>(thread / kWarpSize));
        constexpr double kFaded = 0.3;
        m_painter.setOpacity(fades ? kFaded : 1);
        const bool mapped = m_d.overlays.contains(Overlay::Mapping);
        m_painter.setBrush(mapped ? numberedColour(m_d.theme, thread) : look.fill);
        m_painter.setPen(
            QPen(look.outline, look.width, state == LaneState::Idle && !focused ? Qt::DotLine : Qt::SolidLine));
        const double radius = std::min(7.0, box.height() * 0.16);
        paintBox(m_painter, box, radius);
        const bool hovered = m_d.hover.panel == m_d.scene.threadsPanel && m_d.hover.cell == cell;
        if (hovered) {
            m_painter.setBrush(Qt::NoBrush);
            m_painter.setPen(QPen(m_d.theme.dim, 1.2));
            m_painter.drawRoundedRect(box.adjusted(-2, -2, 2, 2), radius, radius);
        }
        if (m_panel.lens)
            paintNumbered(box, cell, thread, look);
        else if (m_large)
            paintTwoLines(box, thread, look);
        else if (m_type >= kSmallestCellType)
            paintLine(box, valueOf(thread), m_type, look.bold, look.text);
    }

    void paintTwoLines(const QRectF& box, uint64_t thread, const CellLook& look)
    {
        const QString value = valueOf(thread);
        const QString position = threadText(m_snapshot, thread);
        const double fit = (box.width() - 6) / (kMonoAdvance * static_cast<double>(position.size()));
        const double height = box.height() / 2;
        const bool one = value.isEmpty();
        const QRectF upper(box.left(), box.top() + (one ? height / 2 : height * 0.12), box.width(), height);
        paintLine(upper, position, std::min(m_type, fit), look.bold, look.text);
        const QRectF lower(box.left(), box.top() + height * 0.86, box.width(), height);
        paintLine(lower, value, m_type, false, mixed(look.text, m_d.theme.stage, 0.78));
    }

    /// Its number in the row, small, above the value: the row's is at its side.
    void paintNumbered(const QRectF& box, Cell cell, uint64_t thread, const CellLook& look)
    {
        constexpr double kNumber = 9;
        if (m_isTight) {
            const QString value = valueOf(thread);
            return paintLine(box, value.isEmpty() ? QString::number(cell.column) : value, m_type, look.bold, look.text);
        }
        const double upper = std::max(box.height() * 0.36, (kNumber + 0.5) * m_d.theme.typeScale);
        paintLine({box.left(), box.top() + 1, box.width(), upper}, QString::number(cell.column),
                  kNumber * m_d.theme.typeScale, false, mixed(look.text, m_d.theme.stage, 0.7));
        paintLine({box.left(), box.top() + upper, box.width(), box.height() - upper - 1}, valueOf(thread), m_type,
                  look.bold, look.text);
    }

    void paintLine(const QRectF& box, const QString& text, double pixels, bool bold, const QColor& colour)
    {
        m_painter.setFont(m_d.theme.mono(pixels / m_d.theme.typeScale, bold));
        m_painter.setPen(colour);
        drawTextLine(m_painter, box, Qt::AlignCenter, text);
    }

    [[nodiscard]] QString valueOf(uint64_t thread) const
    {
        const size_t warp = thread / kWarpSize;
        const size_t lane = thread % kWarpSize;
        if (!m_snapshot.shown || warp >= m_snapshot.shownPerWarp.size())
            return {};
        const replay::VariableImage& image = m_snapshot.shownPerWarp[warp];
        if (((image.written >> lane) & 1) == 0)
            return {};
        const trace::Variable& variable = m_snapshot.catalog->variables[m_snapshot.shown->value];
        return shortValueText(variable.type, image.value[lane].data(), m_letters);
    }

    QPainter& m_painter;
    const StageDrawing& m_d;
    const Snapshot& m_snapshot;
    const Panel& m_panel;
    bool m_large = false;
    bool m_isTight = false;  ///< has room for a value or a number
    int m_letters = kMostLetters;
    double m_type = 0;
};

/// Lines between the slices of a deep grid, where nothing else parts them.
void paintGridSlices(QPainter& painter, const StageDrawing& d, const Panel& panel)
{
    const PanelSpec& spec = panel.spec;
    if (spec.sliceRows == 0 || panel.sliceGap > 0)
        return;
    painter.setPen(QPen(d.theme.dim, 1.2));
    const QRectF body = d.view.map(panel.body);
    const double half = panel.gap * d.view.scale / 2;
    for (uint64_t column = spec.sliceColumns; column < spec.columns; column += spec.sliceColumns) {
        const double x = d.view.map(panel.cellRect({0, static_cast<int64_t>(column)})).left() - half;
        painter.drawLine(QPointF(x, body.top()), QPointF(x, body.bottom()));
    }
    for (uint64_t row = spec.sliceRows; row < spec.rows; row += spec.sliceRows) {
        const double y = d.view.map(panel.cellRect({static_cast<int64_t>(row), 0})).top() - half;
        painter.drawLine(QPointF(body.left(), y), QPointF(body.right(), y));
    }
}

/// Too many blocks for boxes: a tinted field with the focused block marked.
void paintGridField(QPainter& painter, const StageDrawing& d, const Panel& panel, const QRectF& focused)
{
    const QRectF body = d.view.map(panel.body);
    painter.setPen(QPen(d.theme.border, 1));
    painter.setBrush(d.theme.cell);
    painter.drawRoundedRect(body, 3, 3);
    const double grow = std::max(0.0, 6 - std::min(focused.width(), focused.height())) / 2;
    painter.setPen(QPen(d.theme.strong, 1.4));
    painter.setBrush(d.theme.accent);
    painter.drawRect(focused.adjusted(-grow, -grow, grow, grow));
}

}  // namespace

void paintThreads(QPainter& painter, const StageDrawing& drawing)
{
    painter.save();
    ThreadsPainter(painter, drawing).paint();
    painter.restore();
}

void paintExchanges(QPainter& painter, const StageDrawing& d)
{
    const Snapshot& snapshot = *d.scene.snapshot;
    if (!d.scene.threadsPanel || snapshot.exchanges.empty())
        return;
    const Panel& panel = d.layout.panels[*d.scene.threadsPanel];
    const auto cellOf = [&](int lane) {
        return d.scene.threadCell(uint64_t{snapshot.warp} * kWarpSize + static_cast<uint64_t>(lane));
    };
    painter.save();
    const auto draw = [&](const LaneArc& arc, bool focused) {
        const QRectF from = d.view.map(panel.cellRect(cellOf(arc.from)));
        const QRectF to = d.view.map(panel.cellRect(cellOf(arc.to)));
        // It leaves at one side of a cell's upper edge and arrives at the other, so that ways there and back differ.
        const double aside = (to.center().x() < from.center().x() ? 0.2 : -0.2) * from.width();
        const QPointF start(from.center().x() - aside, from.top());
        const QPointF end(to.center().x() + aside, to.top());
        constexpr double kSteepness = 0.16;
        const double room = std::max(8.0, (panel.body.top() - d.layout.channels[panel.channel].top) * d.view.scale);
        const double rise = std::clamp(std::abs(end.x() - start.x()) * kSteepness, 8.0, room) * 4 / 3;
        QPainterPath path(start);
        path.cubicTo(start - QPointF(0, rise), end - QPointF(0, rise), end);
        const QColor colour = focused ? d.theme.read : mixed(d.theme.read, d.theme.stage, 0.5);
        painter.setBrush(Qt::NoBrush);
        painter.setPen(QPen(colour, focused ? 2.4 * d.theme.typeScale : 1.0));
        painter.drawPath(path);
        const double head = (focused ? 7 : 4) * d.theme.typeScale;
        painter.setPen(Qt::NoPen);
        painter.setBrush(colour);
        painter.drawPolygon(QPolygonF{end, end - QPointF(head * 0.5, head), end + QPointF(head * 0.5, -head)});
    };
    for (const bool focused : {false, true})
        for (const LaneArc& arc : snapshot.exchanges)
            if ((arc.to == snapshot.lane) == focused && panel.shows(cellOf(arc.from)) && panel.shows(cellOf(arc.to)))
                draw(arc, focused);
    painter.restore();
}

namespace {

/// The number of a lane's group, by the first lane of each; of matches only.
int groupOf(const Collective& collective, int lane)
{
    int group = 0;
    const int first = std::countr_zero(collective.alike(lane));
    for (int other = 0; other < first; ++other)
        group += collective.operands[static_cast<size_t>(other)] && std::countr_zero(collective.alike(other)) == other;
    return group;
}

/// A line over each row of lanes, from the first of it that takes part to the last.
void joinRows(QPainter& painter, const std::map<int64_t, std::pair<QRectF, QRectF>>& rows, double above)
{
    for (const auto& [row, ends] : rows)
        if (ends.first != ends.second)
            painter.drawLine(QPointF(ends.first.center().x(), ends.first.top() - above),
                             QPointF(ends.second.center().x(), ends.second.top() - above));
}

}  // namespace

void paintCollective(QPainter& painter, const StageDrawing& d)
{
    const Snapshot& snapshot = *d.scene.snapshot;
    if (!d.scene.threadsPanel || !snapshot.collective)
        return;
    const Collective& collective = *snapshot.collective;
    const Panel& panel = d.layout.panels[*d.scene.threadsPanel];
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    std::map<int64_t, std::pair<QRectF, QRectF>> rows;
    std::vector<std::pair<int, QRectF>> boxes;
    for (int lane = 0; lane < kWarpSize; ++lane) {
        const Cell cell = d.scene.threadCell(uint64_t{snapshot.warp} * kWarpSize + static_cast<uint64_t>(lane));
        if (!collective.operands[static_cast<size_t>(lane)] || !panel.shows(cell))
            continue;
        const QRectF box = d.view.map(panel.cellRect(cell));
        boxes.emplace_back(lane, box);
        rows.try_emplace(cell.row, box, box).first->second.second = box;
    }
    const double radius =
        boxes.empty() ? 0 : std::clamp(boxes.front().second.height() * 0.18, 3.0, 5 * d.theme.typeScale);
    painter.setPen(QPen(d.theme.read, 1.4 * d.theme.typeScale));
    joinRows(painter, rows, radius + 2);
    for (const auto& [lane, box] : boxes) {
        // Full says yes, empty says no; of matches, lanes with one value have one colour.
        const bool says = !collective.isVote() || *collective.operands[static_cast<size_t>(lane)] != 0;
        const QColor colour = collective.isMatch()
                                  ? numberedColour(d.theme, static_cast<uint64_t>(groupOf(collective, lane)))
                                  : d.theme.read;
        painter.setPen(QPen(lane == snapshot.lane ? d.theme.strong : d.theme.read, 1.4 * d.theme.typeScale));
        painter.setBrush(says ? colour : d.theme.stage);
        painter.drawEllipse(QPointF(box.center().x(), box.top() - radius - 2), radius, radius);
    }
    painter.restore();
}

void paintGrid(QPainter& painter, const StageDrawing& d)
{
    if (!d.scene.gridPanel)
        return;
    painter.save();
    const Snapshot& snapshot = *d.scene.snapshot;
    const Panel& panel = d.layout.panels[*d.scene.gridPanel];
    const Dim3 grid = snapshot.launch().grid;
    const QRectF focused = d.view.map(panel.cellRect(d.scene.blockCell(snapshot.focus.block)));
    if (std::min(focused.width(), focused.height()) < 4) {
        paintGridField(painter, d, panel, focused);
        paintGridSlices(painter, d, panel);
        return painter.restore();
    }
    const uint64_t here = linearIndex(snapshot.focus.block, grid);
    const double type = std::min({focused.height() * 0.4, focused.width() / 4.0, 13 * d.theme.typeScale});
    const auto drawBlock = [&](QPainter& p, uint64_t block) {
        const Dim3 position = positionOf(block, grid);
        const QRectF box = d.view.map(panel.cellRect(d.scene.blockCell(position)));
        const bool hovered = d.hover.panel == d.scene.gridPanel && d.scene.blockCell(position) == d.hover.cell;
        p.setPen(block == here ? QPen(d.theme.strong, 2) : QPen(hovered ? d.theme.dim : d.theme.border, 1));
        p.setBrush(d.overlays.contains(Overlay::Mapping) ? numberedColour(d.theme, block)
                   : block == here                       ? mixed(d.theme.accent, d.theme.stage, 0.4)
                                                         : d.theme.cell);
        paintBox(p, box, std::min(4.0, box.height() * 0.15));
        if (type >= 7.5) {
            p.setPen(block == here ? d.theme.text : d.theme.dim);
            drawTextLine(p, box, Qt::AlignCenter, positionText(position, grid));
        }
    };
    const auto drawBlocks = [&](QPainter& p) {
        p.setFont(d.theme.mono(type / d.theme.typeScale));
        for (uint64_t block = 0; block < grid.count(); ++block)
            drawBlock(p, block);
        drawBlock(p, here);  // again, over its neighbours' borders
    };
    const uint64_t hovered =
        d.hover.panel == d.scene.gridPanel ? linearIndex(d.scene.blockAt(d.hover.cell), grid) + 1 : 0;
    const PictureKey key{{snapshot.catalog},
                         &d.theme,
                         d.view.map(panel.body),
                         {snapshot.focus.launch.value, here, hovered, d.overlays.contains(Overlay::Mapping) ? 1U : 0U,
                          panel.spec.rows, panel.spec.columns}};
    const QRectF area = key.body.adjusted(-2, -2, 2, 2).intersected(QRectF(QPointF(0, 0), d.size));
    if (!area.isEmpty())
        paintCached(painter, area, key, d.theme.stage, drawBlocks);
    paintGridSlices(painter, d, panel);
    if (d.moves() && !(d.before->focus.block == snapshot.focus.block)) {
        const QRectF from = d.view.map(panel.cellRect(d.scene.blockCell(d.before->focus.block)));
        painter.setBrush(Qt::NoBrush);
        painter.setPen(QPen(d.theme.accent, 2.4));
        painter.drawRoundedRect(focused.translated((from.topLeft() - focused.topLeft()) * (1 - d.progress)), 4, 4);
    }
    painter.restore();
}

}  // namespace lanescope::gui
