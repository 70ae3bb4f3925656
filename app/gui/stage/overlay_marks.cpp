// SPDX-License-Identifier: GPL-3.0-or-later
// What the overlays draw over the cells.
#include <algorithm>

#include "app/gui/stage/arrow_router.h"
#include "app/gui/stage/overlay_tint.h"
#include "app/gui/theme/text_line.h"

namespace lanescope::gui {

namespace {

using analysis::BufferUse;

/// The cell of a finding in the buffer's own dims, flat; may lie outside.
std::optional<int64_t> elementOf(const trace::Finding& finding, const trace::Buffer& buffer)
{
    if (finding.cell.empty())
        return std::nullopt;
    int64_t element = 0;
    for (size_t i = 0; i < finding.cell.size(); ++i)
        element =
            (i == 0 || finding.cell.size() != buffer.dims.size() ? element
                                                                 : element * static_cast<int64_t>(buffer.dims[i])) +
            finding.cell[i];
    return element;
}

void hatch(QPainter& painter, const QRectF& box, const QColor& colour, double width)
{
    painter.save();
    painter.setClipRect(box, Qt::IntersectClip);
    painter.setPen(QPen(colour, width));
    const double step = std::clamp(box.height() / 3, 4.0, 9.0);
    for (double at = -box.height(); at < box.width(); at += step)
        painter.drawLine(QPointF(box.left() + at, box.bottom()), QPointF(box.left() + at + box.height(), box.top()));
    painter.restore();
}

class MarksPainter {
public:
    MarksPainter(QPainter& painter, const StageDrawing& drawing, size_t index)
        : m_painter(painter), m_d(drawing), m_index(index), m_panel(drawing.layout.panels[index]),
          m_snapshot(*drawing.scene.snapshot), m_view(m_snapshot.buffers[m_panel.spec.buffer])
    {
    }

    void paint()
    {
        if (m_d.overlays.contains(Overlay::Halo))
            paintHalo();
        if (m_d.overlays.contains(Overlay::Race))
            paintRaces();
        if (m_d.overlays.contains(Overlay::Bounds))
            paintLandings();
        paintGhosts();
        paintHoveredCells();
    }

private:
    [[nodiscard]] QRectF rect(Cell cell) const { return m_d.view.map(m_panel.cellRect(cell)); }
    [[nodiscard]] QRectF rect(uint64_t element) const { return rect(m_view.shape.cellOf(element)); }
    [[nodiscard]] bool isVisible(const QRectF& box) const { return box.intersects(QRectF(QPointF(0, 0), m_d.size)); }

    template <typename Wanted, typename Draw>
    void forVisible(const Wanted& wanted, const Draw& draw)
    {
        const QRectF first = rect(uint64_t{0});
        if (std::min(first.width(), first.height()) < 3)
            return;  // an image: colours say it
        const auto end = [](int64_t from, uint64_t shown, uint64_t all) {
            return std::min(from + static_cast<int64_t>(shown), static_cast<int64_t>(all));
        };
        const int64_t lastRow = end(m_panel.first.row, m_panel.rows, m_panel.spec.rows);
        const int64_t lastColumn = end(m_panel.first.column, m_panel.columns, m_panel.spec.columns);
        for (int64_t row = std::max<int64_t>(0, m_panel.first.row); row < lastRow; ++row)
            for (int64_t column = std::max<int64_t>(0, m_panel.first.column); column < lastColumn; ++column) {
                const uint64_t element = m_view.shape.elementOf({row, column});
                if (element >= m_view.shape.elements || !wanted(element))
                    continue;
                if (const QRectF box = rect(Cell{row, column}); isVisible(box))
                    draw(box);
            }
    }

    void outline(const QRectF& box, const QColor& colour, double width)
    {
        m_painter.setPen(QPen(colour, width));
        m_painter.setBrush(Qt::NoBrush);
        m_painter.drawRect(box);
    }

    void paintHalo()
    {
        const BufferUse* grid = useOf(m_snapshot.gridUse, m_view.buffer.id);
        const BufferUse* block = useOf(m_snapshot.blockUse, m_view.buffer.id);
        if (grid == nullptr || block == nullptr)
            return;
        const QColor colour = m_d.theme.atomic;
        forVisible([&](uint64_t e) { return grid->at(e).sharers > 1 && block->at(e).sharers > 0; },
                   [&](const QRectF& box) {
                       hatch(m_painter, box, mixed(colour, m_d.theme.stage, 0.55), 1);
                       outline(box, colour, 1.8);
                   });
    }

    /// The cells of the thread or block under the pointer.
    void paintHoveredCells()
    {
        if (!m_d.hover.panel)
            return;
        const bool block = m_d.hover.panel == m_d.scene.gridPanel;
        const BufferUse* use = useOf(block ? m_snapshot.gridUse : m_snapshot.blockUse, m_view.buffer.id);
        if (use == nullptr || (!block && m_d.hover.panel != m_d.scene.threadsPanel))
            return;
        const auto thread = block ? std::nullopt : m_d.scene.threadAt(m_d.hover.cell);
        if (!block && !thread)
            return;
        const uint64_t who = block ? linearIndex(m_d.scene.blockAt(m_d.hover.cell), m_snapshot.launch().grid) : *thread;
        forVisible([&](uint64_t e) { return use->isTouchedBy(e, static_cast<uint32_t>(who)); },
                   [&](const QRectF& box) { outline(box, m_d.theme.strong, 2); });
    }

    template <typename Draw>
    void forFindings(bool (*wanted)(const trace::Finding&), const Draw& draw)
    {
        for (const trace::Finding& finding : m_snapshot.catalog->findings) {
            if (!wanted(finding) || finding.launch != m_snapshot.focus.launch || finding.buffer != m_view.buffer.name)
                continue;
            const std::optional<int64_t> element = elementOf(finding, m_view.buffer);
            if (element && *element >= 0 && *element < static_cast<int64_t>(m_view.shape.elements) &&
                m_panel.shows(m_view.shape.cellOf(static_cast<uint64_t>(*element))))
                draw(rect(static_cast<uint64_t>(*element)));
        }
    }

    void paintRaces()
    {
        forFindings(isShownAsRace, [&](const QRectF& box) {
            outline(box, m_d.theme.error, 2.4);
            hatch(m_painter, box, mixed(m_d.theme.error, m_d.theme.stage, 0.6), 1.2);
        });
    }

    /// Where an index that misses its dimension ends up within the buffer.
    void paintLandings()
    {
        forFindings(isOutside, [&](const QRectF& box) {
            outline(box, m_d.theme.error, 2.2);
            hatch(m_painter, box, mixed(m_d.theme.error, m_d.theme.stage, 0.6), 1.2);
        });
    }

    void paintGhosts()
    {
        if (m_index >= m_d.scene.ghosts.size())
            return;
        for (const GhostCell& ghost : m_d.scene.ghosts[m_index]) {
            const QRectF box = rect(ghost.cell);
            if (!m_panel.shows(ghost.cell) || !isVisible(box))
                continue;
            const QColor colour = ghost.isFault    ? m_d.theme.error
                                  : m_d.theme.dark ? m_d.theme.write
                                                   : m_d.theme.warning;
            const double thin = std::min(box.width(), box.height());
            m_painter.setPen(QPen(colour, ghost.isFault ? 2.2 : thin < 12 ? 0.8 : 1.3, Qt::DashLine));
            m_painter.setBrush(mixed(colour, m_d.theme.stage, ghost.isFault ? 0.22 : 0.06));
            const double radius = std::min(3.0, box.height() * 0.12);
            m_painter.drawRoundedRect(box, radius, radius);
            const double fit = (box.width() - 3) / (0.6 * std::max(1.0, static_cast<double>(ghost.text.size())));
            const double type = std::min({box.height() * 0.5, fit, 20 * m_d.theme.typeScale});
            if (type < 7 || ghost.text.isEmpty())
                continue;
            m_painter.setFont(m_d.theme.mono(type / m_d.theme.typeScale, ghost.isFault));
            m_painter.setPen(colour);
            drawTextLine(m_painter, box, Qt::AlignCenter, ghost.text);
        }
    }

    QPainter& m_painter;
    const StageDrawing& m_d;
    size_t m_index;
    const Panel& m_panel;
    const Snapshot& m_snapshot;
    const BufferView& m_view;
};

/// A letter in a disc at the box's upper right corner.
void badge(QPainter& painter, const StageDrawing& d, const QRectF& box, const QString& letter)
{
    const double radius = std::clamp(box.height() * 0.2, 6.0 * d.theme.typeScale, 10.0 * d.theme.typeScale);
    const QPointF centre(box.right(), box.top());
    painter.setPen(QPen(d.theme.stage, 1.5));
    painter.setBrush(d.theme.error);
    painter.drawEllipse(centre, radius, radius);
    painter.setPen(d.theme.dark ? d.theme.stage : QColor(Qt::white));
    painter.setFont(d.theme.sans(radius * 1.25 / d.theme.typeScale, true));
    drawTextLine(painter, QRectF(centre.x() - radius, centre.y() - radius, 2 * radius, 2 * radius), Qt::AlignCenter,
                 letter);
}

QString letterOf(const trace::FindingAccess& side)
{
    return side.access == "read"     ? QStringLiteral("R")
           : side.access == "atomic" ? QStringLiteral("A")
                                     : QStringLiteral("W");
}

}  // namespace

void paintOverlayMarks(QPainter& painter, const StageDrawing& drawing, size_t panel)
{
    painter.save();
    MarksPainter(painter, drawing, panel).paint();
    painter.restore();
}

void paintHoveredThreads(QPainter& painter, const StageDrawing& d)
{
    if (!d.hover.panel || d.layout.panels[*d.hover.panel].spec.kind != PanelKind::Buffer)
        return;
    const Snapshot& snapshot = *d.scene.snapshot;
    const BufferView& view = snapshot.buffers[d.layout.panels[*d.hover.panel].spec.buffer];
    const uint64_t element = view.shape.elementOf(d.hover.cell);
    painter.save();
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(d.theme.dark ? d.theme.write : d.theme.warning, 2.4));
    const auto outline = [&](const BufferUse* use, std::optional<size_t> panel, uint64_t count, const auto& cellOf) {
        constexpr uint64_t kMost = 65'536;
        for (uint64_t who = 0; use != nullptr && panel && who < std::min(count, kMost); ++who)
            if (use->isTouchedBy(element, static_cast<uint32_t>(who)) && d.layout.panels[*panel].shows(cellOf(who)))
                painter.drawRoundedRect(
                    d.view.map(d.layout.panels[*panel].cellRect(cellOf(who))).adjusted(-2, -2, 2, 2), 4, 4);
    };
    outline(useOf(snapshot.blockUse, view.buffer.id), d.scene.threadsPanel, snapshot.launch().threadsPerBlock(),
            [&](uint64_t thread) { return d.scene.threadCell(thread); });
    outline(useOf(snapshot.gridUse, view.buffer.id), d.scene.gridPanel, snapshot.launch().grid.count(),
            [&](uint64_t block) { return d.scene.blockCell(positionOf(block, snapshot.launch().grid)); });
    painter.restore();
}

void paintRaceSides(QPainter& painter, const StageDrawing& d)
{
    const Snapshot& snapshot = *d.scene.snapshot;
    const trace::Finding* race = d.overlays.contains(Overlay::Race) ? shownRace(snapshot) : nullptr;
    if (race == nullptr || !d.scene.threadsPanel)
        return;
    painter.save();
    for (size_t i = 0; i < race->accesses.size(); ++i) {
        const trace::FindingAccess& side = race->accesses[i];
        const bool here = side.block == snapshot.focus.block;
        const auto panel = here ? d.scene.threadsPanel : d.scene.gridPanel;
        if (!panel)
            continue;
        const Cell cell = here ? d.scene.threadCell(linearIndex(side.thread, snapshot.launch().block))
                               : d.scene.blockCell(side.block);
        if (!d.layout.panels[*panel].shows(cell))
            continue;
        const QRectF box = d.view.map(d.layout.panels[*panel].cellRect(cell));
        painter.setBrush(Qt::NoBrush);
        painter.setPen(QPen(d.theme.error, 2.2, i == 0 ? Qt::SolidLine : Qt::DashLine));
        painter.drawRoundedRect(box.adjusted(-3, -3, 3, 3), 6, 6);
        badge(painter, d, box.adjusted(-3, -3, 3, 3), letterOf(side));
    }
    painter.restore();
}

}  // namespace lanescope::gui
