// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/attach/attached_blocks.h"

#include <algorithm>
#include <array>
#include <bit>
#include <unordered_map>

#include "core/cuda/record.h"

namespace lanescope::attach {

using cuda::RecordHeader;
using cuda::RecordKind;
using trace::Space;

namespace {

void raise(std::atomic<uint64_t>& most, uint64_t value)
{
    uint64_t before = most.load(std::memory_order_relaxed);
    while (before < value && !most.compare_exchange_weak(before, value, std::memory_order_relaxed)) {
    }
}

Space spaceOf(uint32_t deed)
{
    const auto what = static_cast<Deed>(deed);
    return what >= Deed::LocalLoad ? Space::Local : what >= Deed::SharedLoad ? Space::Shared : Space::Global;
}

bool writes(uint32_t deed)
{
    const auto what = static_cast<Deed>(deed);
    return what != Deed::GlobalLoad && what != Deed::SharedLoad && what != Deed::LocalLoad;
}

}  // namespace

/// Turns one block's records, in order, into events.
class AttachedBlocks::Translation {
public:
    Translation(const AttachedBlocks& blocks, uint64_t block, trace::BlockRecorder& recorder)
        : m_blocks(blocks), m_launch(blocks.m_launch), m_block(block), m_recorder(recorder),
          m_epochs(m_launch.launch.warpsPerBlock())
    {
    }

    void translate(const RecordHeader& header)
    {
        if (header.warp >= m_epochs.size() || deedOf(header.place) >= kDeedCount)
            return;
        if (header.kind == RecordKind::Access)
            return access(header);
        const SiteId site = siteOf(header, nullptr);
        ++m_step;
        if (deedOf(header.place) == static_cast<uint32_t>(Deed::Barrier)) {
            m_recorder.barrier(site, header.warp, header.mask);
            ++m_epochs[header.warp];
        } else {
            m_recorder.mark(site, header.warp, header.mask);
        }
    }

private:
    /// \p buffer: that the first lane accesses; null: none that is known.
    SiteId siteOf(const RecordHeader& header, const trace::Buffer* buffer)
    {
        const uint64_t key = uint64_t{buffer ? buffer->id.value : kNoBuffer.value} << 32 | header.place;
        const auto [known, isNew] = m_sites.try_emplace(key);
        if (isNew) {
            const trace::ValueType type = header.kind == RecordKind::Access
                                              ? typeOf(header.valueBytes, buffer ? &buffer->element : nullptr)
                                              : trace::ValueType();
            known->second = m_launch.code.siteOf(header.place, type, m_launch.writer);
        }
        return known->second;
    }

    /// A value of \p bytes in a buffer whose elements are \p element, or the launch's word.
    [[nodiscard]] trace::ValueType typeOf(uint32_t bytes, const trace::ValueType* element) const
    {
        for (const trace::ValueType* type : {element, &m_launch.word})
            if (type && type->bytes != 0 && bytes % type->bytes == 0)
                return bytes == type->bytes ? trace::ValueType{type->kind, bytes, 1, scalarName(*type)}
                                            : trace::ValueType{type->kind, type->bytes, bytes / type->bytes,
                                                               scalarName(*type) + std::to_string(bytes / type->bytes)};
        return {trace::ScalarKind::Unsigned, std::min(bytes, 8u), std::max(bytes / 8, 1u),
                std::to_string(8 * bytes) + " bits"};
    }
    /// "float" of float4.
    static std::string scalarName(const trace::ValueType& type)
    {
        return type.components == 1 ? type.name : type.name.substr(0, type.name.size() - 1);
    }

    void access(const RecordHeader& header)
    {
        const uint32_t deed = deedOf(header.place);
        const Space space = spaceOf(deed);
        const uint8_t bytes = header.valueBytes;
        cuda::readAddresses(header, m_addresses);
        const std::byte* values = cuda::hasValues(header) ? cuda::readValues(header, m_values) : nullptr;
        bool same = true;
        const auto first = static_cast<size_t>(std::countr_zero(header.mask));
        for (LaneMask rest = header.mask; rest != 0; rest &= rest - 1) {
            const auto lane = static_cast<size_t>(std::countr_zero(rest));
            place(space, m_addresses[lane], bytes, lane);
            m_narrow[lane] = static_cast<uint32_t>(m_offsets[lane]);
            same = same && m_buffers[lane] == m_buffers[first];
        }
        const Region* region = space == Space::Global ? m_launch.regions.at(m_addresses[first]) : nullptr;
        const SiteId site = siteOf(header, region ? &bufferOf(*region) : nullptr);
        ++m_step;
        if (space == Space::Global)
            noteStray(site, header, writes(deed));
        if (same && m_buffers[first] != kNoBuffer)
            m_recorder.access(site, header.warp, header.mask, m_buffers[first], m_narrow.data(), values, bytes, bytes);
        else
            m_recorder.accessMixed(site, header.warp, header.mask, m_buffers.data(), m_offsets.data(), values, bytes,
                                   bytes);
    }

    void place(Space space, uint64_t address, uint32_t bytes, size_t lane)
    {
        m_buffers[lane] = kNoBuffer;
        m_offsets[lane] = address;
        if (space == Space::Shared) {
            m_buffers[lane] = m_launch.shared;
            m_offsets[lane] = address - std::min(address, m_launch.sharedFirst);
            raise(m_blocks.m_sharedBytes, m_offsets[lane] + bytes);
        } else if (space == Space::Local) {
            if (m_local == kNoBuffer)
                m_local = m_launch.local();
            m_buffers[lane] = m_local;
            raise(m_blocks.m_localBytes, address + bytes);
        } else if (const Region* region = m_launch.regions.at(address)) {
            m_buffers[lane] = bufferOf(*region).id;
            m_offsets[lane] = address - region->address;
        }
    }

    void noteStray(SiteId site, const RecordHeader& header, bool isWrite)
    {
        if (m_strayKnown)
            return;
        for (LaneMask rest = header.mask; rest != 0; rest &= rest - 1) {
            const auto lane = static_cast<uint32_t>(std::countr_zero(rest));
            if (m_buffers[lane] != kNoBuffer)
                continue;
            m_strayKnown = true;
            const std::lock_guard lock(m_blocks.m_strayLock);
            if (!m_blocks.m_stray || m_blocks.m_stray->block > m_block)
                m_blocks.m_stray = {m_launch.code.whereOf(site),
                                    isWrite,
                                    m_addresses[lane],
                                    m_block,
                                    header.warp * uint32_t{kWarpSize} + lane,
                                    m_epochs[header.warp],
                                    m_step - 1};
            return;
        }
    }

    const trace::Buffer& bufferOf(const Region& region)
    {
        const auto [known, isNew] = m_used.try_emplace(&region);
        if (isNew)
            known->second = m_launch.use(region);
        return known->second;
    }

    const AttachedBlocks& m_blocks;
    const AttachedLaunch& m_launch;
    uint64_t m_block;
    trace::BlockRecorder& m_recorder;
    std::vector<uint32_t> m_epochs;  ///< [warp], barriers passed
    StepIndex m_step = 0;
    bool m_strayKnown = false;
    BufferId m_local = kNoBuffer;
    std::unordered_map<uint64_t, SiteId> m_sites;  ///< by buffer and place
    std::unordered_map<const Region*, trace::Buffer> m_used;
    std::array<uint64_t, kWarpSize> m_addresses{};
    std::array<BufferId, kWarpSize> m_buffers{};
    std::array<uint64_t, kWarpSize> m_offsets{};
    std::array<uint32_t, kWarpSize> m_narrow{};
    alignas(16) cuda::LaneBytes m_values{};
};

bool AttachedBlocks::write(uint64_t block, const cuda::BlockRecords& records, cuda::Faults&) const
{
    std::unique_ptr<trace::BlockRecorder> recorder =
        block < m_launch.launch.grid.count() ? m_launch.writer.beginBlock(m_launch.launch.id, BlockIndex{block})
                                             : nullptr;
    if (!recorder)
        return false;
    Translation translation(*this, block, *recorder);
    for (const auto& [clock, offset] : records.order)
        translation.translate(records.at(offset));
    m_launch.writer.endBlock(std::move(recorder));
    return true;
}

std::optional<StrayAccess> AttachedBlocks::stray() const
{
    const std::lock_guard lock(m_strayLock);
    return m_stray;
}

}  // namespace lanescope::attach
