// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/cuda/trace_blocks.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <optional>

#include "core/cuda/record.h"
#include "core/cuda/shared_image.h"
#include "core/trace/remote_shared.h"

namespace lanescope::cuda {

namespace {

/// Where one memory object of a warp's lanes (a block's shared array: of all lanes) lies.
struct PlacedObject {
    uint32_t key = 0;
    LaunchTables::Object object;
    LaneMask mask = 0;
    std::array<uint64_t, kWarpSize> base{};
    bool isOneForAll = false;  ///< of a whole warp, which has it at one address

    [[nodiscard]] bool holds(uint64_t address, int lane) const
    {
        return ((mask >> lane) & 1) && address - base[static_cast<size_t>(lane)] < object.bytes;
    }
};

/// Turns one block's records, in order, into events.
class BlockTranslation {
public:
    BlockTranslation(const LaunchTables& tables, uint64_t block, trace::BlockRecorder& recorder, Faults& faults)
        : m_tables(tables), m_block(block), m_recorder(recorder), m_faults(faults),
          m_local((tables.launch().block.count() + kWarpSize - 1) / kWarpSize), m_epochs(m_local.size())
    {
    }

    void translate(const RecordHeader& header)
    {
        if (header.kind == RecordKind::Object)
            return placeObject(header);
        const SiteId site = m_tables.siteOf(header.place);
        if (site == kNoSite || header.warp >= m_local.size())
            return;
        ++m_step;
        if (header.kind == RecordKind::Branch)
            return m_recorder.branch(site, header.warp, header.mask, extraOf(header));
        if (header.kind == RecordKind::Access)
            return access(site, header);
        if (m_tables.kindOf(site) == trace::SiteKind::Barrier) {
            m_recorder.barrier(site, header.warp, header.mask);
            ++m_epochs[header.warp];
        } else {
            m_recorder.mark(site, header.warp, header.mask);
        }
    }

private:
    void placeObject(const RecordHeader& header)
    {
        for (uint32_t rank = 0; rank < m_begins.size(); ++rank)
            if (header.place == device::ObjectKey::ofBlock(rank).value) {
                readAddresses(header, m_addresses);
                m_begins[rank] = m_addresses[static_cast<size_t>(std::countr_zero(header.mask))];
                return;
            }
        const LaunchTables::Object* object = m_tables.object(header.place);
        if (!object || header.warp >= m_local.size())
            return;
        readAddresses(header, m_addresses);
        std::vector<PlacedObject>& placed = m_local[header.warp];
        for (PlacedObject& other : placed)
            if (other.key == header.place) {
                other.mask &= ~header.mask;
                other.isOneForAll = false;
            }
        std::erase_if(placed, [](const PlacedObject& other) { return other.mask == 0; });
        const bool oneForAll = header.mask == UINT32_MAX &&
                               std::ranges::all_of(m_addresses, [&](uint64_t base) { return base == m_addresses[0]; });
        placed.push_back({header.place, *object, header.mask, m_addresses, oneForAll});
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

    [[nodiscard]] uint32_t rankInCluster() const
    {
        const Dim3 grid = m_tables.launch().grid, cluster = m_tables.launch().cluster;
        const auto x = static_cast<uint32_t>(m_block % grid.x), y = static_cast<uint32_t>(m_block / grid.x % grid.y),
                   z = static_cast<uint32_t>(m_block / grid.x / grid.y);
        return static_cast<uint32_t>(linearIndex({x % cluster.x, y % cluster.y, z % cluster.z}, cluster));
    }

    /// How a trace names an address in another block's shared memory. Every block has its arrays at the same places,
    /// and blocks' memory lies at equal distances. None: it is no such address.
    [[nodiscard]] std::optional<uint64_t> remoteOffset(uint16_t warp, uint64_t address, int lane) const
    {
        const uint64_t distance = m_begins[1] - m_begins[0], blocks = m_tables.launch().cluster.count();
        if (blocks < 2 || distance == 0 || address < m_begins[0] || (address - m_begins[0]) / distance >= blocks)
            return std::nullopt;
        const uint64_t place = (address - m_begins[0]) % distance;
        const uint64_t same = m_begins[0] + rankInCluster() * distance + place;
        const PlacedObject* object = objectAt(warp, same, lane);
        if (!object)
            return std::nullopt;
        const uint64_t inObject = same - object->base[static_cast<size_t>(lane)];
        return trace::offsetOf(
            {static_cast<uint32_t>((address - m_begins[0]) / distance), object->object.sharedOffset + inObject});
    }

    void noteFault(SiteId site, const RecordHeader& header, uint64_t address, uint32_t lane)
    {
        device::AccessFault fault = m_tables.faultAt(site, address, header.valueBytes);
        fault.block = m_block;
        fault.thread = header.warp * uint32_t{kWarpSize} + lane;
        fault.epoch = m_epochs[header.warp];
        fault.step = m_step - 1;
        const auto [known, isNew] = m_faults.emplace(fault.staticSite, fault);
        known->second.count += !isNew;
    }

    /// Memory that is one for all lanes; \p lane 0's address lies in it. No buffer: there is none.
    struct Region {
        BufferId buffer = kNoBuffer;
        uint64_t base = 0;
        uint64_t bytes = 0;
        bool isShared = false;
    };

    [[nodiscard]] Region regionAt(uint16_t warp, uint64_t address) const
    {
        if (device::DeviceMemory::isDeviceAddress(address))
            return {m_tables.bufferAt(address), address & ~uint64_t{UINT32_MAX}, m_tables.bytesAt(address)};
        const PlacedObject* object = objectAt(warp, address, 0);
        if (!object || !object->isOneForAll)
            return {};
        return {object->object.buffer, object->base[0], object->object.bytes, object->object.isShared};
    }

    /// Whether all lanes of a whole warp lie in \p region; then their offsets in it are in m_narrow.
    bool narrow(const Region& region, const AffineAddresses& addresses, uint32_t bytes)
    {
        const auto stride = static_cast<uint32_t>(addresses.stride);
        if (region.buffer == kNoBuffer || region.bytes < bytes ||
            addresses.stride != static_cast<uint64_t>(int64_t{static_cast<int32_t>(stride)}))
            return false;
        // So narrow a stride leaves no lane outside of what lies between the first and the last one.
        const uint64_t first = addresses.base - region.base;
        const uint64_t last = first + (kWarpSize - 1) * addresses.stride;
        if (std::max(first, last) > region.bytes - bytes)
            return false;
        for (uint32_t lane = 0; lane < kWarpSize; ++lane)
            m_narrow[lane] = static_cast<uint32_t>(first) + lane * stride;
        return true;
    }
    bool narrow(const Region& region, uint32_t bytes)
    {
        if (region.buffer == kNoBuffer || region.bytes < bytes)
            return false;
        uint64_t furthest = 0;
        for (size_t lane = 0; lane < kWarpSize; ++lane) {
            const uint64_t offset = m_addresses[lane] - region.base;
            furthest = std::max(furthest, offset);
            m_narrow[lane] = static_cast<uint32_t>(offset);
        }
        return furthest <= region.bytes - bytes;
    }

    SharedImage& imageOf(BufferId buffer, uint64_t bytes)
    {
        if (m_lastImage && m_lastImageOf == buffer)
            return *m_lastImage;
        m_lastImageOf = buffer;
        m_lastImage = &m_shared.try_emplace(buffer.value, bytes).first->second;
        return *m_lastImage;
    }

    /// All lanes in \p region, at the offsets in m_narrow.
    void wholeWarp(SiteId site, const RecordHeader& header, const Region& region, const std::byte* values)
    {
        const uint8_t bytes = header.valueBytes;
        const std::byte* kept = values;
        if (region.isShared) {
            SharedImage& image = imageOf(region.buffer, region.bytes);
            if (m_tables.kindOf(site) != trace::SiteKind::Load)
                image.storeLanes(m_narrow.data(), values, bytes);
            else if (m_tables.valueBytesOf(site) == bytes && image.holdsLanes(m_narrow.data(), values, bytes))
                kept = nullptr;
        }
        m_recorder.access(site, header.warp, header.mask, region.buffer, m_narrow.data(), kept, bytes, bytes);
    }

    void access(SiteId site, const RecordHeader& header)
    {
        const std::byte* values = readValues(header, m_values);
        const uint8_t bytes = header.valueBytes;
        if (const std::optional<AffineAddresses> affine = affineAddresses(header))
            if (const Region region = regionAt(header.warp, affine->base); narrow(region, *affine, bytes))
                return wholeWarp(site, header, region, values);
        readAddresses(header, m_addresses);
        if (header.mask == UINT32_MAX)
            if (const Region region = regionAt(header.warp, m_addresses[0]); narrow(region, bytes))
                return wholeWarp(site, header, region, values);
        const bool stores = m_tables.kindOf(site) != trace::SiteKind::Load;
        bool same = true;
        const auto first = static_cast<size_t>(std::countr_zero(header.mask));
        for (LaneMask rest = header.mask; rest != 0; rest &= rest - 1) {
            const int number = std::countr_zero(rest);
            const auto lane = static_cast<size_t>(number);
            const uint64_t address = m_addresses[lane];
            m_buffers[lane] = kNoBuffer;
            m_offsets[lane] = address;
            if (device::DeviceMemory::isDeviceAddress(address)) {
                m_buffers[lane] = m_tables.bufferAt(address);
                if (m_buffers[lane] != kNoBuffer)
                    m_offsets[lane] = static_cast<uint32_t>(address);
                if (!m_tables.isMemory(address, bytes))
                    noteFault(site, header, address, static_cast<uint32_t>(number));
            } else if (const PlacedObject* object = objectAt(header.warp, address, number)) {
                m_buffers[lane] = object->object.buffer;
                m_offsets[lane] = address - object->base[lane];
                if (stores && object->object.isShared && m_offsets[lane] + bytes <= object->object.bytes)
                    imageOf(m_buffers[lane], object->object.bytes).store(m_offsets[lane], values + lane * bytes, bytes);
            } else if (const std::optional<uint64_t> remote = remoteOffset(header.warp, address, number)) {
                m_offsets[lane] = *remote;
            } else if (address < kNullPage) {
                noteFault(site, header, address, static_cast<uint32_t>(number));
            }
            m_narrow[lane] = static_cast<uint32_t>(m_offsets[lane]);
            same = same && m_buffers[lane] == m_buffers[first];
        }
        if (same && m_buffers[first] != kNoBuffer)
            m_recorder.access(site, header.warp, header.mask, m_buffers[first], m_narrow.data(), values, bytes, bytes);
        else
            m_recorder.accessMixed(site, header.warp, header.mask, m_buffers.data(), m_offsets.data(), values, bytes,
                                   bytes);
    }

    /// Addresses from a null pointer. Others that nobody has allocated may be the compiler's own.
    static constexpr uint64_t kNullPage = 4096;

    const LaunchTables& m_tables;
    uint64_t m_block;
    trace::BlockRecorder& m_recorder;
    Faults& m_faults;
    std::vector<std::vector<PlacedObject>> m_local;  ///< [warp]
    std::vector<uint32_t> m_epochs;                  ///< [warp], barriers passed
    std::array<uint64_t, 2> m_begins{};              ///< of shared memory of the cluster's first two blocks
    StepIndex m_step = 0;
    std::array<uint64_t, kWarpSize> m_addresses{};
    std::array<BufferId, kWarpSize> m_buffers{};
    std::array<uint64_t, kWarpSize> m_offsets{};
    std::array<uint32_t, kWarpSize> m_narrow{};
    alignas(16) LaneBytes m_values{};
    std::unordered_map<uint32_t, SharedImage> m_shared;  ///< by buffer
    SharedImage* m_lastImage = nullptr;
    BufferId m_lastImageOf = kNoBuffer;
};

}  // namespace

bool TraceBlocks::isReturn(uint32_t place) const
{
    const SiteId site = m_tables.siteOf(place);
    return site != kNoSite && m_tables.kindOf(site) == trace::SiteKind::Exit;
}

bool TraceBlocks::write(uint64_t block, const BlockRecords& records, Faults& faults) const
{
    const device::DeviceLaunch& launch = m_tables.launch();
    std::unique_ptr<trace::BlockRecorder> recorder =
        block < launch.grid.count() ? launch.writer->beginBlock(launch.id, BlockIndex{block}) : nullptr;
    if (!recorder)
        return false;
    BlockTranslation translation(m_tables, block, *recorder, faults);
    for (const auto& [clock, offset] : records.order)
        translation.translate(records.at(offset));
    launch.writer->endBlock(std::move(recorder));
    return true;
}

}  // namespace lanescope::cuda
