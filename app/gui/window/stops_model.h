// SPDX-License-Identifier: GPL-3.0-or-later
// Where runs stop: breakpoints in the source, cells and variables whose writes are watched.
#pragma once

#include <QAbstractTableModel>

#include <vector>

#include "app/gui/engine/menu_place.h"
#include "app/gui/engine/snapshot.h"

namespace lanescope::gui {

class StopsModel : public QAbstractTableModel {
    Q_OBJECT

public:
    enum Column : int { Where, When, ColumnCount };
    using Line = std::pair<uint32_t, uint32_t>;  ///< source id, 1-based line

    using QAbstractTableModel::QAbstractTableModel;
    void setCatalog(const CatalogPointer& catalog);
    /// With the conditions as typed, of those that have one.
    void setLines(const Breakpoints& lines, const std::map<Line, QString>& conditions, const std::set<Line>& disabled);
    [[nodiscard]] size_t lineCount() const { return m_lines.size(); }
    /// Sets or takes away; \p name: as the list shows it.
    void toggle(const WatchedCell& cell, const QString& name);
    void toggle(VariableId variable, const QString& name);
    [[nodiscard]] bool watches(const WatchedCell& cell) const { return m_cells.contains(cell); }
    [[nodiscard]] bool watches(VariableId variable) const { return m_variables.contains(variable); }
    /// Numbers of cells and variables mean nothing in another trace.
    void clearWatched();
    void remove(int row);
    [[nodiscard]] std::optional<Line> lineAt(int row) const;
    [[nodiscard]] std::optional<WatchedCell> cellAt(int row) const;

    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override;
    /// Of Where a check mark: without it the stop stays in the list and stops no run.
    bool setData(const QModelIndex& index, const QVariant& value, int role) override;
    [[nodiscard]] Qt::ItemFlags flags(const QModelIndex& index) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

signals:
    void watchedChanged(const std::set<lanescope::gui::WatchedCell>& cells,
                        const std::set<lanescope::VariableId>& variables);
    /// The user took a breakpoint away.
    void lineRemoved(const std::pair<uint32_t, uint32_t>& line);
    void lineEnabled(const std::pair<uint32_t, uint32_t>& line, bool on);

private:
    struct Row {
        QString where;
        QString when;
        std::optional<Line> line;
        std::optional<WatchedCell> cell;
        std::optional<VariableId> variable;
    };

    void rebuild();
    [[nodiscard]] bool isEnabled(const Row& row) const;
    void changeWatched();
    [[nodiscard]] Row rowOf(const Line& line) const;

    CatalogPointer m_catalog;
    std::map<Line, QString> m_lines;  ///< with their conditions
    std::set<Line> m_disabledLines;
    std::set<WatchedCell> m_disabledCells;
    std::set<VariableId> m_disabledVariables;
    std::map<WatchedCell, QString> m_cells;
    std::map<VariableId, QString> m_variables;
    std::vector<Row> m_rows;
};

}  // namespace lanescope::gui
