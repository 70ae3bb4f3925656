// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Host code that dereferences a device pointer is told which buffer it was, before it dies as it would anyway.
#pragma once

namespace lanescope::runtime {

/// Handles SIGSEGV and SIGBUS whose address is a device address; others go where they went before.
void installFaultHandler();

}  // namespace lanescope::runtime
