// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Work that was submitted and has not ended: kernels that are paused, since their threads wait for what other kernels,
// copies or the host write, and what streams order behind them. Whatever may run runs at once, one after the other, in
// the order of submission; a paused kernel goes on, at the latest when the runtime is called next, once memory that it
// polls has been changed. So a run is the same every time. Used under the runtime's lock.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>

#include "core/base/ids.h"
#include "instrumented/runtime/work.h"
#include "instrumented/runtime/work_order.h"

namespace lanescope::runtime {

/// Work that is under way, as those who wait for it choose it.
struct WaitedWork {
    WorkPlace place;
    uint32_t device = 0;
};

inline std::atomic<bool> g_isAnyUnderWay = false;
/// Cheap, from any thread.
inline bool isAnyUnderWay()
{
    return g_isAnyUnderWay.load(std::memory_order_relaxed);
}

/// Performs \p work of \p stream, or begins it, or keeps it until what comes before it has ended. The error is not yet
/// the thread's last error.
cudaError_t performOrKeep(Runtime& runtime, cudaStream_t stream, Work work);

/// All that is under way goes on as far as it can.
void goOnWithWork();
/// Whether memory has been changed that paused kernels poll.
bool canAnyGoOn();
/// Whether all work that \p known covers has ended.
bool hasEnded(const Covers& known);
/// The host waits for such work. Where nothing can go on any more, the kernels that it waits for hang, and are told to.
void waitForUnderWay(const Covers& known);
void waitForUnderWay(const std::function<bool(const WaitedWork&)>& isMeant);
void waitForAllUnderWay();

/// The work that is being performed has begun a launch.
void noteLaunch(LaunchId launch);
/// Whether the work that is being performed comes after \p launch, of work that was under way beside it.
bool isBehind(LaunchId launch);

}  // namespace lanescope::runtime
