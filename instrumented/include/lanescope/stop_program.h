// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// For libraries in front of the runtime, which meet what is not supported outside of a kernel.
#pragma once

/// Notes that \p call, whose name it is, stops the program, and \p why: on stderr, and in the trace, which is closed
/// with
/// \p status. The caller ends the process; how it does (MPI ends others first) no longer matters to what was recorded.
extern "C" void __ls_host_stop(const char* call, const char* why, int status);
