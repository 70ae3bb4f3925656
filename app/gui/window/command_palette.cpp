// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/window/command_palette.h"

#include <QAction>
#include <QCoreApplication>
#include <QHeaderView>
#include <QKeyEvent>
#include <QLineEdit>
#include <QMenu>
#include <QRegularExpression>
#include <QSortFilterProxyModel>
#include <QStandardItemModel>
#include <QTreeView>
#include <QVBoxLayout>

namespace lanescope::gui {

namespace {

constexpr int kAction = Qt::UserRole;

QString plain(QString text)
{
    return text.remove(u'&');
}

/// Letters of a name in their order, whatever lies between: "rtl" finds "Run to the chosen line".
QRegularExpression patternOf(const QString& text)
{
    QStringList letters;
    for (const QChar letter : text)
        if (!letter.isSpace())
            letters << QRegularExpression::escape(QString(letter));
    return QRegularExpression(letters.join(QStringLiteral(".*")), QRegularExpression::CaseInsensitiveOption);
}

}  // namespace

CommandPalette::CommandPalette(const QList<QAction*>& menus, QWidget* parent)
    : QDialog(parent), m_commands(new QStandardItemModel(this)), m_shown(new QSortFilterProxyModel(this)),
      m_field(new QLineEdit(this)), m_list(new QTreeView(this))
{
    setWindowTitle(tr("All commands"));
    m_commands->setColumnCount(3);
    addMenu({}, menus);
    m_shown->setSourceModel(m_commands);
    m_list->setModel(m_shown);
    m_list->setAccessibleName(tr("Commands and their keys"));
    m_list->setRootIsDecorated(false);
    m_list->setHeaderHidden(true);
    m_list->setUniformRowHeights(true);
    m_list->setEditTriggers(QAbstractItemView::NoEditTriggers);
    m_list->header()->setStretchLastSection(false);
    m_list->header()->setSectionResizeMode(0, QHeaderView::Stretch);
    for (const int column : {1, 2})
        m_list->header()->setSectionResizeMode(column, QHeaderView::ResizeToContents);
    m_field->setAccessibleName(tr("Part of a command's name"));
    m_field->setPlaceholderText(tr("Type a part of a name; Enter gives the command"));
    m_field->installEventFilter(this);
    auto* column = new QVBoxLayout(this);
    column->addWidget(m_field);
    column->addWidget(m_list, 1);
    connect(m_field, &QLineEdit::textChanged, this, &CommandPalette::filter);
    connect(m_field, &QLineEdit::returnPressed, this, &CommandPalette::choose);
    connect(m_list, &QTreeView::clicked, this, &CommandPalette::choose);
    filter({});
    resize(620, 460);
}

void CommandPalette::addMenu(const QString& path, const QList<QAction*>& actions)
{
    for (QAction* action : actions) {
        const QString name = plain(action->text());
        if (action->menu() != nullptr) {
            addMenu(path.isEmpty() ? name : path + QStringLiteral(" › ") + name, action->menu()->actions());
            continue;
        }
        if (action->isSeparator() || name.isEmpty())
            continue;
        QStringList keys;
        for (const QKeySequence& key : action->shortcuts())
            keys << key.toString(QKeySequence::NativeText);
        const QList<QStandardItem*> row{new QStandardItem(name), new QStandardItem(path),
                                        new QStandardItem(keys.join(QStringLiteral(", ")))};
        for (QStandardItem* item : row) {
            item->setToolTip(action->toolTip());
            item->setEnabled(action->isEnabled());
        }
        row.front()->setData(QVariant::fromValue<QObject*>(action), kAction);
        if (action->isCheckable())
            row.front()->setText(name + (action->isChecked() ? tr("  (on)") : tr("  (off)")));
        m_commands->appendRow(row);
    }
}

/// Names that hold the text as it is come before those that only hold its letters.
void CommandPalette::filter(const QString& text)
{
    m_shown->setFilterRegularExpression(
        QRegularExpression(QRegularExpression::escape(text.trimmed()), QRegularExpression::CaseInsensitiveOption));
    if (m_shown->rowCount() == 0)
        m_shown->setFilterRegularExpression(patternOf(text));
    m_list->setCurrentIndex(m_shown->index(0, 0));
}

void CommandPalette::choose()
{
    const QModelIndex row = m_list->currentIndex().siblingAtColumn(0);
    auto* action = qobject_cast<QAction*>(row.data(kAction).value<QObject*>());
    if (action == nullptr || !action->isEnabled())
        return;
    m_chosen = action;
    accept();
}

/// The arrow keys move in the list while one types.
bool CommandPalette::eventFilter(QObject* watched, QEvent* event)
{
    if (watched == m_field && event->type() == QEvent::KeyPress) {
        const int key = static_cast<QKeyEvent*>(event)->key();
        if (key == Qt::Key_Up || key == Qt::Key_Down || key == Qt::Key_PageUp || key == Qt::Key_PageDown) {
            QCoreApplication::sendEvent(m_list, event);
            return true;
        }
    }
    return QDialog::eventFilter(watched, event);
}

}  // namespace lanescope::gui
