// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/simt/launch/host_threads.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <mutex>
#include <thread>
#include <vector>

#include <sched.h>
#include <unistd.h>

namespace lanescope::simt {
namespace {

/// To fall asleep and wake up again takes as long, in a virtual machine more.
constexpr std::chrono::microseconds kSoon{100};

/// Looks for a while whether \p isDone, without taking the processor from anybody. False: it is not yet.
template <typename IsDone>
bool isSoon(const IsDone& isDone)
{
    constexpr int kLooks = 64;
    const auto end = std::chrono::steady_clock::now() + kSoon;
    do {
        for (int look = 0; look < kLooks; ++look) {
            if (isDone())
                return true;
#if defined(__x86_64__)
            __builtin_ia32_pause();
#endif
        }
        sched_yield();
    } while (std::chrono::steady_clock::now() < end);
    return false;
}

/// A thread that does what it is given, then waits for more. It never ends: who has it knows that its memory stays.
class Helper {
public:
    Helper()
    {
        // Signals for the process are the program's threads' to handle.
        sigset_t all, before;
        sigfillset(&all);
        for (const int fault : {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP, SIGABRT, SIGSYS})
            sigdelset(&all, fault);
        pthread_sigmask(SIG_SETMASK, &all, &before);
        std::thread([this] { run(); }).detach();
        pthread_sigmask(SIG_SETMASK, &before, nullptr);
    }

    void begin(const std::function<void()>& work)
    {
        m_work = &work;
        m_state.store(kBusy, std::memory_order_release);
        m_state.notify_one();
    }

    /// Until it has done what it was given.
    void await() const
    {
        // The others mostly end within microseconds.
        if (isSoon([this] { return m_state.load(std::memory_order_acquire) != kBusy; }))
            return;
        while (m_state.load(std::memory_order_acquire) == kBusy)
            m_state.wait(kBusy, std::memory_order_acquire);
    }

private:
    static constexpr uint32_t kIdle = 0, kBusy = 1;

    [[noreturn]] void run()
    {
        const auto isGiven = [this] { return m_state.load(std::memory_order_acquire) == kBusy; };
        bool comesSoon = false;  // as it did the last time
        auto ended = std::chrono::steady_clock::now();
        for (;;) {
            if (!comesSoon || !isSoon(isGiven))
                while (!isGiven())
                    m_state.wait(kIdle, std::memory_order_acquire);
            comesSoon = std::chrono::steady_clock::now() - ended < 2 * kSoon;  // it may have slept
            (*m_work)();
            m_state.store(kIdle, std::memory_order_release);
            m_state.notify_one();
            ended = std::chrono::steady_clock::now();
        }
    }

    const std::function<void()>* m_work = nullptr;
    std::atomic<uint32_t> m_state = kIdle;
};

/// Helpers that have nothing to do. A process that was forked off has none of its parent's.
class Pool {
public:
    static Pool& ofProcess()
    {
        static std::atomic<Pool*> current = nullptr;
        Pool* pool = current.load(std::memory_order_acquire);
        if (pool == nullptr || pool->m_process != getpid()) {
            pool = new Pool;  // NOLINT(cppcoreguidelines-owning-memory): its helpers outlive whatever could own it
            current.store(pool, std::memory_order_release);
        }
        return *pool;
    }

    std::vector<Helper*> take(size_t count)
    {
        std::vector<Helper*> taken;
        taken.reserve(count);
        {
            const std::scoped_lock lock(m_mutex);
            while (taken.size() < count && !m_idle.empty()) {
                taken.push_back(m_idle.back());
                m_idle.pop_back();
            }
        }
        while (taken.size() < count)
            taken.push_back(new Helper);  // NOLINT(cppcoreguidelines-owning-memory)
        return taken;
    }

    void giveBack(const std::vector<Helper*>& helpers)
    {
        const std::scoped_lock lock(m_mutex);
        m_idle.insert(m_idle.end(), helpers.begin(), helpers.end());
    }

private:
    const pid_t m_process = getpid();
    std::mutex m_mutex;
    std::vector<Helper*> m_idle;
};

}  // namespace

unsigned hostProcessors()
{
    static const unsigned processors = [] {
        cpu_set_t set;
        const int count = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 0;
        return count > 0 ? static_cast<unsigned>(count) : std::max(1U, std::thread::hardware_concurrency());
    }();
    return processors;
}

void onHostThreads(unsigned threads, const std::function<void()>& work)
{
    if (threads <= 1)
        return work();
    Pool& pool = Pool::ofProcess();
    const std::vector<Helper*> helpers = pool.take(threads - 1);
    for (Helper* helper : helpers)
        helper->begin(work);
    work();
    for (const Helper* helper : helpers)
        helper->await();
    pool.giveBack(helpers);
}

}  // namespace lanescope::simt
