// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/cuda/block_logs.h"

#include <algorithm>
#include <bit>

#include "core/cuda/record.h"

namespace lanescope::cuda {

void BlockLogs::take(const RecordHeader& record)
{
    const uint32_t bytes = record.units * kUnitBytes;
    if (!isSound(record))
        return;
    auto [entry, isNew] = m_logs.try_emplace(record.block);
    Log& log = entry->second;
    if (isNew && !m_spare.empty()) {
        log = std::move(m_spare.back());
        m_spare.pop_back();
    }
    log.order.emplace_back(record.clock, log.bytes.size());
    const auto* raw = reinterpret_cast<const std::byte*>(&record);
    log.bytes.insert(log.bytes.end(), raw, raw + bytes);
    if (record.kind != RecordKind::Mark || !m_sink.isReturn(record.place))
        return;
    log.returned += static_cast<uint64_t>(std::popcount(record.mask));
    if (log.returned < m_sink.threadsPerBlock())
        return;
    write(record.block, log);
    log.bytes.clear();
    log.order.clear();
    log.returned = 0;
    m_spare.push_back(std::move(log));
    m_logs.erase(entry);
}

void BlockLogs::finish()
{
    std::vector<uint64_t> blocks;
    for (const auto& [block, log] : m_logs)
        blocks.push_back(block);
    std::sort(blocks.begin(), blocks.end());
    for (const uint64_t block : blocks)
        write(block, m_logs.at(block));
    m_logs.clear();
}

void BlockLogs::write(uint64_t block, Log& log)
{
    m_events += log.order.size();
    // Records of one warp lie in the order of its program; warps of a block share their multiprocessor's clock.
    std::stable_sort(log.order.begin(), log.order.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    if (m_sink.write(block, {log.bytes.data(), log.order}, m_faults))
        ++m_blocksRecorded;
    else
        m_eventsDropped += log.order.size();
}

std::vector<device::AccessFault> BlockLogs::faults() const
{
    std::vector<device::AccessFault> faults;
    for (const auto& [site, fault] : m_faults)
        faults.push_back(fault);
    return faults;
}

}  // namespace lanescope::cuda
