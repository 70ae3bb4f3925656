// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// For libraries in front of the runtime, which meet what is not supported outside of a kernel.
#pragma once

/// Says on stderr and in the trace that \p call, a name, stops the program, and \p why, and closes the trace with
/// \p status. The caller ends the process; how it does (MPI ends others first) no longer matters to what was recorded.
extern "C" void __ls_host_stop(const char* call, const char* why, int status);
