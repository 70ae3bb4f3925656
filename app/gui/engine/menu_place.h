// SPDX-License-Identifier: GPL-3.0-or-later
// What a menu was asked for on: every view names it alike, and the window offers the same for it everywhere.
#pragma once

#include <optional>

#include "app/gui/engine/breakpoint.h"

namespace lanescope::gui {

/// The parts that are known; of several the innermost is meant.
struct MenuPlace {
    std::optional<WatchedCell> cell;
    std::optional<VariableId> variable;  ///< of `thread`, else of the focused one
    std::optional<Dim3> thread;          ///< of the focused block
    std::optional<Dim3> block;
};

}  // namespace lanescope::gui
