// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/theme/whole_cells.h"

#include <QTableView>

#include <cmath>

#include "app/gui/theme/text_line.h"

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
bool isCutNumber(const QStyleOptionViewItem& shown)
{
    constexpr int kPadding = 10;  // of the style, both sides
    bool isNumber = false;
    shown.text.toDouble(&isNumber);
    return isNumber && textWidth(shown.font, shown.text) + kPadding > shown.rect.width();
}

int textMargin(const QStyleOptionViewItem& item)
{
    return item.widget->style()->pixelMetric(QStyle::PM_FocusFrameHMargin, nullptr, item.widget) + 1;
}

QRect textBox(const QStyleOptionViewItem& item)
{
    const int margin = textMargin(item);
    return item.rect.adjusted(margin, 0, -margin, 0);
}

/// Nothing but one line of text, from left to right, if there is room for it.
bool isLine(const QStyleOptionViewItem& item)
{
    using Item = QStyleOptionViewItem;
    return (item.features & (Item::HasDecoration | Item::HasCheckIndicator)) == 0 &&
           item.direction == Qt::LeftToRight && !item.text.contains(u'\n') && !item.text.contains(QChar::LineSeparator);
}

bool mayBreak(const QStyleOptionViewItem& item)
{
    return item.features.testFlag(QStyleOptionViewItem::WrapText) &&
           textWidth(item.font, item.text) > textBox(item).width();
}

/// As QCommonStyle.
void paintLine(QPainter& painter, const QStyleOptionViewItem& item)
{
    const QWidget* const widget = item.widget;
    const bool isChosen = item.state.testFlag(QStyle::State_Selected);
    painter.save();
    painter.setClipRect(item.rect);
    if (isChosen || item.backgroundBrush.style() != Qt::NoBrush || item.state.testFlag(QStyle::State_MouseOver))
        widget->style()->drawPrimitive(QStyle::PE_PanelItemViewItem, &item, &painter, widget);
    if (!item.text.isEmpty()) {
        const auto group = !item.state.testFlag(QStyle::State_Enabled)  ? QPalette::Disabled
                           : !item.state.testFlag(QStyle::State_Active) ? QPalette::Inactive
                                                                        : QPalette::Normal;
        painter.setPen(item.palette.color(group, isChosen ? QPalette::HighlightedText : QPalette::Text));
        painter.setFont(item.font);
        const QRect box = textBox(item);
        drawTextLine(painter, box, item.displayAlignment, elided(item.font, item.text, box.width()));
    }
    painter.restore();
}

}  // namespace

void WholeCellsDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const
{
    const auto* view = qobject_cast<const QAbstractItemView*>(option.widget);
    const bool isTable = qobject_cast<const QTableView*>(option.widget) != nullptr;
    QStyleOptionViewItem shown = option;
    shown.rect = view != nullptr ? partOf(option.rect, view->viewport()->rect()) : option.rect;
    if (shown.rect.isEmpty())
        return;
    QStyleOptionViewItem item = shown;
    initStyleOption(&item, index);
    if (item.rect.width() < option.rect.width() && isCutNumber(item))
        return;
    if (isTable && isLine(item) && !mayBreak(item) && !item.state.testFlag(QStyle::State_HasFocus))
        paintLine(*painter, item);
    else
        QStyledItemDelegate::paint(painter, shown, index);
}

QSize WholeCellsDelegate::sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const
{
    QStyleOptionViewItem item = option;
    initStyleOption(&item, index);
    // Headers ask for all cells of a column whenever one changes.
    if (qobject_cast<const QTableView*>(option.widget) == nullptr || !isLine(item))
        return QStyledItemDelegate::sizeHint(option, index);
    return {static_cast<int>(std::ceil(textWidth(item.font, item.text))) + 2 * textMargin(item),
            QFontMetrics(item.font).height()};
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
