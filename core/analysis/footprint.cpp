// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/analysis/footprint.h"

#include <algorithm>
#include <bit>

#include "core/analysis/tallied_launch.h"

namespace lanescope::analysis {

using trace::Event;
using trace::SiteKind;
using trace::Space;

namespace {

class FootprintCollector {
public:
    enum class Of : uint8_t { Launch, Block };

    /// \p count: of blocks or threads.
    FootprintCollector(const std::vector<trace::Buffer>& buffers, Of of, uint64_t count)
        : m_isOfLaunch(of == Of::Launch), m_words((count + 63) / 64)
    {
        for (const trace::Buffer& buffer : buffers) {
            if (buffer.space == Space::Local || (buffer.space == Space::Shared && m_isOfLaunch))
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
                        who != kNobody ? who : static_cast<uint32_t>(event.warp * kWarpSize + lane), 1);
        }
    }

    /// Of a launch. False: the tally does not have every place.
    bool add(const trace::Catalog& catalog, const trace::BlockTally& tally)
    {
        if (!tally.hasEveryPlace(Space::Global) || !tally.hasEveryPlace(Space::Constant))
            return false;
        for (const trace::SiteTally& site : tally.sites)
            for (const trace::AccessRun& run : site.runs)
                addRun(run, catalog.sites[site.site.value].kind, static_cast<uint32_t>(tally.block.value));
        return true;
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

    /// Neighbouring elements that lanes access once each.
    struct Stretch {
        uint32_t offset = 0;  ///< bytes
        uint32_t elements = 0;
    };

    static std::vector<Stretch> stretchesOf(const trace::AccessRun& run, uint32_t elementBytes)
    {
        std::vector<Stretch> stretches;
        for (LaneMask rest = run.mask; rest != 0; rest &= rest - 1) {
            const uint32_t offset = run.offset[static_cast<size_t>(std::countr_zero(rest))];
            if (!stretches.empty() && offset == stretches.back().offset + stretches.back().elements * elementBytes)
                ++stretches.back().elements;
            else
                stretches.push_back({offset, 1});
        }
        return stretches;
    }

    void addRun(const trace::AccessRun& run, SiteKind kind, uint32_t who)
    {
        if (run.buffer.value >= m_byBuffer.size() || m_byBuffer[run.buffer.value].use == nullptr)
            return;
        Entry& entry = m_byBuffer[run.buffer.value];
        const std::vector<Stretch> stretches = stretchesOf(run, entry.bytes);
        trace::eachPlace(run, uint64_t{1} << 32, [&](uint32_t shift, uint64_t count) {
            for (const Stretch& stretch : stretches) {
                const uint64_t first = uint32_t{stretch.offset + shift} / entry.bytes;
                const uint64_t end = std::min<uint64_t>(first + stretch.elements, entry.elements);
                for (uint64_t element = first; element < end; ++element)
                    addCell(entry, element, kind, who, static_cast<uint32_t>(count * run.times));
            }
            return true;
        });
    }

    void addCell(Entry& entry, uint64_t element, SiteKind kind, uint32_t who, uint32_t times)
    {
        if (entry.last.empty())
            makeRoom(entry);
        BufferUse& use = *entry.use;
        if (entry.last[element] != who && use.sharers[element] < 2)
            ++use.sharers[element];
        entry.last[element] = who;
        if (!use.touchers.empty() && who / 64 < m_words)
            use.touchers[element * m_words + who / 64] |= uint64_t{1} << (who % 64);
        // Who comes first: of threads as they come, of blocks the one of the lowest index.
        const bool writes = kind != SiteKind::Load;
        const bool isWritten = use.writes[element] != 0;
        const uint32_t owner = use.owner[element];
        if (owner == kNobody || (writes && !isWritten) || (m_isOfLaunch && writes == isWritten && who < owner))
            use.owner[element] = who;
        use.reads[element] += kind != SiteKind::Store ? times : 0;
        use.writes[element] += writes ? times : 0;
    }

    bool m_isOfLaunch;
    size_t m_words;
    Footprint m_footprint;
    std::vector<Entry> m_byBuffer;
};

}  // namespace

Result<Footprint> launchFootprint(trace::TraceReader& reader, LaunchId launch,
                                  const std::vector<trace::Buffer>& buffers)
{
    if (launch.value >= reader.catalog().launches.size())
        return reader.blocks(launch).error();
    FootprintCollector collector(buffers, FootprintCollector::Of::Launch,
                                 reader.catalog().launches[launch.value].grid.count());
    const Result<void> done = visitLaunch(
        reader, launch, trace::Detail::Places,
        [&](const trace::BlockTally& tally) { return collector.add(reader.catalog(), tally); },
        [&](BlockIndex block, StepIndex, const Event& event) {
            collector.add(event, static_cast<uint32_t>(block.value));
        });
    if (!done.ok())
        return done.error();
    return collector.take();
}

Result<Footprint> blockFootprint(trace::TraceReader& reader, LaunchId launch, BlockIndex block,
                                 const std::vector<trace::Buffer>& buffers)
{
    FootprintCollector collector(buffers, FootprintCollector::Of::Block,
                                 reader.catalog().launches[launch.value].threadsPerBlock());
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
