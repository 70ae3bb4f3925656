// SPDX-License-Identifier: GPL-3.0-or-later
// The functions that the focused thread is in, innermost first, and where in each. Empty in the kernel itself.
#pragma once

#include <QAbstractTableModel>

#include "app/gui/engine/snapshot.h"
#include "app/gui/theme/theme.h"
#include "core/analysis/call_stack.h"

namespace lanescope::gui {

class FramesModel : public QAbstractTableModel {
    Q_OBJECT

public:
    enum Column : int { Function, Where, ColumnCount };

    using QAbstractTableModel::QAbstractTableModel;
    void setStack(const SnapshotPointer& snapshot, const analysis::CallStack& stack);
    void setTheme(const Theme& theme);
    /// Of several, the first.
    [[nodiscard]] std::optional<trace::SourceLocation> placeAt(int row) const;

    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override;

private:
    [[nodiscard]] QString whereText(const analysis::CallFrame& frame) const;

    SnapshotPointer m_snapshot;
    analysis::CallStack m_stack;
    const Theme* m_theme = &themeNamed({});
};

}  // namespace lanescope::gui
