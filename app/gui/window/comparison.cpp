// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/window/comparison.h"

#include <QBoxLayout>
#include <QFileDialog>

#include "app/gui/stage/stage_widget.h"
#include "app/gui/views/compare/compare_view.h"
#include "app/gui/window/views.h"

namespace lanescope::gui {

Comparison::Comparison(FocusController& focus, ViewWorker& worker, const Actions& actions, const Views& views)
    : m_focus(focus), m_worker(worker), m_actions(actions), m_views(views)
{
    connect(m_actions[Command::Compare], &QAction::toggled, this, &Comparison::toggle);
    // A tour needs the place, and has seen to what is shown there.
    connect(m_actions[Command::Tour], &QAction::toggled, this, [this](bool on) {
        if (!on)
            return;
        delete m_widget;
        m_actions[Command::Compare]->setChecked(false);
    });
}

void Comparison::toggle(bool on)
{
    if (on == (m_widget != nullptr))
        return;
    with(on ? QFileDialog::getOpenFileName(m_views.stage->window(), tr("Compare with another recording"), {},
                                           tr("Traces (*.lanes)"))
            : QString());
}

void Comparison::with(const QString& path)
{
    delete m_widget;
    m_views.stage->setVisible(path.isEmpty());
    if (!path.isEmpty()) {
        m_actions[Command::Tour]->setChecked(false);
        QWidget* centre = m_views.stage->parentWidget();
        m_widget = new ViewWidget(compareView(), m_worker, centre);
        auto* column = qobject_cast<QBoxLayout*>(centre->layout());
        column->insertWidget(column->indexOf(m_views.stage), m_widget, 1);
        if (m_theme)
            m_widget->setTheme(*m_theme);
        ViewSettings settings;
        settings.compareWith = path.toStdString();
        m_widget->change(settings);
        connect(&m_focus, &FocusController::snapshotChanged, m_widget, &ViewWidget::setSnapshot);
        m_widget->setSnapshot(m_focus.snapshot());
    }
    m_actions[Command::Compare]->setChecked(m_widget != nullptr);
    (m_widget ? static_cast<QWidget*>(m_widget) : m_views.stage)->setFocus();
}

void Comparison::setTheme(const Theme& theme)
{
    m_theme = &theme;
    if (m_widget)
        m_widget->setTheme(theme);
}

}  // namespace lanescope::gui
