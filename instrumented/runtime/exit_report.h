// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What happens when the program ends, in whatever way: the trace is closed, findings are summed up on stderr, and the
// `lanescope` command is told how it went (run_log.h).
#pragma once

#include "core/trace/program_end.h"

namespace lanescope::runtime {

/// Registers for the program's normal end, and for quick_exit. Called before main, so that it runs after everything
/// else.
void installExitReport();

/// Closes and reports now. Only the first call counts.
void reportExit(const trace::ProgramEnd& end);
/// The same for _exit.
void reportHastyExit(int status);
/// The same for a process that is dying of \p signal, from a thread of ours: where the runtime is locked, what it has
/// handed to the trace is kept, and no more is said.
void reportDeath(int signal);

}  // namespace lanescope::runtime
