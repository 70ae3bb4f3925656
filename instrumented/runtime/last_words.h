// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A process that dies of a signal, or by _exit, still closes the trace and says what was found.
#pragma once

namespace lanescope::runtime {

/// From now on. Signals that the program handles itself stay its own. Once, when there is something to lose.
void installLastWords();

/// Closes and reports, for a process that is dying of \p signal: from a handler, on any thread, whatever locks are held
/// and whatever the heap is like. Another thread does it; this one waits for that, but for at most some seconds.
void sayLastWords(int signal);

}  // namespace lanescope::runtime
