// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/inspector/lanes_panel.h"

#include <QHeaderView>
#include <QLabel>
#include <QScrollBar>
#include <QTableView>
#include <QVBoxLayout>

#include <algorithm>
#include <bit>

#include "app/gui/inspector/lanes_model.h"
#include "app/gui/theme/whole_cells.h"

namespace lanescope::gui {

namespace {

constexpr int kLaneHeight = 22;       // pixels, where there is room
constexpr int kLeastLaneHeight = 12;  // below, type could not be read
constexpr int kAroundType = 2;        // between the type of two rows

}  // namespace

/// In type that has room in its rows.
class LanesDelegate : public WholeCellsDelegate {
public:
    using WholeCellsDelegate::WholeCellsDelegate;
    void setRowHeight(int pixels) { m_row = pixels; }

protected:
    void initStyleOption(QStyleOptionViewItem* option, const QModelIndex& index) const override
    {
        WholeCellsDelegate::initStyleOption(option, index);
        const int type = std::min(QFontInfo(option->font).pixelSize(), m_row - kAroundType);
        option->font.setPixelSize(type);
        option->fontMetrics = QFontMetrics(option->font);
    }

private:
    int m_row = kLaneHeight;
};

LanesPanel::LanesPanel(QWidget* parent)
    : QWidget(parent), m_lanes(new LanesModel(this)), m_title(new QLabel(this)), m_table(new QTableView(this)),
      m_delegate(new LanesDelegate(m_table))
{
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(9, 0, 8, 6);
    column->setSpacing(0);
    m_title->setObjectName(QStringLiteral("sectionTitle"));
    column->addWidget(m_title);
    m_table->setHorizontalHeader(new WholeCellsHeader(m_table));
    m_table->setItemDelegate(m_delegate);
    m_table->setModel(m_lanes);
    m_table->setAccessibleName(tr("All lanes of the warp"));
    m_table->setShowGrid(false);
    m_table->setTabKeyNavigation(false);
    m_table->setCornerButtonEnabled(false);
    m_table->setSelectionMode(QAbstractItemView::SingleSelection);
    m_table->setSelectionBehavior(QAbstractItemView::SelectRows);
    m_table->setEditTriggers(QAbstractItemView::NoEditTriggers);
    m_table->setHorizontalScrollMode(QAbstractItemView::ScrollPerPixel);
    m_table->verticalHeader()->hide();
    m_table->verticalHeader()->setSectionResizeMode(QHeaderView::Fixed);
    m_table->verticalHeader()->setMinimumSectionSize(kLeastLaneHeight);
    m_table->verticalHeader()->setDefaultSectionSize(kLaneHeight);
    column->addWidget(m_table, 1);
    const auto choose = [this](const QModelIndex& index) {
        if (const auto thread = m_lanes->threadAt(index.row()))
            emit threadChosen(*thread);
    };
    connect(m_table, &QTableView::clicked, this, choose);
    connect(m_table, &QTableView::activated, this, choose);
}

void LanesPanel::setTheme(const Theme& theme)
{
    m_lanes->setTheme(theme);
    m_columns = 0;  // type has another width
}

void LanesPanel::setSnapshot(const SnapshotPointer& snapshot)
{
    m_snapshot = snapshot;
    if (isVisible())
        show(snapshot);
}

/// What nobody sees is not filled.
void LanesPanel::showEvent(QShowEvent*)
{
    show(m_snapshot);
}

void LanesPanel::resizeEvent(QResizeEvent*)
{
    fitRows();
}

void LanesPanel::fitRows()
{
    const int room =
        m_table->height() - m_table->horizontalHeader()->height() - m_table->horizontalScrollBar()->sizeHint().height();
    const int row = std::clamp(room / kWarpSize, kLeastLaneHeight, kLaneHeight);
    if (row == m_table->verticalHeader()->defaultSectionSize())
        return;
    m_delegate->setRowHeight(row);
    m_table->verticalHeader()->setDefaultSectionSize(row);
    m_table->resizeColumnsToContents();
}

void LanesPanel::show(const SnapshotPointer& snapshot)
{
    if (!snapshot)
        return;
    m_lanes->setSnapshot(snapshot);
    fitRows();
    m_title->setText(tr("Warp %1   %2 active").arg(snapshot->warp).arg(std::popcount(snapshot->focusedWarp().active)));
    if (m_lanes->columnCount() != m_columns)
        m_table->resizeColumnsToContents();
    m_columns = m_lanes->columnCount();
    m_table->scrollTo(m_lanes->index(snapshot->lane, 0));
}

}  // namespace lanescope::gui
