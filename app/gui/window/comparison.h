// SPDX-License-Identifier: GPL-3.0-or-later
// A second recording beside the one that is open, in the stage's place; it keeps step.
#pragma once

#include <QObject>
#include <QPointer>

#include "app/gui/window/actions.h"
#include "app/gui/window/stage_place.h"

namespace lanescope::gui {

class Comparison : public QObject {
    Q_OBJECT

public:
    /// All must outlive it.
    Comparison(StagePlace& place, const Actions& actions, const Views& views);

    /// Shows the trace at \p path beside the open one; empty: the stage alone again.
    void with(const QString& path);
    /// Null while nothing is compared.
    [[nodiscard]] ViewWidget* widget() const { return m_widget; }

private:
    void toggle(bool on);

    StagePlace& m_place;
    const Actions& m_actions;
    const Views& m_views;
    QPointer<ViewWidget> m_widget;
};

}  // namespace lanescope::gui
