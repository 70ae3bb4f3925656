// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/inspector/variables_model.h"

#include <algorithm>
#include <numeric>

#include "app/gui/engine/value_format.h"

namespace lanescope::gui {

namespace {

/// As declared within each group.
std::vector<size_t> orderOf(const Snapshot& snapshot)
{
    std::vector<size_t> order(snapshot.variables.size());
    std::iota(order.begin(), order.end(), size_t{0});
    const auto group = [&](size_t index) {
        const VariableView& view = snapshot.variables[index];
        const bool changed = ((view.changed >> snapshot.lane) & 1) != 0;
        return snapshot.shown == view.id ? 0 : changed ? 1 : view.inScope ? 2 : 3;
    };
    std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return group(a) < group(b); });
    return order;
}

}  // namespace

void VariablesModel::setSnapshot(const SnapshotPointer& snapshot)
{
    const bool sameRows = m_snapshot && snapshot && m_snapshot->catalog == snapshot->catalog &&
                          m_snapshot->variables.size() == snapshot->variables.size();
    if (!sameRows) {
        beginResetModel();
        m_snapshot = snapshot;
        m_order = snapshot ? orderOf(*snapshot) : std::vector<size_t>();
        endResetModel();
        return;
    }
    m_snapshot = snapshot;
    m_order = orderOf(*snapshot);
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
    return viewAt(row).id;
}

int VariablesModel::rowOf(VariableId variable) const
{
    for (int row = 0; row < rowCount(); ++row)
        if (viewAt(row).id == variable)
            return row;
    return -1;
}

int VariablesModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() || !m_snapshot ? 0 : static_cast<int>(m_snapshot->variables.size());
}

int VariablesModel::columnCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : ColumnCount;
}

/// With its function where functions have variables of one name, as inlined ones and their callers do.
QString VariablesModel::nameOf(const trace::Variable& variable) const
{
    const QString name = QString::fromStdString(variable.name);
    const bool isAmbiguous =
        std::any_of(m_snapshot->variables.begin(), m_snapshot->variables.end(), [&](const VariableView& other) {
            const trace::Variable& against = m_snapshot->catalog->variables[other.id.value];
            return against.name == variable.name && against.function != variable.function;
        });
    return isAmbiguous ? QStringLiteral("%1 · %2").arg(name, QString::fromStdString(variable.function)) : name;
}

QString VariablesModel::text(const VariableView& view, int column) const
{
    const trace::Variable& variable = m_snapshot->catalog->variables[view.id.value];
    if (column == Name)
        return nameOf(variable);
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
    const VariableView& view = viewAt(index.row());
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
