// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Threads that go round without end: each comes back to where and what it was, and memory stays as it is.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>

#include "core/simt/bytecode.h"

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
/// let go, and looked at as well.
Outlook outlookOf(Block& block, unsigned turns, bool letsLanesGo);

/// For who only waits for a flag or a lock, and for loops of any kind.
inline constexpr unsigned kShortLook = 128;
inline constexpr unsigned kLongLook = 1 << 17;

/// Says in the findings where the threads of a block that goes round do so, as kind "livelock"; returns why the block
/// is stopped, with the lines.
std::string reportLivelock(Block& block);

/// When to take the next long look at a block, or at blocks that take turns, after \p now warp instructions: soon at
/// first, later every second or two.
constexpr uint64_t nextOutlook(uint64_t now)
{
    return now + std::clamp(now, uint64_t{1} << 22, uint64_t{1} << 28);
}

/// "64 threads at line 12, 1 thread at line 30": where the most are, at most three lines; empty when no line is known.
std::string whereThreadsAre(const Block& block);

}  // namespace lanescope::simt
