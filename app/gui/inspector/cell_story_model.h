// SPDX-License-Identifier: GPL-3.0-or-later
// Every access of the block to the selected cell, in step order: however many there are, a row is made when it is seen.
#pragma once

#include <QAbstractTableModel>

#include "app/gui/engine/snapshot.h"
#include "app/gui/theme/theme.h"

namespace lanescope::gui {

class CellStoryModel : public QAbstractTableModel {
    Q_OBJECT

public:
    enum Column : int { Step, Who, Line, ColumnCount };

    using QAbstractTableModel::QAbstractTableModel;
    void setSnapshot(const SnapshotPointer& snapshot);
    void setTheme(const Theme& theme);
    /// "a_shared[1][2] = 41"; empty without a selected cell.
    [[nodiscard]] QString title() const;
    /// "shared float, 3 × 3"; without a selected cell, how to select one.
    [[nodiscard]] QString summary() const;
    /// The step just after the row's access.
    [[nodiscard]] std::optional<StepIndex> stepAt(int row) const;
    /// The last access before the current step; -1: none.
    [[nodiscard]] int currentRow() const { return m_current; }
    /// What the cell's value comes from: the last write before the current step; -1: none in this block.
    [[nodiscard]] int lastWriteRow() const;

    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override;

private:
    [[nodiscard]] const BufferView& view() const { return m_snapshot->buffers[m_snapshot->cell->bufferIndex]; }
    [[nodiscard]] QString text(const replay::CellAccess& access, int column) const;
    void rowsChanged(int first, int last);

    SnapshotPointer m_snapshot;
    CellAccesses m_accesses;  ///< null without a selected cell
    int m_current = -1;
    const Theme* m_theme = &themeNamed({});
};

}  // namespace lanescope::gui
