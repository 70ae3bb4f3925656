// SPDX-License-Identifier: GPL-3.0-or-later
// Under the stage while a tour plays: what this stop shows, and the way on.
#pragma once

#include <QFrame>

#include "core/tour/tour.h"

class QLabel;
class QToolButton;

namespace lanescope::gui {

class TourBar : public QFrame {
    Q_OBJECT

public:
    explicit TourBar(QWidget* parent = nullptr);
    /// Stop \p index of \p count.
    void show(const tour::Stop& stop, size_t index, size_t count);
    [[nodiscard]] QString caption() const;

signals:
    void nextWanted();
    void previousWanted();
    void endWanted();

private:
    QLabel* m_title;
    QLabel* m_caption;
    QLabel* m_position;
    QToolButton* m_previous;
    QToolButton* m_next;
};

}  // namespace lanescope::gui
