// SPDX-License-Identifier: GPL-3.0-or-later
// The parts of a snapshot that hold for a whole block: timeline rows, epochs, accesses per line.
#pragma once

#include "app/gui/engine/snapshot.h"

namespace lanescope::gui {

/// Rows of the focused block's warps; a block of one warp is shown among its neighbours.
/// \p findings are flagged. Cost: one pass over the block's events, the first time; where \p last, which may be null,
/// is of a block that does the same, none.
Result<std::shared_ptr<const BlockOverview>> buildOverview(replay::Session& session, replay::BlockCursor& cursor,
                                                           const std::vector<trace::Finding>& findings,
                                                           const BlockOverview* last);

}  // namespace lanescope::gui
