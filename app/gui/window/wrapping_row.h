// SPDX-License-Identifier: GPL-3.0-or-later
// Widgets in a row that goes on in the next line where the window is too narrow for it.
#pragma once

#include <QLayout>

namespace lanescope::gui {

class WrappingRow final : public QLayout {
public:
    explicit WrappingRow(QWidget* parent) : QLayout(parent) {}
    ~WrappingRow() override;
    WrappingRow(const WrappingRow&) = delete;
    WrappingRow& operator=(const WrappingRow&) = delete;

    void addItem(QLayoutItem* item) override { m_items.append(item); }
    int count() const override { return static_cast<int>(m_items.size()); }
    QLayoutItem* itemAt(int index) const override { return m_items.value(index); }
    QLayoutItem* takeAt(int index) override;
    Qt::Orientations expandingDirections() const override { return {}; }
    bool hasHeightForWidth() const override { return true; }
    int heightForWidth(int width) const override;
    QSize sizeHint() const override;
    /// As wide as the widest of them.
    QSize minimumSize() const override;
    void setGeometry(const QRect& area) override;

private:
    /// Where each item goes in \p area; the height that they take.
    int place(const QRect& area, bool move) const;

    QList<QLayoutItem*> m_items;
};

}  // namespace lanescope::gui
