// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Buffers of calls that have returned before they were done (MPI_Isend, MPI_Irecv).
#pragma once

#include "instrumented/mpi/staging.h"

namespace lanescope::mpi {

/// Keeps \p staged until \p request is done.
void keep(Handle request, const Staged& staged);
/// \p request is done: its copy goes to the device, of which MPI has written \p bytes, and away.
void finish(Handle request, size_t bytes);

}  // namespace lanescope::mpi
