// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/window/find_bar.h"

#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QVBoxLayout>

namespace lanescope::gui {

QWidget* FindBar::under(QWidget* target, Finder find, FindBar** bar)
{
    auto* both = new QWidget(target->parentWidget());
    auto* column = new QVBoxLayout(both);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(target, 1);
    *bar = new FindBar(target, std::move(find), both);
    column->addWidget(*bar);
    return both;
}

FindBar::FindBar(QWidget* target, Finder find, QWidget* parent)
    : QWidget(parent), m_target(target), m_find(std::move(find)), m_field(new QLineEdit(this)),
      m_answer(new QLabel(this))
{
    m_field->setAccessibleName(tr("Find in %1").arg(target->accessibleName()));
    m_field->setPlaceholderText(tr("Find: Enter on, Shift+Enter back, Esc closes"));
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(6, 4, 6, 4);
    row->addWidget(m_field, 1);
    row->addWidget(m_answer);
    connect(m_field, &QLineEdit::textEdited, this, [this] { this->find(Direction::Forward); });
    hide();
}

bool FindBar::hasText() const
{
    return !m_field->text().isEmpty();
}

void FindBar::open()
{
    show();
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
