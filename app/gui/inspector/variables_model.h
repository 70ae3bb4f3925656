// SPDX-License-Identifier: GPL-3.0-or-later
// The focused thread's variables: name, value, type. Changed ones are tinted and marked, those out of scope grey.
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

    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    [[nodiscard]] QString text(const VariableView& view, int column) const;

    SnapshotPointer m_snapshot;
    const Theme* m_theme = &themeNamed({});
};

}  // namespace lanescope::gui
