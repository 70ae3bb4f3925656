// SPDX-License-Identifier: GPL-3.0-or-later
// All lanes of the focused warp in a table of their own, as high as there is room, every column shown. In a low one
// rows and type are smaller: a warp is seen at once.
#pragma once

#include <QWidget>

#include "app/gui/engine/snapshot.h"
#include "app/gui/theme/theme.h"

class QLabel;
class QTableView;

namespace lanescope::gui {

class LanesModel;
class LanesDelegate;

class LanesPanel : public QWidget {
    Q_OBJECT

public:
    explicit LanesPanel(QWidget* parent = nullptr);
    void setSnapshot(const SnapshotPointer& snapshot);
    void setTheme(const Theme& theme);
    [[nodiscard]] QTableView* table() const { return m_table; }

signals:
    void threadChosen(lanescope::Dim3 thread);

protected:
    void showEvent(QShowEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    void show(const SnapshotPointer& snapshot);
    void fitRows();

    SnapshotPointer m_snapshot;
    LanesModel* m_lanes;
    QLabel* m_title;
    QTableView* m_table;
    LanesDelegate* m_delegate;
    int m_columns = 0;  ///< for which widths were chosen; steady while stepping
};

}  // namespace lanescope::gui
