// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/window/stage_place.h"

#include <QBoxLayout>

#include "app/gui/stage/stage_widget.h"
#include "app/gui/window/views.h"

namespace lanescope::gui {

StagePlace::StagePlace(FocusController& focus, ViewWorker& worker, const Views& views)
    : m_focus(focus), m_worker(worker), m_views(views), m_theme(&themeNamed({}))
{
}

ViewWidget* StagePlace::show(const View& view, const ViewSettings& settings)
{
    delete m_widget;
    m_views.stage->hide();
    QWidget* centre = m_views.stage->parentWidget();
    m_widget = new ViewWidget(view, m_worker, centre);
    auto* column = qobject_cast<QBoxLayout*>(centre->layout());
    column->insertWidget(column->indexOf(m_views.stage), m_widget, 1);
    m_widget->setTheme(*m_theme);
    m_widget->change(settings);
    connect(&m_focus, &FocusController::snapshotChanged, m_widget, &ViewWidget::setSnapshot);
    connect(m_widget, &ViewWidget::focusChosen, &m_focus, &FocusController::go);
    m_widget->setSnapshot(m_focus.snapshot());
    m_widget->setFocus();  // else the next widget in line would take the keys
    emit changed();
    return m_widget;
}

void StagePlace::showStage()
{
    const bool wasTaken = m_widget != nullptr;
    delete m_widget;
    m_views.stage->show();
    m_views.stage->setFocus();
    if (wasTaken)
        emit changed();
}

void StagePlace::setTheme(const Theme& theme)
{
    m_theme = &theme;
    if (m_widget)
        m_widget->setTheme(theme);
}

}  // namespace lanescope::gui
