// SPDX-License-Identifier: GPL-3.0-or-later
// The shown variable of the focused thread: its value, where it was set and from what, and its other values around.
#pragma once

#include <QAbstractTableModel>

#include "app/gui/engine/snapshot.h"
#include "app/gui/theme/theme.h"

namespace lanescope::gui {

class VariableStoryModel : public QAbstractTableModel {
    Q_OBJECT

public:
    enum Column : int { When, What, ColumnCount };

    using QAbstractTableModel::QAbstractTableModel;
    void setSnapshot(const SnapshotPointer& snapshot);
    void setTheme(const Theme& theme);
    /// "acc, set 24 times"; empty where nothing is known.
    [[nodiscard]] QString title() const;
    /// The step just after the row's write.
    [[nodiscard]] std::optional<StepIndex> stepAt(int row) const;

    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override;

private:
    struct Row {
        QString label;
        const analysis::VariableWrite* write;  ///< of m_snapshot
    };

    [[nodiscard]] std::vector<Row> rowsOf(const Snapshot& snapshot) const;
    [[nodiscard]] QString textOf(const Row& row, bool whole) const;

    SnapshotPointer m_snapshot;
    std::vector<Row> m_rows;
    const Theme* m_theme = &themeNamed({});
};

}  // namespace lanescope::gui
