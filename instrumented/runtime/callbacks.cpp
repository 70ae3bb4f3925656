// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "instrumented/runtime/callbacks.h"

#include <atomic>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>

namespace lanescope::runtime {

namespace {

/// Started on first use and never ended: the process does that.
class CallbackThread {
public:
    static CallbackThread& instance()
    {
        static auto* const thread = new CallbackThread;
        return *thread;
    }

    void post(std::function<void()> function)
    {
        const std::lock_guard lock(m_mutex);
        m_queue.push_back(std::move(function));
        ++g_pending;
        m_changed.notify_all();
    }

    void wait()
    {
        std::unique_lock lock(m_mutex);
        if (!t_isCallbackThread)
            m_changed.wait(lock, [] { return g_pending == 0; });
    }

    /// Functions posted and not yet returned from.
    static inline std::atomic<size_t> g_pending = 0;

private:
    CallbackThread()
    {
        std::thread([this] { run(); }).detach();
    }

    void run()
    {
        t_isCallbackThread = true;
        std::unique_lock lock(m_mutex);
        for (;;) {
            m_changed.wait(lock, [this] { return !m_queue.empty(); });
            const std::function<void()> function = std::move(m_queue.front());
            m_queue.pop_front();
            lock.unlock();
            function();
            lock.lock();
            --g_pending;
            m_changed.notify_all();
        }
    }

    std::mutex m_mutex;
    std::condition_variable m_changed;
    std::deque<std::function<void()>> m_queue;
    static inline thread_local bool t_isCallbackThread = false;
};

}  // namespace

void postCallback(std::function<void()> function)
{
    CallbackThread::instance().post(std::move(function));
}

void waitForCallbacks()
{
    if (CallbackThread::g_pending > 0)
        CallbackThread::instance().wait();
}

}  // namespace lanescope::runtime
