// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/timeline/timeline_widget.h"

#include <QKeyEvent>
#include <QMouseEvent>
#include <QWheelEvent>

#include <algorithm>
#include <bit>
#include <cmath>

#include "app/gui/engine/value_format.h"
#include "app/gui/timeline/phases_painter.h"

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
    setMouseTracking(true);
}

/// What was clicked stays under the pointer, also where the rows around another block are others.
void TimelineWidget::keepRow(const Snapshot& next)
{
    const auto& rows = m_snapshot->overview->rows;
    const BlockIndex block(linearIndex(next.focus.block, next.launch().grid));
    const bool byBlock = !rows.empty() && !(rows.front().block == rows.back().block);
    const auto row = std::find_if(rows.begin(), rows.end(), [&](const TimelineRow& r) {
        return byBlock ? r.block == block : r.warp == next.warp;
    });
    const TimelineLayout layout = layoutOfSteps();
    m_firstRow.reset();
    if (row == rows.end())
        return;
    const size_t index = layout.placeOf[static_cast<size_t>(row - rows.begin())];
    if (index < layout.firstRow || index >= layout.firstRow + layout.rows)
        return;
    const bool sameRows = next.overview == m_snapshot->overview;
    const size_t now = sameRows ? layout.placeOf[focusedRowOf(next)] : focusedRowOf(next);
    m_firstRow = now - std::min(now, index - layout.firstRow);
}

void TimelineWidget::setSnapshot(const SnapshotPointer& snapshot)
{
    const bool newBlock = !m_snapshot || !snapshot || m_snapshot->overview != snapshot->overview;
    const bool sameLength = m_snapshot && snapshot && m_snapshot->overview->stepCount == snapshot->overview->stepCount;
    if (m_snapshot && snapshot)
        keepRow(*snapshot);
    m_snapshot = snapshot;
    if (newBlock)
        select({});
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
                                   m_theme->typeScale, m_firstRow);
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
    paintSelection(painter, layout);
    paintTimelineMap(painter, *m_snapshot, layout, *m_theme);
    paintTimelineLens(painter, *m_snapshot, layout, *m_theme);
    paintScrubber(painter, *m_snapshot, layout, *m_theme);
}

/// What is not selected fades, so that the selected steps keep their colours.
void TimelineWidget::paintSelection(QPainter& painter, const TimelineLayout& layout) const
{
    if (!m_selection)
        return;
    const double left = std::clamp(layout.xOf(double(m_selection->first)), layout.plot.left(), layout.plot.right());
    const double right = std::clamp(layout.xOf(double(m_selection->last)), layout.plot.left(), layout.plot.right());
    QColor veil = m_theme->window;
    veil.setAlphaF(0.62F);
    const double height = layout.plot.height() + 6;
    painter.fillRect(QRectF(layout.plot.left(), layout.plot.top() - 3, left - layout.plot.left(), height), veil);
    painter.fillRect(QRectF(right, layout.plot.top() - 3, layout.plot.right() - right, height), veil);
    const std::vector<TimelineRow>& rows = m_snapshot->overview->rows;
    const auto isTaken = [&](size_t place) {
        for (size_t row = 0; row < rows.size(); ++row)
            if (layout.placeOf[row] == place && rows[row].focusedBlock && m_selection->takes(rows[row].warp))
                return true;
        return false;
    };
    for (size_t row = layout.firstRow; row < std::min(layout.standsFor.size(), layout.firstRow + layout.rows); ++row)
        if (!isTaken(row))
            painter.fillRect(layout.rowRect(row).intersected(QRectF(left, layout.plot.top(), right - left, height)),
                             veil);
    painter.setPen(QPen(m_theme->accent, 2));
    for (const double x : {left, right})
        painter.drawLine(QPointF(x, layout.plot.top() - 3), QPointF(x, layout.plot.bottom() + 3));
}

void TimelineWidget::select(std::optional<analysis::StepsOfBlock> steps)
{
    if (steps && steps->first >= steps->last)
        steps.reset();
    if (steps == m_selection)
        return;
    m_selection = steps;
    update();
    emit selected(m_selection);
}

void TimelineWidget::selectTo(StepIndex step)
{
    const BlockOverview& overview = *m_snapshot->overview;
    select(analysis::StepsOfBlock{
        overview.launch, overview.block, std::min(*m_anchor, step), std::max(*m_anchor, step), {}, {}});
}

const EpochSpan* TimelineWidget::epochNamedAt(QPointF place) const
{
    const TimelineLayout layout = layoutOfSteps();
    if (!layout.epochs.contains(place))
        return nullptr;
    const auto& epochs = m_snapshot->overview->epochs;
    const double step = layout.stepAt(place.x());
    const auto found = std::find_if(epochs.begin(), epochs.end(), [&](const EpochSpan& span) {
        return step >= double(span.first) && step < double(span.last);
    });
    return found == epochs.end() || epochs.size() < 2 ? nullptr : &*found;
}

void TimelineWidget::paintBody(const TimelineLayout& layout)
{
    const double ratio = devicePixelRatioF();
    const bool current = !m_body.isNull() && m_body.size() == size() * ratio && m_cachedRange == m_range &&
                         m_cachedOverview == m_snapshot->overview.get() && m_cachedRow == focusedRowOf(*m_snapshot) &&
                         m_cachedFirstRow == layout.firstRow;
    if (current && m_cachedStep == m_snapshot->focus.step)
        return;
    m_cachedOverview = m_snapshot->overview.get();
    m_cachedRange = m_range;
    m_cachedRow = focusedRowOf(*m_snapshot);
    m_cachedFirstRow = layout.firstRow;
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

/// Of the lens, while the button that was pressed there is down.
StepIndex TimelineWidget::stepAt(QPointF place) const
{
    const TimelineLayout layout = layoutOfSteps();
    if (m_onLens) {
        const QPointF inside(place.x(), layout.lens.center().y());
        const bool isBefore = place.x() < layout.lens.center().x();
        return lensStepAt(*m_snapshot, layout, inside, m_theme->typeScale)
            .value_or(isBefore ? 0 : m_snapshot->overview->stepCount);
    }
    const double step = std::round(layout.stepAt(place.x()));
    return static_cast<StepIndex>(std::clamp(step, 0.0, static_cast<double>(m_snapshot->overview->stepCount)));
}

void TimelineWidget::mousePressEvent(QMouseEvent* event)
{
    if (!m_snapshot || event->button() != Qt::LeftButton)
        return;
    m_onMap = layoutOfSteps().map.adjusted(0, -3, 0, 3).contains(event->position());
    if (m_onMap)
        return centreOn(event->position().x());
    const TimelineLayout layout = layoutOfSteps();
    m_onLens = layout.lens.contains(event->position());
    if ((event->modifiers() & Qt::ShiftModifier) != 0) {
        m_anchor = stepAt(event->position());
        return;
    }
    if (const EpochSpan* epoch = epochNamedAt(event->position())) {
        const BlockOverview& overview = *m_snapshot->overview;
        const analysis::StepsOfBlock steps{overview.launch, overview.block, epoch->first, epoch->last, {}, {}};
        return select(m_selection == steps ? std::nullopt : std::optional(steps));
    }
    if (m_onLens) {
        if (const auto step = lensStepAt(*m_snapshot, layout, event->position(), m_theme->typeScale))
            emit scrubbed(*step);
        return;
    }
    const auto row = layout.rowAt(event->position().y());
    if (row && layout.standsFor[*row] != focusedRowOf(*m_snapshot)) {
        const TimelineRow& hit = m_snapshot->overview->rows[layout.standsFor[*row]];
        emit rowClicked(hit.block, hit.warp, stepAt(event->position()));
        return;
    }
    emit scrubbed(stepAt(event->position()));
}

void TimelineWidget::mouseMoveEvent(QMouseEvent* event)
{
    if (!m_snapshot)
        return;
    if ((event->buttons() & Qt::LeftButton) == 0) {
        const QString text = describe(event->position());
        setToolTip(text);
        return emit hovered(text);
    }
    if (m_onMap)
        return centreOn(event->position().x());
    const StepIndex step = stepAt(event->position());
    if (m_anchor)
        return selectTo(step);
    if (!m_onLens)  // its steps move with the focus
        emit scrubbed(step);
}

void TimelineWidget::leaveEvent(QEvent*)
{
    emit hovered({});
}

namespace {

QString verbOf(trace::SiteKind kind)
{
    switch (kind) {
    case trace::SiteKind::Load:
        return TimelineWidget::tr("reads");
    case trace::SiteKind::Store:
        return TimelineWidget::tr("writes");
    case trace::SiteKind::Atomic:
        return TimelineWidget::tr("updates");
    case trace::SiteKind::Branch:
        return TimelineWidget::tr("branches");
    case trace::SiteKind::Barrier:
        return TimelineWidget::tr("arrives at a barrier");
    case trace::SiteKind::VariableWrite:
        return TimelineWidget::tr("sets a variable");
    case trace::SiteKind::Exit:
        return TimelineWidget::tr("ends");
    case trace::SiteKind::Call:
        return TimelineWidget::tr("calls");
    case trace::SiteKind::Return:
        return TimelineWidget::tr("returns");
    }
    return {};
}

/// " reads in 9 lanes".
QString lanesText(const replay::StepSummary& event)
{
    const int lanes = std::popcount(event.mask);
    return QStringLiteral(" ") + verbOf(event.kind) +
           (lanes == 1 ? TimelineWidget::tr(" in one lane") : TimelineWidget::tr(" in %1 lanes").arg(lanes));
}

/// "acc = 41": the shown variable of the focused thread, before that step.
QString shownValueAt(const Snapshot& snapshot, StepIndex step)
{
    if (!snapshot.shown || !snapshot.variableHistory)
        return {};
    const auto& all = *snapshot.variableHistory;
    const auto next = std::partition_point(all.begin(), all.end(),
                                           [&](const analysis::VariableWrite& write) { return write.step < step; });
    if (next == all.begin() || !std::prev(next)->known)
        return {};
    const trace::Variable& variable = snapshot.catalog->variables[snapshot.shown->value];
    return QStringLiteral("%1 = %2").arg(QString::fromStdString(variable.name),
                                         variableText(snapshot, variable, std::prev(next)->value.data()));
}

}  // namespace

QString TimelineWidget::describe(QPointF place) const
{
    const TimelineLayout layout = layoutOfSteps();
    if (const auto step = lensStepAt(*m_snapshot, layout, place, m_theme->typeScale)) {
        const TimelineRow& focused = m_snapshot->overview->rows[focusedRowOf(*m_snapshot)];
        return describe(focused, focused.label, *step);
    }
    const auto row = layout.rowAt(place.y());
    if (!row || !layout.plot.contains(place))
        return {};
    const TimelineRow& shown = m_snapshot->overview->rows[layout.standsFor[*row]];
    const QString label =
        layout.warpsIn(*row) < 2
            ? shown.label
            : tr("%1 do the same, as %2").arg(layout.labelOf(*m_snapshot->overview, *row), shown.label);
    return describe(shown, label, static_cast<StepIndex>(std::max(0.0, layout.stepAt(place.x()))));
}

QString TimelineWidget::describe(const TimelineRow& shown, const QString& label, StepIndex step) const
{
    if (!shown.steps || step >= shown.steps->size())
        return {};
    const replay::StepSummary& event = (*shown.steps)[step];
    QStringList parts{label, tr("step %1").arg(step)};
    if (event.warp == shown.warp)
        parts << tr("line %1").arg(m_snapshot->site(event.site).where.line) + lanesText(event);
    else
        parts << tr("warp %1 runs").arg(event.warp);
    parts << tr("epoch %1").arg(event.epoch);
    if (const QString value = shownValueAt(*m_snapshot, step); shown.focusedBlock && !value.isEmpty())
        parts << value;
    return parts.join(QStringLiteral("  ·  "));
}

/// Shift+click without a drag takes the selection away.
void TimelineWidget::mouseReleaseEvent(QMouseEvent* event)
{
    if (m_snapshot && m_anchor)
        selectTo(stepAt(event->position()));
    m_anchor.reset();
    m_onMap = false;
    m_onLens = false;
}

/// Of the map's steps, those around x are shown.
void TimelineWidget::centreOn(double x)
{
    centreOn(layoutOfSteps().mapStepAt(x, m_snapshot->overview->stepCount), m_range.span());
}

void TimelineWidget::wheelEvent(QWheelEvent* event)
{
    if (!m_snapshot)
        return;
    const bool sideways = (event->modifiers() & Qt::ShiftModifier) != 0 || event->angleDelta().x() != 0;
    const double amount = event->angleDelta().x() != 0 ? event->angleDelta().x() : event->angleDelta().y();
    const double factor = std::pow(0.9985, amount);
    const TimelineLayout layout = layoutOfSteps();
    if (sideways)
        pan(-amount / 1200 * m_range.span());
    else if (const auto step = lensStepAt(*m_snapshot, layout, event->position(), m_theme->typeScale))
        centreOn(static_cast<double>(*step), factor * m_range.span());
    else
        zoom(factor, layout.stepAt(event->position().x()));
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
    case Qt::Key_Escape:
        return select({});
    case Qt::Key_E:
        for (const EpochSpan& span : m_snapshot->overview->epochs)
            if (span.epoch == m_snapshot->epoch())
                select(analysis::StepsOfBlock{
                    m_snapshot->overview->launch, m_snapshot->overview->block, span.first, span.last, {}, {}});
        return;
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

void TimelineWidget::centreOn(double step, double span)
{
    setRange({step - span / 2, step + span / 2});
}

/// Keeps the scrubber in sight while stepping through a zoomed timeline.
void TimelineWidget::followFocus()
{
    const double here = static_cast<double>(m_snapshot->focus.step);
    if (here >= m_range.first && here <= m_range.last)
        return;
    centreOn(here, m_range.span());
}

}  // namespace lanescope::gui
