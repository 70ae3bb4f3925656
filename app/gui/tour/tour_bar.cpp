// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/tour/tour_bar.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QToolButton>
#include <QVBoxLayout>

namespace lanescope::gui {

namespace {

QToolButton* addButton(QWidget* parent, QLayout* row, const QString& text, const QString& name)
{
    auto* button = new QToolButton(parent);
    button->setText(text);
    button->setAccessibleName(name);
    button->setToolTip(name);
    button->setFocusPolicy(Qt::TabFocus);
    row->addWidget(button);
    return button;
}

}  // namespace

TourBar::TourBar(QWidget* parent) : QFrame(parent)
{
    setObjectName(QStringLiteral("tourBar"));
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(18, 8, 10, 12);
    column->setSpacing(2);
    auto* row = new QHBoxLayout;
    m_title = new QLabel(this);
    m_title->setObjectName(QStringLiteral("tourTitle"));
    row->addWidget(m_title, 1);
    m_position = new QLabel(this);
    m_position->setObjectName(QStringLiteral("tourPosition"));
    row->addWidget(m_position);
    m_previous = addButton(this, row, QStringLiteral("◀"), tr("Previous stop (Shift+N)"));
    m_next = addButton(this, row, QStringLiteral("▶"), tr("Next stop (N)"));
    QToolButton* end = addButton(this, row, QStringLiteral("✕"), tr("End the tour (G)"));
    column->addLayout(row);
    m_caption = new QLabel(this);
    m_caption->setObjectName(QStringLiteral("tourCaption"));
    column->addWidget(m_caption);
    for (QLabel* label : {m_title, m_caption}) {
        label->setWordWrap(true);
        label->setTextFormat(Qt::PlainText);
    }
    connect(m_previous, &QToolButton::clicked, this, &TourBar::previousWanted);
    connect(m_next, &QToolButton::clicked, this, &TourBar::nextWanted);
    connect(end, &QToolButton::clicked, this, &TourBar::endWanted);
    hide();
}

void TourBar::show(const tour::Stop& stop, size_t index, size_t count)
{
    m_title->setText(QString::fromStdString(stop.title));
    m_caption->setText(QString::fromStdString(stop.caption));
    m_position->setText(tr("%1 of %2").arg(index + 1).arg(count));
    m_previous->setEnabled(index > 0);
    m_next->setEnabled(index + 1 < count);
    setAccessibleName(m_title->text());
    setAccessibleDescription(m_caption->text());
    QFrame::show();
}

QString TourBar::caption() const
{
    return m_caption->text();
}

}  // namespace lanescope::gui
