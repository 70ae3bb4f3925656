// SPDX-License-Identifier: GPL-3.0-or-later
// The selected cell's story as rich text: value, last write, and links ("step:12") through its history.
#pragma once

#include <QString>

#include "app/gui/engine/snapshot.h"
#include "app/gui/theme/theme.h"

namespace lanescope::gui {

/// The accesses around a step that people jump to.
struct CellNeighbours {
    std::optional<replay::CellAccess> lastWrite;      ///< before the step: what the value comes from
    std::optional<replay::CellAccess> previousWrite;  ///< before lastWrite
    std::optional<replay::CellAccess> previousRead;
    std::optional<replay::CellAccess> nextRead;
    std::optional<replay::CellAccess> nextWrite;

    static CellNeighbours of(const CellView& cell, StepIndex step);
};

/// The shown variable of the focused thread: its value, where it was set and from what, and links to its other values.
/// Empty where nothing is known.
QString variableHtml(const Snapshot& snapshot, const Theme& theme);
/// Without a selected cell: how to select one.
QString cellHtml(const Snapshot& snapshot, const Theme& theme);

}  // namespace lanescope::gui
