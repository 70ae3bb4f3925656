// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/analysis/bank_layout.h"

#include <algorithm>
#include <bit>
#include <map>
#include <tuple>
#include <unordered_map>

#include "core/analysis/tallied_launch.h"

namespace lanescope::analysis {

using trace::Space;

namespace {

constexpr size_t kMostPatterns = 200'000;

uint64_t hashOf(const SharedRequest& request)
{
    uint64_t hash = uint64_t{request.site.value} << 32 | request.buffer.value;
    const auto mix = [&](uint64_t value) { hash = (hash ^ value) * 0x9e3779b97f4a7c15ULL, hash ^= hash >> 29; };
    mix(uint64_t{request.mask} << 8 | request.bytes);
    for (const uint32_t offset : request.offset)
        mix(offset);
    return hash;
}

bool isSame(const SharedRequest& a, const SharedRequest& b)
{
    return a.site == b.site && a.buffer == b.buffer && a.mask == b.mask && a.bytes == b.bytes && a.offset == b.offset;
}

/// Blocks do much the same: each run is kept once, with how often it came in all of them.
class DistinctRuns {
public:
    using Run = std::pair<SiteId, trace::AccessRun>;

private:
    /// All but how often it came.
    static auto keyOf(const Run& run)
    {
        const auto& [site, r] = run;
        return std::tie(site, r.buffer, r.offset, r.mask, r.bytes, r.advance, r.count);
    }

public:
    void add(SiteId site, const trace::AccessRun& run)
    {
        uint64_t hash = uint64_t{site.value} << 32 | run.buffer.value;
        for (const uint64_t part : {uint64_t{run.mask}, uint64_t{run.count} << 32 | run.advance})
            hash = (hash ^ part) * 0x9e3779b97f4a7c15ULL;
        for (size_t lane = 0; lane < kWarpSize; lane += 2)
            hash = (hash ^ (uint64_t{run.offset[lane]} << 32 | run.offset[lane + 1])) * 0x9e3779b97f4a7c15ULL;
        const auto [from, to] = m_known.equal_range(hash);
        for (auto at = from; at != to; ++at) {
            Run& known = m_runs[at->second];
            if (keyOf(known) == keyOf(Run(site, run))) {
                known.second.times += run.times;
                return;
            }
        }
        m_known.emplace(hash, m_runs.size());
        m_runs.emplace_back(site, run);
    }

    /// By site and place: a trace has its tallies in the order in which blocks happened to end.
    std::vector<Run>& inOrder()
    {
        std::sort(m_runs.begin(), m_runs.end(), [](const Run& a, const Run& b) { return keyOf(a) < keyOf(b); });
        return m_runs;
    }

private:
    std::vector<Run> m_runs;
    std::unordered_multimap<uint64_t, size_t> m_known;
};

class RequestCollector {
public:
    explicit RequestCollector(const trace::Catalog& catalog) : m_catalog(catalog) {}

    void add(const trace::Event& event)
    {
        if (!event.isAccess() || event.mask == 0 || !event.laneBuffer.empty() || event.buffer == kNoBuffer ||
            m_catalog.buffers[event.buffer.value].space != Space::Shared)
            return;
        SharedRequest request{event.site, event.buffer, event.mask, widthOf(event), {}, 1};
        for (LaneMask rest = event.mask; rest != 0; rest &= rest - 1) {
            const auto lane = static_cast<size_t>(std::countr_zero(rest));
            request.offset[lane] = static_cast<uint32_t>(event.offset[lane]);
        }
        add(request);
    }

    /// False: the tally does not have them all.
    bool add(const trace::BlockTally& tally)
    {
        if (!tally.hasEveryPlace(Space::Shared))
            return false;
        for (const trace::SiteTally& site : tally.sites)
            for (const trace::AccessRun& run : site.runs)
                if (m_catalog.buffers[run.buffer.value].space == Space::Shared)
                    m_runs.add(site.site, run);
        return true;
    }

    SharedRequests take()
    {
        for (const auto& [site, run] : m_runs.inOrder())
            trace::eachPlace(run, uint64_t{1} << 32, [&](uint32_t shift, uint64_t count) {
                SharedRequest request{site, run.buffer, run.mask, run.bytes, {}, count * run.times};
                for (LaneMask rest = run.mask; rest != 0; rest &= rest - 1) {
                    const auto lane = static_cast<size_t>(std::countr_zero(rest));
                    request.offset[lane] = run.offset[lane] + shift;
                }
                add(request);
                return !m_requests.cut;
            });
        return std::move(m_requests);
    }

private:
    void add(const SharedRequest& request)
    {
        const uint64_t hash = hashOf(request);
        const auto [from, to] = m_known.equal_range(hash);
        for (auto at = from; at != to; ++at)
            if (isSame(m_requests.patterns[at->second], request)) {
                m_requests.patterns[at->second].count += request.count;
                return;
            }
        if (m_requests.patterns.size() == kMostPatterns) {
            m_requests.cut = true;
            return;
        }
        m_known.emplace(hash, m_requests.patterns.size());
        m_requests.patterns.push_back(request);
    }

    [[nodiscard]] uint32_t widthOf(const trace::Event& event) const
    {
        return event.valueBytes != 0 ? event.valueBytes
                                     : std::clamp(m_catalog.sites[event.site.value].type.totalBytes(), 1U, 16U);
    }

    const trace::Catalog& m_catalog;
    DistinctRuns m_runs;
    SharedRequests m_requests;
    std::unordered_multimap<uint64_t, size_t> m_known;
};

}  // namespace

namespace {

Result<void> collect(RequestCollector& collector, trace::TraceReader& reader, const StepsOfBlock& steps)
{
    return reader.visit(steps.launch, steps.block, steps.first, steps.last, trace::Detail::Places,
                        [&](StepIndex, const trace::Event& event) {
                            if (steps.takes(event.warp))
                                collector.add(event);
                            return true;
                        });
}

}  // namespace

Result<SharedRequests> collectSharedRequests(trace::TraceReader& reader, const StepsOfBlock& steps)
{
    RequestCollector collector(reader.catalog());
    if (auto done = collect(collector, reader, steps); !done)
        return done.error();
    return collector.take();
}

Result<SharedRequests> collectSharedRequests(trace::TraceReader& reader, LaunchId launch)
{
    RequestCollector collector(reader.catalog());
    const Result<void> done = visitLaunch(
        reader, launch, trace::Detail::Places, [&](const trace::BlockTally& t) { return collector.add(t); },
        [&](BlockIndex, StepIndex, const trace::Event& event) { collector.add(event); });
    if (!done)
        return done.error();
    return collector.take();
}

uint64_t rowElements(const trace::Buffer& buffer)
{
    return buffer.dims.size() >= 2 ? std::max<uint64_t>(1, buffer.dims.back()) : kBanks;
}

uint64_t relaidOffset(const trace::Buffer& buffer, uint64_t offset, const SharedLayout& layout)
{
    const uint64_t size = std::max(1U, buffer.element.totalBytes());
    const uint64_t columns = rowElements(buffer);
    const uint64_t element = offset / size;
    const uint64_t row = element / columns;
    uint64_t column = element % columns;
    if (layout.swizzle == Swizzle::RotateRow)
        column = (column + row) % columns;
    else if (layout.swizzle == Swizzle::XorRow && std::has_single_bit(columns))
        column ^= row % columns;
    return (row * (columns + layout.padElements) + column) * size + offset % size;
}

SharedCosts scoreShared(const SharedRequests& requests, const std::vector<trace::Buffer>& buffers,
                        const SharedLayout& layout)
{
    std::map<uint32_t, const trace::Buffer*> byId;
    SharedCosts costs;
    for (const trace::Buffer& buffer : buffers) {
        byId[buffer.id.value] = &buffer;
        const uint64_t size = std::max(1U, buffer.element.totalBytes());
        if (buffer.space == Space::Shared)
            costs.extraBytes += layout.padElements * size * (buffer.bytes / size / rowElements(buffer));
    }
    std::map<uint32_t, SharedSiteCost> sites;
    for (const SharedRequest& request : requests.patterns) {
        const auto buffer = byId.find(request.buffer.value);
        if (buffer == byId.end())
            continue;
        std::array<uint64_t, kWarpSize> address{};
        for (LaneMask rest = request.mask; rest != 0; rest &= rest - 1) {
            const auto lane = static_cast<size_t>(std::countr_zero(rest));
            address[lane] = buffer->second->sharedOffset + relaidOffset(*buffer->second, request.offset[lane], layout);
        }
        const BankCost cost = bankCost(request.mask, address, request.bytes);
        SharedSiteCost& site = sites[request.site.value];
        site.site = request.site;
        site.requests += request.count;
        site.wavefronts += cost.wavefronts * request.count;
        site.conflicts += cost.conflicts() * request.count;
        site.maxDegree = std::max(site.maxDegree, cost.maxDegree);
        costs.wavefronts += cost.wavefronts * request.count;
        costs.conflicts += cost.conflicts() * request.count;
    }
    for (const auto& [id, site] : sites)
        costs.sites.push_back(site);
    return costs;
}

}  // namespace lanescope::analysis
