// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The one thread that writes to the file: takes jobs in order and commits them in batches.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>

#include "core/trace/database.h"
#include "core/trace/table_store.h"

namespace lanescope::trace {

/// Thread-safe. After the first error nothing more is written, and the file holds what was committed before.
class WriterThread {
public:
    using Job = std::function<Result<void>(TableStore&)>;

    /// \p late is called on the thread some time after callLate().
    WriterThread(std::unique_ptr<Database> database, std::function<void()> late);
    ~WriterThread();

    /// Queues \p job, which holds about \p bytes of memory. Waits only while the queue is over its memory bound.
    void push(Job job, size_t bytes = 0);
    /// There is something that is not queued yet; should it be forgotten, `late` sees to it in a commit interval.
    void callLate();
    /// Has what was queued so far committed at once, and waits for that, but no longer than \p timeout. True when it
    /// is.
    bool keep(std::chrono::milliseconds timeout);
    /// Runs all queued jobs, commits and ends. Later jobs are ignored.
    void stop();
    [[nodiscard]] std::optional<Error> failure() const;

private:
    using Clock = std::chrono::steady_clock;

    void work();
    [[nodiscard]] std::optional<Clock::time_point> nextTurn() const;
    void runBatch(std::deque<std::pair<Job, size_t>>& batch);
    void commit();
    /// The first \p jobs are safe.
    void noteCommitted(uint64_t jobs);
    void fail(const Error& error);

    std::unique_ptr<Database> m_database;
    TableStore m_tables;
    std::function<void()> m_late;
    mutable std::mutex m_mutex;
    std::condition_variable m_wake;
    std::condition_variable m_room;
    std::condition_variable m_kept;
    std::deque<std::pair<Job, size_t>> m_queue;
    size_t m_queuedBytes = 0;
    uint64_t m_pushed = 0;     ///< jobs so far
    uint64_t m_wanted = 0;     ///< of them, those that somebody waits for the commit of
    uint64_t m_committed = 0;  ///< of them, those that are safe
    bool m_stopping = false;
    std::atomic<bool> m_isLateAsked = false;
    std::optional<Clock::time_point> m_lateAt;
    std::optional<Error> m_failure;
    std::optional<Clock::time_point> m_openSince;  ///< writer thread only: when the open transaction began
    size_t m_openBytes = 0;                        ///< queued bytes in the open transaction
    std::thread m_thread;
};

}  // namespace lanescope::trace
