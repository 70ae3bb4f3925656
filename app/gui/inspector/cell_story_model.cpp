// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/inspector/cell_story_model.h"

#include <algorithm>

#include "app/gui/engine/value_format.h"

namespace lanescope::gui {

void CellStoryModel::rowsChanged(int first, int last)
{
    first = std::max(first, 0);
    if (first <= last && last < rowCount())
        emit dataChanged(index(first, 0), index(last, ColumnCount - 1));
}

void CellStoryModel::setSnapshot(const SnapshotPointer& snapshot)
{
    const CellAccesses accesses = snapshot && snapshot->cell ? snapshot->cell->history : nullptr;
    int current = -1;
    if (accesses) {
        const auto next =
            std::partition_point(accesses->begin(), accesses->end(),
                                 [&](const replay::CellAccess& access) { return access.step < snapshot->focus.step; });
        current = static_cast<int>(next - accesses->begin()) - 1;
    }
    const bool same = accesses == m_accesses;
    if (!same)
        beginResetModel();
    const int before = m_current;
    m_snapshot = snapshot;
    m_accesses = accesses;
    m_current = current;
    if (!same)
        endResetModel();
    else if (before != current)
        rowsChanged(std::min(before, current), std::max(before, current));
}

void CellStoryModel::setTheme(const Theme& theme)
{
    m_theme = &theme;
    rowsChanged(0, rowCount() - 1);
}

QString CellStoryModel::title() const
{
    if (!m_accesses)
        return {};
    const uint64_t element = m_snapshot->cell->element;
    const QString value =
        view().hasValue(element) ? valueText(view().buffer.element, view().at(element)) : tr("never written");
    return QStringLiteral("%1 = %2").arg(cellName(view().buffer, element), value);
}

QString CellStoryModel::summary() const
{
    if (!m_accesses)
        return tr("Click a cell on the stage to see who wrote it and who reads it.");
    QStringList dims;
    for (const uint64_t extent : view().buffer.dims)
        dims << QString::number(extent);
    QString text = QStringLiteral("%1 %2, %3")
                       .arg(spaceText(view().buffer.space), QString::fromStdString(view().buffer.element.name),
                            dims.join(QStringLiteral(" × ")));
    if (m_accesses->empty())
        text += tr("; not touched by this block");
    else if (lastWriteRow() < 0 && view().hasValue(m_snapshot->cell->element))
        text += tr("; set before this block touched it");
    return text;
}

int CellStoryModel::lastWriteRow() const
{
    for (int row = m_current; row >= 0; --row)
        if ((*m_accesses)[static_cast<size_t>(row)].kind != trace::SiteKind::Load)
            return row;
    return -1;
}

std::optional<StepIndex> CellStoryModel::stepAt(int row) const
{
    if (row < 0 || row >= rowCount())
        return std::nullopt;
    return (*m_accesses)[static_cast<size_t>(row)].step + 1;
}

int CellStoryModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() || !m_accesses ? 0 : static_cast<int>(m_accesses->size());
}

int CellStoryModel::columnCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : ColumnCount;
}

QString CellStoryModel::text(const replay::CellAccess& access, int column) const
{
    if (column == Step)
        return tr("step %1").arg(access.step + 1);
    if (column == Line)
        return tr("line %1").arg(m_snapshot->site(access.site).where.line);
    const QString verb = access.kind == trace::SiteKind::Load    ? tr("reads")
                         : access.kind == trace::SiteKind::Store ? tr("writes")
                                                                 : tr("updates");
    return QStringLiteral("%1 %2").arg(positionText(access.thread, m_snapshot->launch().block), verb);
}

QVariant CellStoryModel::data(const QModelIndex& index, int role) const
{
    if (!index.isValid() || index.row() >= rowCount())
        return {};
    const replay::CellAccess& access = (*m_accesses)[static_cast<size_t>(index.row())];
    const bool current = index.row() == m_current;
    switch (role) {
    case Qt::DisplayRole:
        return text(access, index.column());
    case Qt::TextAlignmentRole:
        return QVariant((index.column() == Line ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
    case Qt::ToolTipRole:
        return tr("Click: go there");
    case Qt::ForegroundRole:
        if (index.column() == Who)
            return m_theme->ofKind(access.kind);
        return index.row() > m_current ? m_theme->faint : current ? m_theme->text : m_theme->dim;
    case Qt::BackgroundRole:
        return current ? QVariant(m_theme->raised) : QVariant();
    case Qt::FontRole:
        return m_theme->mono(12, current);
    default:
        return {};
    }
}

}  // namespace lanescope::gui
