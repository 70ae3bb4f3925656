// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/inspector/variables_model.h"

#include "app/gui/engine/value_format.h"

namespace lanescope::gui {

void VariablesModel::setSnapshot(const SnapshotPointer& snapshot)
{
    const bool sameRows = m_snapshot && snapshot && m_snapshot->catalog == snapshot->catalog &&
                          m_snapshot->variables.size() == snapshot->variables.size();
    if (!sameRows) {
        beginResetModel();
        m_snapshot = snapshot;
        endResetModel();
        return;
    }
    m_snapshot = snapshot;
    if (rowCount() > 0)
        emit dataChanged(index(0, 0), index(rowCount() - 1, ColumnCount - 1));
}

void VariablesModel::setTheme(const Theme& theme)
{
    m_theme = &theme;
    if (rowCount() > 0)
        emit dataChanged(index(0, 0), index(rowCount() - 1, ColumnCount - 1));
}

std::optional<VariableId> VariablesModel::variableAt(int row) const
{
    if (!m_snapshot || row < 0 || row >= rowCount())
        return std::nullopt;
    return m_snapshot->variables[static_cast<size_t>(row)].id;
}

int VariablesModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() || !m_snapshot ? 0 : static_cast<int>(m_snapshot->variables.size());
}

int VariablesModel::columnCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : ColumnCount;
}

QString VariablesModel::text(const VariableView& view, int column) const
{
    const trace::Variable& variable = m_snapshot->catalog->variables[view.id.value];
    if (column == Name)
        return QString::fromStdString(variable.name);
    if (column == Type)
        return QString::fromStdString(variable.type.name);
    if (((view.image.written >> m_snapshot->lane) & 1) == 0)
        return QStringLiteral("–");
    const QString value =
        variableText(*m_snapshot, variable, view.image.value[static_cast<size_t>(m_snapshot->lane)].data());
    return view.inScope ? value : value + tr(" (out of scope)");
}

QVariant VariablesModel::data(const QModelIndex& index, int role) const
{
    if (!m_snapshot || !index.isValid())
        return {};
    const VariableView& view = m_snapshot->variables[static_cast<size_t>(index.row())];
    const bool changed = ((view.changed >> m_snapshot->lane) & 1) != 0;
    switch (role) {
    case Qt::DisplayRole:
        return text(view, index.column());
    case Qt::TextAlignmentRole:
        return QVariant((index.column() == Value ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
    case Qt::ForegroundRole:
        return !view.inScope ? m_theme->faint : index.column() == Value || changed ? m_theme->text : m_theme->dim;
    case Qt::BackgroundRole:
        return changed ? QVariant(mixed(m_theme->write, m_theme->window, 0.22)) : QVariant();
    case Qt::FontRole:
        return m_theme->mono(12.5, changed);
    default:
        return {};
    }
}

QVariant VariablesModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole)
        return {};
    return section == Name ? tr("variable") : section == Value ? tr("value") : tr("type");
}

}  // namespace lanescope::gui
