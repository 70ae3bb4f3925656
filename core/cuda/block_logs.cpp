// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/cuda/block_logs.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "core/cuda/record.h"

namespace lanescope::cuda {

using simt::ObjectKey;

LaunchTables::LaunchTables(const simt::DeviceLaunch& launch, const simt::DeviceMemory& memory) : m_launch(launch)
{
    for (const simt::SitePlace& place : launch.places) {
        if (place.place.value >= m_siteOfPlace.size())
            m_siteOfPlace.resize(place.place.value + size_t{1}, kNoSite);
        m_siteOfPlace[place.place.value] = place.site;
    }
    m_firstSite = launch.sites.empty() ? 0 : launch.sites.front().id.value;
    for (const trace::Site& site : launch.sites)
        m_kinds.push_back(site.kind);
    m_bufferOfSlot.resize(simt::DeviceMemory::kSlotCount, kNoBuffer);
    for (const simt::Allocation& allocation : memory.allocations())
        m_bufferOfSlot[(allocation.address >> 32) - simt::DeviceMemory::kFirstSlot] = allocation.buffer;
    for (const simt::DeviceObject& object : launch.objects)
        m_objects[object.key.value] = {object.buffer, object.bytes};
}

namespace {

/// Where one memory object of a warp's lanes (a block's shared array: of all lanes) lies.
struct PlacedObject {
    uint32_t key = 0;
    LaunchTables::Object object;
    LaneMask mask = 0;
    std::array<uint64_t, kWarpSize> base{};

    [[nodiscard]] bool holds(uint64_t address, int lane) const
    {
        return ((mask >> lane) & 1) && address - base[static_cast<size_t>(lane)] < object.bytes;
    }
};

/// Turns one block's records, in order, into events.
class BlockTranslation {
public:
    BlockTranslation(const LaunchTables& tables, trace::BlockRecorder& recorder)
        : m_tables(tables), m_recorder(recorder), m_local(tables.launch().block.count() / kWarpSize + 1)
    {
    }

    void translate(const RecordHeader& header)
    {
        if (header.kind == RecordKind::Object)
            return placeObject(header);
        const SiteId site = m_tables.siteOf(header.place);
        if (site == kNoSite || header.warp >= m_local.size())
            return;
        if (header.kind == RecordKind::Branch)
            return m_recorder.branch(site, header.warp, header.mask, extraOf(header));
        if (header.kind == RecordKind::Access)
            return access(site, header);
        if (m_tables.kindOf(site) == trace::SiteKind::Barrier)
            m_recorder.barrier(site, header.warp, header.mask);
        else
            m_recorder.mark(site, header.warp, header.mask);
    }

private:
    void placeObject(const RecordHeader& header)
    {
        const LaunchTables::Object* object = m_tables.object(header.place);
        if (!object || header.warp >= m_local.size())
            return;
        readAddresses(header, m_addresses);
        std::vector<PlacedObject>& placed = m_local[header.warp];
        for (PlacedObject& other : placed)
            if (other.key == header.place)
                other.mask &= ~header.mask;
        std::erase_if(placed, [](const PlacedObject& other) { return other.mask == 0; });
        placed.push_back({header.place, *object, header.mask, m_addresses});
    }

    [[nodiscard]] const PlacedObject* objectAt(uint16_t warp, uint64_t address, int lane) const
    {
        const std::vector<PlacedObject>& placed = m_local[warp];
        // The latest first: the stack is used again.
        for (auto object = placed.rbegin(); object != placed.rend(); ++object)
            if (object->holds(address, lane))
                return &*object;
        return nullptr;
    }

    void access(SiteId site, const RecordHeader& header)
    {
        readAddresses(header, m_addresses);
        readValues(header, m_values);
        const uint8_t bytes = header.valueBytes;
        bool same = true;
        const auto first = static_cast<size_t>(std::countr_zero(header.mask));
        for (LaneMask rest = header.mask; rest != 0; rest &= rest - 1) {
            const int number = std::countr_zero(rest);
            const auto lane = static_cast<size_t>(number);
            const uint64_t address = m_addresses[lane];
            m_buffers[lane] = kNoBuffer;
            m_offsets[lane] = address;
            if (simt::DeviceMemory::isDeviceAddress(address)) {
                m_buffers[lane] = m_tables.bufferAt(address);
                if (m_buffers[lane] != kNoBuffer)
                    m_offsets[lane] = static_cast<uint32_t>(address);
            } else if (const PlacedObject* object = objectAt(header.warp, address, number)) {
                m_buffers[lane] = object->object.buffer;
                m_offsets[lane] = address - object->base[lane];
            }
            m_narrow[lane] = static_cast<uint32_t>(m_offsets[lane]);
            same = same && m_buffers[lane] == m_buffers[first];
        }
        if (same && m_buffers[first] != kNoBuffer)
            m_recorder.access(site, header.warp, header.mask, m_buffers[first], m_narrow.data(), m_values.data(), bytes,
                              bytes);
        else
            m_recorder.accessMixed(site, header.warp, header.mask, m_buffers.data(), m_offsets.data(), m_values.data(),
                                   bytes, bytes);
    }

    const LaunchTables& m_tables;
    trace::BlockRecorder& m_recorder;
    std::vector<std::vector<PlacedObject>> m_local;  ///< [warp]
    std::array<uint64_t, kWarpSize> m_addresses{};
    std::array<BufferId, kWarpSize> m_buffers{};
    std::array<uint64_t, kWarpSize> m_offsets{};
    std::array<uint32_t, kWarpSize> m_narrow{};
    alignas(16) LaneBytes m_values{};
};

}  // namespace

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
    const SiteId site = record.kind == RecordKind::Mark ? m_tables.siteOf(record.place) : kNoSite;
    if (site == kNoSite || m_tables.kindOf(site) != trace::SiteKind::Exit)
        return;
    log.returned += static_cast<uint64_t>(std::popcount(record.mask));
    if (log.returned < m_tables.launch().block.count())
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
    trace::TraceWriter& writer = *m_tables.launch().writer;
    m_events += log.order.size();
    std::unique_ptr<trace::BlockRecorder> recorder =
        block < m_tables.launch().grid.count() ? writer.beginBlock(m_tables.launch().id, BlockIndex{block}) : nullptr;
    if (!recorder) {
        m_eventsDropped += log.order.size();
        return;
    }
    // Records of one warp lie in the order of its program; warps of a block share their multiprocessor's clock.
    std::stable_sort(log.order.begin(), log.order.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    BlockTranslation translation(m_tables, *recorder);
    for (const auto& [clock, offset] : log.order)
        translation.translate(*reinterpret_cast<const RecordHeader*>(log.bytes.data() + offset));
    writer.endBlock(std::move(recorder));
    ++m_blocksRecorded;
}

}  // namespace lanescope::cuda
