// SPDX-License-Identifier: GPL-3.0-or-later
// The focused warp: 32 lanes × what they access and their variables. Lanes that do not exist are grey.
#pragma once

#include <QAbstractTableModel>

#include "app/gui/engine/snapshot.h"
#include "app/gui/theme/theme.h"

namespace lanescope::gui {

class LanesModel : public QAbstractTableModel {
    Q_OBJECT

public:
    /// Then one per variable and one per watch; the last column is the cells that the statement just run touched.
    enum Column : int { Lane, Thread, FirstVariable };

    using QAbstractTableModel::QAbstractTableModel;
    void setSnapshot(const SnapshotPointer& snapshot);
    void setTheme(const Theme& theme);
    [[nodiscard]] std::optional<Dim3> threadAt(int row) const;
    /// Of a column of a variable.
    [[nodiscard]] std::optional<VariableId> variableAt(int column) const;
    /// What a variable or a watch comes to in every launched lane, when it is the same in all of them; else empty.
    [[nodiscard]] QString commonValue(int column) const;
    [[nodiscard]] int focusedRow() const { return m_snapshot ? m_snapshot->lane : -1; }

    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    [[nodiscard]] int firstWatch() const { return FirstVariable + static_cast<int>(m_variables.size()); }
    [[nodiscard]] int accessColumn() const { return firstWatch() + static_cast<int>(m_snapshot->watches.size()); }
    [[nodiscard]] bool isNumber(int column) const { return column >= FirstVariable && column < accessColumn(); }
    [[nodiscard]] bool launched(int lane) const;
    [[nodiscard]] QString text(int lane, int column) const;
    [[nodiscard]] QString accessText(int lane) const;
    [[nodiscard]] QVariant background(int lane, int column) const;
    [[nodiscard]] std::vector<size_t> columnsFor(const Snapshot& snapshot) const;

    SnapshotPointer m_snapshot;
    std::vector<size_t> m_variables;  ///< column → index into Snapshot::variables
    const Theme* m_theme = &themeNamed({});
};

}  // namespace lanescope::gui
