// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/inspector/inspector_widget.h"

#include <QHeaderView>
#include <QLabel>
#include <QScrollBar>
#include <QShortcut>
#include <QTableView>
#include <QTextBrowser>
#include <QVBoxLayout>

#include <bit>

#include "app/gui/engine/value_format.h"
#include "app/gui/inspector/cell_text.h"
#include "app/gui/inspector/lanes_model.h"
#include "app/gui/inspector/variables_model.h"
#include "app/gui/inspector/watches_model.h"

namespace lanescope::gui {

namespace {
constexpr int kRowHeight = 22;
}

InspectorWidget::InspectorWidget(QWidget* parent)
    : QWidget(parent), m_theme(&themeNamed({})), m_variables(new VariablesModel(this)), m_lanes(new LanesModel(this)),
      m_watches(new WatchesModel(this))
{
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(9, 0, 8, 6);
    column->setSpacing(0);
    m_threadTitle = addTitle(tr("Thread"));
    m_variablesTable = addTable(m_variables, tr("Variables of the thread"));
    m_variablesTable->horizontalHeader()->hide();
    m_variablesTable->horizontalHeader()->setSectionResizeMode(VariablesModel::Name, QHeaderView::ResizeToContents);
    m_variablesTable->horizontalHeader()->setSectionResizeMode(VariablesModel::Value, QHeaderView::Stretch);
    m_variablesTable->horizontalHeader()->setSectionResizeMode(VariablesModel::Type, QHeaderView::ResizeToContents);
    m_variablesTable->setToolTip(tr("Click a variable to show it under each thread on the stage"));
    buildWatches();
    m_warpTitle = addTitle(tr("Warp"));
    m_lanesTable = addTable(m_lanes, tr("Lanes of the warp"));
    column->setStretchFactor(m_variablesTable, 4);
    column->setStretchFactor(m_lanesTable, 5);
    addTitle(tr("History"));
    // Not a label: that one lays its text out again for every question about its size.
    m_cell = new QTextBrowser(this);
    m_cell->setOpenLinks(false);
    m_cell->setUndoRedoEnabled(false);
    m_cell->setAccessibleName(tr("History of the shown variable and of the selected cell"));
    m_cell->setFrameShape(QFrame::NoFrame);
    m_cell->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_cell->setMinimumHeight(46);
    column->addWidget(m_cell, 3);
    connect(m_cell, &QTextBrowser::anchorClicked, this,
            [this](const QUrl& link) { emit stepChosen(link.path().toULongLong()); });
    connect(m_lanesTable, &QTableView::clicked, this, [this](const QModelIndex& index) {
        if (const auto thread = m_lanes->threadAt(index.row()))
            emit threadChosen(*thread);
    });
    connect(m_variablesTable, &QTableView::clicked, this, [this](const QModelIndex& index) {
        if (const auto variable = m_variables->variableAt(index.row()))
            emit variableChosen(*variable);
    });
}

/// Right under the variables, without a title, as high as it has rows.
void InspectorWidget::buildWatches()
{
    m_watchesTable = addTable(m_watches, tr("Watched expressions"));
    m_watchesTable->setObjectName(QStringLiteral("watches"));
    m_watchesTable->horizontalHeader()->hide();
    m_watchesTable->horizontalHeader()->setSectionResizeMode(WatchesModel::Text, QHeaderView::Stretch);
    m_watchesTable->horizontalHeader()->setSectionResizeMode(WatchesModel::Value, QHeaderView::ResizeToContents);
    m_watchesTable->setSelectionMode(QAbstractItemView::SingleSelection);
    m_watchesTable->setEditTriggers(QAbstractItemView::DoubleClicked);
    m_watchesTable->setVerticalScrollBarPolicy(Qt::ScrollBarAsNeeded);
    connect(m_watches, &QAbstractItemModel::rowsInserted, this, &InspectorWidget::fitWatches);
    connect(m_watches, &QAbstractItemModel::rowsRemoved, this, &InspectorWidget::fitWatches);
    connect(m_watches, &QAbstractItemModel::modelReset, this, &InspectorWidget::fitWatches);
    connect(m_watches, &WatchesModel::watchesChanged, this, &InspectorWidget::watchesChanged);
    connect(m_watchesTable, &QTableView::clicked, this, [this](const QModelIndex& index) {
        if (index.row() == m_watches->watches().size())
            addWatch();
    });
    auto* remove = new QShortcut(QKeySequence::Delete, m_watchesTable);
    remove->setContext(Qt::WidgetShortcut);
    connect(remove, &QShortcut::activated, this, [this] { m_watches->remove(m_watchesTable->currentIndex().row()); });
    fitWatches();
}

void InspectorWidget::fitWatches()
{
    constexpr int kMostRows = 6;
    m_watchesTable->setFixedHeight(kRowHeight * std::min(m_watches->rowCount(), kMostRows) + 4);
}

void InspectorWidget::setWatches(const QStringList& watches)
{
    m_watches->setWatches(watches);
}

void InspectorWidget::addWatch()
{
    const QModelIndex row = m_watches->index(m_watches->rowCount() - 1, WatchesModel::Text);
    m_watchesTable->setCurrentIndex(row);
    m_watchesTable->edit(row);
}

QLabel* InspectorWidget::addTitle(const QString& text)
{
    auto* title = new QLabel(text, this);
    title->setObjectName(QStringLiteral("sectionTitle"));
    layout()->addWidget(title);
    return title;
}

QTableView* InspectorWidget::addTable(QAbstractItemModel* model, const QString& name)
{
    auto* table = new QTableView(this);
    table->setModel(model);
    table->setAccessibleName(name);
    table->setShowGrid(false);
    table->setTabKeyNavigation(false);  // Tab goes on to the next control; arrows move in the table
    table->setCornerButtonEnabled(false);
    table->setSelectionMode(QAbstractItemView::NoSelection);
    table->setEditTriggers(QAbstractItemView::NoEditTriggers);
    table->setVerticalScrollMode(QAbstractItemView::ScrollPerPixel);
    table->setHorizontalScrollMode(QAbstractItemView::ScrollPerPixel);
    table->verticalHeader()->hide();
    table->verticalHeader()->setSectionResizeMode(QHeaderView::Fixed);
    table->verticalHeader()->setDefaultSectionSize(kRowHeight);
    table->horizontalHeader()->setMinimumSectionSize(30);
    table->setContentsMargins(6, 0, 6, 0);
    layout()->addWidget(table);
    return table;
}

void InspectorWidget::setTheme(const Theme& theme)
{
    m_theme = &theme;
    m_variables->setTheme(theme);
    m_watches->setTheme(theme);
    m_lanes->setTheme(theme);
    showCell();
}

void InspectorWidget::setSnapshot(const SnapshotPointer& snapshot)
{
    const bool first = !m_snapshot;
    const bool sameLane = m_snapshot && snapshot && m_snapshot->lane == snapshot->lane;
    m_snapshot = snapshot;
    m_variables->setSnapshot(snapshot);
    m_watches->setSnapshot(snapshot);
    m_lanes->setSnapshot(snapshot);
    if (snapshot) {
        m_threadTitle->setText(tr("Thread %1").arg(positionText(snapshot->focus.thread, snapshot->launch().block)) +
                               tr("   warp %1 · lane %2").arg(snapshot->warp).arg(snapshot->lane));
        const int active = std::popcount(snapshot->focusedWarp().active);
        m_warpTitle->setText(tr("Warp %1: all lanes").arg(snapshot->warp) + tr("   %1 active").arg(active));
        if (first || m_lanes->columnCount() != m_lanesColumns)
            m_lanesTable->resizeColumnsToContents();
        m_lanesColumns = m_lanes->columnCount();
        if (first || !sameLane)
            m_lanesTable->scrollTo(m_lanes->index(snapshot->lane, 0));
    }
    showCell();
}

void InspectorWidget::showCell()
{
    if (!m_snapshot)
        return m_cell->clear();
    const QString variable = variableHtml(*m_snapshot, *m_theme);
    const QString gap = variable.isEmpty() ? QString() : QStringLiteral("<div style='font-size:5px'>&nbsp;</div>");
    const int scrolled = m_cell->verticalScrollBar()->value();
    m_cell->setHtml(variable + gap + cellHtml(*m_snapshot, *m_theme));
    m_cell->verticalScrollBar()->setValue(scrolled);
}

}  // namespace lanescope::gui
