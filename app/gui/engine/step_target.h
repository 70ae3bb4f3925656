// SPDX-License-Identifier: GPL-3.0-or-later
// Where a stepping key leads from a focus. Used by the window's engine, `render --from --to --by` and tests.
#pragma once

#include "app/gui/engine/breakpoint.h"
#include "app/gui/engine/snapshot_builder.h"

namespace lanescope::gui {

enum class StepUnit : uint8_t { Event, Access, Line, Epoch, Breakpoint, End, Block, CellWrite };
enum class Direction : uint8_t { Forward, Backward };

/// The step of this block to go to, or none when there is no further one in that direction.
Result<std::optional<StepIndex>> stepTarget(SnapshotBuilder& builder, const replay::Focus& focus, StepUnit unit,
                                            Direction direction, const Breakpoints& breakpoints);

/// The same for any unit; of Block, the recorded block after or before this one, at the same step of it;
/// of CellWrite, just after the next or previous write of the selected cell, at the thread that wrote it.
Result<std::optional<replay::Focus>> focusTarget(SnapshotBuilder& builder, const replay::Focus& focus, StepUnit unit,
                                                 Direction direction, const Breakpoints& breakpoints);

/// Where a newcomer starts: Session::openingFocus with the statement there just run, so that its arrows are seen,
/// and a thread in the middle of the block where one takes part.
Result<replay::Focus> openingView(SnapshotBuilder& builder);

/// "line", "access", "epoch", "event", "block"; none for another word.
std::optional<StepUnit> stepUnitNamed(const std::string& name);

}  // namespace lanescope::gui
