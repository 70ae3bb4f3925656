// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "instrumented/runtime/interrupt.h"

#include <signal.h>
#include <time.h>

#include <atomic>

namespace lanescope::runtime {

namespace {

/// A terminal signals the program and the command, which passes it on: both are one request.
constexpr double kOneRequest = 0.5;

std::atomic<bool> g_inScope = false;
volatile sig_atomic_t g_signal = 0;
std::atomic<double> g_since = 0;  ///< seconds

double now()
{
    timespec time = {};
    clock_gettime(CLOCK_MONOTONIC, &time);
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) / 1e9;
}

}  // namespace

InterruptScope::InterruptScope()
{
    g_signal = 0;
    g_inScope = true;
}

InterruptScope::~InterruptScope()
{
    g_inScope = false;
}

int InterruptScope::signal()
{
    return g_signal;
}

bool InterruptScope::take(int signal)
{
    if (!g_inScope)
        return false;
    if (g_signal != 0)
        return now() - g_since < kOneRequest;
    g_since = now();
    g_signal = signal;
    return true;
}

}  // namespace lanescope::runtime
