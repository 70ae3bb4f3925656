// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Host functions that streams call run one after the other on a thread of their own, as CUDA runs them: the program
// may hold a lock, while it submits one, that the function takes.
#pragma once

#include <functional>

namespace lanescope::runtime {

void postCallback(std::function<void()> function);
/// Until all posted functions have returned. On the callback thread itself: returns at once.
void waitForCallbacks();

}  // namespace lanescope::runtime
