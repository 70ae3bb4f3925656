// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/trace/writer_thread.h"

#include <algorithm>

namespace lanescope::trace {

namespace {

/// What a kill -9 may lose, and how far behind a reader of a growing trace may be.
constexpr std::chrono::milliseconds kCommitInterval{100};
/// A transaction's pages stay in memory until it commits; small ones are reused while they are warm.
constexpr size_t kCommitBytes = 4 << 20;
/// Bound on the memory of queued jobs; beyond it the program waits for the disk.
constexpr size_t kMaxQueuedBytes = 64 << 20;

}  // namespace

WriterThread::WriterThread(std::unique_ptr<Database> database, std::function<void()> late)
    : m_database(std::move(database)), m_tables(*m_database), m_late(std::move(late)), m_thread([this] { work(); })
{
}

WriterThread::~WriterThread()
{
    stop();
}

void WriterThread::push(Job job, size_t bytes)
{
    std::unique_lock lock(m_mutex);
    // The thread itself, in `late`, would wait for ever.
    if (std::this_thread::get_id() != m_thread.get_id())
        m_room.wait(lock, [&] { return m_queuedBytes < kMaxQueuedBytes || m_failure || m_stopping; });
    if (m_failure || m_stopping)
        return;
    m_queue.emplace_back(std::move(job), bytes);
    m_queuedBytes += bytes;
    ++m_pushed;
    if (m_queue.size() == 1)
        m_wake.notify_one();
}

void WriterThread::callLate()
{
    if (m_isLateAsked.exchange(true))
        return;
    {
        const std::scoped_lock lock(m_mutex);
        m_lateAt = Clock::now() + kCommitInterval;
    }
    m_wake.notify_one();
}

bool WriterThread::keep(std::chrono::milliseconds timeout)
{
    std::unique_lock lock(m_mutex);
    const uint64_t wanted = m_pushed;
    m_wanted = std::max(m_wanted, wanted);
    m_wake.notify_one();
    return m_kept.wait_for(lock, timeout, [&] { return m_committed >= wanted || m_failure; }) && !m_failure;
}

void WriterThread::stop()
{
    {
        const std::scoped_lock lock(m_mutex);
        m_stopping = true;
    }
    m_wake.notify_one();
    m_room.notify_all();
    if (m_thread.joinable())
        m_thread.join();
}

std::optional<Error> WriterThread::failure() const
{
    const std::scoped_lock lock(m_mutex);
    return m_failure;
}

void WriterThread::work()
{
    std::deque<std::pair<Job, size_t>> batch;
    for (;;) {
        bool last = false;
        bool isWaitedFor = false;
        bool isLate = false;
        uint64_t end = 0;
        {
            std::unique_lock lock(m_mutex);
            const bool hasTurn = m_openSince || m_lateAt;
            const auto ready = [&] {
                return !m_queue.empty() || m_stopping || m_wanted > m_committed || (m_lateAt && !hasTurn);
            };
            if (const std::optional<Clock::time_point> turn = nextTurn())
                m_wake.wait_until(lock, *turn, ready);
            else
                m_wake.wait(lock, ready);
            isLate = m_lateAt && Clock::now() >= *m_lateAt;
            if (isLate)
                m_lateAt.reset();
            batch.swap(m_queue);
            last = m_stopping && batch.empty();
            end = m_pushed;
            isWaitedFor = m_wanted > m_committed;
        }
        runBatch(batch);
        if (m_openSince && (last || isWaitedFor || Clock::now() - *m_openSince >= kCommitInterval))
            commit();
        if (!m_openSince)
            noteCommitted(end);
        if (last)
            return;
        if (isLate) {
            m_isLateAsked = false;
            m_late();
        }
    }
}

/// When there is something to do without anybody's asking. Under m_mutex.
std::optional<WriterThread::Clock::time_point> WriterThread::nextTurn() const
{
    if (m_openSince && m_lateAt)
        return std::min(*m_openSince + kCommitInterval, *m_lateAt);
    return m_openSince ? *m_openSince + kCommitInterval : m_lateAt;
}

void WriterThread::runBatch(std::deque<std::pair<Job, size_t>>& batch)
{
    for (auto& [job, bytes] : batch) {
        if (!failure()) {
            Result<void> done;
            if (!m_openSince) {
                done = m_database->run("BEGIN");
                m_openSince = Clock::now();
            }
            if (done.ok())
                done = job(m_tables);
            if (!done.ok())
                fail(done.error());
        }
        job = nullptr;
        m_openBytes += bytes;
        {
            const std::scoped_lock lock(m_mutex);
            m_queuedBytes -= bytes;
        }
        m_room.notify_all();
        if (m_openSince && (m_openBytes >= kCommitBytes || Clock::now() - *m_openSince >= kCommitInterval))
            commit();
    }
    batch.clear();
}

void WriterThread::noteCommitted(uint64_t jobs)
{
    {
        const std::scoped_lock lock(m_mutex);
        m_committed = jobs;
    }
    m_kept.notify_all();
}

void WriterThread::commit()
{
    m_openSince.reset();
    m_openBytes = 0;
    if (failure())
        return;
    if (Result<void> done = m_database->run("COMMIT"); !done.ok())
        fail(done.error());
}

void WriterThread::fail(const Error& error)
{
    m_openSince.reset();
    if (m_database->inTransaction())
        static_cast<void>(m_database->run("ROLLBACK"));
    {
        const std::scoped_lock lock(m_mutex);
        if (!m_failure)
            m_failure = error;
    }
    m_room.notify_all();
    m_kept.notify_all();
}

}  // namespace lanescope::trace
