// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/window/banner.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QProgressBar>
#include <QStyle>
#include <QToolButton>

namespace lanescope::gui {

Banner::Banner(QWidget* parent)
    : QFrame(parent), m_text(new QLabel(this)), m_progress(new QProgressBar(this)), m_action(new QToolButton(this))
{
    setObjectName(QStringLiteral("banner"));
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(12, 7, 8, 7);
    m_text->setWordWrap(true);
    m_text->setTextInteractionFlags(Qt::TextSelectableByMouse);
    row->addWidget(m_text, 1);
    m_progress->setRange(0, 0);
    m_progress->setTextVisible(false);
    m_progress->setFixedWidth(120);
    row->addWidget(m_progress);
    row->addWidget(m_action);
    m_action->setAccessibleName(tr("Action of the message"));
    m_progress->setAccessibleName(tr("Under way"));
    auto* close = new QToolButton(this);
    close->setText(QStringLiteral("✕"));
    close->setAccessibleName(tr("Close message"));
    row->addWidget(close);
    connect(close, &QToolButton::clicked, this, &QWidget::hide);
    connect(m_action, &QToolButton::clicked, this, &Banner::actionTriggered);
    hide();
}

void Banner::show(Kind kind, const QString& text, const QString& actionText)
{
    m_kind = kind;
    m_text->setText(text);
    m_progress->setVisible(kind == Kind::Busy);
    m_action->setText(actionText);
    m_action->setAccessibleName(actionText);
    m_action->setVisible(!actionText.isEmpty());
    setProperty("kind", kind == Kind::Error ? QStringLiteral("error") : QStringLiteral("info"));
    style()->unpolish(this);
    style()->polish(this);
    QFrame::show();
}

void Banner::hideInfo()
{
    if (m_kind == Kind::Info)
        hide();
}

QString Banner::text() const
{
    return m_text->text();
}

}  // namespace lanescope::gui
