// SPDX-License-Identifier: GPL-3.0-or-later
// A line under a text to search it with: Enter and Shift+Enter go from place to place, Esc closes.
#pragma once

#include <QWidget>

#include <functional>

#include "app/gui/engine/step_target.h"

class QLabel;
class QLineEdit;

namespace lanescope::gui {

class FindBar : public QWidget {
    Q_OBJECT

public:
    /// \p find selects the next place of a text, around the end; false: there is none.
    using Finder = std::function<bool(const QString& text, Direction direction)>;

    /// A widget with \p target over its bar, hidden at first.
    static QWidget* under(QWidget* target, Finder find, FindBar** bar);
    void open();
    void find(Direction direction);
    [[nodiscard]] QLineEdit* field() const { return m_field; }
    [[nodiscard]] bool hasText() const;

protected:
    void keyPressEvent(QKeyEvent* event) override;

private:
    FindBar(QWidget* target, Finder find, QWidget* parent);

    QWidget* m_target;
    Finder m_find;
    QLineEdit* m_field;
    QLabel* m_answer;
};

}  // namespace lanescope::gui
