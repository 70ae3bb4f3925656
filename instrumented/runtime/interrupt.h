// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Ctrl-C while a GPU runs a kernel.
#pragma once

#include <signal.h>

namespace lanescope::runtime {

/// While it lives, SIGINT and SIGTERM are noted and do nothing else. One at a time.
class InterruptScope {
public:
    InterruptScope();
    ~InterruptScope();
    InterruptScope(const InterruptScope&) = delete;
    InterruptScope& operator=(const InterruptScope&) = delete;

    /// The signal that came in the last scope; 0: none.
    [[nodiscard]] static int signal();

private:
    struct sigaction m_previousInt = {};
    struct sigaction m_previousTerm = {};
};

}  // namespace lanescope::runtime
