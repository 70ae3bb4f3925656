// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/window/tour_player.h"

#include <QDockWidget>

#include "app/gui/stage/stage_widget.h"
#include "app/gui/tour/tour_bar.h"
#include "app/gui/tour/tour_library.h"
#include "app/gui/views/view.h"
#include "app/gui/window/banner.h"
#include "app/gui/window/views.h"

namespace lanescope::gui {

TourPlayer::TourPlayer(Engine& engine, FocusController& focus, StagePlace& place, const Actions& actions,
                       const Views& views)
    : m_focus(focus), m_place(place), m_actions(actions), m_views(views)
{
    connect(&engine, &Engine::stopPlaced, this, &TourPlayer::aim);
    connect(m_actions[Command::Tour], &QAction::toggled, this, &TourPlayer::play);
    connect(m_actions[Command::TourNext], &QAction::triggered, this, &TourPlayer::next);
    connect(m_actions[Command::TourPrevious], &QAction::triggered, this, &TourPlayer::previous);
    connect(m_views.tourBar, &TourBar::nextWanted, this, &TourPlayer::next);
    connect(m_views.tourBar, &TourBar::previousWanted, this, &TourPlayer::previous);
    connect(m_views.tourBar, &TourBar::endWanted, this, [this] { m_actions[Command::Tour]->setChecked(false); });
    // After the lecture has put its own layout back, which may be one of the tour's.
    connect(
        m_actions[Command::Lecture], &QAction::toggled, this,
        [this](bool on) {
            if (!on && !m_position)
                giveBackRoom();
        },
        Qt::QueuedConnection);
    setProgram({});
}

void TourPlayer::setProgram(const QString& program)
{
    if (!program.isEmpty() && program == m_program)
        return;
    m_actions[Command::Tour]->setChecked(false);
    m_program = program;
    m_tour = program.isEmpty() ? std::nullopt : tourThrough(program);
    m_actions[Command::Tour]->setVisible(m_tour.has_value());
    m_actions[Command::Tour]->setEnabled(m_tour.has_value());
    if (m_tour)
        m_actions[Command::Tour]->setToolTip(tr("Guided tour: %1 (G)").arg(QString::fromStdString(m_tour->title)));
}

void TourPlayer::play(bool on)
{
    m_actions.setTouring(on);
    if (on && m_tour) {
        m_views.banner->hideInfo();
        makeRoom();
        for (const auto& [command, overlay] : Actions::overlays())
            m_overlays[command] = m_actions[command]->isChecked();
        return goTo(0);
    }
    for (const auto& [command, shown] : m_overlays)
        m_actions[command]->setChecked(shown);
    m_overlays.clear();
    giveBackRoom();
    m_position.reset();
    m_views.tourBar->hide();
    showView({});
    m_views.stage->setCamera({});
}

/// In a small window the stage and the source get what the other docks have.
void TourPlayer::makeRoom()
{
    constexpr QSize kEnough(1700, 1000);  // pixels at type scale 1
    const QWidget* window = m_views.stage->window();
    if (QSizeF(window->size()).width() >= kEnough.width() * m_theme->typeScale &&
        QSizeF(window->size()).height() >= kEnough.height() * m_theme->typeScale)
        return;
    for (QDockWidget* dock : m_views.docks) {
        if (dock == m_views.sourceDock || dock->isHidden() || dock->isFloating())
            continue;
        m_hidden.push_back(dock);
        dock->hide();
    }
}

void TourPlayer::giveBackRoom()
{
    if (m_actions[Command::Lecture]->isChecked())
        return;  // when the lecture ends
    for (QDockWidget* dock : m_hidden)
        dock->show();
    m_hidden.clear();
}

void TourPlayer::next()
{
    if (m_position && *m_position + 1 < m_tour->stops.size())
        goTo(*m_position + 1);
}

void TourPlayer::previous()
{
    if (m_position && *m_position > 0)
        goTo(*m_position - 1);
}

void TourPlayer::goTo(size_t stop)
{
    m_position = stop;
    const tour::Stop& shown = m_tour->stops[stop];
    m_views.tourBar->show(shown, stop, m_tour->stops.size());
    showOverlays(shown.overlays);
    showView(shown.view);
    m_focus.goToStop(shown);
}

/// The named analysis in the stage's place; the stage when none is named.
void TourPlayer::showView(const std::string& name)
{
    if (const View* view = viewNamed(QString::fromStdString(name)))
        m_place.show(*view, {});
    else
        m_place.showStage();
}

void TourPlayer::setTheme(const Theme& theme)
{
    m_theme = &theme;
}

void TourPlayer::showOverlays(const std::vector<std::string>& names)
{
    const auto wanted = overlaysNamed(names);
    for (const auto& [command, overlay] : Actions::overlays()) {
        const bool usual = overlay == Overlay::Race || overlay == Overlay::Bounds;
        m_actions[command]->setChecked(usual || (wanted && wanted.value().contains(overlay)));
    }
}

void TourPlayer::aim(const tour::Place& place)
{
    if (m_position)
        m_views.stage->setCamera({place.camera, place.threads, place.blocks});
}

}  // namespace lanescope::gui
