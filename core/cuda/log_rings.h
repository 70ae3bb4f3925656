// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The host's side of the rings that a kernel logs to: takes full pages while it runs, and the rest when it has ended.
#pragma once

#include <atomic>
#include <functional>
#include <span>
#include <thread>
#include <vector>

#include "core/cuda/device_log.h"

namespace lanescope::cuda {

/// What one ring lies in, as the host sees it.
struct RingView {
    RingHost* host = nullptr;
    uint64_t* full = nullptr;    ///< [page]
    std::byte* pages = nullptr;  ///< pageCount × pageUnits × 16 bytes
};

struct RingShape {
    uint32_t pageUnits = 4096;
    uint32_t pageCount = 8;
};

/// Takes one record; \p ring: which it came through. Called by one thread at a time for one ring.
using RecordSink = std::function<void(size_t ring, const RecordHeader& record)>;

/// Reads one ring in order. Not thread-safe.
class RingReader {
public:
    RingReader(const RingView& view, const RingShape& shape) : m_view(view), m_shape(shape) {}

    /// All pages that are full by now; gives them back. True when there were any.
    bool takeFullPages(const std::function<void(const RecordHeader&)>& take);
    /// What is left up to position \p head, when nobody writes any more.
    void takeRest(uint64_t head, const std::function<void(const RecordHeader&)>& take);
    /// The same when nobody knows how far writing came: every record whose tag is right. Records that were being
    /// written when the kernel was stopped are left out.
    void salvage(const std::function<void(const RecordHeader&)>& take);

private:
    [[nodiscard]] const std::byte* at(uint64_t position) const
    {
        return m_view.pages + position % (uint64_t{m_shape.pageUnits} * m_shape.pageCount) * kUnitBytes;
    }
    [[nodiscard]] const RecordHeader* recordAt(uint64_t position, uint64_t end) const;

    RingView m_view;
    RingShape m_shape;
    uint64_t m_page = 0;  ///< the next to read
};

/// Threads that empty the rings until they are told to finish.
class LogDrain {
public:
    LogDrain(std::vector<RingView> rings, RingShape shape, unsigned threads, RecordSink sink);
    ~LogDrain();
    LogDrain(const LogDrain&) = delete;
    LogDrain& operator=(const LogDrain&) = delete;

    /// The kernel has ended. \p heads: how far each ring was written; empty: not known, salvage. Returns when all
    /// records have been handed over.
    void finish(std::span<const uint64_t> heads);

private:
    void work(size_t first);
    void stop();

    std::vector<RingReader> m_readers;
    RecordSink m_sink;
    size_t m_threadCount;
    std::atomic<bool> m_ended = false;
    bool m_salvage = false;
    std::vector<uint64_t> m_heads;
    std::vector<std::thread> m_threads;
};

}  // namespace lanescope::cuda
