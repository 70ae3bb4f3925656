// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/inspector/lanes_model.h"

#include <algorithm>

#include "app/gui/engine/value_format.h"

namespace lanescope::gui {

/// Local variables; parameters are the same in every lane.
std::vector<size_t> LanesModel::columnsFor(const Snapshot& snapshot) const
{
    std::vector<size_t> columns;
    for (size_t i = 0; i < snapshot.variables.size(); ++i)
        if (!snapshot.catalog->variables[snapshot.variables[i].id.value].isParameter)
            columns.push_back(i);
    return columns;
}

namespace {

bool sameWatches(const Snapshot& one, const Snapshot& other)
{
    return std::equal(one.watches.begin(), one.watches.end(), other.watches.begin(), other.watches.end(),
                      [](const WatchView& a, const WatchView& b) { return a.text == b.text; });
}

}  // namespace

void LanesModel::setSnapshot(const SnapshotPointer& snapshot)
{
    const auto columns = snapshot ? columnsFor(*snapshot) : std::vector<size_t>();
    const bool same = m_snapshot && snapshot && columns == m_variables && m_snapshot->catalog == snapshot->catalog &&
                      sameWatches(*m_snapshot, *snapshot);
    if (!same) {
        beginResetModel();
        m_snapshot = snapshot;
        m_variables = columns;
        endResetModel();
        return;
    }
    m_snapshot = snapshot;
    emit dataChanged(index(0, 0), index(rowCount() - 1, columnCount() - 1));
}

void LanesModel::setTheme(const Theme& theme)
{
    m_theme = &theme;
    if (rowCount() > 0)
        emit dataChanged(index(0, 0), index(rowCount() - 1, columnCount() - 1));
}

bool LanesModel::launched(int lane) const
{
    return ((m_snapshot->focusedWarp().launched >> lane) & 1) != 0;
}

std::optional<Dim3> LanesModel::threadAt(int row) const
{
    if (!m_snapshot || row < 0 || row >= kWarpSize || !launched(row))
        return std::nullopt;
    return positionOf(uint64_t{m_snapshot->warp} * kWarpSize + static_cast<uint64_t>(row), m_snapshot->launch().block);
}

std::optional<VariableId> LanesModel::variableAt(int column) const
{
    if (!m_snapshot || column < FirstVariable || column >= firstWatch())
        return std::nullopt;
    return m_snapshot->variables[m_variables[static_cast<size_t>(column - FirstVariable)]].id;
}

QString LanesModel::commonValue(int column) const
{
    if (!m_snapshot || !isNumber(column))
        return {};
    QString common;
    int lanes = 0;
    for (int lane = 0; lane < kWarpSize; ++lane) {
        if (!launched(lane))
            continue;
        const QString value = text(lane, column);
        if (++lanes > 1 && value != common)
            return {};
        common = value;
    }
    return lanes > 1 && common != QStringLiteral("–") ? common : QString();
}

int LanesModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() || !m_snapshot ? 0 : kWarpSize;
}

int LanesModel::columnCount(const QModelIndex& parent) const
{
    return parent.isValid() || !m_snapshot ? 0 : accessColumn() + 1;
}

QString LanesModel::accessText(int lane) const
{
    QStringList cells;
    for (const StatementEvent& event : m_snapshot->statement) {
        if (!event.event.isAccess() || ((event.event.mask >> lane) & 1) == 0)
            continue;
        const auto index = m_snapshot->indexOf(event.event.bufferOf(lane));
        if (!index)
            continue;
        const trace::Buffer& buffer = m_snapshot->buffers[*index].buffer;
        cells << cellName(buffer, event.event.offset[static_cast<size_t>(lane)] / buffer.element.totalBytes());
    }
    return cells.join(QStringLiteral(", "));
}

QString LanesModel::text(int lane, int column) const
{
    if (column == Lane)
        return QString::number(lane);
    if (!launched(lane))
        return column == Thread ? QStringLiteral("–") : column == FirstVariable ? tr("not launched") : QString();
    if (column == Thread)
        return threadText(*m_snapshot, uint64_t{m_snapshot->warp} * kWarpSize + static_cast<uint64_t>(lane));
    if (column == accessColumn())
        return accessText(lane);
    if (column >= firstWatch()) {
        const QString& value = m_snapshot->watches[static_cast<size_t>(column - firstWatch())].at(lane).value;
        return value.isEmpty() ? QStringLiteral("–") : value;
    }
    const VariableView& view = m_snapshot->variables[m_variables[static_cast<size_t>(column - FirstVariable)]];
    if (((view.image.written >> lane) & 1) == 0)
        return QStringLiteral("–");
    const trace::Variable& variable = m_snapshot->catalog->variables[view.id.value];
    return variableText(*m_snapshot, variable, view.image.value[static_cast<size_t>(lane)].data());
}

QVariant LanesModel::background(int lane, int column) const
{
    if (lane == m_snapshot->lane)
        return mixed(m_theme->accent, m_theme->window, 0.28);
    if (column < FirstVariable || column >= firstWatch())
        return {};
    const VariableView& view = m_snapshot->variables[m_variables[static_cast<size_t>(column - FirstVariable)]];
    const bool changed = ((view.changed >> lane) & 1) != 0;
    return changed ? QVariant(mixed(m_theme->write, m_theme->window, 0.18)) : QVariant();
}

QVariant LanesModel::data(const QModelIndex& index, int role) const
{
    if (!m_snapshot || !index.isValid())
        return {};
    const int lane = index.row();
    switch (role) {
    case Qt::DisplayRole:
        return text(lane, index.column());
    case Qt::TextAlignmentRole:
        return QVariant((isNumber(index.column()) ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
    case Qt::ForegroundRole:
        return !launched(lane) ? m_theme->faint : index.column() == Lane ? m_theme->dim : m_theme->text;
    case Qt::BackgroundRole:
        return background(lane, index.column());
    default:
        return {};
    }
}

QVariant LanesModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal || !m_snapshot)
        return {};
    if (role == Qt::TextAlignmentRole)
        return QVariant((isNumber(section) ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
    if (role != Qt::DisplayRole)
        return {};
    switch (section) {
    case Lane:
        return tr("lane");
    case Thread:
        return tr("thread");
    default:
        break;
    }
    if (section == accessColumn())
        return tr("access");
    if (section >= firstWatch())
        return QString::fromStdString(m_snapshot->watches[static_cast<size_t>(section - firstWatch())].text);
    const size_t variable = m_variables[static_cast<size_t>(section - FirstVariable)];
    return variableName(*m_snapshot, m_snapshot->catalog->variables[m_snapshot->variables[variable].id.value]);
}

}  // namespace lanescope::gui
