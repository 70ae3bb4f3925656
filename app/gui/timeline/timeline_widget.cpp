// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/timeline/timeline_widget.h"

#include <QKeyEvent>
#include <QMouseEvent>
#include <QWheelEvent>

#include <algorithm>
#include <cmath>

namespace lanescope::gui {

namespace {
constexpr double kFewestSteps = 12;
}

TimelineWidget::TimelineWidget(QWidget* parent) : QWidget(parent), m_theme(&themeNamed({}))
{
    setFocusPolicy(Qt::StrongFocus);
    setAccessibleName(tr("Timeline"));
    setAttribute(Qt::WA_OpaquePaintEvent);
    setCursor(Qt::SizeHorCursor);
}

void TimelineWidget::setSnapshot(const SnapshotPointer& snapshot)
{
    const bool newBlock = !m_snapshot || !snapshot || m_snapshot->overview != snapshot->overview;
    const bool sameLength = m_snapshot && snapshot && m_snapshot->overview->stepCount == snapshot->overview->stepCount;
    m_snapshot = snapshot;
    if (newBlock) {
        m_body = {};
        if (!sameLength && snapshot)
            m_range = {0, std::max(1.0, static_cast<double>(snapshot->overview->stepCount))};
    }
    if (snapshot)
        followFocus();
    update();
}

void TimelineWidget::setTheme(const Theme& theme)
{
    m_theme = &theme;
    m_body = {};
    update();
}

TimelineLayout TimelineWidget::layoutOfSteps() const
{
    return TimelineLayout::compute(*m_snapshot->overview, focusedRowOf(*m_snapshot), m_range, QSizeF(size()),
                                   m_theme->typeScale);
}

void TimelineWidget::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    if (!m_snapshot) {
        painter.fillRect(rect(), m_theme->window);
        return;
    }
    const TimelineLayout layout = layoutOfSteps();
    paintBody(layout);
    painter.drawPixmap(0, 0, m_body);
    paintScrubber(painter, *m_snapshot, layout, *m_theme);
}

void TimelineWidget::paintBody(const TimelineLayout& layout)
{
    const double ratio = devicePixelRatioF();
    const bool current = !m_body.isNull() && m_body.size() == size() * ratio && m_cachedRange == m_range &&
                         m_cachedOverview == m_snapshot->overview.get() && m_cachedRow == focusedRowOf(*m_snapshot);
    if (current && m_cachedStep == m_snapshot->focus.step)
        return;
    m_cachedOverview = m_snapshot->overview.get();
    m_cachedRange = m_range;
    m_cachedRow = focusedRowOf(*m_snapshot);
    m_cachedStep = m_snapshot->focus.step;
    if (!current) {
        m_body = QPixmap(size() * ratio);
        m_body.setDevicePixelRatio(ratio);
        QPainter painter(&m_body);
        paintTimelineBody(painter, *m_snapshot, layout, *m_theme, QSizeF(size()));
    }
    QPainter painter(&m_body);
    paintTimelineLegend(painter, *m_snapshot, layout, *m_theme);
}

StepIndex TimelineWidget::stepAt(double x) const
{
    const double step = std::round(layoutOfSteps().stepAt(x));
    return static_cast<StepIndex>(std::clamp(step, 0.0, static_cast<double>(m_snapshot->overview->stepCount)));
}

void TimelineWidget::mousePressEvent(QMouseEvent* event)
{
    if (!m_snapshot || event->button() != Qt::LeftButton)
        return;
    const auto row = layoutOfSteps().rowAt(event->position().y());
    if (row && *row != focusedRowOf(*m_snapshot)) {
        const TimelineRow& hit = m_snapshot->overview->rows[*row];
        emit rowClicked(hit.block, hit.warp, stepAt(event->position().x()));
        return;
    }
    emit scrubbed(stepAt(event->position().x()));
}

void TimelineWidget::mouseMoveEvent(QMouseEvent* event)
{
    if (m_snapshot && (event->buttons() & Qt::LeftButton) != 0)
        emit scrubbed(stepAt(event->position().x()));
}

void TimelineWidget::wheelEvent(QWheelEvent* event)
{
    if (!m_snapshot)
        return;
    const bool sideways = (event->modifiers() & Qt::ShiftModifier) != 0 || event->angleDelta().x() != 0;
    const double amount = event->angleDelta().x() != 0 ? event->angleDelta().x() : event->angleDelta().y();
    if (sideways)
        pan(-amount / 1200 * m_range.span());
    else
        zoom(std::pow(0.9985, amount), layoutOfSteps().stepAt(event->position().x()));
    event->accept();
}

void TimelineWidget::mouseDoubleClickEvent(QMouseEvent*)
{
    if (m_snapshot)
        setRange({0, static_cast<double>(m_snapshot->overview->stepCount)});
}

void TimelineWidget::keyPressEvent(QKeyEvent* event)
{
    if (!m_snapshot)
        return QWidget::keyPressEvent(event);
    const double here = static_cast<double>(m_snapshot->focus.step);
    switch (event->key()) {
    case Qt::Key_W:
        return zoom(0.8, here);
    case Qt::Key_S:
        return zoom(1.25, here);
    case Qt::Key_A:
        return pan(-m_range.span() / 10);
    case Qt::Key_D:
        return pan(m_range.span() / 10);
    default:
        QWidget::keyPressEvent(event);
    }
}

void TimelineWidget::zoom(double factor, double around)
{
    setRange({around - (around - m_range.first) * factor, around + (m_range.last - around) * factor});
}

void TimelineWidget::pan(double steps)
{
    setRange({m_range.first + steps, m_range.last + steps});
}

void TimelineWidget::setRange(StepRange range)
{
    const double all = std::max(1.0, static_cast<double>(m_snapshot->overview->stepCount));
    const double span = std::clamp(range.span(), std::min(kFewestSteps, all), all);
    const double first = std::clamp(range.first, 0.0, all - span);
    m_range = {first, first + span};
    update();
}

/// Keeps the scrubber in sight while stepping through a zoomed timeline.
void TimelineWidget::followFocus()
{
    const double here = static_cast<double>(m_snapshot->focus.step);
    if (here >= m_range.first && here <= m_range.last)
        return;
    setRange({here - m_range.span() / 2, here + m_range.span() / 2});
}

}  // namespace lanescope::gui
