// SPDX-License-Identifier: GPL-3.0-or-later
// The QApplication of a command that may run with or without a display.
#pragma once

#include <QApplication>

#include <memory>

#include "app/gui/theme/theme.h"

namespace lanescope::gui {

/// Makes a QApplication unless there is one; on the offscreen platform where no display is set.
class ApplicationGuard {
public:
    ApplicationGuard(int& argc, char** argv);

private:
    std::unique_ptr<QApplication> m_application;
};

/// Colours, palette and style sheet of the whole application.
void applyTheme(const Theme& theme);

}  // namespace lanescope::gui
