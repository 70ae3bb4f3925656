// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Threads of the host that launches run on. They stay when a launch has ended: to begin and end some takes as long as a
// small launch.
#pragma once

#include <functional>

namespace lanescope::simt {

/// Processors that this process may use, at least one; as of the first call.
unsigned hostProcessors();

/// Calls \p work \p threads times at the same time, once on the calling thread; returns when all calls have. Any thread
/// may call it, also in a process that was forked off.
void onHostThreads(unsigned threads, const std::function<void()>& work);

}  // namespace lanescope::simt
