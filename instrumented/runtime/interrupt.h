// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Ctrl-C while a kernel runs: the launch comes to an end of its own first, so that what it has found is known.
#pragma once

namespace lanescope::runtime {

/// While it lives, the first request to end is noted, and ends nothing. One at a time.
class InterruptScope {
public:
    InterruptScope();
    ~InterruptScope();
    InterruptScope(const InterruptScope&) = delete;
    InterruptScope& operator=(const InterruptScope&) = delete;

    /// The signal that came in the last scope; 0: none.
    [[nodiscard]] static int signal();
    /// For a signal handler: whether \p signal was noted, so that nothing else is to be done.
    static bool take(int signal);
};

}  // namespace lanescope::runtime
