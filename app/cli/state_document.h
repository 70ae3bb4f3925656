// SPDX-License-Identifier: GPL-3.0-or-later
// One block at one step, as a document: what the window shows.
#pragma once

#include <string>
#include <vector>

#include "app/cli/json_text.h"
#include "core/base/result.h"
#include "core/replay/replay.h"

namespace lanescope::cli {

/// The text without its block, for looking at several blocks in turn.
std::string withoutBlock(const std::string& text);

/// {focus, launch, kernel, block, step, steps, epoch, line, warps, threads, buffers}. Lists only the buffers called
/// \p buffer unless it is empty.
Result<Json> stateDocument(replay::Session& session, replay::BlockCursor& cursor, const replay::Focus& focus,
                           const std::string& buffer);

/// The same for people: matrices of values, "." for cells nobody has written.
std::string stateText(const Json& state);

}  // namespace lanescope::cli
