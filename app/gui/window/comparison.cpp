// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/window/comparison.h"

#include <QFileDialog>

#include "app/gui/stage/stage_widget.h"
#include "app/gui/views/compare/compare_view.h"
#include "app/gui/window/views.h"

namespace lanescope::gui {

Comparison::Comparison(StagePlace& place, const Actions& actions, const Views& views)
    : m_place(place), m_actions(actions), m_views(views)
{
    connect(m_actions[Command::Compare], &QAction::toggled, this, &Comparison::toggle);
    // A tour may have taken the place.
    connect(&m_place, &StagePlace::changed, this,
            [this] { m_actions[Command::Compare]->setChecked(m_widget != nullptr); });
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
    if (path.isEmpty()) {
        if (m_widget)
            m_place.showStage();
    } else {
        m_actions[Command::Tour]->setChecked(false);
        ViewSettings settings;
        settings.compareWith = path.toStdString();
        m_widget = m_place.show(compareView(), settings);
    }
    m_actions[Command::Compare]->setChecked(m_widget != nullptr);
}

}  // namespace lanescope::gui
