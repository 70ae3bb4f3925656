// SPDX-License-Identifier: GPL-3.0-or-later
// The focused thread's variables: name, value, type. The one shown on the stage first, then those that the statement
// just run changed, tinted, then those in scope, then the others, grey.
#pragma once

#include <QAbstractTableModel>

#include "app/gui/engine/snapshot.h"
#include "app/gui/theme/theme.h"

namespace lanescope::gui {

class VariablesModel : public QAbstractTableModel {
    Q_OBJECT

public:
    enum Column : int { Name, Value, Type, ColumnCount };

    using QAbstractTableModel::QAbstractTableModel;
    void setSnapshot(const SnapshotPointer& snapshot);
    void setTheme(const Theme& theme);
    [[nodiscard]] std::optional<VariableId> variableAt(int row) const;
    [[nodiscard]] int rowOf(VariableId variable) const;  ///< -1: none

    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    [[nodiscard]] QString nameOf(const trace::Variable& variable) const;
    [[nodiscard]] QString text(const VariableView& view, int column) const;

    [[nodiscard]] const VariableView& viewAt(int row) const { return m_snapshot->variables[m_order[size_t(row)]]; }

    SnapshotPointer m_snapshot;
    std::vector<size_t> m_order;  ///< row → index into Snapshot::variables
    const Theme* m_theme = &themeNamed({});
};

}  // namespace lanescope::gui
