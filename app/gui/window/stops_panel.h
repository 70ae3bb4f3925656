// SPDX-License-Identifier: GPL-3.0-or-later
// The list of breakpoints and watched cells and variables.
#pragma once

#include <QWidget>

#include "app/gui/window/stops_model.h"

class QLabel;
class QTableView;

namespace lanescope::gui {

class StopsPanel : public QWidget {
    Q_OBJECT

public:
    explicit StopsPanel(QWidget* parent = nullptr);
    [[nodiscard]] StopsModel* model() const { return m_model; }
    [[nodiscard]] QTableView* table() const { return m_table; }

    /// Disables the chosen one, or enables it again.
    void toggleChosen();

signals:
    /// The user wants to see a breakpoint's line, or a watched cell.
    void lineChosen(const std::pair<uint32_t, uint32_t>& line);
    void cellChosen(const lanescope::gui::WatchedCell& cell);

private:
    void choose(int row);

    StopsModel* m_model;
    QTableView* m_table;
    QLabel* m_note;  ///< how to get one, while there is none
};

}  // namespace lanescope::gui
