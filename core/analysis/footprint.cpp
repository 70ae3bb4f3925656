// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/analysis/footprint.h"

#include <algorithm>
#include <array>
#include <bit>
#include <functional>
#include <unordered_map>
#include <utility>

#include "core/analysis/pages.h"
#include "core/analysis/tallied_launch.h"

namespace lanescope::analysis {

using trace::Event;
using trace::SiteKind;
using trace::Space;

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
                        who != kNobody ? who : static_cast<uint32_t>(event.warp * kWarpSize + lane));
        }
    }

    /// Of a launch. False: the tally does not have every place.
    bool add(const trace::Catalog& catalog, const trace::BlockTally& tally)
    {
        if (!tally.hasEveryPlace(Space::Global) || !tally.hasEveryPlace(Space::Constant))
            return false;
        for (const trace::SiteTally& site : tally.sites)
            for (const trace::AccessRun& run : site.runs)
                note(run, catalog.sites[site.site.value].kind, static_cast<uint32_t>(tally.block.value));
        return true;
    }

    Footprint take()
    {
        addShared();
        for (Entry& entry : m_byBuffer) {
            fillUse(entry);
            entry.groups = {};  // of large buffers as much as everything that is kept
            entry.groupOf = {};
        }
        return std::move(m_footprint);
    }

private:
    static constexpr uint64_t kOdd = 0x9e3779b97f4a7c15;  ///< spreads what is hashed

    /// Neighbouring cells, together: of a tile's rows, which are often powers of two apart, arrays of their own would
    /// lie in the same few lines of the cache.
    struct Group {
        static constexpr size_t kCells = BufferUse::Group::kCells;
        std::array<uint32_t, kCells> owner;
        std::array<uint32_t, kCells> last;  ///< who touched it last
        std::array<uint32_t, kCells> reads{};
        std::array<uint32_t, kCells> writes{};
        std::array<uint32_t, kCells> sharers{};

        Group()
        {
            owner.fill(kNobody);
            last.fill(kNobody);
        }
    };

    struct Entry {
        uint32_t bytes = 1;
        uint64_t elements = 0;
        BufferUse* use = nullptr;
        std::vector<uint32_t> groupOf;  ///< as BufferUse's
        Pages<Group, 256> groups;
    };

    /// Buffers that nobody touches cost nothing.
    void makeRoom(Entry& entry) const
    {
        if (keepsTouchers(entry)) {
            entry.use->words = m_words;
            entry.use->touchers.assign(entry.elements * m_words, 0);
        }
        entry.groupOf.assign((entry.elements + Group::kCells - 1) / Group::kCells, kNobody);
    }

    static Group& groupOf(Entry& entry, uint64_t element)
    {
        uint32_t& place = entry.groupOf[element / Group::kCells];
        if (place == kNobody) {
            place = static_cast<uint32_t>(entry.groups.size());
            entry.groups.push_back({});
        }
        return entry.groups[place];
    }

    /// A block's cells are mostly used alike, and lie in several groups.
    static void fillUse(Entry& entry)
    {
        if (entry.groupOf.empty())
            return;
        constexpr size_t kRemembered = 4096;
        std::vector<uint32_t> remembered(kRemembered, kNobody);  // by hash, where one such group is
        std::vector<BufferUse::Group>& groups = entry.use->m_groups;
        entry.use->m_groupOf = std::move(entry.groupOf);
        for (uint32_t& place : entry.use->m_groupOf) {
            if (place == kNobody)
                continue;
            const Group& from = entry.groups[place];
            BufferUse::Group group{};
            group.owner = from.owner;
            std::ranges::transform(from.reads, from.writes, group.accesses.begin(), std::plus());
            std::ranges::copy(from.sharers, group.sharers.begin());
            const uint64_t hash = (uint64_t{group.owner.front()} << 32 | group.owner.back()) * kOdd;
            uint32_t& known = remembered[hash / (UINT64_MAX / kRemembered + 1)];
            if (known == kNobody || groups[known] != group) {
                known = static_cast<uint32_t>(groups.size());
                groups.push_back(group);
            }
            place = known;
        }
        groups.shrink_to_fit();
    }

    /// What some blocks' equal runs of accesses are.
    struct SharedRun {
        trace::AccessRun run;  ///< once
        SiteKind kind = SiteKind::Load;

        friend bool operator==(const SharedRun&, const SharedRun&) = default;
    };
    struct Hash {
        size_t operator()(const SharedRun& shared) const
        {
            const trace::AccessRun& run = shared.run;
            uint64_t hash = static_cast<uint64_t>(shared.kind);
            const auto add = [&hash](uint64_t value) { hash = (std::rotl(hash, 29) ^ value) * kOdd; };
            for (const uint64_t value : {uint64_t{run.buffer.value}, uint64_t{run.mask}, uint64_t{run.advance},
                                         uint64_t{run.count}, uint64_t{run.bytes}})
                add(value);
            for (const size_t lane : {size_t{0}, size_t{15}, size_t{16}, size_t{31}})
                add(run.offset[lane]);
            return hash ^ (hash >> 32);
        }
    };
    struct Blocks {
        uint32_t lowest = kNobody;
        bool several = false;
        uint64_t times = 0;
    };

    /// Blocks of one row of tiles read the same rows: their cells are gone through once for all of them. Nothing that
    /// is kept of a cell depends on the order. Where blocks have nothing in common, each is added at once.
    void note(const trace::AccessRun& run, SiteKind kind, uint32_t who)
    {
        constexpr size_t kMost = 1 << 15;  // runs, some 6 MB
        constexpr size_t kWorthIt = 2;     // blocks to each
        if (run.buffer.value >= m_byBuffer.size() || m_byBuffer[run.buffer.value].use == nullptr)
            return;
        if (!m_shares || keepsTouchers(m_byBuffer[run.buffer.value]))
            return addRun(run, kind, {who, false, run.times});
        SharedRun key{run, kind};
        key.run.times = 1;
        Blocks& blocks = m_shared[key];
        blocks.several |= blocks.lowest != kNobody && blocks.lowest != who;
        blocks.lowest = std::min(blocks.lowest, who);
        blocks.times += run.times;
        ++m_noted;
        if (m_shared.size() < kMost)
            return;
        m_shares = m_noted >= kWorthIt * m_shared.size();
        addShared();
    }

    void addShared()
    {
        for (const auto& [shared, blocks] : m_shared)
            addRun(shared.run, shared.kind, blocks);
        m_shared.clear();
        m_noted = 0;
    }

    [[nodiscard]] bool keepsTouchers(const Entry& entry) const
    {
        return entry.elements <= kMaxToucherWords / std::max<uint64_t>(1, m_words);
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

    /// \p run by \p blocks, as often as these say.
    void addRun(const trace::AccessRun& run, SiteKind kind, const Blocks& blocks)
    {
        Entry& entry = m_byBuffer[run.buffer.value];
        for (const Stretch& stretch : stretchesOf(run, entry.bytes))
            addStretch(entry, run, stretch, kind, blocks);
    }

    void addStretch(Entry& entry, const trace::AccessRun& run, const Stretch& stretch, SiteKind kind,
                    const Blocks& blocks)
    {
        const auto add = [&](uint32_t offset, uint64_t elements, uint64_t times) {
            const uint64_t first = offset / entry.bytes;
            const uint64_t end = std::min(first + elements, entry.elements);
            if (first < end)
                addCells(entry, first, end, kind, blocks, static_cast<uint32_t>(times));
        };
        // Of a tile that moves along a row the executions are one behind the other.
        const uint64_t all = uint64_t{stretch.elements} * run.count;
        if (run.advance == stretch.elements * entry.bytes && stretch.offset + all * entry.bytes <= UINT32_MAX)
            return add(stretch.offset, all, blocks.times);
        trace::eachPlace(run, uint64_t{1} << 32, [&](uint32_t shift, uint64_t count) {
            add(stretch.offset + shift, stretch.elements, count * blocks.times);
            return true;
        });
    }

    /// As addCell for each of a launch's cells [first, end), a vector at a time.
    void addCells(Entry& entry, uint64_t first, uint64_t end, SiteKind kind, const Blocks& blocks, uint32_t times)
    {
        if (entry.groupOf.empty())
            makeRoom(entry);
        noteTouchers(entry, first, end, blocks.lowest);
        const uint32_t reads = kind != SiteKind::Store ? times : 0;
        const uint32_t writes = kind != SiteKind::Load ? times : 0;
        while (first < end) {
            Group& group = groupOf(entry, first);
            const size_t from = first % Group::kCells;
            const size_t to = std::min<uint64_t>(Group::kCells, from + (end - first));
            if (from == 0 && to == Group::kCells)
                addTo(group, 0, Group::kCells, blocks, reads, writes);
            else
                addTo(group, from, to, blocks, reads, writes);
            first += to - from;
        }
    }

    void noteTouchers(Entry& entry, uint64_t first, uint64_t end, uint32_t who) const
    {
        BufferUse& use = *entry.use;
        if (use.touchers.empty() || who / 64 >= m_words)
            return;
        for (uint64_t element = first; element < end; ++element)
            use.touchers[element * m_words + who / 64] |= uint64_t{1} << (who % 64);
    }

    [[gnu::always_inline]] static void addTo(Group& group, size_t from, size_t to, const Blocks& blocks, uint32_t reads,
                                             uint32_t writes)
    {
        const uint32_t who = blocks.lowest;
        if (blocks.several)
            std::fill(group.sharers.begin() + static_cast<ptrdiff_t>(from),
                      group.sharers.begin() + static_cast<ptrdiff_t>(to), 2U);
        // Without branches, so that it becomes vectors.
        for (size_t i = from; i < to; ++i) {
            group.sharers[i] +=
                static_cast<uint32_t>(group.last[i] != who) & static_cast<uint32_t>(group.sharers[i] < 2);
            group.last[i] = who;
        }
        // The lowest block that writes; where none does, the lowest that reads.
        for (size_t i = from; i < to; ++i) {
            const uint32_t lowest = std::min(who, group.owner[i]);
            const uint32_t written = writes != 0 ? lowest : group.owner[i];
            const uint32_t unwritten = writes != 0 ? who : lowest;
            group.owner[i] = group.writes[i] != 0 ? written : unwritten;
        }
        for (size_t i = from; i < to; ++i) {
            group.reads[i] += reads;
            group.writes[i] += writes;
        }
    }

    void addCell(Entry& entry, uint64_t element, SiteKind kind, uint32_t who)
    {
        if (m_isOfLaunch)
            return addCells(entry, element, element + 1, kind, {who, false, 1}, 1);
        if (entry.groupOf.empty())
            makeRoom(entry);
        noteTouchers(entry, element, element + 1, who);
        Group& group = groupOf(entry, element);
        const size_t i = element % Group::kCells;
        if (group.last[i] != who && group.sharers[i] < 2)
            ++group.sharers[i];
        group.last[i] = who;
        // Of threads the one that comes first.
        const bool writes = kind != SiteKind::Load;
        if (group.owner[i] == kNobody || (writes && group.writes[i] == 0))
            group.owner[i] = who;
        group.reads[i] += kind != SiteKind::Store ? 1 : 0;
        group.writes[i] += writes ? 1 : 0;
    }

    bool m_isOfLaunch;
    size_t m_words;
    Footprint m_footprint;
    std::vector<Entry> m_byBuffer;
    std::unordered_map<SharedRun, Blocks, Hash> m_shared;
    size_t m_noted = 0;  ///< in m_shared
    bool m_shares = true;
};

uint32_t BufferUse::mostAccesses() const
{
    uint32_t most = 0;
    for (const Group& group : m_groups)
        most = std::max(most, std::ranges::max(group.accesses));
    return most;
}

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
