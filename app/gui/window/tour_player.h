// SPDX-License-Identifier: GPL-3.0-or-later
// Plays a tour in the window: each stop sets focus, camera and overlays, or shows an analysis in the stage's place, and
// says its caption.
#pragma once

#include <QDockWidget>
#include <QObject>
#include <QPointer>

#include <optional>

#include "app/gui/engine/focus_controller.h"
#include "app/gui/window/actions.h"
#include "app/gui/window/stage_place.h"
#include "core/tour/tour.h"

namespace lanescope::gui {

class TourPlayer : public QObject {
    Q_OBJECT

public:
    /// All must outlive the player.
    TourPlayer(Engine& engine, FocusController& focus, StagePlace& place, const Actions& actions, const Views& views);

    void setTheme(const Theme& theme);

    /// The program that is shown now, its recording finished; ends a tour through another one.
    void setProgram(const QString& program);
    [[nodiscard]] const tour::Tour* tour() const { return m_tour ? &*m_tour : nullptr; }
    /// Of the stop that is shown; none while no tour plays.
    [[nodiscard]] std::optional<size_t> position() const { return m_position; }

public slots:
    void play(bool on);
    void next();
    void previous();

private:
    void goTo(size_t stop);
    void makeRoom();
    void giveBackRoom();
    void showView(const std::string& name);
    void showOverlays(const std::vector<std::string>& names);
    void aim(const lanescope::tour::Place& place);

    FocusController& m_focus;
    StagePlace& m_place;
    const Actions& m_actions;
    const Views& m_views;
    QString m_program;
    std::optional<tour::Tour> m_tour;
    std::map<Command, bool> m_overlays;  ///< as they were before the tour
    std::optional<size_t> m_position;
    const Theme* m_theme = nullptr;
    std::vector<QPointer<QDockWidget>> m_hidden;  ///< by the tour
};

}  // namespace lanescope::gui
