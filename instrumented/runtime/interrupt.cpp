// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "instrumented/runtime/interrupt.h"

namespace lanescope::runtime {

namespace {

volatile sig_atomic_t g_signal = 0;

void note(int signal)
{
    g_signal = signal;
}

}  // namespace

InterruptScope::InterruptScope()
{
    g_signal = 0;
    struct sigaction action = {};
    action.sa_handler = note;
    action.sa_flags = SA_RESTART;
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, &m_previousInt);
    sigaction(SIGTERM, &action, &m_previousTerm);
}

InterruptScope::~InterruptScope()
{
    sigaction(SIGINT, &m_previousInt, nullptr);
    sigaction(SIGTERM, &m_previousTerm, nullptr);
}

int InterruptScope::signal()
{
    return g_signal;
}

}  // namespace lanescope::runtime
