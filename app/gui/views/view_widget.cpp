// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/views/view_widget.h"

#include <QContextMenuEvent>
#include <QCursor>
#include <QMenu>
#include <QMouseEvent>

#include <algorithm>
#include <cmath>
#include <utility>

#include "app/gui/views/line_table.h"
#include "app/gui/views/view_worker.h"

namespace lanescope::gui {

ViewWidget::ViewWidget(const View& view, ViewWorker& worker, QWidget* parent)
    : QWidget(parent), m_view(view), m_worker(worker), m_theme(&themeNamed({}))
{
    setMouseTracking(true);
    setFocusPolicy(Qt::StrongFocus);
    setAccessibleName(view.title());
    setAttribute(Qt::WA_OpaquePaintEvent);
    connect(&worker, &ViewWorker::ready, this, [this](const View* which, const ViewDataPointer& computed) {
        if (which != &m_view)
            return;
        m_data = computed;
        m_message.clear();
        update();
        emit dataChanged();
    });
    connect(&worker, &ViewWorker::failed, this, [this](const View* which, const QString& message) {
        if (which != &m_view)
            return;
        m_data.reset();
        m_message = message;
        update();
    });
}

void ViewWidget::setSnapshot(const SnapshotPointer& snapshot)
{
    // Data of another trace or launch must not be painted over this one's catalog.
    if (!snapshot || !m_snapshot || snapshot->catalog != m_snapshot->catalog ||
        snapshot->focus.launch != m_snapshot->focus.launch) {
        m_data.reset();
        m_view.leaveLaunch(m_settings);
    }
    m_snapshot = snapshot;
    m_behind = true;
    if (isVisible())
        ask();
    update();
}

void ViewWidget::setTheme(const Theme& theme)
{
    m_theme = &theme;
    update();
}

void ViewWidget::ask()
{
    m_behind = false;
    if (m_snapshot)
        m_worker.request(&m_view, m_snapshot, m_settings);
}

void ViewWidget::change(const ViewSettings& settings)
{
    const bool onlyScrolled = [&] {
        ViewSettings moved = m_settings;
        moved.scroll = settings.scroll;
        moved.sortColumn = settings.sortColumn;
        moved.zoom = settings.zoom;
        moved.pan = settings.pan;
        moved.roleNames = settings.roleNames;
        return moved == settings;
    }();
    m_settings = settings;
    if (!onlyScrolled)
        ask();
    update();
}

void ViewWidget::setSelection(const std::optional<analysis::StepsOfBlock>& steps)
{
    m_settings.selection = steps;
    m_data.reset();  // of other steps
    m_behind = true;
    if (isVisible())
        ask();
    update();
}

void ViewWidget::setRoleNames(const std::map<std::string, std::string>& names)
{
    m_settings.roleNames = names;
    update();
}

void ViewWidget::paintOn(Canvas& canvas) const
{
    markWarps(canvas, m_view, m_settings);
    m_view.paint(canvas, *m_snapshot, *m_data, m_settings);
}

void ViewWidget::paintTo(QPainter& painter, QSizeF size) const
{
    Canvas canvas(painter, *m_theme, size, m_view.title(), nullptr);
    if (m_snapshot && m_data)
        return paintOn(canvas);
    canvas.begin({});
    canvas.empty(!m_message.isEmpty() ? m_message : m_snapshot ? tr("Computing …") : tr("Nothing is open."));
}

void ViewWidget::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    m_hits.clear();
    Canvas canvas(painter, *m_theme, QSizeF(size()), m_view.title(), &m_hits);
    if (m_snapshot && m_data)
        return paintOn(canvas);
    paintTo(painter, QSizeF(size()));
}

void ViewWidget::showEvent(QShowEvent*)
{
    if (m_behind)
        ask();
}

const Hit* ViewWidget::hitAt(QPointF place) const
{
    // What was painted last lies on top.
    const auto found =
        std::find_if(m_hits.rbegin(), m_hits.rend(), [&](const Hit& hit) { return hit.area.contains(place); });
    if (found == m_hits.rend())
        return nullptr;
    if (!found->at)
        return &*found;
    m_part = found->at(place);
    return m_part.area.isEmpty() ? nullptr : &m_part;
}

void ViewWidget::mousePressEvent(QMouseEvent* event)
{
    const Hit* hit = hitAt(event->position());
    m_pressedRole.clear();
    if (hit == nullptr || event->button() != Qt::LeftButton)
        return;
    const Hit chosen = *hit;
    m_pressedRole = chosen.role;
    m_slideY = chosen.slides ? std::optional(event->position().y()) : std::nullopt;
    if (chosen.settings)
        change(*chosen.settings);
    if (chosen.steps)
        emit stepsChosen(*chosen.steps);
    if (chosen.focus)
        emit focusChosen(*chosen.focus);
}

/// What was chosen by the first click may have taken the place away that it was on.
void ViewWidget::mouseDoubleClickEvent(QMouseEvent* event)
{
    if (m_pressedRole.empty())
        return mousePressEvent(event);
    emit renameWanted(std::exchange(m_pressedRole, {}));
}

/// F2 on a role's head is the view's, elsewhere the window's.
bool ViewWidget::event(QEvent* event)
{
    if (event->type() == QEvent::ShortcutOverride || event->type() == QEvent::KeyPress) {
        const auto* const key = static_cast<QKeyEvent*>(event);
        const Hit* const hit = hitAt(mapFromGlobal(QCursor::pos()));
        if (key->key() == Qt::Key_F2 && key->modifiers() == Qt::NoModifier && hit != nullptr && !hit->role.empty()) {
            event->accept();
            if (event->type() == QEvent::KeyPress)
                emit renameWanted(std::string(hit->role));
            return true;
        }
    }
    return QWidget::event(event);
}

void ViewWidget::mouseMoveEvent(QMouseEvent* event)
{
    const Hit* hit = hitAt(event->position());
    if (m_slideY && event->buttons().testFlag(Qt::LeftButton))
        return slideTo({event->position().x(), *m_slideY});
    setCursor(hit != nullptr && (hit->focus || hit->settings || hit->steps) ? Qt::PointingHandCursor : Qt::ArrowCursor);
    emit hovered(hit != nullptr ? hit->text : QString());
}

/// The pointer may leave the slider while it drags.
void ViewWidget::slideTo(QPointF place)
{
    const Hit* hit = hitAt(place);
    if (hit == nullptr || !hit->slides || !hit->settings || *hit->settings == m_settings)
        return;
    emit hovered(hit->text);
    change(ViewSettings(*hit->settings));
}

void ViewWidget::mouseReleaseEvent(QMouseEvent*)
{
    m_slideY.reset();
}

void ViewWidget::leaveEvent(QEvent*)
{
    emit hovered({});
}

/// What a click and a double click do there, in words, and what the window knows of the thread and its cell.
void ViewWidget::fillMenu(QMenu& menu, const Hit& hit)
{
    if (hit.focus)
        menu.addAction(tr("Go to step %1").arg(hit.focus->step), this,
                       [this, focus = *hit.focus] { emit focusChosen(focus); });
    if (hit.steps)
        menu.addAction(*hit.steps ? tr("Count these steps alone") : tr("Count all steps"), this,
                       [this, steps = *hit.steps] { emit stepsChosen(steps); });
    if (!hit.role.empty())
        menu.addAction(tr("Another name for the role …"), this, [this, role = hit.role] { emit renameWanted(role); });
    if (!hit.focus || linearIndex(hit.focus->block, m_snapshot->launch().grid) !=
                          linearIndex(m_snapshot->focus.block, m_snapshot->launch().grid))
        return;
    MenuPlace place;
    place.thread = hit.focus->thread;
    if (hit.focus->buffer)
        place.cell = WatchedCell{*hit.focus->buffer, hit.focus->cell};
    menu.addSeparator();
    emit menuWanted(&menu, place);
}

void ViewWidget::contextMenuEvent(QContextMenuEvent* event)
{
    const Hit* const hit = hitAt(QPointF(event->pos()));
    if (hit == nullptr || !m_snapshot)
        return;
    QMenu menu(this);
    fillMenu(menu, Hit(*hit));
    if (!menu.isEmpty())
        menu.exec(event->globalPos());
}

/// The column at \p x stays where it is.
void ViewWidget::zoom(double factor, double x)
{
    constexpr double kClosest = 1024;
    const auto area = std::find_if(m_hits.begin(), m_hits.end(), [](const Hit& hit) { return hit.zooms; });
    if (area == m_hits.end() || area->area.width() <= 0)
        return;
    ViewSettings changed = m_settings;
    const double share = std::clamp((x - area->area.left()) / area->area.width(), 0.0, 1.0);
    const double column = changed.pan + share / changed.zoom;
    changed.zoom = std::clamp(changed.zoom * factor, 1.0, kClosest);
    changed.pan = std::clamp(column - share / changed.zoom, 0.0, 1 - 1 / changed.zoom);
    change(changed);
}

/// \p share of what is shown.
void ViewWidget::pan(double share)
{
    ViewSettings changed = m_settings;
    changed.pan = std::clamp(changed.pan + share / changed.zoom, 0.0, 1 - 1 / changed.zoom);
    change(changed);
}

void ViewWidget::wheelEvent(QWheelEvent* event)
{
    const bool canZoom = std::any_of(m_hits.begin(), m_hits.end(), [](const Hit& hit) { return hit.zooms; });
    const double turns = (event->angleDelta().y() + event->angleDelta().x()) / 120.0;
    event->accept();
    if (canZoom && (event->modifiers() & Qt::ControlModifier) != 0)
        return zoom(std::pow(1.25, turns), event->position().x());
    if (canZoom && ((event->modifiers() & Qt::ShiftModifier) != 0 || event->angleDelta().y() == 0))
        return pan(-turns * 0.1);
    ViewSettings moved = m_settings;
    moved.scroll = std::max(0.0, moved.scroll - event->angleDelta().y() / 120.0);
    change(moved);
}

void ViewWidget::keyPressEvent(QKeyEvent* event)
{
    ViewSettings changed = m_settings;
    switch (event->key()) {
    case Qt::Key_PageDown:
        changed.scroll += 5;
        break;
    case Qt::Key_PageUp:
        changed.scroll = std::max(0.0, changed.scroll - 5);
        break;
    case Qt::Key_W:
        return zoom(1.5, width() / 2.0);
    case Qt::Key_S:
        return zoom(1 / 1.5, width() / 2.0);
    case Qt::Key_A:
        return pan(-0.2);
    case Qt::Key_D:
        return pan(0.2);
    default:
        if (const auto chosen = m_view.afterKey(event->key(), m_settings))
            return change(*chosen);
        return QWidget::keyPressEvent(event);
    }
    change(changed);
}

}  // namespace lanescope::gui
