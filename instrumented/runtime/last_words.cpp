// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "instrumented/runtime/last_words.h"

#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>

#include "instrumented/runtime/exit_report.h"
#include "instrumented/runtime/interrupt.h"
#include "instrumented/runtime/runtime.h"

namespace lanescope::runtime {

namespace {

/// A writer that hangs must not keep a dying process alive.
constexpr int kPatienceMs = 5000;
constexpr int kDeadly[] = {SIGABRT, SIGFPE, SIGILL, SIGINT, SIGTERM, SIGHUP};

pid_t g_process = 0;
int g_wanted[2] = {-1, -1};  ///< pipe to the thread: the signal's number
int g_said[2] = {-1, -1};    ///< pipe from it
std::atomic<bool> g_dying = false;

void* speak(void* /*unused*/)
{
    unsigned char signal = 0;
    while (read(g_wanted[0], &signal, 1) < 0 && errno == EINTR) {
    }
    reportDeath(signal);
    [[maybe_unused]] const ssize_t written = write(g_said[1], &signal, 1);
    return nullptr;
}

void onDeadly(int number)
{
    const bool isRequest = number == SIGINT || number == SIGTERM || number == SIGHUP;
    if (isRequest && InterruptScope::take(number))
        return;
    sayLastWords(number);
    signal(number, SIG_DFL);
    // Blocked while its handler runs: it comes when we return.
    raise(number);
}

/// All signals are for the program's own threads.
bool startThread()
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    pthread_t thread;
    const bool started = pthread_create(&thread, nullptr, speak, nullptr) == 0;
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    if (started)
        pthread_detach(thread);
    return started;
}

}  // namespace

void installLastWords()
{
    if (g_process != 0)
        return;
    g_process = getpid();
    if (pipe2(g_wanted, O_CLOEXEC) != 0 || pipe2(g_said, O_CLOEXEC) != 0 || !startThread())
        return;
    for (const int number : kDeadly) {
        struct sigaction present = {};
        if (sigaction(number, nullptr, &present) != 0 || present.sa_handler != SIG_DFL)
            continue;
        struct sigaction action = {};
        action.sa_handler = onDeadly;
        action.sa_flags = SA_ONSTACK | SA_RESTART;
        sigemptyset(&action.sa_mask);
        sigaction(number, &action, nullptr);
    }
}

void sayLastWords(int signal)
{
    // A child that the program forked has no such thread, and nothing to say.
    if (getpid() != g_process || g_dying.exchange(true))
        return;
    const auto number = static_cast<unsigned char>(signal);
    if (write(g_wanted[1], &number, 1) != 1)
        return;
    struct pollfd said = {g_said[0], POLLIN, 0};
    while (poll(&said, 1, kPatienceMs) < 0 && errno == EINTR) {
    }
}

}  // namespace lanescope::runtime

/// The program's own calls come here, the C library's do not. What is not flushed stays so, as it would.
LS_API void _exit(int status)
{
    lanescope::runtime::reportHastyExit(status);
    for (;;)
        syscall(SYS_exit_group, status);
}

LS_API void _Exit(int status)
{
    _exit(status);
}
