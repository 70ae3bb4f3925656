// SPDX-License-Identifier: GPL-3.0-or-later
// A message across the top of the window that blocks nothing: what happened and what to do.
#pragma once

#include <QFrame>

class QLabel;
class QProgressBar;
class QToolButton;

namespace lanescope::gui {

class Banner : public QFrame {
    Q_OBJECT

public:
    enum class Kind : uint8_t { Info, Error, Busy };

    explicit Banner(QWidget* parent = nullptr);
    /// \p actionText: a button, which emits actionTriggered(); empty = none.
    void show(Kind kind, const QString& text, const QString& actionText = {});
    [[nodiscard]] QString text() const;
    /// Hides what is only for information.
    void hideInfo();

signals:
    void actionTriggered();

private:
    Kind m_kind = Kind::Info;
    QLabel* m_text;
    QProgressBar* m_progress;
    QToolButton* m_action;
};

}  // namespace lanescope::gui
