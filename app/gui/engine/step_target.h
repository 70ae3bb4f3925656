// SPDX-License-Identifier: GPL-3.0-or-later
// Where a stepping key leads from a focus. Used by the window's engine, `render --from --to --by` and tests.
#pragma once

#include <QString>

#include "app/gui/engine/breakpoint.h"
#include "app/gui/engine/snapshot_builder.h"

namespace lanescope::gui {

enum class StepUnit : uint8_t { Event, Access, Line, Epoch, Breakpoint, End, Block, CellWrite, CellRead };
enum class Direction : uint8_t { Forward, Backward };

/// The step of this block to go to, or none when there is no further one in that direction.
Result<std::optional<StepIndex>> stepTarget(SnapshotBuilder& builder, const replay::Focus& focus, StepUnit unit,
                                            Direction direction, const Stops& stops);

/// The same for any unit; of Block, the recorded block after or before this one, at the same step of it; of CellWrite
/// and CellRead, just after the next or previous write or read of the selected cell, at the thread that did it. Runs
/// that end at a watched cell are at its writer, too.
Result<std::optional<replay::Focus>> focusTarget(SnapshotBuilder& builder, const replay::Focus& focus, StepUnit unit,
                                                 Direction direction, const Stops& stops);

/// Where the focused warp next, or last, comes to \p line (source id, 1-based line).
Result<std::optional<replay::Focus>> lineTarget(SnapshotBuilder& builder, const replay::Focus& focus,
                                                std::pair<uint32_t, uint32_t> line, Direction direction);

/// Just after the focused thread's next or previous write of \p variable.
Result<std::optional<replay::Focus>> variableTarget(SnapshotBuilder& builder, const replay::Focus& focus,
                                                    VariableId variable, Direction direction);

/// Why there is no target, and what to do about it: for the status bar.
QString refusalText(const replay::Focus& focus, StepUnit unit, Direction direction, const Stops& stops);

/// Where a newcomer starts: Session::openingFocus with the statement there just run, so that its arrows are seen,
/// and a thread in the middle of the block where one takes part.
Result<replay::Focus> openingView(SnapshotBuilder& builder);

/// "line", "access", "epoch", "event", "block"; none for another word.
std::optional<StepUnit> stepUnitNamed(const std::string& name);

}  // namespace lanescope::gui
