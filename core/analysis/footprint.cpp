// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/analysis/footprint.h"

#include <algorithm>
#include <bit>

namespace lanescope::analysis {

using trace::Event;
using trace::SiteKind;
using trace::Space;

namespace {

class FootprintCollector {
public:
    /// \p count: of blocks or threads.
    FootprintCollector(const std::vector<trace::Buffer>& buffers, bool sharedToo, uint64_t count)
        : m_words((count + 63) / 64)
    {
        for (const trace::Buffer& buffer : buffers) {
            if (buffer.space == Space::Local || (buffer.space == Space::Shared && !sharedToo))
                continue;
            if (buffer.id.value >= m_byBuffer.size())
                m_byBuffer.resize(buffer.id.value + size_t{1});
            Entry& entry = m_byBuffer[buffer.id.value];
            entry.bytes = std::max(1U, buffer.element.totalBytes());
            entry.elements = std::min(buffer.bytes / entry.bytes, kMaxFootprintElements);
            entry.use = &m_footprint[buffer.id];
        }
    }

    /// \p who: block, or kNobody for the lane's thread.
    void add(const Event& event, uint32_t who)
    {
        if (!event.isAccess())
            return;
        for (LaneMask rest = event.mask; rest != 0; rest &= rest - 1) {
            const int lane = std::countr_zero(rest);
            const BufferId id = event.bufferOf(lane);
            if (id == kNoBuffer || id.value >= m_byBuffer.size() || m_byBuffer[id.value].use == nullptr)
                continue;
            Entry& entry = m_byBuffer[id.value];
            const uint64_t element = event.offset[static_cast<size_t>(lane)] / entry.bytes;
            if (element < entry.elements)
                addCell(entry, element, event.kind,
                        who != kNobody ? who : static_cast<uint32_t>(event.warp * kWarpSize + lane));
        }
    }

    Footprint take() { return std::move(m_footprint); }

private:
    struct Entry {
        uint32_t bytes = 1;
        uint64_t elements = 0;
        BufferUse* use = nullptr;
        std::vector<uint32_t> last;  ///< who touched it last
    };

    /// Buffers that nobody touches cost nothing.
    void makeRoom(Entry& entry) const
    {
        if (entry.elements <= kMaxToucherWords / std::max<uint64_t>(1, m_words)) {
            entry.use->words = m_words;
            entry.use->touchers.assign(entry.elements * m_words, 0);
        }
        entry.use->owner.assign(entry.elements, kNobody);
        entry.use->sharers.assign(entry.elements, 0);
        entry.use->reads.assign(entry.elements, 0);
        entry.use->writes.assign(entry.elements, 0);
        entry.last.assign(entry.elements, kNobody);
    }

    void addCell(Entry& entry, uint64_t element, SiteKind kind, uint32_t who)
    {
        if (entry.last.empty())
            makeRoom(entry);
        BufferUse& use = *entry.use;
        if (entry.last[element] != who && use.sharers[element] < 2)
            ++use.sharers[element];
        entry.last[element] = who;
        if (!use.touchers.empty() && who / 64 < m_words)
            use.touchers[element * m_words + who / 64] |= uint64_t{1} << (who % 64);
        const bool firstWrite = kind != SiteKind::Load && use.writes[element] == 0;
        if (use.owner[element] == kNobody || firstWrite)
            use.owner[element] = who;
        use.reads[element] += kind != SiteKind::Store;
        use.writes[element] += kind != SiteKind::Load;
    }

    size_t m_words;
    Footprint m_footprint;
    std::vector<Entry> m_byBuffer;
};

}  // namespace

Result<Footprint> launchFootprint(trace::TraceReader& reader, LaunchId launch,
                                  const std::vector<trace::Buffer>& buffers)
{
    const Result<std::vector<BlockIndex>> blocks = reader.blocks(launch);
    if (!blocks.ok())
        return blocks.error();
    FootprintCollector collector(buffers, false, reader.catalog().launches[launch.value].grid.count());
    for (const BlockIndex block : blocks.value()) {
        const Result<void> done =
            reader.visit(launch, block, 0, UINT64_MAX, trace::Detail::Places, [&](StepIndex, const Event& event) {
                collector.add(event, static_cast<uint32_t>(block.value));
                return true;
            });
        if (!done.ok())
            return done.error();
    }
    return collector.take();
}

Result<Footprint> blockFootprint(trace::TraceReader& reader, LaunchId launch, BlockIndex block,
                                 const std::vector<trace::Buffer>& buffers)
{
    FootprintCollector collector(buffers, true, reader.catalog().launches[launch.value].threadsPerBlock());
    const Result<void> done =
        reader.visit(launch, block, 0, UINT64_MAX, trace::Detail::Places, [&](StepIndex, const Event& event) {
            collector.add(event, kNobody);
            return true;
        });
    if (!done.ok())
        return done.error();
    return collector.take();
}

}  // namespace lanescope::analysis
