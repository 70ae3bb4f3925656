// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/cuda/log_rings.h"

#include <algorithm>
#include <chrono>

namespace lanescope::cuda {

namespace {

constexpr std::chrono::microseconds kPause{20};

uint64_t load(const uint64_t* at)
{
    return __atomic_load_n(at, __ATOMIC_ACQUIRE);
}

}  // namespace

const RecordHeader* RingReader::recordAt(uint64_t position, uint64_t end) const
{
    const auto* record = reinterpret_cast<const RecordHeader*>(at(position));
    const bool whole = record->tag == tagOf(position) && record->units != 0 && position + record->units <= end;
    // Padding may be a single unit, of which only the first words count.
    return whole && (record->kind == RecordKind::Pad || record->units >= kHeaderUnits) ? record : nullptr;
}

bool RingReader::takeFullPages(const std::function<void(const RecordHeader&)>& take)
{
    bool any = false;
    while (load(m_view.full + m_page % m_shape.pageCount) == m_page + 1) {
        const uint64_t end = (m_page + 1) * m_shape.pageUnits;
        for (uint64_t position = m_page * m_shape.pageUnits; position < end;) {
            const RecordHeader* record = recordAt(position, end);
            if (!record)
                break;
            if (record->kind != RecordKind::Pad)
                take(*record);
            position += record->units;
        }
        ++m_page;
        __atomic_store_n(&m_view.host->released, m_page, __ATOMIC_RELEASE);
        any = true;
    }
    return any;
}

void RingReader::takeRest(uint64_t head, const std::function<void(const RecordHeader&)>& take)
{
    takeFullPages(take);
    for (uint64_t position = m_page * m_shape.pageUnits; position < head;) {
        const RecordHeader* record = recordAt(position, head);
        if (!record)
            return;
        if (record->kind != RecordKind::Pad)
            take(*record);
        position += record->units;
    }
}

void RingReader::salvage(const std::function<void(const RecordHeader&)>& take)
{
    takeFullPages(take);
    const uint64_t end = (m_page + m_shape.pageCount) * m_shape.pageUnits;
    for (uint64_t position = m_page * m_shape.pageUnits; position < end;) {
        const RecordHeader* record = recordAt(position, end);
        if (record && record->kind != RecordKind::Pad)
            take(*record);
        position += record ? record->units : 1;
    }
}

LogDrain::LogDrain(std::vector<RingView> rings, RingShape shape, unsigned threads, RecordSink sink)
    : m_sink(std::move(sink)), m_threadCount(std::clamp<size_t>(threads, 1, std::max<size_t>(rings.size(), 1)))
{
    for (const RingView& ring : rings)
        m_readers.emplace_back(ring, shape);
    for (size_t i = 0; i < m_threadCount; ++i)
        m_threads.emplace_back([this, i] { work(i); });
}

LogDrain::~LogDrain()
{
    stop();
}

void LogDrain::finish(std::span<const uint64_t> heads)
{
    m_heads.assign(heads.begin(), heads.end());
    m_salvage = heads.empty();
    stop();
}

void LogDrain::stop()
{
    m_ended.store(true, std::memory_order_release);
    for (std::thread& thread : m_threads)
        thread.join();
    m_threads.clear();
}

void LogDrain::work(size_t first)
{
    const auto taker = [this](size_t ring) {
        return [this, ring](const RecordHeader& record) { m_sink(ring, record); };
    };
    while (!m_ended.load(std::memory_order_acquire)) {
        bool any = false;
        for (size_t ring = first; ring < m_readers.size(); ring += m_threadCount)
            any |= m_readers[ring].takeFullPages(taker(ring));
        if (!any)
            std::this_thread::sleep_for(kPause);
    }
    for (size_t ring = first; ring < m_readers.size(); ring += m_threadCount) {
        if (m_salvage)
            m_readers[ring].salvage(taker(ring));
        else if (ring < m_heads.size())
            m_readers[ring].takeRest(m_heads[ring], taker(ring));
    }
}

}  // namespace lanescope::cuda
