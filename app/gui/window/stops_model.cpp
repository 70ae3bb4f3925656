// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/window/stops_model.h"

#include <QFileInfo>

#include "app/gui/engine/value_format.h"

namespace lanescope::gui {

void StopsModel::setCatalog(const CatalogPointer& catalog)
{
    m_catalog = catalog;
    rebuild();
}

void StopsModel::setLines(const Breakpoints& lines, const std::map<Line, QString>& conditions,
                          const std::set<Line>& disabled)
{
    m_lines.clear();
    m_disabledLines = disabled;
    for (const auto& [line, condition] : lines) {
        const auto typed = conditions.find(line);
        m_lines[line] = typed == conditions.end() ? QString() : typed->second;
    }
    rebuild();
}

void StopsModel::toggle(const WatchedCell& cell, const QString& name)
{
    if (m_cells.erase(cell) == 0)
        m_cells[cell] = name;
    changeWatched();
}

void StopsModel::toggle(VariableId variable, const QString& name)
{
    if (m_variables.erase(variable) == 0)
        m_variables[variable] = name;
    changeWatched();
}

void StopsModel::clearWatched()
{
    if (m_cells.empty() && m_variables.empty())
        return;
    m_cells.clear();
    m_variables.clear();
    changeWatched();
}

void StopsModel::changeWatched()
{
    rebuild();
    std::set<WatchedCell> cells;
    std::erase_if(m_disabledCells, [this](const WatchedCell& cell) { return !m_cells.contains(cell); });
    std::erase_if(m_disabledVariables, [this](VariableId variable) { return !m_variables.contains(variable); });
    for (const auto& [cell, name] : m_cells)
        if (!m_disabledCells.contains(cell))
            cells.insert(cell);
    std::set<VariableId> variables;
    for (const auto& [variable, name] : m_variables)
        if (!m_disabledVariables.contains(variable))
            variables.insert(variable);
    emit watchedChanged(cells, variables);
}

void StopsModel::remove(int row)
{
    if (row < 0 || row >= rowCount())
        return;
    const Row gone = m_rows[static_cast<size_t>(row)];
    if (gone.line)
        return emit lineRemoved(*gone.line);
    if (gone.cell)
        m_cells.erase(*gone.cell);
    if (gone.variable)
        m_variables.erase(*gone.variable);
    changeWatched();
}

std::optional<StopsModel::Line> StopsModel::lineAt(int row) const
{
    return row < 0 || row >= rowCount() ? std::nullopt : m_rows[static_cast<size_t>(row)].line;
}

std::optional<WatchedCell> StopsModel::cellAt(int row) const
{
    return row < 0 || row >= rowCount() ? std::nullopt : m_rows[static_cast<size_t>(row)].cell;
}

StopsModel::Row StopsModel::rowOf(const Line& line) const
{
    Row row;
    row.line = line;
    row.where = tr("line %1").arg(line.second);
    if (m_catalog && line.first < m_catalog->sources.size()) {
        const trace::Source& source = m_catalog->sources[line.first];
        row.where =
            QStringLiteral("%1:%2").arg(QFileInfo(QString::fromStdString(source.path)).fileName()).arg(line.second);
        row.when = codeText(*m_catalog, static_cast<uint32_t>(line.first), static_cast<uint32_t>(line.second));
    }
    if (const QString& condition = m_lines.at(line); !condition.isEmpty())
        row.when = tr("when %1").arg(condition);
    return row;
}

void StopsModel::rebuild()
{
    beginResetModel();
    m_rows.clear();
    for (const auto& [line, condition] : m_lines)
        m_rows.push_back(rowOf(line));
    for (const auto& [cell, name] : m_cells)
        m_rows.push_back({name, tr("after each write, by any thread"), {}, cell, {}});
    for (const auto& [variable, name] : m_variables)
        m_rows.push_back({name, tr("after each write, by the focused thread"), {}, {}, variable});
    endResetModel();
}

int StopsModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_rows.size());
}

int StopsModel::columnCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : ColumnCount;
}

QVariant StopsModel::data(const QModelIndex& index, int role) const
{
    if (!index.isValid() || index.row() >= rowCount())
        return {};
    const Row& row = m_rows[static_cast<size_t>(index.row())];
    if (role == Qt::DisplayRole)
        return index.column() == Where ? row.where : row.when;
    if (role == Qt::CheckStateRole && index.column() == Where)
        return isEnabled(row) ? Qt::Checked : Qt::Unchecked;
    if (role == Qt::ToolTipRole)
        return tr("%1: %2\nEnter: show it. Space or F9: let runs pass it. Delete: take it away.")
            .arg(row.where, row.when);
    return {};
}

bool StopsModel::isEnabled(const Row& row) const
{
    if (row.line)
        return !m_disabledLines.contains(*row.line);
    return row.cell ? !m_disabledCells.contains(*row.cell) : !m_disabledVariables.contains(*row.variable);
}

bool StopsModel::setData(const QModelIndex& index, const QVariant& value, int role)
{
    if (role != Qt::CheckStateRole || index.column() != Where || !index.isValid() || index.row() >= rowCount())
        return false;
    const bool on = value.toInt() == Qt::Checked;
    const Row row = m_rows[static_cast<size_t>(index.row())];
    if (row.line) {
        emit lineEnabled(*row.line, on);
        return true;
    }
    if (row.cell && !on)
        m_disabledCells.insert(*row.cell);
    else if (row.cell)
        m_disabledCells.erase(*row.cell);
    else if (!on)
        m_disabledVariables.insert(*row.variable);
    else
        m_disabledVariables.erase(*row.variable);
    changeWatched();
    return true;
}

Qt::ItemFlags StopsModel::flags(const QModelIndex& index) const
{
    const Qt::ItemFlags usual = QAbstractTableModel::flags(index);
    return index.column() == Where ? usual | Qt::ItemIsUserCheckable : usual;
}

QVariant StopsModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole)
        return {};
    return section == Where ? tr("where") : tr("what");
}

}  // namespace lanescope::gui
