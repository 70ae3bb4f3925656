// SPDX-License-Identifier: GPL-3.0-or-later
// Lists and tables without half letters: what the edge of the view would cut is elided or waits until one scrolls
// there.
#pragma once

#include <QHeaderView>
#include <QStyledItemDelegate>

namespace lanescope::gui {

/// In tables it paints single lines of text as the style does, from lines that are laid out once (text_line.h):
/// hundreds of cells are painted at each step.
class WholeCellsDelegate : public QStyledItemDelegate {
public:
    using QStyledItemDelegate::QStyledItemDelegate;
    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override;
    [[nodiscard]] QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;
};

class WholeCellsHeader : public QHeaderView {
public:
    /// Of columns.
    explicit WholeCellsHeader(QWidget* parent);

protected:
    void paintSection(QPainter* painter, const QRect& area, int column) const override;
};

}  // namespace lanescope::gui
