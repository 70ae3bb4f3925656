// SPDX-License-Identifier: GPL-3.0-or-later
// Keeps two recordings in step: naive against tiled, before and after a fix.
#pragma once

#include "app/gui/engine/snapshot_builder.h"

namespace lanescope::gui {

/// Where \p other is when it keeps step with \p leader: the launch of the same number, the block and thread at the same
/// place (in proportion, where the grids differ), and as far into the same epoch; as far into the whole run where the
/// numbers of epochs differ. Errors: the other trace holds no block yet, or cannot be read.
Result<replay::Focus> inStep(SnapshotBuilder& other, const Snapshot& leader);

}  // namespace lanescope::gui
