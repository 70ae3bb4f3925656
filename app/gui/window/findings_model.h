// SPDX-License-Identifier: GPL-3.0-or-later
// What the checks found, as a table.
#pragma once

#include <QAbstractTableModel>

#include "app/gui/engine/snapshot.h"

namespace lanescope::gui {

class FindingsModel : public QAbstractTableModel {
    Q_OBJECT

public:
    enum Column : int { Severity, Kind, Where, Count, Message, ColumnCount };

    using QAbstractTableModel::QAbstractTableModel;
    void setCatalog(const CatalogPointer& catalog);
    /// Where the finding's first access happened; none when it has none.
    [[nodiscard]] std::optional<replay::Focus> focusAt(int row) const;

    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    CatalogPointer m_catalog;
};

}  // namespace lanescope::gui
