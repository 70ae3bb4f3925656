// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The host's side of the pages that a kernel logs to: takes those that warps have handed over while the kernel runs,
// and the rest when it has ended.
#pragma once

#include <atomic>
#include <functional>
#include <mutex>
#include <span>
#include <thread>
#include <vector>

#include "core/cuda/device_log.h"

namespace lanescope::cuda {

struct LogShape {
    uint32_t pageUnits = 512;
    uint32_t pageCount = 8192;  ///< more than warps that can be resident
    uint32_t queueCount = 1;    ///< a power of two
};

/// The host's part of a PagePool, as the host sees it.
struct PoolView {
    LogShape shape;
    std::byte* pages = nullptr;
    std::span<uint64_t> freed;
    std::span<uint64_t> written;  ///< [queue][page]
    uint64_t firstUse = 0;        ///< of this launch
};

/// Takes one record; \p queue: which it came through. Called by one thread at a time for one queue.
using RecordSink = std::function<void(size_t queue, const RecordHeader& record)>;

/// Threads that empty pages until they are told to finish. Each has queues of its own.
class LogDrain {
public:
    LogDrain(const PoolView& pool, unsigned threads, RecordSink sink);
    ~LogDrain();
    LogDrain(const LogDrain&) = delete;
    LogDrain& operator=(const LogDrain&) = delete;

    /// The kernel has ended. \p open: pages that warps still had. Returns when all records have been handed over.
    void finish(std::span<const OpenPage> open);
    /// The same when nobody knows what warps had: every record that has its tag. Records that were being written when
    /// the kernel was stopped are left out.
    void salvage();

    /// Uses of pages, this launch's and those before it.
    [[nodiscard]] uint64_t uses() const { return m_uses; }
    /// Pages that were handed over with less in them than was said. There are none unless the GPU's memory order is not
    /// what it is said to be.
    [[nodiscard]] uint64_t tornPages() const { return m_tornPages; }

private:
    void work(size_t firstQueue);
    /// The next page of a queue; false when there is none.
    bool takeNext(size_t queue);
    /// Records of a page up to \p units, as far as they are whole; how far that is.
    uint32_t takeRecords(OpenPage page, uint32_t units);
    void giveBack(uint32_t page);
    void stop();

    PoolView m_pool;
    RecordSink m_sink;
    size_t m_threadCount;
    std::vector<uint64_t> m_position;  ///< [queue], of the next page in it
    std::atomic<bool> m_ended = false;
    std::atomic<uint64_t> m_tornPages = 0;
    std::mutex m_freeing;
    uint64_t m_uses = 0;                ///< with m_freeing
    std::vector<uint64_t> m_useOfPage;  ///< the latest; with m_freeing
    std::vector<std::thread> m_threads;
};

}  // namespace lanescope::cuda
