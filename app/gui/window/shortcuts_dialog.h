// SPDX-License-Identifier: GPL-3.0-or-later
// All keys of the window in one table.
#pragma once

#include <QDialog>

#include "app/gui/window/actions.h"

namespace lanescope::gui {

class ShortcutsDialog : public QDialog {
    Q_OBJECT

public:
    explicit ShortcutsDialog(const Actions& actions, QWidget* parent = nullptr);
};

}  // namespace lanescope::gui
