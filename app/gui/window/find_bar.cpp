// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/window/find_bar.h"

#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>

namespace lanescope::gui {

FindBar::FindBar(QWidget* target, Finder find)
    : QWidget(target), m_target(target), m_find(std::move(find)), m_field(new QLineEdit(this)),
      m_answer(new QLabel(this))
{
    setAttribute(Qt::WA_StyledBackground);
    m_field->setAccessibleName(tr("Find in %1").arg(target->accessibleName()));
    m_field->setPlaceholderText(tr("Find: Enter on, Shift+Enter back, Esc closes"));
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(6, 4, 6, 4);
    row->addWidget(m_field, 1);
    row->addWidget(m_answer);
    connect(m_field, &QLineEdit::textEdited, this, [this] { this->find(Direction::Forward); });
    target->installEventFilter(this);
    hide();
}

/// Over the last lines, so that nothing else gives way.
void FindBar::place()
{
    const int height = sizeHint().height();
    setGeometry(0, m_target->height() - height, m_target->width(), height);
}

bool FindBar::eventFilter(QObject* watched, QEvent* event)
{
    if (watched == m_target && event->type() == QEvent::Resize)
        place();
    return QWidget::eventFilter(watched, event);
}

bool FindBar::hasText() const
{
    return !m_field->text().isEmpty();
}

void FindBar::open()
{
    place();
    show();
    raise();
    m_field->setFocus();
    m_field->selectAll();
}

void FindBar::find(Direction direction)
{
    if (!hasText())
        return m_answer->clear();
    m_answer->setText(m_find(m_field->text(), direction) ? QString() : tr("not found"));
}

void FindBar::keyPressEvent(QKeyEvent* event)
{
    const bool isBack = (event->modifiers() & Qt::ShiftModifier) != 0;
    switch (event->key()) {
    case Qt::Key_Return:
    case Qt::Key_Enter:
        return find(isBack ? Direction::Backward : Direction::Forward);
    case Qt::Key_Escape:
        hide();
        return m_target->setFocus();
    default:
        QWidget::keyPressEvent(event);
    }
}

}  // namespace lanescope::gui
