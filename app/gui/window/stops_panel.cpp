// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/window/stops_panel.h"

#include <QHeaderView>
#include <QLabel>
#include <QShortcut>
#include <QTableView>
#include <QVBoxLayout>

namespace lanescope::gui {

StopsPanel::StopsPanel(QWidget* parent)
    : QWidget(parent), m_model(new StopsModel(this)), m_table(new QTableView(this)), m_note(new QLabel(this))
{
    m_table->setModel(m_model);
    m_table->setAccessibleName(tr("Breakpoints and watched cells"));
    m_table->setShowGrid(false);
    m_table->setTabKeyNavigation(false);
    m_table->setCornerButtonEnabled(false);
    m_table->setSelectionBehavior(QAbstractItemView::SelectRows);
    m_table->setSelectionMode(QAbstractItemView::SingleSelection);
    m_table->setEditTriggers(QAbstractItemView::NoEditTriggers);
    m_table->verticalHeader()->hide();
    m_table->horizontalHeader()->hide();
    m_table->horizontalHeader()->setSectionResizeMode(StopsModel::Where, QHeaderView::ResizeToContents);
    m_table->horizontalHeader()->setSectionResizeMode(StopsModel::When, QHeaderView::Stretch);
    m_note->setProperty("class", QStringLiteral("note"));
    m_note->setWordWrap(true);
    m_note->setText(tr("F9 sets a breakpoint at a line; right-click a cell or a variable to stop where it is written. "
                       "F5 runs to the next, Shift+F5 back."));
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(9, 6, 8, 6);
    column->addWidget(m_note);
    column->addWidget(m_table, 1);
    const auto showNote = [this] { m_note->setVisible(m_model->rowCount() == 0); };
    connect(m_model, &QAbstractItemModel::modelReset, this, showNote);
    connect(m_table, &QTableView::clicked, this, [this](const QModelIndex& index) { choose(index.row()); });
    connect(m_table, &QTableView::activated, this, [this](const QModelIndex& index) { choose(index.row()); });
    auto* remove = new QShortcut(QKeySequence::Delete, m_table);
    remove->setContext(Qt::WidgetShortcut);
    connect(remove, &QShortcut::activated, this, [this] { m_model->remove(m_table->currentIndex().row()); });
}

void StopsPanel::toggleChosen()
{
    const QModelIndex index = m_model->index(m_table->currentIndex().row(), StopsModel::Where);
    const bool isOn = index.data(Qt::CheckStateRole).toInt() == Qt::Checked;
    m_model->setData(index, isOn ? Qt::Unchecked : Qt::Checked, Qt::CheckStateRole);
    m_table->setCurrentIndex(m_model->index(index.row(), StopsModel::Where));
}

void StopsPanel::choose(int row)
{
    if (const auto line = m_model->lineAt(row))
        emit lineChosen(*line);
    if (const auto cell = m_model->cellAt(row))
        emit cellChosen(*cell);
}

}  // namespace lanescope::gui
