// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/stage/overlay_tint.h"

#include <QObject>

#include <algorithm>
#include <array>
#include <cmath>

#include "app/gui/engine/value_format.h"

namespace lanescope::gui {

namespace {

using analysis::BufferUse;
using analysis::kNobody;

const BufferUse* useOf(const std::shared_ptr<const analysis::Footprint>& footprint, BufferId id)
{
    if (!footprint)
        return nullptr;
    const auto found = footprint->find(id);
    return found == footprint->end() ? nullptr : &found->second;
}

bool isRace(const trace::Finding& finding)
{
    return finding.kind == "shared-race" || finding.kind == "global-race" || finding.kind == "async-copy-not-awaited";
}

bool isOutside(const trace::Finding& finding)
{
    return finding.kind == "out-of-bounds" || finding.kind == "index-out-of-shape";
}

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

bool concerns(const trace::Finding& finding, const Snapshot& snapshot, const trace::Buffer& buffer)
{
    return finding.launch == snapshot.focus.launch && finding.buffer == buffer.name;
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
        : m_painter(painter), m_d(drawing), m_panel(drawing.layout.panels[index]), m_snapshot(*drawing.scene.snapshot),
          m_view(m_snapshot.buffers[m_panel.spec.buffer])
    {
    }

    void paint()
    {
        if (m_d.overlays.contains(Overlay::Halo))
            paintHalo();
        if (m_d.overlays.contains(Overlay::Race))
            paintFindings(isRace, true);
        if (m_d.overlays.contains(Overlay::Bounds))
            paintFindings(isOutside, false);
        if (m_d.overlays.contains(Overlay::Mapping) && m_d.hover.panel && m_d.hover.panel == m_d.scene.threadsPanel)
            paintCellsOfThread();
    }

private:
    [[nodiscard]] QRectF rect(uint64_t element) const
    {
        return m_d.view.map(m_panel.cellRect(m_view.shape.cellOf(element)));
    }

    template <typename Wanted>
    void forVisible(const Wanted& wanted)
    {
        const QRectF first = rect(0);
        if (std::min(first.width(), first.height()) < 3)
            return;  // an image: colours say it
        constexpr uint64_t kMost = 200'000;
        for (uint64_t element = 0; element < std::min(m_view.shape.elements, kMost); ++element)
            if (wanted(element))
                if (const QRectF box = rect(element); box.intersects(QRectF(QPointF(0, 0), m_d.size)))
                    draw(box);
    }

    void draw(const QRectF& box)
    {
        hatch(m_painter, box, m_colour, 1);
        m_painter.setPen(QPen(m_colour, 1.8));
        m_painter.setBrush(Qt::NoBrush);
        m_painter.drawRect(box);
    }

    void paintHalo()
    {
        const BufferUse* grid = useOf(m_snapshot.gridUse, m_view.buffer.id);
        const BufferUse* block = useOf(m_snapshot.blockUse, m_view.buffer.id);
        if (grid == nullptr || block == nullptr)
            return;
        m_colour = m_d.theme.atomic;
        forVisible([&](uint64_t e) {
            return e < grid->sharers.size() && grid->sharers[e] > 1 && e < block->sharers.size() &&
                   block->sharers[e] > 0;
        });
    }

    void paintCellsOfThread()
    {
        const BufferUse* block = useOf(m_snapshot.blockUse, m_view.buffer.id);
        const auto thread = m_d.scene.threadAt(m_d.hover.cell);
        if (block == nullptr || !thread)
            return;
        m_colour = m_d.theme.strong;
        m_painter.setBrush(Qt::NoBrush);
        m_painter.setPen(QPen(m_colour, 2));
        for (uint64_t e = 0; e < std::min<uint64_t>(m_view.shape.elements, block->owner.size()); ++e)
            if (block->owner[e] == *thread)
                m_painter.drawRect(rect(e));
    }

    void paintFindings(bool (*wanted)(const trace::Finding&), bool inside)
    {
        for (const trace::Finding& finding : m_snapshot.catalog->findings) {
            if (!wanted(finding) || !concerns(finding, m_snapshot, m_view.buffer))
                continue;
            const std::optional<int64_t> element = elementOf(finding, m_view.buffer);
            if (!element)
                continue;
            const bool lies = *element >= 0 && *element < static_cast<int64_t>(m_view.shape.elements);
            if (inside && !lies)
                continue;
            paintFinding(finding, *element, lies);
        }
    }

    /// A cell outside is drawn where it would be, at most two cells from the edge.
    void paintFinding(const trace::Finding& finding, int64_t element, bool lies)
    {
        const auto columns = static_cast<int64_t>(m_panel.spec.columns);
        const auto rows = static_cast<int64_t>(m_panel.spec.rows);
        Cell cell{element >= 0 ? element / columns : -1,
                  element >= 0 ? element % columns : columns + element % columns};
        if (rows == 1 && !lies)
            cell = {0, element};
        cell.row = std::clamp<int64_t>(cell.row, -1, rows);
        cell.column = std::clamp<int64_t>(cell.column, -2, columns + 1);
        const QRectF box = m_d.view.map(m_panel.cellRect(cell));
        m_painter.setBrush(mixed(m_d.theme.error, m_d.theme.stage, lies ? 0.15 : 0.25));
        m_painter.setPen(QPen(m_d.theme.error, 2.2, lies ? Qt::SolidLine : Qt::DashLine));
        if (!lies)
            m_painter.drawRect(box);
        m_painter.setBrush(Qt::NoBrush);
        m_painter.drawRect(box);
        hatch(m_painter, box, m_d.theme.error, 1.2);
        const QString text = lies ? QString() : QString::number(finding.cell.back());
        m_painter.setFont(m_d.theme.mono(std::clamp(box.height() * 0.4, 7.0, 14.0), true));
        m_painter.setPen(m_d.theme.error);
        m_painter.drawText(box, Qt::AlignCenter, text);
    }

    QPainter& m_painter;
    const StageDrawing& m_d;
    const Panel& m_panel;
    const Snapshot& m_snapshot;
    const BufferView& m_view;
    QColor m_colour;
};

}  // namespace

void askFor(const Overlays& overlays, ViewOptions& options)
{
    options.footprints = overlays.contains(Overlay::Tiles);
    options.gridUse = overlays.contains(Overlay::Mapping) || overlays.contains(Overlay::Halo);
    options.blockUse = options.gridUse || overlays.contains(Overlay::Heat);
    options.age = overlays.contains(Overlay::Age);
}

QColor numberedColour(const Theme& theme, uint64_t number)
{
    // Okabe and Ito's eight, grey for black.
    static const std::array<QColor, 8> kHues{QColor("#56b4e9"), QColor("#e69f00"), QColor("#009e73"),
                                             QColor("#d55e00"), QColor("#f0e442"), QColor("#0072b2"),
                                             QColor("#cc79a7"), QColor("#8d99a8")};
    return mixed(kHues[number % kHues.size()], theme.stage, theme.dark ? 0.62 : 0.5);
}

OverlayTint::OverlayTint(const StageDrawing& drawing, const BufferView& view)
    : m_theme(drawing.theme), m_overlays(drawing.overlays), m_snapshot(*drawing.scene.snapshot), m_view(view),
      m_grid(useOf(m_snapshot.gridUse, view.buffer.id)), m_block(useOf(m_snapshot.blockUse, view.buffer.id))
{
    const auto on = [&](Overlay overlay) { return m_overlays.contains(overlay); };
    const bool shared = view.buffer.space == trace::Space::Shared;
    m_colours = ((on(Overlay::Mapping) || on(Overlay::Heat) || on(Overlay::Halo)) && (m_grid || m_block)) ||
                (on(Overlay::Age) && !view.state->writtenIn.empty()) || (on(Overlay::Banks) && shared);
    if (m_block != nullptr)
        for (size_t i = 0; i < m_block->reads.size(); ++i)
            m_hottest = std::max(m_hottest, m_block->reads[i] + m_block->writes[i]);
}

QColor OverlayTint::fill(uint64_t element, const QColor& resting) const
{
    QColor colour = resting;
    if (m_overlays.contains(Overlay::Banks) && m_view.buffer.space == trace::Space::Shared) {
        const uint64_t byte = m_view.buffer.sharedOffset + element * m_view.buffer.element.totalBytes();
        colour = mixed(QColor::fromHsvF(static_cast<float>(byte / 4 % 32) / 32.0F, 0.55F, 0.9F), m_theme.stage, 0.5);
    }
    if (m_overlays.contains(Overlay::Age))
        colour = age(element, colour);
    if (m_overlays.contains(Overlay::Heat))
        colour = heat(element, colour);
    if (m_overlays.contains(Overlay::Mapping)) {
        // Global cells by block; cells of the block's own memory by thread.
        const BufferUse* use = m_grid != nullptr ? m_grid : m_block;
        if (use != nullptr && element < use->owner.size() && use->owner[element] != kNobody)
            colour = numberedColour(m_theme, use->owner[element]);
    }
    return m_overlays.contains(Overlay::Halo) ? halo(element, colour) : colour;
}

QColor OverlayTint::heat(uint64_t element, const QColor& resting) const
{
    if (m_block == nullptr || element >= m_block->reads.size())
        return resting;
    const uint32_t count = m_block->reads[element] + m_block->writes[element];
    const double share = std::log1p(count) / std::log1p(m_hottest);
    return count == 0 ? resting : mixed(m_theme.error, m_theme.stage, 0.1 + 0.65 * share);
}

QColor OverlayTint::age(uint64_t element, const QColor& resting) const
{
    const uint64_t byte = element * m_view.buffer.element.totalBytes();
    if (byte >= m_view.state->writtenIn.size() || m_view.state->writtenIn[byte] == 0)
        return resting;
    const double now = m_snapshot.epoch() + 1.0;
    const double share = m_view.state->writtenIn[byte] / now;
    return mixed(m_theme.good, m_theme.stage, 0.12 + 0.5 * std::clamp(share, 0.0, 1.0));
}

/// The focused block's own cells; halo cells are drawn over them.
QColor OverlayTint::halo(uint64_t element, const QColor& resting) const
{
    const bool touched = m_block != nullptr && element < m_block->sharers.size() && m_block->sharers[element] > 0;
    return touched ? mixed(m_theme.accent, m_theme.stage, 0.4) : resting;
}

std::vector<LegendEntry> legendOf(const Overlays& overlays, const Snapshot& snapshot, const Theme& theme)
{
    std::vector<LegendEntry> entries;
    const auto on = [&](Overlay overlay) { return overlays.contains(overlay); };
    if (on(Overlay::Mapping))
        entries.push_back({numberedColour(theme, linearIndex(snapshot.focus.block, snapshot.launch().grid)),
                           QObject::tr("block %1's cells; shared cells by thread")
                               .arg(positionText(snapshot.focus.block, snapshot.launch().grid))});
    if (on(Overlay::Halo)) {
        entries.push_back({mixed(theme.accent, theme.stage, 0.4), QObject::tr("this block's cells")});
        entries.push_back({theme.atomic, QObject::tr("other blocks' too"), true});
    }
    if (on(Overlay::Heat))
        entries.push_back({mixed(theme.error, theme.stage, 0.75), QObject::tr("most often touched")});
    if (on(Overlay::Age))
        entries.push_back({mixed(theme.good, theme.stage, 0.62), QObject::tr("written in this epoch; paler: before")});
    if (on(Overlay::Banks))
        entries.push_back({{}, QObject::tr("hue = bank")});
    const auto found = [&](bool (*wanted)(const trace::Finding&)) {
        const auto& all = snapshot.catalog->findings;
        return std::any_of(all.begin(), all.end(), [&](const trace::Finding& finding) {
            return wanted(finding) && finding.launch == snapshot.focus.launch;
        });
    };
    if (on(Overlay::Race) && found(isRace))
        entries.push_back({theme.error, QObject::tr("hazard"), true});
    if (on(Overlay::Bounds) && found(isOutside))
        entries.push_back({theme.error, QObject::tr("out of bounds"), true});
    return entries;
}

void paintOverlayMarks(QPainter& painter, const StageDrawing& drawing, size_t panel)
{
    painter.save();
    MarksPainter(painter, drawing, panel).paint();
    painter.restore();
}

void paintHoveredThreads(QPainter& painter, const StageDrawing& d)
{
    if (!d.overlays.contains(Overlay::Mapping) || !d.hover.panel || !d.scene.threadsPanel)
        return;
    const Panel& panel = d.layout.panels[*d.hover.panel];
    if (panel.spec.kind != PanelKind::Buffer)
        return;
    const BufferView& view = d.scene.snapshot->buffers[panel.spec.buffer];
    const BufferUse* use = useOf(d.scene.snapshot->blockUse, view.buffer.id);
    const uint64_t element = view.shape.elementOf(d.hover.cell);
    if (use == nullptr || element >= use->owner.size() || use->owner[element] == kNobody)
        return;
    const Panel& threads = d.layout.panels[*d.scene.threadsPanel];
    painter.save();
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(d.theme.write, 2.4));
    painter.drawRoundedRect(
        d.view.map(threads.cellRect(d.scene.threadCell(use->owner[element]))).adjusted(-3, -3, 3, 3), 6, 6);
    painter.restore();
}

}  // namespace lanescope::gui
