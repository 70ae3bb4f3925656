// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernels that are paused go on when the runtime is called. A host that waits for them without a call, by a flag in
// memory that both see, has a thread of ours that calls in its place.
#pragma once

namespace lanescope::runtime {

/// Work is under way: from now on, until there is none. Used under the runtime's lock.
void startWaker();

}  // namespace lanescope::runtime
