// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/analysis/bank_layout.h"

#include <algorithm>
#include <bit>
#include <map>
#include <unordered_map>

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
        const uint64_t hash = hashOf(request);
        const auto [from, to] = m_known.equal_range(hash);
        for (auto at = from; at != to; ++at)
            if (isSame(m_requests.patterns[at->second], request)) {
                ++m_requests.patterns[at->second].count;
                return;
            }
        if (m_requests.patterns.size() == kMostPatterns) {
            m_requests.cut = true;
            return;
        }
        m_known.emplace(hash, m_requests.patterns.size());
        m_requests.patterns.push_back(request);
    }

    SharedRequests take() { return std::move(m_requests); }

private:
    [[nodiscard]] uint32_t widthOf(const trace::Event& event) const
    {
        return event.valueBytes != 0 ? event.valueBytes
                                     : std::clamp(m_catalog.sites[event.site.value].type.totalBytes(), 1U, 16U);
    }

    const trace::Catalog& m_catalog;
    SharedRequests m_requests;
    std::unordered_multimap<uint64_t, size_t> m_known;
};

}  // namespace

namespace {

Result<void> collect(RequestCollector& collector, trace::TraceReader& reader, const StepsOfBlock& steps)
{
    return reader.visit(steps.launch, steps.block, steps.first, steps.last, trace::Detail::Places,
                        [&](StepIndex, const trace::Event& event) {
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
    const Result<std::vector<BlockIndex>> blocks = reader.blocks(launch);
    if (!blocks.ok())
        return blocks.error();
    RequestCollector collector(reader.catalog());
    for (const BlockIndex block : blocks.value())
        if (auto done = collect(collector, reader, {launch, block, 0, UINT64_MAX}); !done)
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
