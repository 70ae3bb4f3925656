// SPDX-License-Identifier: GPL-3.0-or-later
// One block at one step, as a document: what the window shows.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/cli/json_text.h"
#include "core/base/result.h"
#include "core/replay/replay.h"

namespace lanescope::cli {

/// A FOCUS of the command's contract, which may also hold "epoch=N": the step at which the block's N-th barrier has
/// been completed (N from 1; 0 is the beginning).
struct FocusText {
    std::string rest;  ///< without the epoch
    std::optional<uint32_t> epoch;
};
Result<FocusText> splitEpoch(const std::string& text);

/// The text without its block, for looking at several blocks in turn.
std::string withoutBlock(const std::string& text);

/// Moves to the step where the block's epoch becomes \p epoch. Error NotFound when it never does.
Result<void> seekEpoch(replay::BlockCursor& cursor, uint32_t epoch);

/// {focus, launch, kernel, block, step, steps, epoch, line, warps, threads, buffers}. Lists only the buffers called
/// \p buffer unless it is empty.
Result<Json> stateDocument(replay::Session& session, replay::BlockCursor& cursor, const replay::Focus& focus,
                           const std::string& buffer);

/// The same for people: matrices of values, "." for cells nobody has written.
std::string stateText(const Json& state);

}  // namespace lanescope::cli
