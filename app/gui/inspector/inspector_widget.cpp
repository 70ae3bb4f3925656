// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/inspector/inspector_widget.h"

#include <QHeaderView>
#include <QLabel>
#include <QMenu>
#include <QScrollBar>
#include <QShortcut>
#include <QTableView>
#include <QVBoxLayout>

#include <algorithm>
#include <bit>

#include "app/gui/engine/value_format.h"
#include "app/gui/inspector/cell_story_model.h"
#include "app/gui/inspector/frames_model.h"
#include "app/gui/inspector/lanes_model.h"
#include "app/gui/inspector/variable_story_model.h"
#include "app/gui/inspector/variables_model.h"
#include "app/gui/inspector/watches_model.h"
#include "app/gui/theme/text_line.h"
#include "app/gui/theme/whole_cells.h"

namespace lanescope::gui {

namespace {
constexpr int kRowHeight = 22;
constexpr int kStoryRow = 20;
}  // namespace

InspectorWidget::InspectorWidget(QWidget* parent)
    : QWidget(parent), m_theme(&themeNamed({})), m_variables(new VariablesModel(this)), m_lanes(new LanesModel(this)),
      m_frames(new FramesModel(this)), m_watches(new WatchesModel(this)), m_variableStory(new VariableStoryModel(this)),
      m_cellStory(new CellStoryModel(this))
{
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(9, 0, 8, 6);
    column->setSpacing(0);
    m_threadTitle = addTitle(tr("Thread"));
    buildFrames();
    m_variablesNote = addNote();
    m_variablesNote->setObjectName(QStringLiteral("variablesNote"));
    m_variablesTable = addTable(m_variables, tr("Variables of the thread"));
    m_variablesTable->horizontalHeader()->hide();
    m_variablesTable->horizontalHeader()->setSectionResizeMode(VariablesModel::Name, QHeaderView::ResizeToContents);
    m_variablesTable->horizontalHeader()->setSectionResizeMode(VariablesModel::Value, QHeaderView::Stretch);
    m_variablesTable->horizontalHeader()->setSectionResizeMode(VariablesModel::Type, QHeaderView::ResizeToContents);
    m_variablesTable->setToolTip(tr("Click a variable to show it under each thread on the stage"));
    m_variablesTable->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    connect(m_variables, &QAbstractItemModel::modelReset, this, &InspectorWidget::fitVariables);
    buildWatches();
    m_warpTitle = addTitle(tr("Warp"));
    m_warpNote = addNote();
    m_warpNote->setObjectName(QStringLiteral("warpNote"));
    m_lanesTable = addTable(m_lanes, tr("Lanes of the warp"));
    column->setStretchFactor(m_variablesTable, 4);
    column->setStretchFactor(m_lanesTable, 5);
    buildStories();
    column->setStretchFactor(m_cellStoryTable, 3);
    connect(m_lanesTable, &QTableView::clicked, this, [this](const QModelIndex& index) {
        if (const auto thread = m_lanes->threadAt(index.row()))
            emit threadChosen(*thread);
    });
    connect(m_variablesTable, &QTableView::clicked, this, [this](const QModelIndex& index) {
        if (const auto variable = m_variables->variableAt(index.row()))
            emit variableChosen(*variable);
    });
    offerMenu(m_variablesTable, [this](const QModelIndex& index) {
        MenuPlace place;
        place.variable = m_variables->variableAt(index.row());
        return place;
    });
    offerMenu(m_lanesTable, [this](const QModelIndex& index) {
        MenuPlace place;
        place.thread = m_lanes->threadAt(index.row());
        if (place.thread)
            place.variable = m_lanes->variableAt(index.column());
        return place;
    });
    offerMenu(m_cellStoryTable, [this](const QModelIndex&) {
        MenuPlace place;
        if (m_snapshot && m_snapshot->focus.buffer)
            place.cell = WatchedCell{*m_snapshot->focus.buffer, m_snapshot->focus.cell};
        return place;
    });
}

/// On a row, by mouse or by the menu key.
void InspectorWidget::offerMenu(QTableView* table, const std::function<MenuPlace(const QModelIndex&)>& placeOf)
{
    table->setContextMenuPolicy(Qt::CustomContextMenu);
    connect(table, &QWidget::customContextMenuRequested, this, [this, table, placeOf](QPoint point) {
        const QModelIndex index = table->indexAt(point);
        if (!index.isValid())
            return;
        QMenu menu(table);
        emit menuWanted(&menu, placeOf(index));
        if (!menu.isEmpty())
            menu.exec(table->viewport()->mapToGlobal(point));
    });
}

/// What is equal in all lanes is said once, and takes no column.
void InspectorWidget::foldLanes()
{
    QStringList same;
    for (int column = 0; column < m_lanes->columnCount(); ++column) {
        const QString value = m_lanes->commonValue(column);
        m_lanesTable->setColumnHidden(column, !value.isEmpty());
        if (!value.isEmpty())
            same << QStringLiteral("%1 = %2").arg(
                m_lanes->headerData(column, Qt::Horizontal, Qt::DisplayRole).toString(), value);
    }
    m_warpNote->setVisible(!same.isEmpty());
    m_warpNote->setText(tr("in all lanes  %1").arg(same.join(QStringLiteral("  ·  "))));
}

/// What happened to the shown variable and to the selected cell; a row leads there.
void InspectorWidget::buildStories()
{
    m_variableStoryTitle = addTitle({});
    m_variableStoryTable = addTable(m_variableStory, tr("History of the shown variable"));
    m_variableStoryTable->setObjectName(QStringLiteral("variableStory"));
    m_cellStoryTitle = addTitle({});
    m_cellStorySummary = addNote();
    m_cellStoryTable = addTable(m_cellStory, tr("Accesses to the selected cell"));
    m_cellStoryTable->setObjectName(QStringLiteral("cellStory"));
    const auto jump = [this](auto* model) {
        return [this, model](const QModelIndex& index) {
            if (const auto step = model->stepAt(index.row()))
                emit stepChosen(*step);
        };
    };
    for (QTableView* table : {m_variableStoryTable, m_cellStoryTable}) {
        table->horizontalHeader()->hide();
        table->verticalHeader()->setDefaultSectionSize(kStoryRow);
    }
    m_variableStoryTable->setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_variableStoryTable->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_variableStoryTable->horizontalHeader()->setSectionResizeMode(VariableStoryModel::What, QHeaderView::Stretch);
    m_cellStoryTable->horizontalHeader()->setSectionResizeMode(CellStoryModel::Who, QHeaderView::Stretch);
    m_cellStoryTable->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    connect(m_variableStoryTable, &QTableView::clicked, this, jump(m_variableStory));
    connect(m_variableStoryTable, &QTableView::activated, this, jump(m_variableStory));
    connect(m_cellStoryTable, &QTableView::clicked, this, jump(m_cellStory));
    connect(m_cellStoryTable, &QTableView::activated, this, jump(m_cellStory));
}

/// Under the thread's title, as high as it has rows.
void InspectorWidget::buildFrames()
{
    m_framesTable = addTable(m_frames, tr("Functions that the thread is in"));
    m_framesTable->setObjectName(QStringLiteral("frames"));
    m_framesTable->horizontalHeader()->hide();
    m_framesTable->horizontalHeader()->setSectionResizeMode(FramesModel::Function, QHeaderView::Stretch);
    m_framesTable->horizontalHeader()->setSectionResizeMode(FramesModel::Where, QHeaderView::ResizeToContents);
    m_framesTable->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_framesTable->hide();
    const auto choose = [this](const QModelIndex& index) {
        if (const auto place = m_frames->placeAt(index.row()))
            emit placeChosen(*place);
    };
    connect(m_framesTable, &QTableView::clicked, this, choose);
    connect(m_framesTable, &QTableView::activated, this, choose);
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

/// A trace without variables says why: most people open one that somebody else made.
void InspectorWidget::noteVariables()
{
    const trace::SessionInfo& session = m_snapshot->catalog->session;
    m_variablesNote->setVisible(!session.variablesRecorded);
    m_variablesNote->setText(session.isOfGpu()
                                 ? tr("Recorded on %1: accesses, no variables. The simulator records them.")
                                       .arg(QString::fromStdString(session.device))
                                 : tr("This recording was made without variables."));
}

/// Values come before types where there is no room for both.
void InspectorWidget::fitVariables()
{
    constexpr double kLeastValue = 70;
    const auto widest = [this](int column) {
        double width = 0;
        for (int row = 0; row < m_variables->rowCount(); ++row)
            width = std::max(width, textWidth(m_theme->mono(12.5), m_variables->index(row, column).data().toString()));
        return width + 14;
    };
    const double names = widest(VariablesModel::Name);
    const double types = widest(VariablesModel::Type);
    const double values = std::max(kLeastValue, widest(VariablesModel::Value) +
                                                    m_variablesTable->verticalScrollBar()->sizeHint().width());
    m_variablesTable->setColumnHidden(VariablesModel::Type, names + types + values > m_variablesTable->width());
}

void InspectorWidget::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    const auto showLane = [this] {
        fitVariables();
        if (m_snapshot)
            m_lanesTable->scrollTo(m_lanes->index(m_snapshot->lane, 0));
    };
    QMetaObject::invokeMethod(this, showLane, Qt::QueuedConnection);  // when the tables have their new sizes, too
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

QLabel* InspectorWidget::addNote()
{
    auto* note = new QLabel(this);
    note->setProperty("class", QStringLiteral("note"));
    note->setWordWrap(true);
    note->hide();
    layout()->addWidget(note);
    return note;
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
    table->setHorizontalHeader(new WholeCellsHeader(table));
    table->setItemDelegate(new WholeCellsDelegate(table));
    table->setModel(model);
    table->setAccessibleName(name);
    table->setShowGrid(false);
    table->setTabKeyNavigation(false);  // Tab goes on to the next control; arrows move in the table
    table->setCornerButtonEnabled(false);
    table->setSelectionMode(QAbstractItemView::NoSelection);
    table->setEditTriggers(QAbstractItemView::NoEditTriggers);
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
    m_frames->setTheme(theme);
    m_variables->setTheme(theme);
    m_watches->setTheme(theme);
    m_lanes->setTheme(theme);
    m_variableStory->setTheme(theme);
    m_cellStory->setTheme(theme);
    fitStories();
}

void InspectorWidget::setSnapshot(const SnapshotPointer& snapshot)
{
    const bool first = !m_snapshot;
    const bool sameLane = m_snapshot && snapshot && m_snapshot->lane == snapshot->lane;
    m_snapshot = snapshot;
    const analysis::CallStack stack = snapshot ? m_threadFrames.of(*snapshot) : analysis::CallStack();
    m_frames->setStack(snapshot, stack);
    constexpr int kMostFrames = 5;
    m_framesTable->setVisible(m_frames->rowCount() > 0);
    m_framesTable->setFixedHeight(kRowHeight * std::min(m_frames->rowCount(), kMostFrames) + 4);
    m_variables->setSnapshot(snapshot, stack);
    if (!m_variablesTable->isColumnHidden(VariablesModel::Type))
        fitVariables();  // a value may have grown
    m_watches->setSnapshot(snapshot);
    m_lanes->setSnapshot(snapshot);
    if (snapshot) {
        noteVariables();
        m_threadTitle->setText(tr("Thread %1").arg(positionText(snapshot->focus.thread, snapshot->launch().block)) +
                               tr("   warp %1 · lane %2").arg(snapshot->warp).arg(snapshot->lane));
        const int active = std::popcount(snapshot->focusedWarp().active);
        m_warpTitle->setText(tr("Warp %1: all lanes").arg(snapshot->warp) + tr("   %1 active").arg(active));
        foldLanes();
        if (first || m_lanes->columnCount() != m_lanesColumns)
            m_lanesTable->resizeColumnsToContents();
        m_lanesColumns = m_lanes->columnCount();
        if (first || !sameLane)
            m_lanesTable->scrollTo(m_lanes->index(snapshot->lane, 0));
    }
    showStories();
}

/// Widths of the columns that are always as wide.
void InspectorWidget::fitStories()
{
    const QFont mono = m_theme->mono(12);
    const auto room = [](const QFont& font, const QString& text) { return qRound(textWidth(font, text)) + 14; };
    m_variableStoryTable->setColumnWidth(VariableStoryModel::When, room(m_theme->sans(12.5), tr("before")));
    m_cellStoryTable->setColumnWidth(CellStoryModel::Step, room(mono, tr("step %1").arg(100'000)));
    m_cellStoryTable->setColumnWidth(CellStoryModel::Line, room(mono, tr("line %1").arg(1000)));
}

void InspectorWidget::showStories()
{
    m_variableStory->setSnapshot(m_snapshot);
    m_cellStory->setSnapshot(m_snapshot);
    const int rows = m_variableStory->rowCount();
    m_variableStoryTitle->setText(m_variableStory->title());
    m_variableStoryTitle->setVisible(rows > 0);
    m_variableStoryTable->setVisible(rows > 0);
    m_variableStoryTable->setFixedHeight(kStoryRow * rows + 2);
    m_cellStoryTitle->setText(m_cellStory->title());
    m_cellStorySummary->setText(m_cellStory->summary());
    m_cellStorySummary->setVisible(m_snapshot != nullptr);
    m_cellStoryTitle->setVisible(!m_cellStory->title().isEmpty());
    m_cellStoryTable->setVisible(m_cellStory->rowCount() > 0);
    if (m_cellStory->currentRow() >= 0)
        m_cellStoryTable->scrollTo(m_cellStory->index(m_cellStory->currentRow(), 0));
}

}  // namespace lanescope::gui
