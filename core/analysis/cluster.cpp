// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/analysis/cluster.h"

#include <algorithm>
#include <bit>
#include <map>
#include <tuple>

#include "core/analysis/barrier_operations.h"
#include "core/trace/remote_shared.h"

namespace lanescope::analysis {

using trace::Event;
using trace::SiteKind;

uint32_t ClusterBlock::epochOf(StepIndex step) const
{
    return static_cast<uint32_t>(std::ranges::upper_bound(meetings, step) - meetings.begin());
}

double ClusterBlock::placeOf(StepIndex step) const
{
    const uint32_t epoch = epochOf(step);
    const StepIndex begin = epoch == 0 ? 0 : meetings[epoch - 1];
    const StepIndex end = std::max(begin + 1, epoch < meetings.size() ? meetings[epoch] : steps);
    return static_cast<double>(step - begin) / static_cast<double>(end - begin);
}

uint32_t Cluster::epochs() const
{
    size_t most = 0;
    for (const ClusterBlock& block : blocks)
        if (block.isRecorded)
            most =
                std::max(most, block.meetings.size() + (block.meetings.empty() || block.meetings.back() < block.steps));
    return static_cast<uint32_t>(most);
}

uint32_t rankInCluster(Dim3 block, Dim3 cluster)
{
    return block.x % cluster.x + cluster.x * (block.y % cluster.y + cluster.y * (block.z % cluster.z));
}

namespace {

RemoteAccess::Way wayOf(AsyncKind kind, SiteKind access)
{
    if (kind == AsyncKind::Barrier || kind == AsyncKind::Wait || kind == AsyncKind::Init)
        return RemoteAccess::Way::Arrival;
    // A copy tells the barrier how much has come.
    if (kind == AsyncKind::Copy)
        return access == SiteKind::Atomic ? RemoteAccess::Way::Arrival : RemoteAccess::Way::Copy;
    return access == SiteKind::Load    ? RemoteAccess::Way::Load
           : access == SiteKind::Store ? RemoteAccess::Way::Store
                                       : RemoteAccess::Way::Atomic;
}

/// A barrier, the waits for which are recorded warp by warp: its phase is over once all threads have waited.
class Meetings {
public:
    explicit Meetings(uint64_t threads) : m_threads(threads) {}

    void exit(LaneMask mask) { m_exited += static_cast<uint64_t>(std::popcount(mask)); }
    void wait(StepIndex step, LaneMask mask, std::vector<StepIndex>& into)
    {
        m_waiting += static_cast<uint64_t>(std::popcount(mask));
        if (m_waiting + m_exited < m_threads)
            return;
        into.push_back(step + 1);
        m_waiting = 0;
    }

private:
    uint64_t m_threads;
    uint64_t m_waiting = 0;
    uint64_t m_exited = 0;
};

class ClusterBuilder {
public:
    ClusterBuilder(const trace::Catalog& catalog, const trace::Launch& launch, std::vector<trace::Buffer> buffers)
        : m_catalog(catalog), m_launch(launch)
    {
        for (const trace::Site& site : catalog.sites)
            m_kinds.push_back(asyncKindOf(site));
        for (trace::Buffer& buffer : buffers)
            if (buffer.space == trace::Space::Shared)
                m_shared.push_back(std::move(buffer));
    }

    /// Reads the block of rank \p rank.
    Result<void> add(trace::TraceReader& reader, uint32_t rank, ClusterBlock& block)
    {
        Meetings cluster(m_launch.block.count()), own(m_launch.block.count());
        m_rank = rank;
        m_open.clear();
        return reader.visit(m_launch.id, block.block, 0, UINT64_MAX, trace::Detail::Places,
                            [&](StepIndex step, const Event& event) {
                                block.steps = step + 1;
                                if (event.kind == SiteKind::Exit) {
                                    cluster.exit(event.mask);
                                    own.exit(event.mask);
                                } else if (event.kind == SiteKind::Barrier && isOfCluster(event.site)) {
                                    cluster.wait(step, event.mask, block.meetings);
                                } else if (event.kind == SiteKind::Barrier) {
                                    own.wait(step, event.mask, block.barriers);
                                } else if (event.isAccess()) {
                                    addAccess(step, event, static_cast<uint32_t>(block.meetings.size()));
                                }
                                return true;
                            });
    }

    [[nodiscard]] std::vector<RemoteAccess> take() { return std::move(m_accesses); }

private:
    [[nodiscard]] bool isOfCluster(SiteId site) const
    {
        return m_catalog.sites[site.value].expression.starts_with("barrier.cluster");
    }

    void addAccess(StepIndex step, const Event& event, uint32_t epoch)
    {
        for (LaneMask rest = event.mask; rest != 0; rest &= rest - 1) {
            const int lane = std::countr_zero(rest);
            if (event.bufferOf(lane) != kNoBuffer)
                continue;
            if (const auto place = trace::remoteShared(event.offset[static_cast<size_t>(lane)]);
                place && place->rank < m_launch.cluster.count())
                addPlace(step, event, epoch, *place);
        }
    }

    void addPlace(StepIndex step, const Event& event, uint32_t epoch, const trace::RemoteShared& place)
    {
        const trace::Buffer* const array = arrayAt(place.offset);
        const uint64_t offset = array ? place.offset - array->sharedOffset : place.offset;
        const RemoteAccess::Way way = wayOf(m_kinds[event.site.value], event.kind);
        const trace::SourceLocation& where = m_catalog.sites[event.site.value].where;
        const auto [at, isNew] =
            m_open.try_emplace(Key{where.source.value, where.line, way, epoch, array}, m_accesses.size());
        if (isNew) {
            RemoteAccess access;
            access.from = m_rank;
            access.way = way;
            access.site = event.site;
            access.epoch = epoch;
            access.first = step;
            if (array)
                access.array = array->id;
            access.begin = offset;
            m_accesses.push_back(std::move(access));
        }
        RemoteAccess& access = m_accesses[at->second];
        insert(access.to, place.rank);
        insert(access.warps, event.warp);
        access.last = step;
        access.begin = std::min(access.begin, offset);
        access.end = std::max(access.end, offset + std::max<uint64_t>(event.valueBytes, 1));
        ++access.accesses;
    }

    template <typename T>
    static void insert(std::vector<T>& sorted, T value)
    {
        const auto at = std::ranges::lower_bound(sorted, value);
        if (at == sorted.end() || *at != value)
            sorted.insert(at, value);
    }

    [[nodiscard]] const trace::Buffer* arrayAt(uint64_t offset) const
    {
        for (const trace::Buffer& buffer : m_shared)
            if (offset >= buffer.sharedOffset && offset - buffer.sharedOffset < buffer.bytes)
                return &buffer;
        return nullptr;
    }

    /// Source and line, way, epoch, array: an arrival is several accesses.
    using Key = std::tuple<uint32_t, uint32_t, RemoteAccess::Way, uint32_t, const trace::Buffer*>;

    const trace::Catalog& m_catalog;
    const trace::Launch& m_launch;
    std::vector<AsyncKind> m_kinds;  ///< by site
    std::vector<trace::Buffer> m_shared;
    uint32_t m_rank = 0;
    std::map<Key, size_t> m_open;
    std::vector<RemoteAccess> m_accesses;
};

}  // namespace

Result<Cluster> traceCluster(replay::Session& session, LaunchId launch, BlockIndex block)
{
    const trace::Launch& of = session.catalog().launches[launch.value];
    Cluster cluster;
    cluster.extent = of.cluster;
    if (of.cluster.count() <= 1)
        return cluster;
    const auto recorded = session.reader().blocks(launch);
    if (!recorded)
        return recorded.error();
    auto buffers = session.buffersOf(launch);
    if (!buffers)
        return buffers.error();
    const Dim3 position = positionOf(block.value, of.grid);
    const Dim3 first{position.x - position.x % of.cluster.x, position.y - position.y % of.cluster.y,
                     position.z - position.z % of.cluster.z};
    ClusterBuilder builder(session.catalog(), of, std::move(buffers).value());
    for (uint32_t rank = 0; rank < of.cluster.count(); ++rank) {
        const Dim3 inside = positionOf(rank, of.cluster);
        ClusterBlock next;
        next.position = {first.x + inside.x, first.y + inside.y, first.z + inside.z};
        next.block = BlockIndex{linearIndex(next.position, of.grid)};
        next.isRecorded = std::ranges::find(recorded.value(), next.block) != recorded.value().end();
        if (next.isRecorded)
            if (Result<void> read = builder.add(session.reader(), rank, next); !read.ok())
                return read.error();
        cluster.blocks.push_back(std::move(next));
    }
    cluster.accesses = builder.take();
    for (RemoteAccess& access : cluster.accesses)
        access.place = cluster.blocks[access.from].placeOf(access.first);
    std::ranges::stable_sort(cluster.accesses, {},
                             [](const RemoteAccess& access) { return std::pair(access.epoch, access.place); });
    return cluster;
}

}  // namespace lanescope::analysis
