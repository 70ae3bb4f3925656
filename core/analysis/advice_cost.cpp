// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Bank conflicts and uncoalesced accesses, per line; padding and swizzles scored on the recorded accesses.
#include <algorithm>
#include <functional>
#include <map>

#include <fmt/format.h>

#include "core/analysis/advice_detector.h"

namespace lanescope::analysis {

using trace::Event;
using trace::SiteKind;
using trace::Space;

namespace {

/// Requests kept per shared array, to score other layouts on.
constexpr size_t kRequestsKept = 2000;
/// A line that moves fewer sectors a request is never named: a small tile, or few lanes.
constexpr double kMinSectors = 12;
/// Below this mean degree a line is named only when another layout is better: two rows of a padded tile often share a
/// bank, and nothing can be done about it.
constexpr double kAlwaysNamed = 3;
/// Mean wavefronts of a layout that is worth changing to, unless it halves them.
constexpr double kGood = 1.25;

struct Request {
    LaneMask mask = 0;
    uint32_t width = 0;
    std::array<uint64_t, kWarpSize> offset{};  ///< in the array
};

struct SharedLine {
    uint64_t requests = 0;
    uint64_t wavefronts = 0;
    uint64_t ideal = 0;
    uint32_t degree = 0;
    LaneMask lanes = 0;  ///< of the first request with that degree
    BufferId buffer = kNoBuffer;
};

struct GlobalLine {
    uint64_t requests = 0;
    uint64_t sectors = 0;
    uint64_t ideal = 0;
};

struct Layout {
    std::string what;
    std::function<uint64_t(uint64_t)> place;  ///< byte offset in the array to byte offset in the new one
};

/// Layouts to try: rows one element longer, columns exclusive-or'ed with the row; for a flat array, one element more
/// after every 32 words.
std::vector<Layout> layoutsFor(const trace::Buffer& buffer)
{
    const uint64_t element = std::max<uint32_t>(buffer.element.totalBytes(), 1);
    if (buffer.dims.size() < 2)
        return {{fmt::format("one element of padding after every {} ({}[i + i / {}])", 128 / element, buffer.name,
                             128 / element),
                 [element](uint64_t at) { return at + at / 128 * element; }}};
    const uint64_t columns = buffer.dims.back();
    const uint64_t row = columns * element;
    std::string shape;
    for (size_t i = 0; i + 1 < buffer.dims.size(); ++i)
        shape += fmt::format("[{}]", buffer.dims[i]);
    std::vector<Layout> layouts{{fmt::format("rows padded by one element ({}{}[{}])", buffer.name, shape, columns + 1),
                                 [=](uint64_t at) { return at + at / row * element; }}};
    if (std::has_single_bit(columns))
        layouts.push_back(
            {fmt::format("a swizzled column ({}[row][column ^ row % {}])", buffer.name, columns), [=](uint64_t at) {
                 const uint64_t inRow = at % row;
                 const uint64_t column = inRow / element ^ (at / row % columns);
                 return at / row * row + column * element + inRow % element;
             }});
    return layouts;
}

class AccessCostDetector : public AdviceDetector {
public:
    using AdviceDetector::AdviceDetector;

    void add(StepIndex step, const Event& event) override;
    void finish(const AdviceThresholds& thresholds, std::vector<trace::Finding>& findings) override;

private:
    void addShared(const Event& event, const trace::Buffer& buffer);
    void addGlobal(const Event& event, const trace::Buffer& buffer);
    [[nodiscard]] trace::Finding conflictAdvice(SiteId site, const SharedLine& line,
                                                const std::string& suggestion) const;
    [[nodiscard]] std::string suggestion(BufferId buffer) const;
    [[nodiscard]] trace::Finding sectorAdvice(SiteId site, const GlobalLine& line) const;

    std::map<SiteId, SharedLine> m_shared;
    std::map<SiteId, GlobalLine> m_global;
    std::map<BufferId, std::vector<Request>> m_requests;
};

void AccessCostDetector::add(StepIndex /*step*/, const Event& event)
{
    // Atomics are served otherwise, and lanes that mix buffers have no line of their own to improve.
    if (!event.isAccess() || event.kind == SiteKind::Atomic || event.mask == 0 || !event.laneBuffer.empty())
        return;
    const trace::Buffer* buffer = bufferOf(event, 0);
    if (buffer && buffer->space == Space::Shared)
        addShared(event, *buffer);
    else if (buffer && buffer->space == Space::Global)
        addGlobal(event, *buffer);
}

void AccessCostDetector::addShared(const Event& event, const trace::Buffer& buffer)
{
    Request request{event.mask, widthOf(event), event.offset};
    std::array<uint64_t, kWarpSize> address = event.offset;
    for (uint64_t& a : address)
        a += buffer.sharedOffset;
    const BankCost cost = bankCost(event.mask, address, request.width);
    SharedLine& line = m_shared[event.site];
    ++line.requests;
    line.wavefronts += cost.wavefronts;
    line.ideal += cost.phaseCount;
    line.buffer = event.buffer;
    if (cost.maxDegree > line.degree) {
        line.degree = cost.maxDegree;
        line.lanes = event.mask;
    }
    std::vector<Request>& kept = m_requests[event.buffer];
    if (kept.size() < kRequestsKept)
        kept.push_back(request);
}

void AccessCostDetector::addGlobal(const Event& event, const trace::Buffer& buffer)
{
    std::array<uint64_t, kWarpSize> address = event.offset;
    for (uint64_t& a : address)
        a += buffer.deviceAddress;
    const SectorCost cost = sectorCost(event.mask, address, widthOf(event));
    GlobalLine& line = m_global[event.site];
    ++line.requests;
    line.sectors += cost.sectors;
    line.ideal += cost.idealSectors;
}

/// The best other layout of the array, when it is better: with the mean degree that the recorded accesses would have.
/// Empty when none is.
std::string AccessCostDetector::suggestion(BufferId id) const
{
    const std::vector<Request>& requests = m_requests.at(id);
    const trace::Buffer& buffer = m_catalog.buffers[id.value];
    const auto score = [&](const std::function<uint64_t(uint64_t)>& place) {
        uint64_t wavefronts = 0;
        uint64_t ideal = 0;
        for (const Request& request : requests) {
            std::array<uint64_t, kWarpSize> address{};
            forEachLane(request.mask, [&](int lane) {
                address[static_cast<size_t>(lane)] =
                    buffer.sharedOffset + place(request.offset[static_cast<size_t>(lane)]);
            });
            const BankCost cost = bankCost(request.mask, address, request.width);
            wavefronts += cost.wavefronts;
            ideal += cost.phaseCount;
        }
        return ideal ? static_cast<double>(wavefronts) / static_cast<double>(ideal) : 0.0;
    };
    const double now = score([](uint64_t at) { return at; });
    double best = now;
    std::string text;
    for (const Layout& layout : layoutsFor(buffer))
        if (const double degree = score(layout.place); degree < best * 0.9 && (degree <= kGood || degree * 2 <= now)) {
            best = degree;
            text = fmt::format("; with {} the recorded accesses of {} take {:.3g} wavefronts each instead of {:.3g}",
                               layout.what, buffer.name, degree, now);
        }
    return text;
}

trace::Finding AccessCostDetector::conflictAdvice(SiteId id, const SharedLine& line,
                                                  const std::string& suggestion) const
{
    trace::Finding finding =
        adviceAt(FindingKind::BankConflict, id, line.requests,
                 fmt::format("{}-way bank conflict: {} wavefronts for {} requests that need {}, lanes 0x{:08x}{}",
                             line.degree, line.wavefronts, line.requests, line.ideal, line.lanes, suggestion));
    finding.buffer = m_catalog.buffers[line.buffer.value].name;
    finding.numbers = {{"degree", line.degree},
                       {"wavefronts", static_cast<double>(line.wavefronts)},
                       {"idealWavefronts", static_cast<double>(line.ideal)}};
    return finding;
}

trace::Finding AccessCostDetector::sectorAdvice(SiteId id, const GlobalLine& line) const
{
    const double sectors = static_cast<double>(line.sectors) / static_cast<double>(line.requests);
    const double ideal = static_cast<double>(line.ideal) / static_cast<double>(line.requests);
    trace::Finding finding = adviceAt(
        FindingKind::Uncoalesced, id, line.requests,
        fmt::format("each request moves {:.3g} sectors of 32 bytes where {:.3g} would do: neighbouring lanes should "
                    "access neighbouring elements (let threadIdx.x be the last index, or go through shared memory)",
                    sectors, ideal));
    finding.numbers = {{"sectorsPerRequest", sectors}, {"ideal", ideal}};
    return finding;
}

void AccessCostDetector::finish(const AdviceThresholds& thresholds, std::vector<trace::Finding>& findings)
{
    for (const auto& [id, line] : m_shared) {
        const double mean = static_cast<double>(line.wavefronts) / static_cast<double>(line.ideal);
        if (mean < thresholds.bankConflict)
            continue;
        const std::string better = suggestion(line.buffer);
        if (mean >= kAlwaysNamed || !better.empty())
            findings.push_back(
                conflictAdvice(id, line, better.empty() ? "; try another order of the indices" : better));
    }
    for (const auto& [id, line] : m_global) {
        const auto sectors = static_cast<double>(line.sectors);
        if (sectors >= thresholds.uncoalesced * static_cast<double>(line.ideal) &&
            sectors >= kMinSectors * static_cast<double>(line.requests))
            findings.push_back(sectorAdvice(id, line));
    }
}

}  // namespace

std::unique_ptr<AdviceDetector> makeAccessCostDetector(const trace::Catalog& catalog, const FirstPlaces& places)
{
    return std::make_unique<AccessCostDetector>(catalog, places);
}

}  // namespace lanescope::analysis
