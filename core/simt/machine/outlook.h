// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A short look ahead: whether the threads of a block can still change anything, or go round without end.
#pragma once

#include <algorithm>
#include <cstdint>

#include "core/simt/machine/polled_memory.h"
#include "core/simt/state/block.h"

namespace lanescope::simt {

/// What the threads of a block do, as far as a short look can tell.
enum class Outlook : uint8_t {
    Open,      ///< some thread changed memory, or may yet
    Waits,     ///< all wait, at barriers or for each other; none runs
    GoesRound  ///< those that do not wait go round, and can do nothing else until somebody else changes memory
};

/// Runs \p block on for a while, the splits of each warp in turn until they wait or come round; an order of execution
/// like any other. GoesRound is exact: registers and positions of a warp were the same twice, and nothing that it
/// could read was written in between. A loop that reads a clock is Open, and so is one that counts its turns.
/// \p turns: basic blocks that it may run. \p letsLanesGo: lanes that wait to reconverge with others that go round are
/// let go, and looked at as well. \p polled: gets the global memory that they read; null: nobody asks.
Outlook outlookOf(Block& block, unsigned turns, bool letsLanesGo, PolledMemory* polled = nullptr);

/// For who only waits for a flag or a lock, and for loops of any kind.
inline constexpr unsigned kShortLook = 128;
inline constexpr unsigned kLongLook = 1 << 17;

/// When to take the next long look at a block, or at blocks that take turns, after \p now warp instructions: soon at
/// first, later every second or two.
constexpr uint64_t nextOutlook(uint64_t now)
{
    return now + std::clamp(now, uint64_t{1} << 22, uint64_t{1} << 28);
}

}  // namespace lanescope::simt
