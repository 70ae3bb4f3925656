// SPDX-License-Identifier: GPL-3.0-or-later
// Every command of the menus in one list with its keys: type a part of its name, Enter gives it.
#pragma once

#include <QDialog>

class QAction;
class QLineEdit;
class QMenu;
class QSortFilterProxyModel;
class QStandardItemModel;
class QTreeView;

namespace lanescope::gui {

class CommandPalette : public QDialog {
    Q_OBJECT

public:
    /// \p menus: what they hold is listed; they must outlive this.
    explicit CommandPalette(const QList<QAction*>& menus, QWidget* parent = nullptr);
    /// What was chosen; null when nothing was.
    [[nodiscard]] QAction* chosen() const { return m_chosen; }

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void addMenu(const QString& path, const QList<QAction*>& actions);
    void filter(const QString& text);
    void choose();

    QStandardItemModel* m_commands;
    QSortFilterProxyModel* m_shown;
    QLineEdit* m_field;
    QTreeView* m_list;
    QAction* m_chosen = nullptr;
};

}  // namespace lanescope::gui
