// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/theme/whole_cells.h"

#include <QAbstractItemView>

namespace lanescope::gui {

namespace {

constexpr int kNarrowest = 28;  // pixels, for a letter and an ellipsis

/// The part of \p area within \p view; empty where it shows nothing worth showing.
QRect partOf(const QRect& area, const QRect& view)
{
    if (area.top() < view.top() || area.bottom() > view.bottom())
        return {};
    const QRect part = area.intersected(view);
    return part == area || part.width() >= kNarrowest ? part : QRect();
}

/// A number without its last digits is another number.
bool isCutNumber(const QStyleOptionViewItem& shown, const QModelIndex& index)
{
    constexpr int kPadding = 10;  // of the style, both sides
    const QString text = index.data(Qt::DisplayRole).toString();
    bool isNumber = false;
    text.toDouble(&isNumber);
    const QVariant font = index.data(Qt::FontRole);
    const QFontMetrics metrics(font.isValid() ? font.value<QFont>() : shown.font);
    return isNumber && metrics.horizontalAdvance(text) + kPadding > shown.rect.width();
}

}  // namespace

void WholeCellsDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const
{
    const auto* view = qobject_cast<const QAbstractItemView*>(option.widget);
    QStyleOptionViewItem shown = option;
    shown.rect = view != nullptr ? partOf(option.rect, view->viewport()->rect()) : option.rect;
    if (shown.rect.width() < option.rect.width() && isCutNumber(shown, index))
        return;
    if (!shown.rect.isEmpty())
        QStyledItemDelegate::paint(painter, shown, index);
}

WholeCellsHeader::WholeCellsHeader(QWidget* parent) : QHeaderView(Qt::Horizontal, parent) {}

void WholeCellsHeader::paintSection(QPainter* painter, const QRect& area, int column) const
{
    constexpr int kPadding = 12;  // of the style sheet, both sides
    const QRect shown = partOf(area, viewport()->rect());
    const QString text = model()->headerData(column, Qt::Horizontal).toString();
    if (shown == area || fontMetrics().horizontalAdvance(text) + kPadding <= shown.width())
        QHeaderView::paintSection(painter, shown, column);
}

}  // namespace lanescope::gui
