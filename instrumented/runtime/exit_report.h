// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What happens when the program ends: the trace is closed, findings are summed up on stderr, and the `lanescope`
// command is told, in the file LANESCOPE_STATUS, how it went:
//   { "launches": 2, "findings": 1, "exit": 0,
//     "stopped": { "code": "limit" | "unsupported" | "other", "message": "…" },   only when something stopped us
//     "launchError": "cudaError…",                                              the last launch that was refused
//     "traceError": "…" }                                                         only when the trace is not whole
#pragma once

#include <optional>

namespace lanescope::runtime {

/// Registers for the program's normal end. Called before main, so that it runs after everything else.
void installExitReport();

/// Closes and reports now. \p programExit: none when the program is dying of a signal. Only the first call counts.
void reportExit(std::optional<int> programExit);

}  // namespace lanescope::runtime
