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

/// Of a caller's variable: at its call.
bool isInScopeOf(const trace::Variable& variable, const analysis::CallFrame& frame)
{
    return variable.scopeFirstLine == 0 || frame.at.empty() ||
           (variable.scopeFirstLine <= frame.at.front().line && frame.at.front().line <= variable.scopeLastLine);
}

}  // namespace

std::vector<VariablesModel::Row> VariablesModel::rowsOf(const Snapshot& snapshot,
                                                        const analysis::CallStack& stack) const
{
    const std::vector<size_t> order = orderOf(snapshot);
    std::vector<Row> rows;
    if (stack.frames.size() < 2) {
        for (const size_t index : order)
            rows.push_back({index, {}, snapshot.variables[index].inScope});
        return rows;
    }
    const auto functionOf = [&](size_t index) -> const std::string& {
        return snapshot.catalog->variables[snapshot.variables[index].id.value].function;
    };
    for (const analysis::CallFrame& frame : stack.frames) {
        rows.push_back({std::nullopt, frame.function, true});
        for (const size_t index : order)
            if (functionOf(index) == frame.function)
                rows.push_back({index, frame.function,
                                isInScopeOf(snapshot.catalog->variables[snapshot.variables[index].id.value], frame)});
    }
    const size_t own = rows.size();
    for (const size_t index : order)
        if (std::ranges::find(stack.frames, functionOf(index), &analysis::CallFrame::function) == stack.frames.end())
            rows.push_back({index, functionOf(index), false});
    if (rows.size() > own)
        rows.insert(rows.begin() + static_cast<std::ptrdiff_t>(own), Row{std::nullopt, {}, false});
    return rows;
}

void VariablesModel::setSnapshot(const SnapshotPointer& snapshot, const analysis::CallStack& stack)
{
    std::vector<Row> rows = snapshot ? rowsOf(*snapshot, stack) : std::vector<Row>();
    const bool sameRows =
        m_snapshot && snapshot && m_snapshot->catalog == snapshot->catalog && m_rows.size() == rows.size();
    if (!sameRows) {
        beginResetModel();
        m_snapshot = snapshot;
        m_rows = std::move(rows);
        endResetModel();
        return;
    }
    m_snapshot = snapshot;
    m_rows = std::move(rows);
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
    if (!m_snapshot || row < 0 || row >= rowCount() || !m_rows[static_cast<size_t>(row)].variable)
        return std::nullopt;
    return viewAt(m_rows[static_cast<size_t>(row)]).id;
}

int VariablesModel::rowOf(VariableId variable) const
{
    for (int row = 0; row < rowCount(); ++row)
        if (variableAt(row) == variable)
            return row;
    return -1;
}

int VariablesModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() || !m_snapshot ? 0 : static_cast<int>(m_rows.size());
}

int VariablesModel::columnCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : ColumnCount;
}

QString VariablesModel::text(const Row& row, int column) const
{
    const VariableView& view = viewAt(row);
    const trace::Variable& variable = m_snapshot->catalog->variables[view.id.value];
    if (column == Name)
        return row.function.empty() ? variableName(*m_snapshot, variable) : QString::fromStdString(variable.name);
    if (column == Type)
        return QString::fromStdString(variable.type.name);
    if (((view.image.written >> m_snapshot->lane) & 1) == 0)
        return QStringLiteral("–");
    const QString value =
        variableText(*m_snapshot, variable, view.image.value[static_cast<size_t>(m_snapshot->lane)].data());
    return row.inScope ? value : value + tr(" (out of scope)");
}

/// The function's name; of those that returned, that they did.
QVariant VariablesModel::headingData(const Row& row, int column, int role) const
{
    switch (role) {
    case Qt::DisplayRole:
        return column != Name         ? QString()
               : row.function.empty() ? tr("returned")
                                      : QString::fromStdString(row.function);
    case Qt::ForegroundRole:
        return m_theme->dim;
    case Qt::FontRole:
        return m_theme->sans(12, true);
    default:
        return {};
    }
}

QVariant VariablesModel::data(const QModelIndex& index, int role) const
{
    if (!m_snapshot || !index.isValid())
        return {};
    const Row& row = m_rows[static_cast<size_t>(index.row())];
    if (!row.variable)
        return headingData(row, index.column(), role);
    const VariableView& view = viewAt(row);
    const bool changed = ((view.changed >> m_snapshot->lane) & 1) != 0;
    switch (role) {
    case Qt::DisplayRole:
        return text(row, index.column());
    case Qt::TextAlignmentRole:
        return QVariant((index.column() == Value ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
    case Qt::ForegroundRole:
        return !row.inScope ? m_theme->faint : index.column() == Value || changed ? m_theme->text : m_theme->dim;
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
