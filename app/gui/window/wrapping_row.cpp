// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/window/wrapping_row.h"

namespace lanescope::gui {

WrappingRow::~WrappingRow()
{
    qDeleteAll(m_items);
}

QLayoutItem* WrappingRow::takeAt(int index)
{
    return index >= 0 && index < count() ? m_items.takeAt(index) : nullptr;
}

int WrappingRow::heightForWidth(int width) const
{
    return place(QRect(0, 0, width, 0), false);
}

QSize WrappingRow::sizeHint() const
{
    int width = 0;
    int height = 0;
    for (const QLayoutItem* item : m_items) {
        width += item->sizeHint().width() + spacing();
        height = std::max(height, item->sizeHint().height());
    }
    const QMargins margins = contentsMargins();
    return {std::max(0, width - spacing()) + margins.left() + margins.right(),
            height + margins.top() + margins.bottom()};
}

QSize WrappingRow::minimumSize() const
{
    QSize size;
    for (const QLayoutItem* item : m_items)
        size = size.expandedTo(item->minimumSize());
    const QMargins margins = contentsMargins();
    return size + QSize(margins.left() + margins.right(), margins.top() + margins.bottom());
}

void WrappingRow::setGeometry(const QRect& area)
{
    QLayout::setGeometry(area);
    place(area, true);
}

int WrappingRow::place(const QRect& area, bool move) const
{
    const QMargins margins = contentsMargins();
    const QRect inside = area.marginsRemoved(margins);
    QPoint at = inside.topLeft();
    int lineHeight = 0;
    for (QLayoutItem* item : m_items) {
        const QSize size = item->sizeHint();
        if (at.x() > inside.left() && at.x() + size.width() > inside.left() + inside.width()) {
            at = {inside.left(), at.y() + lineHeight + spacing()};
            lineHeight = 0;
        }
        if (move)
            item->setGeometry({at, size});
        at.rx() += size.width() + spacing();
        lineHeight = std::max(lineHeight, size.height());
    }
    return at.y() + lineHeight + margins.bottom() - area.top();
}

}  // namespace lanescope::gui
