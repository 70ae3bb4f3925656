// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/window/shortcuts_dialog.h"

#include <QDialogButtonBox>
#include <QHeaderView>
#include <QTreeWidget>
#include <QVBoxLayout>

#include "app/gui/view_description.h"

namespace lanescope::gui {

namespace {

QString keysOf(const QAction& action)
{
    QStringList keys;
    for (const QKeySequence& key : action.shortcuts())
        keys << key.toString(QKeySequence::NativeText);
    return keys.join(QStringLiteral(", "));
}

QString plain(QString text)
{
    return text.remove(u'&');
}

QTreeWidgetItem* addGroup(QTreeWidget& tree, const QString& title)
{
    auto* group = new QTreeWidgetItem(&tree, {title});
    QFont font = tree.font();
    font.setBold(true);
    group->setFont(0, font);
    group->setExpanded(true);
    return group;
}

/// "Banks, Coalescing and Lines".
QString countingViews()
{
    QStringList titles;
    for (const ViewDescription& view : viewDescriptions())
        if (view.countsSelection)
            titles << QObject::tr(view.title.c_str());
    const QString last = titles.takeLast();
    return QObject::tr("%1 and %2").arg(titles.join(QStringLiteral(", ")), last);
}

}  // namespace

ShortcutsDialog::ShortcutsDialog(const Actions& actions, QWidget* parent) : QDialog(parent)
{
    setWindowTitle(tr("Keys"));
    auto* tree = new QTreeWidget(this);
    tree->setAccessibleName(tr("Keys and what they do"));
    tree->setHeaderLabels({tr("Command"), tr("Keys")});
    tree->setRootIsDecorated(false);
    tree->setSelectionMode(QAbstractItemView::SingleSelection);
    for (const auto& [title, commands] : Actions::menus()) {
        QTreeWidgetItem* group = addGroup(*tree, plain(title));
        for (Command command : commands)
            if (const QString keys = keysOf(*actions[command]); !keys.isEmpty())
                new QTreeWidgetItem(group, {plain(actions[command]->text()), keys});
    }
    QTreeWidgetItem* mouse = addGroup(*tree, tr("Mouse and timeline"));
    const std::vector<std::pair<QString, QString>> more{
        {tr("Zoom the stage or the timeline"), tr("wheel")},
        {tr("Move the stage"), tr("drag")},
        {tr("What can be done with a cell, a thread, a variable, a line"), tr("right click")},
        {tr("A variable's value, a thread's values, what a step does"), tr("rest the pointer on it")},
        {tr("A tab below the stage"), tr("Alt+1, Alt+2, …")},
        {tr("Scrub through the block"), tr("drag on the timeline")},
        {tr("Move the timeline"), tr("Shift+wheel")},
        {tr("Select steps: %1 then count only these").arg(countingViews()), tr("Shift+drag on the timeline")},
        {tr("Select an epoch (the current one: E)"), tr("click its name")},
        {tr("Select everything again"), tr("Esc")},
        {tr("Zoom the timeline in, out (when it has the focus)"), tr("W, S")},
        {tr("Move the timeline left, right (when it has the focus)"), tr("A, D")},
        {tr("Whole timeline"), tr("double click")}};
    for (const auto& [what, keys] : more)
        new QTreeWidgetItem(mouse, {what, keys});
    tree->header()->setSectionResizeMode(0, QHeaderView::Stretch);
    tree->header()->setSectionResizeMode(1, QHeaderView::ResizeToContents);
    tree->header()->setStretchLastSection(false);
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close, this);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    auto* column = new QVBoxLayout(this);
    column->addWidget(tree);
    column->addWidget(buttons);
    resize(620, 680);
}

}  // namespace lanescope::gui
