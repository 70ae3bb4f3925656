// SPDX-License-Identifier: GPL-3.0-or-later
// A line over the end of a text to search it with: Enter and Shift+Enter go from place to place, Esc closes.
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

    /// Lies in \p target, hidden at first.
    FindBar(QWidget* target, Finder find);
    void open();
    void find(Direction direction);
    [[nodiscard]] QLineEdit* field() const { return m_field; }
    [[nodiscard]] bool hasText() const;

protected:
    void keyPressEvent(QKeyEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void place();

    QWidget* m_target;
    Finder m_find;
    QLineEdit* m_field;
    QLabel* m_answer;
};

}  // namespace lanescope::gui
