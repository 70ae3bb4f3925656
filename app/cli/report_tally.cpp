// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/report_tally.h"

#include <algorithm>
#include <array>
#include <bit>

namespace lanescope::cli {

namespace {

constexpr uint64_t kSectorBytes = 32;
constexpr uint64_t kBankBytes = 4;
constexpr uint64_t kBanks = 32;

class Tallier {
public:
    explicit Tallier(const trace::Catalog& catalog) : m_catalog(catalog) {}

    void add(const trace::Event& event)
    {
        if (event.kind == trace::SiteKind::Barrier)
            ++m_launch.barriers;
        if (event.kind == trace::SiteKind::Branch && event.taken != 0 && event.taken != event.mask)
            ++m_launch.divergentBranches;
        if (event.isAccess())
            addAccess(event);
    }
    [[nodiscard]] LaunchTally take() { return std::move(m_launch); }

private:
    void addAccess(const trace::Event& event)
    {
        const auto lanes = static_cast<uint64_t>(std::popcount(event.mask));
        const uint64_t bytes = m_catalog.sites[event.site.value].type.totalBytes();
        SiteTally& site = m_launch.sites[event.site];
        site.accesses += lanes;
        ++site.requests;
        m_launch.accesses += lanes;
        collectAddresses(event);
        if (m_space == trace::Space::Shared) {
            m_launch.sharedBytes += lanes * bytes;
            addWavefronts(site, bytes);
        } else if (m_space == trace::Space::Global) {
            m_launch.globalBytes += lanes * bytes;
            addSectors(site, bytes);
        }
    }

    /// Addresses of the active lanes, in the space of the first one.
    void collectAddresses(const trace::Event& event)
    {
        m_addresses.clear();
        m_space = m_catalog.sites[event.site.value].space;
        for (int lane = 0; lane < kWarpSize; ++lane) {
            if (!((event.mask >> lane) & 1))
                continue;
            uint64_t base = 0;
            const BufferId id = event.bufferOf(lane);
            if (id.value < m_catalog.buffers.size()) {
                const trace::Buffer& buffer = m_catalog.buffers[id.value];
                m_space = buffer.space;
                base = buffer.space == trace::Space::Shared ? buffer.sharedOffset : buffer.deviceAddress;
            }
            m_addresses.push_back(base + event.offset[static_cast<size_t>(lane)]);
        }
    }

    static uint64_t distinct(std::vector<uint64_t>& values)
    {
        std::sort(values.begin(), values.end());
        return static_cast<uint64_t>(std::unique(values.begin(), values.end()) - values.begin());
    }

    void addSectors(SiteTally& site, uint64_t bytes)
    {
        m_units.clear();
        for (const uint64_t address : m_addresses)
            for (uint64_t sector = address / kSectorBytes; sector <= (address + bytes - 1) / kSectorBytes; ++sector)
                m_units.push_back(sector);
        site.sectors += distinct(m_units);
        std::vector<uint64_t> cells = m_addresses;
        site.idealSectors += (distinct(cells) * bytes + kSectorBytes - 1) / kSectorBytes;
    }

    /// Degree: the most different four-byte words that one bank must give. Lanes of 8 (16) bytes are served in halves
    /// (quarters) of the warp, as hardware does.
    void addWavefronts(SiteTally& site, uint64_t bytes)
    {
        const uint64_t words = std::max<uint64_t>(bytes / kBankBytes, 1);
        const uint64_t groups = std::min<uint64_t>(words, 4);
        const uint64_t perGroup = kBanks / groups;
        uint32_t wavefronts = 0;
        for (uint64_t first = 0; first < m_addresses.size(); first += perGroup)
            wavefronts += degree(first, std::min<uint64_t>(first + perGroup, m_addresses.size()), words);
        const uint64_t needed = (m_addresses.size() + perGroup - 1) / perGroup;
        site.wavefronts += wavefronts;
        site.conflicts += wavefronts - std::min<uint64_t>(needed, wavefronts);
        site.maxDegree = std::max(site.maxDegree, wavefronts / static_cast<uint32_t>(std::max<uint64_t>(needed, 1)));
    }

    uint32_t degree(uint64_t first, uint64_t last, uint64_t words)
    {
        m_units.clear();
        for (uint64_t i = first; i < last; ++i)
            for (uint64_t word = 0; word < words; ++word)
                m_units.push_back(m_addresses[i] / kBankBytes + word);
        const uint64_t count = distinct(m_units);
        std::array<uint32_t, kBanks> load{};
        for (uint64_t i = 0; i < count; ++i)
            ++load[m_units[i] % kBanks];
        return *std::max_element(load.begin(), load.end());
    }

    const trace::Catalog& m_catalog;
    LaunchTally m_launch;
    std::vector<uint64_t> m_addresses;  ///< of one event's active lanes
    std::vector<uint64_t> m_units;      ///< sectors or words of one event
    trace::Space m_space = trace::Space::Global;
};

}  // namespace

Result<LaunchTally> tally(trace::TraceReader& reader, LaunchId launch)
{
    Tallier tallier(reader.catalog());
    const Result<std::vector<BlockIndex>> blocks = reader.blocks(launch);
    if (!blocks)
        return blocks.error();
    for (const BlockIndex block : blocks.value()) {
        const Result<StepIndex> steps = reader.stepCount(launch, block);
        if (!steps)
            return steps.error();
        for (StepIndex step = 0; step < steps.value();) {
            const Result<trace::Chunk> chunk = reader.chunkAt(launch, block, step);
            if (!chunk)
                return chunk.error();
            for (const trace::Event& event : chunk.value().events)
                tallier.add(event);
            step = chunk.value().firstStep + std::max<size_t>(chunk.value().events.size(), 1);
        }
    }
    return tallier.take();
}

}  // namespace lanescope::cli
