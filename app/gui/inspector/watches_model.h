// SPDX-License-Identifier: GPL-3.0-or-later
// What the user watches: an expression and what it comes to in the focused thread. The last row takes a new one; an
// emptied one goes.
#pragma once

#include <QAbstractTableModel>

#include "app/gui/engine/snapshot.h"
#include "app/gui/theme/theme.h"

namespace lanescope::gui {

class WatchesModel : public QAbstractTableModel {
    Q_OBJECT

public:
    enum Column : int { Text, Value, ColumnCount };

    using QAbstractTableModel::QAbstractTableModel;
    void setSnapshot(const SnapshotPointer& snapshot);
    void setTheme(const Theme& theme);
    void setWatches(const QStringList& watches);
    [[nodiscard]] const QStringList& watches() const { return m_watches; }
    void remove(int row);

    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
    [[nodiscard]] Qt::ItemFlags flags(const QModelIndex& index) const override;
    bool setData(const QModelIndex& index, const QVariant& value, int role) override;

signals:
    /// By the user.
    void watchesChanged(const QStringList& watches);

private:
    [[nodiscard]] const WatchView::Lane* shownAt(int row) const;

    SnapshotPointer m_snapshot;
    QStringList m_watches;
    const Theme* m_theme = &themeNamed({});
};

}  // namespace lanescope::gui
