// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/stage/stage_widget.h"

#include <QContextMenuEvent>
#include <QMenu>
#include <QMouseEvent>
#include <QWheelEvent>

#include <algorithm>
#include <cmath>

#include "app/gui/engine/value_format.h"
#include "app/gui/stage/caption.h"

namespace lanescope::gui {

namespace {
constexpr double kLargestScale = 400;  // a 4096-column image reaches readable cells well before
constexpr double kDragDistance = 4;
}  // namespace

StageWidget::StageWidget(QWidget* parent) : QWidget(parent), m_theme(&themeNamed({}))
{
    setMouseTracking(true);
    setFocusPolicy(Qt::StrongFocus);
    setAccessibleName(tr("Stage"));
    setAttribute(Qt::WA_OpaquePaintEvent);
    constexpr int kMotion = 150;  // ms
    m_motion.setDuration(kMotion);
    m_motion.setStartValue(0.0);
    m_motion.setEndValue(1.0);
    m_motion.setEasingCurve(QEasingCurve::InOutQuad);
    connect(&m_motion, &QVariantAnimation::valueChanged, this, qOverload<>(&QWidget::update));
    connect(&m_motion, &QVariantAnimation::finished, this, qOverload<>(&QWidget::update));
}

namespace {

/// A step or another block of the same launch; anything else just appears.
bool isMove(const Snapshot& from, const Snapshot& to)
{
    return from.focus.launch == to.focus.launch && from.catalog == to.catalog &&
           (from.focus.step != to.focus.step || !(from.focus.block == to.focus.block));
}

}  // namespace

void StageWidget::setMotion(bool on)
{
    m_moves = on;
    if (!on)
        m_motion.stop();
}

void StageWidget::setSnapshot(const SnapshotPointer& snapshot)
{
    // Whoever steps faster than things move, or scrubs, sees where they end.
    const bool moves =
        m_moves && isVisible() && m_snapshot && snapshot && !isMoving() && isMove(*m_snapshot, *snapshot);
    m_motion.stop();
    m_before = moves ? m_snapshot : nullptr;
    m_snapshot = snapshot;
    rebuild();
    if (moves)
        m_motion.start();
    if (snapshot)
        setAccessibleDescription(captionText(*snapshot));
    update();
}

void StageWidget::setTheme(const Theme& theme)
{
    m_theme = &theme;
    rebuild();
    update();
}

void StageWidget::setOverlay(Overlay overlay, bool on)
{
    if (on)
        m_overlays.insert(overlay);
    else
        m_overlays.erase(overlay);
    rebuild();
    update();
}

void StageWidget::setWarps(const std::vector<uint16_t>& warps)
{
    m_warps = warps;
    if (m_scene)
        m_scene->warps = warps;
    update();
}

void StageWidget::setCamera(const StageCamera& camera)
{
    m_camera = camera;
    m_view = {};
    rebuild();
    update();
}

void StageWidget::fit()
{
    m_view = {};
    m_held.clear();
    m_zoom.clear();
    if (m_scene)
        turnLenses();
    update();
}

void StageWidget::rebuild()
{
    const std::vector<PanelSpec> before = m_scene ? std::move(m_scene->specs) : std::vector<PanelSpec>();
    m_scene.reset();
    if (!m_snapshot)
        return;
    m_scene = StageScene::of(m_snapshot, *m_theme);
    m_scene->warps = m_warps;
    m_scene->keepOnly(m_camera);
    m_scene->leaveRoom(m_overlays);
    // Mostly a step changes what is in the panels, not the panels.
    if (!(m_scene->specs == before) || m_layoutSize != size() || m_layoutTheme != m_theme)
        m_layout = StageLayout::compute(m_scene->specs, QSizeF(size()), m_theme->typeScale, m_theme->captionHeight());
    m_layoutSize = size();
    m_layoutTheme = m_theme;
    turnLenses();
}

/// To what happens, but where the user turned one.
void StageWidget::turnLenses()
{
    for (Panel& panel : m_layout.panels)
        if (panel.lens && panel.spec.kind == PanelKind::Buffer) {
            const auto zoomed = m_zoom.find(m_snapshot->buffers[panel.spec.buffer].buffer.id);
            panel.zoom(zoomed == m_zoom.end() ? 1 : zoomed->second);
        }
    m_layout.lookAt(m_scene->targets);
    for (Panel& panel : m_layout.panels) {
        if (!panel.lens || panel.spec.kind != PanelKind::Buffer)
            continue;
        const auto held = m_held.find(m_snapshot->buffers[panel.spec.buffer].buffer.id);
        if (held == m_held.end())
            continue;
        const Cell corner{std::max<int64_t>(0, held->second.row - static_cast<int64_t>(panel.rows / 2)),
                          std::max<int64_t>(0, held->second.column - static_cast<int64_t>(panel.columns / 2))};
        panel.lookAt({corner, corner, {corner.row + 1, corner.column + 1}});
    }
}

/// A press on an overview holds the lens there; on that of the threads it chooses one.
bool StageWidget::pressOverview(QPointF position)
{
    for (const Panel& panel : m_layout.panels) {
        const auto cell = panel.overviewCellAt(m_view.unmap(position));
        if (!cell)
            continue;
        if (panel.spec.kind == PanelKind::Buffer)
            m_held[m_snapshot->buffers[panel.spec.buffer].buffer.id] = *cell;
        else if (const auto thread = m_scene->threadAt(*cell))
            emit threadClicked(positionOf(*thread, m_snapshot->launch().block));
        turnLenses();
        update();
        return true;
    }
    return false;
}

/// A double click on a lens or its overview lets it follow again, with cells as large as those of the others.
bool StageWidget::releaseLens(QPointF position)
{
    const QPointF point = m_view.unmap(position);
    for (const Panel& panel : m_layout.panels) {
        if (panel.spec.kind != PanelKind::Buffer || !panel.lens ||
            !(panel.overview.contains(point) || panel.body.contains(point)))
            continue;
        m_held.erase(m_snapshot->buffers[panel.spec.buffer].buffer.id);
        m_zoom.erase(m_snapshot->buffers[panel.spec.buffer].buffer.id);
        turnLenses();
        update();
        return true;
    }
    return false;
}

/// Of the buffer under the pointer alone; its cell there stays.
bool StageWidget::zoomLens(QPointF position, double factor)
{
    const QPointF point = m_view.unmap(position);
    for (Panel& panel : m_layout.panels) {
        const auto cell = panel.cellAt(point);
        if (!panel.lens || panel.spec.kind != PanelKind::Buffer || !cell)
            continue;
        constexpr double kLargest = 6;
        constexpr double kSmallest = 1e-3;
        constexpr double kAsItWas = 0.06;  // nearer to 1 than this is 1
        const BufferId id = m_snapshot->buffers[panel.spec.buffer].buffer.id;
        double& zoom = m_zoom.try_emplace(id, 1).first->second;
        zoom = std::clamp(zoom * factor, kSmallest, kLargest);
        zoom = std::abs(std::log(zoom)) < kAsItWas ? 1 : zoom;
        panel.zoom(zoom);
        zoom = zoom < 1 ? panel.scale() : zoom;
        const QPointF aside = panel.body.center() - point;
        m_held[id] = {cell->row + static_cast<int64_t>(std::round(aside.y() / panel.pitchY)),
                      cell->column + static_cast<int64_t>(std::round(aside.x() / panel.pitchX))};
        turnLenses();
        update();
        return true;
    }
    return false;
}

void StageWidget::paintTo(QPainter& painter, QSizeF size) const
{
    if (!m_scene)
        return painter.fillRect(QRectF(QPointF(0, 0), size), m_theme->stage);
    const StageLayout layout = m_scene->layout(size, *m_theme);
    paintStage(painter, {*m_scene, layout, *m_theme, {}, m_overlays, {}, size});
}

void StageWidget::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    if (m_scene)
        return paintStage(painter, {*m_scene, m_layout, *m_theme, m_view, m_overlays, m_hover, QSizeF(size()),
                                    isMoving() ? m_before.get() : nullptr, m_motion.currentValue().toDouble()});
    painter.fillRect(rect(), m_theme->stage);
    painter.setFont(m_theme->sans(16));
    painter.setPen(m_theme->dim);
    painter.drawText(rect(), Qt::AlignCenter, tr("Open a CUDA program or a trace, or choose one from the gallery."));
}

void StageWidget::resizeEvent(QResizeEvent*)
{
    rebuild();
}

StageHover StageWidget::targetAt(QPointF position) const
{
    const bool onPanels = position.y() > m_layout.header.bottom() && position.y() < m_layout.caption.top();
    if (!m_scene || !onPanels)
        return {};
    const QPointF point = m_view.unmap(position);
    const auto panel = m_layout.panelAt(point);
    if (!panel)
        return {};
    const auto cell = m_layout.panels[*panel].cellAt(point);
    return cell ? StageHover{panel, *cell} : StageHover{};
}

MenuPlace StageWidget::placeOf(const StageHover& target) const
{
    MenuPlace place;
    if (!target.panel)
        return place;
    const PanelSpec& spec = m_layout.panels[*target.panel].spec;
    if (spec.kind == PanelKind::Grid) {
        place.block = m_scene->blockAt(target.cell);
    } else if (spec.kind == PanelKind::Threads) {
        if (const auto thread = m_scene->threadAt(target.cell))
            place.thread = positionOf(*thread, m_snapshot->launch().block);
    } else {
        const BufferView& view = m_snapshot->buffers[spec.buffer];
        const uint64_t element = view.shape.elementOf(target.cell);
        if (element < view.shape.elements)
            place.cell = WatchedCell{view.buffer.id, element};
    }
    return place;
}

void StageWidget::click(const StageHover& target)
{
    const MenuPlace place = placeOf(target);
    if (place.block)
        emit blockClicked(*place.block);
    if (place.thread)
        emit threadClicked(*place.thread);
    if (place.cell)
        emit cellClicked(place.cell->buffer, place.cell->element);
}

/// The shown variable's value in any thread of the block; of the focused warp's, all that are in scope.
QString StageWidget::threadValues(uint64_t thread) const
{
    const auto lane = static_cast<size_t>(thread % kWarpSize);
    const bool isOfFocusedWarp = thread / kWarpSize == m_snapshot->warp;
    QStringList values;
    const auto add = [&](VariableId id, const replay::VariableImage& image) {
        const trace::Variable& variable = m_snapshot->catalog->variables[id.value];
        if (((image.written >> lane) & 1) != 0)
            values << QStringLiteral("%1 = %2").arg(QString::fromStdString(variable.name),
                                                    variableText(*m_snapshot, variable, image.value[lane].data()));
    };
    if (isOfFocusedWarp) {
        for (const VariableView& view : m_snapshot->variables)
            if (view.inScope)
                add(view.id, view.image);
    } else if (m_snapshot->shown && thread / kWarpSize < m_snapshot->shownPerWarp.size()) {
        add(*m_snapshot->shown, m_snapshot->shownPerWarp[thread / kWarpSize]);
    }
    return values.join(QStringLiteral(", "));
}

QString StageWidget::describe(const StageHover& target) const
{
    if (!target.panel)
        return {};
    const PanelSpec& spec = m_layout.panels[*target.panel].spec;
    if (spec.kind == PanelKind::Grid)
        return blockText(m_scene->blockAt(target.cell), m_snapshot->launch());
    if (spec.kind == PanelKind::Threads) {
        const auto thread = m_scene->threadAt(target.cell);
        return thread ? tr("thread %1 · warp %2, lane %3")
                            .arg(threadText(*m_snapshot, *thread))
                            .arg(*thread / kWarpSize)
                            .arg(*thread % kWarpSize)
                      : QString();
    }
    const BufferView& view = m_snapshot->buffers[spec.buffer];
    const uint64_t element = view.shape.elementOf(target.cell);
    if (element >= view.shape.elements)
        return {};
    const QString value =
        view.hasValue(element) ? valueText(view.buffer.element, view.at(element)) : tr("never written");
    return QStringLiteral("%1 = %2").arg(cellName(view.buffer, element), value);
}

void StageWidget::mousePressEvent(QMouseEvent* event)
{
    m_pressedAt = event->position();
    m_viewAtPress = m_view.offset;
    m_panning = false;
    m_onOverview = m_scene && event->button() == Qt::LeftButton && pressOverview(event->position());
}

void StageWidget::mouseMoveEvent(QMouseEvent* event)
{
    if ((event->buttons() & (Qt::LeftButton | Qt::MiddleButton)) != 0) {
        if (m_onOverview) {
            pressOverview(event->position());
            return;
        }
        const QPointF moved = event->position() - m_pressedAt;
        m_panning = m_panning || moved.manhattanLength() > kDragDistance;
        if (m_panning) {
            m_view.offset = m_viewAtPress + moved;
            update();
        }
        return;
    }
    m_hover = targetAt(event->position());
    emit hovered(describe(m_hover));
    const MenuPlace place = placeOf(m_hover);
    setToolTip(place.thread ? threadValues(linearIndex(*place.thread, m_snapshot->launch().block)) : QString());
    update();
}

void StageWidget::mouseReleaseEvent(QMouseEvent* event)
{
    if (!m_panning && !m_onOverview && event->button() == Qt::LeftButton)
        click(targetAt(event->position()));
    m_panning = false;
}

void StageWidget::mouseDoubleClickEvent(QMouseEvent* event)
{
    if (m_scene && releaseLens(event->position()))
        return;
    if (!targetAt(event->position()).panel)
        fit();
}

void StageWidget::wheelEvent(QWheelEvent* event)
{
    const double factor = std::pow(1.0015, event->angleDelta().y());
    event->accept();
    if (m_scene && zoomLens(event->position(), factor))
        return;
    const double scale = std::clamp(m_view.scale * factor, 1.0, kLargestScale);
    const QPointF fixed = m_view.unmap(event->position());
    m_view.scale = scale;
    m_view.offset = event->position() - fixed * scale;
    if (scale <= 1.0)
        m_view = {};
    update();
}

void StageWidget::contextMenuEvent(QContextMenuEvent* event)
{
    const StageHover target = targetAt(event->pos());
    if (!m_snapshot)
        return;
    QMenu menu(this);
    emit menuWanted(&menu, placeOf(target));
    if (!menu.isEmpty())
        menu.addSeparator();
    if (target.panel && m_layout.panels[*target.panel].spec.kind == PanelKind::Buffer) {
        const size_t buffer = m_layout.panels[*target.panel].spec.buffer;
        menu.addAction(tr("Shape of %1…").arg(QString::fromStdString(m_snapshot->buffers[buffer].buffer.name)), this,
                       [this, buffer] { emit reshapeWanted(buffer); });
    }
    menu.addAction(tr("Fit stage"), this, &StageWidget::fit);
    menu.exec(event->globalPos());
}

void StageWidget::leaveEvent(QEvent*)
{
    m_hover = {};
    emit hovered({});
    update();
}

}  // namespace lanescope::gui
