// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/cuda/log_drain.h"

#include <algorithm>
#include <chrono>
#include <numeric>

namespace lanescope::cuda {

namespace {

constexpr std::chrono::microseconds kIdlePause{20};

}  // namespace

LogDrain::LogDrain(const PoolView& pool, unsigned threads, RecordSink sink)
    : m_pool(pool), m_sink(std::move(sink)), m_threadCount(std::clamp(threads, 1u, pool.shape.queueCount)),
      m_position(pool.shape.queueCount), m_uses(pool.firstUse + pool.shape.pageCount), m_useOfPage(pool.shape.pageCount)
{
    std::iota(m_useOfPage.begin(), m_useOfPage.end(), pool.firstUse);
    std::ranges::fill(m_pool.freed, 0);
    for (size_t i = 0; i < m_threadCount; ++i)
        m_threads.emplace_back([this, i] { work(i); });
}

LogDrain::~LogDrain()
{
    stop();
}

void LogDrain::finish(std::span<const OpenPage> open)
{
    stop();
    for (const OpenPage page : open)
        if (page.word != 0 && takeRecords(page, page.units()) != page.units())
            ++m_tornPages;
}

void LogDrain::salvage()
{
    stop();
    for (uint32_t page = 0; page < m_pool.shape.pageCount; ++page)
        takeRecords(OpenPage::of(m_useOfPage[page], page), m_pool.shape.pageUnits);
}

void LogDrain::stop()
{
    m_ended.store(true, std::memory_order_release);
    for (std::thread& thread : m_threads)
        thread.join();
    m_threads.clear();
}

void LogDrain::work(size_t firstQueue)
{
    for (;;) {
        // Asked before the queues are looked at: what was handed over before the end is seen.
        const bool ended = m_ended.load(std::memory_order_acquire);
        bool any = false;
        for (size_t queue = firstQueue; queue < m_position.size(); queue += m_threadCount)
            while (takeNext(queue))
                any = true;
        if (ended)
            return;
        if (!any)
            std::this_thread::sleep_for(kIdlePause);
    }
}

bool LogDrain::takeNext(size_t queue)
{
    const uint64_t slot = m_position[queue] % m_pool.shape.pageCount;
    uint64_t& entry = m_pool.written[queue * m_pool.shape.pageCount + slot];
    const OpenPage page{__atomic_load_n(&entry, __ATOMIC_ACQUIRE)};
    if (page.word == 0)
        return false;
    __atomic_store_n(&entry, uint64_t{0}, __ATOMIC_RELAXED);
    ++m_position[queue];
    if (takeRecords(page, page.units()) != page.units())
        ++m_tornPages;
    // Memory that a kernel has written to may say anything.
    if (page.number() < m_pool.shape.pageCount)
        giveBack(page.number());
    return true;
}

uint32_t LogDrain::takeRecords(OpenPage page, uint32_t units)
{
    if (page.number() >= m_pool.shape.pageCount || units > m_pool.shape.pageUnits)
        return 0;
    const std::byte* begin = m_pool.pages + uint64_t{page.number()} * m_pool.shape.pageUnits * kUnitBytes;
    uint32_t unit = 0;
    while (unit + kHeaderUnits <= units) {
        const auto& record = *reinterpret_cast<const RecordHeader*>(begin + size_t{unit} * kUnitBytes);
        if (record.tag != tagOf(page.use(), unit) || record.units < kHeaderUnits || unit + record.units > units)
            break;
        m_sink(record.block % m_pool.shape.queueCount, record);
        unit += record.units;
    }
    return unit;
}

void LogDrain::giveBack(uint32_t page)
{
    const std::lock_guard lock(m_freeing);
    const uint64_t use = m_uses++;
    m_useOfPage[page] = use;
    uint64_t& entry = m_pool.freed[use % m_pool.freed.size()];
    // Whose turn was so long ago may still be on the way to take its page.
    while (__atomic_load_n(&entry, __ATOMIC_ACQUIRE) != 0 && !m_ended.load(std::memory_order_acquire))
        std::this_thread::yield();
    __atomic_store_n(&entry, OpenPage::of(use, page).word, __ATOMIC_RELEASE);
}

}  // namespace lanescope::cuda
