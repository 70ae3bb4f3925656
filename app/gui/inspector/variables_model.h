// SPDX-License-Identifier: GPL-3.0-or-later
// The focused thread's variables: name, value, type. The one shown on the stage first, then those that the statement
// just run changed, tinted, then those in scope, then the others, grey. In a function that was called, function by
// function, the innermost first, each under its name.
#pragma once

#include <QAbstractTableModel>

#include "app/gui/engine/snapshot.h"
#include "app/gui/theme/theme.h"
#include "core/analysis/call_stack.h"

namespace lanescope::gui {

class VariablesModel : public QAbstractTableModel {
    Q_OBJECT

public:
    enum Column : int { Name, Value, Type, ColumnCount };

    using QAbstractTableModel::QAbstractTableModel;
    void setSnapshot(const SnapshotPointer& snapshot, const analysis::CallStack& stack = {});
    void setTheme(const Theme& theme);
    [[nodiscard]] std::optional<VariableId> variableAt(int row) const;
    [[nodiscard]] int rowOf(VariableId variable) const;  ///< -1: none

    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    struct Row {
        std::optional<size_t> variable;  ///< index into Snapshot::variables; none: a function's name
        std::string function;            ///< that the row is of, where rows are of functions
        bool inScope = false;            ///< in that function, where it goes on
        friend bool operator==(const Row&, const Row&) = default;
    };

    [[nodiscard]] QString text(const Row& row, int column) const;

    [[nodiscard]] std::vector<Row> rowsOf(const Snapshot& snapshot, const analysis::CallStack& stack) const;
    [[nodiscard]] QVariant headingData(const Row& row, int column, int role) const;
    [[nodiscard]] const VariableView& viewAt(const Row& row) const { return m_snapshot->variables[*row.variable]; }

    SnapshotPointer m_snapshot;
    std::vector<Row> m_rows;
    const Theme* m_theme = &themeNamed({});
};

}  // namespace lanescope::gui
