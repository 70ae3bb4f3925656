// SPDX-License-Identifier: GPL-3.0-or-later
// The window's style sheet, filled in with a theme's colours.
#include "app/gui/theme/theme.h"

namespace lanescope::gui {

namespace {

const char* const kSheet = R"(
* { font-family: "Inter"; font-size: @base@px; color: @text@; }
QMainWindow, QWidget { background: @window@; }
QMainWindow::separator { background: @border@; width: 3px; height: 3px; }
QToolBar { border: none; border-bottom: 1px solid @border@; spacing: 3px; padding: 5px 8px; }
QToolBar::separator { background: @border@; width: 1px; margin: 4px 6px; }
QToolButton { border: 1px solid transparent; border-radius: 5px; padding: 4px 6px; }
QToolButton:hover { background: @raised@; }
QToolButton:checked { background: @raised@; border-color: @accent@; }
QToolButton:focus { border-color: @accent@; }
QToolButton:disabled { color: @faint@; }
QToolButton::menu-indicator { image: none; width: 0; }
QPushButton { background: @raised@; border: 1px solid @border@; border-radius: 5px; padding: 4px 12px; }
QPushButton:hover { border-color: @accent@; }
QPushButton:checked { border-color: @accent@; background: @selection@; color: @text@; }
QPushButton:focus { border-color: @accent@; }
QPushButton#pill { border-radius: 12px; padding: 3px 10px; color: @dim@; }
QPushButton#pill:checked { color: @text@; }
QLineEdit, QComboBox { background: @stage@; border: 1px solid @border@; border-radius: 5px; padding: 4px 8px;
    selection-background-color: @accent@; selection-color: @stage@; }
QLineEdit#focusField { font-family: "JetBrains Mono"; font-size: @small@px; }
QLineEdit:focus, QComboBox:focus { border-color: @accent@; }
QComboBox::drop-down { border: none; width: 16px; }
QComboBox QAbstractItemView { background: @window@; border: 1px solid @border@; selection-background-color: @selection@; }
QDockWidget { titlebar-close-icon: none; font-weight: 600; }
QDockWidget::title { background: @window@; padding: 7px 10px 5px 12px; text-align: left; }
QTabBar::tab { background: transparent; border: none; padding: 6px 14px; color: @dim@; border-bottom: 2px solid transparent; }
QTabBar::tab:selected { color: @text@; border-bottom: 2px solid @accent@; }
QTabWidget::pane { border: none; }
QTableView, QTreeView, QListView, QPlainTextEdit { background: @window@; border: none; alternate-background-color: @window@;
    selection-background-color: @selection@; selection-color: @text@; gridline-color: @border@; outline: 0; }
QTableView, QPlainTextEdit { font-family: "JetBrains Mono"; font-size: @code@px; }
QListView::item { padding: 4px 8px; border-radius: 4px; }
QListView::item:selected { background: @selection@; color: @text@; }
QHeaderView { background: @window@; }
QHeaderView::section { background: @window@; border: none; color: @dim@; padding: 2px 6px; font-family: "Inter"; font-size: @small@px; }
QAbstractScrollArea::corner { background: transparent; border: none; }
QScrollBar { background: transparent; width: 10px; height: 10px; border: none; margin: 0; }
QScrollBar::handle { background: @border@; border-radius: 4px; min-height: 24px; min-width: 24px; margin: 1px; }
QScrollBar::handle:hover { background: @faint@; }
QScrollBar::add-line, QScrollBar::sub-line { width: 0; height: 0; }
QScrollBar::add-page, QScrollBar::sub-page { background: transparent; }
QMenu { background: @window@; border: 1px solid @border@; padding: 4px; }
QMenu::item { padding: 5px 22px; border-radius: 4px; }
QMenu::item:selected { background: @selection@; }
QMenu::item:disabled { color: @dim@; }
QCheckBox::indicator { width: 14px; height: 14px; border: 1px solid @faint@; border-radius: 3px; background: @stage@; }
QCheckBox::indicator:checked { background: @accent@; border-color: @accent@; }
QCheckBox::indicator:focus { border-color: @accent@; }
QTreeView::item { padding: 4px 8px; }
QMenu::separator { height: 1px; background: @border@; margin: 4px 8px; }
QMenuBar { background: @window@; } QMenuBar::item:selected { background: @raised@; }
QStatusBar { border-top: 1px solid @border@; color: @dim@; } QStatusBar::item { border: none; }
QStatusBar QLabel { color: @dim@; font-size: @small@px; padding: 0 6px; }
QLabel#caption, QLabel[class="note"] { color: @dim@; font-size: @small@px; }
QLabel#sectionTitle { font-weight: 600; padding: 8px 4px 3px 4px; } QLabel[class="note"] { padding: 0 4px 3px 4px; }
QLabel#brand { font-weight: 600; font-size: @title@px; padding: 0 10px 0 4px; }
QFrame#banner { background: @raised@; border: 1px solid @border@; border-left: 4px solid @accent@; border-radius: 4px; }
QFrame#banner[kind="error"] { border-left-color: @error@; }
QFrame#tourBar { background: @raised@; border: none; border-left: 5px solid @accent@; }
QFrame#tourBar QLabel, QFrame#tourBar QToolButton { background: transparent; }
QLabel#tourTitle { font-weight: 600; font-size: @tourTitle@px; }
QLabel#tourCaption { font-size: @tour@px; }
QLabel#tourPosition { color: @dim@; font-size: @tour@px; padding: 2px 8px; }
QFrame#banner QLabel { background: transparent; }
QFrame#banner QToolButton { background: transparent; }
QToolTip { background: @raised@; color: @text@; border: 1px solid @border@; padding: 4px; }
QProgressBar { background: @stage@; border: 1px solid @border@; border-radius: 4px; height: 8px; text-align: center; }
QProgressBar::chunk { background: @accent@; border-radius: 3px; }
)";

}  // namespace

QString Theme::styleSheet() const
{
    QString sheet = QString::fromLatin1(kSheet);
    const auto put = [&sheet](const char* key, const QString& value) { sheet.replace(QLatin1String(key), value); };
    put("@window@", window.name());
    put("@stage@", stage.name());
    put("@raised@", raised.name());
    put("@border@", border.name());
    put("@text@", text.name());
    put("@dim@", dim.name());
    put("@faint@", faint.name());
    put("@accent@", accent.name());
    put("@error@", error.name());
    put("@selection@", mixed(accent, window, dark ? 0.28 : 0.18).name());
    put("@tourTitle@", QString::number(qRound(19 * typeScale * wordScale)));
    put("@tour@", QString::number(qRound(17 * typeScale * wordScale)));
    put("@base@", QString::number(qRound(13 * typeScale)));
    put("@code@", QString::number(qRound(12.5 * typeScale)));
    put("@small@", QString::number(qRound(11.5 * typeScale)));
    put("@title@", QString::number(qRound(15 * typeScale)));
    return sheet;
}

}  // namespace lanescope::gui
