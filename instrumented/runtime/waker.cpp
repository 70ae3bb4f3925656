// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "instrumented/runtime/waker.h"

#include <signal.h>

#include <chrono>
#include <mutex>
#include <optional>
#include <thread>

#include "instrumented/runtime/runtime.h"
#include "instrumented/runtime/under_way.h"

namespace lanescope::runtime {

namespace {

using Clock = std::chrono::steady_clock;
constexpr std::chrono::milliseconds kBetweenLooks{1};
/// How long what kernels poll has been changed before they go on: a host that writes several flags one after the other
/// mostly has written them all by then, so that kernels see the same in each run.
constexpr std::chrono::milliseconds kQuiet{5};

bool g_runs = false;  ///< under the runtime's lock

/// False: no work is under way any more.
bool look(std::optional<Clock::time_point>& changed)
{
    const std::unique_lock lock(Runtime::instance().mutex(), std::try_to_lock);
    if (!lock)
        return true;  // who is inside goes on with work
    if (!isAnyUnderWay())
        return g_runs = false;
    const RuntimeAccess access;
    if (!canAnyGoOn()) {
        changed.reset();
    } else if (!changed) {
        changed = Clock::now();
    } else if (Clock::now() - *changed >= kQuiet) {
        goOnWithWork();
        changed.reset();
    }
    return true;
}

void run()
{
    std::optional<Clock::time_point> changed;
    do
        std::this_thread::sleep_for(kBetweenLooks);
    while (look(changed));
}

}  // namespace

void startWaker()
{
    if (g_runs)
        return;
    g_runs = true;
    // Signals are for the program's own threads.
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    std::thread(run).detach();
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

}  // namespace lanescope::runtime
