// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Shared memory that is written and never read, that nobody touches, or that is written twice with the same value.
#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>

#include "core/analysis/advice_detector.h"

namespace lanescope::analysis {

using trace::Event;
using trace::SiteKind;
using trace::Space;

namespace {

/// Smaller arrays are not worth a word.
constexpr uint64_t kMinUnusedBytes = 32;

struct Byte {
    SiteId writer = kNoSite;
    uint8_t value = 0;
    bool readSince = false;
};

struct StoreLine {
    uint64_t stores = 0;     ///< of lanes
    uint64_t redundant = 0;  ///< that repeat what another line stored and nobody read in between
    bool notZero = false;    ///< some of those are not zero: not only an array that is cleared and happens to stay so
    bool read = false;       ///< anything it stored
    SiteId other = kNoSite;  ///< the line it repeats
};

/// Over all blocks; arrays of different launches of a kernel are the same by name.
struct Array {
    uint64_t bytes = 0;
    std::vector<bool> touched;
    SiteId site = kNoSite;  ///< that touched it first
};

class SharedUseDetector : public AdviceDetector {
public:
    using AdviceDetector::AdviceDetector;

    void beginBlock(const trace::Launch& launch) override
    {
        m_bytes.clear();
        m_isSeenByOthers = launch.cluster.count() > 1;
    }
    void add(StepIndex step, const Event& event) override;
    void finish(const AdviceThresholds& thresholds, std::vector<trace::Finding>& findings) override;

private:
    void touch(const Event& event, const trace::Buffer& buffer, uint64_t offset, uint32_t width);
    void read(std::vector<Byte>& bytes, uint64_t offset, uint32_t width);
    void write(std::vector<Byte>& bytes, const Event& event, int lane, uint64_t offset, uint32_t width);

    std::map<BufferId, std::vector<Byte>> m_bytes;  ///< of this block
    bool m_isSeenByOthers = false;                  ///< what other blocks of a cluster do is not in its recording
    std::map<SiteId, StoreLine> m_lines;
    std::map<std::string, Array> m_arrays;
};

void SharedUseDetector::touch(const Event& event, const trace::Buffer& buffer, uint64_t offset, uint32_t width)
{
    Array& array = m_arrays[buffer.name];
    if (array.bytes < buffer.bytes) {
        array.bytes = buffer.bytes;
        array.touched.resize(buffer.bytes);
    }
    if (array.site == kNoSite)
        array.site = event.site;
    for (uint64_t i = offset; i < offset + width; ++i)
        array.touched[i] = true;
}

void SharedUseDetector::read(std::vector<Byte>& bytes, uint64_t offset, uint32_t width)
{
    for (uint64_t i = offset; i < offset + width; ++i) {
        bytes[i].readSince = true;
        if (bytes[i].writer != kNoSite)
            m_lines[bytes[i].writer].read = true;
    }
}

void SharedUseDetector::write(std::vector<Byte>& bytes, const Event& event, int lane, uint64_t offset, uint32_t width)
{
    StoreLine& line = m_lines[event.site];
    ++line.stores;
    bool same = event.valuesKnown;
    bool notZero = false;
    for (uint32_t i = 0; i < width; ++i) {
        Byte& byte = bytes[offset + i];
        const uint8_t value = event.value[static_cast<size_t>(lane)][i];
        same = same && byte.writer != kNoSite && byte.writer != event.site && !byte.readSince && byte.value == value;
        notZero = notZero || value != 0;
        if (same)
            line.other = byte.writer;
        byte = {event.site, value, false};
    }
    line.redundant += same ? 1 : 0;
    line.notZero = line.notZero || (same && notZero);
}

void SharedUseDetector::add(StepIndex /*step*/, const Event& event)
{
    if (!event.isAccess() || m_isSeenByOthers)
        return;
    const uint32_t width = widthOf(event);
    forEachLane(event.mask, [&](int lane) {
        const trace::Buffer* buffer = bufferOf(event, lane);
        const uint64_t offset = event.offset[static_cast<size_t>(lane)];
        if (!buffer || buffer->space != Space::Shared || offset + width > buffer->bytes)
            return;
        touch(event, *buffer, offset, width);
        std::vector<Byte>& bytes = m_bytes[event.bufferOf(lane)];
        bytes.resize(buffer->bytes);
        if (event.kind == SiteKind::Store)
            write(bytes, event, lane, offset, width);
        else
            read(bytes, offset, width);
    });
}

void SharedUseDetector::finish(const AdviceThresholds& thresholds, std::vector<trace::Finding>& findings)
{
    const auto isRedundant = [&](const StoreLine& line) {
        return line.notZero && 100.0 * static_cast<double>(line.redundant) >=
                                   thresholds.redundantStore * static_cast<double>(line.stores);
    };
    std::set<SiteId> repeated;  // of two lines that store the same, one is named
    for (const auto& [id, line] : m_lines)
        if (line.stores > 0 && isRedundant(line))
            repeated.insert(line.other);
    for (const auto& [id, line] : m_lines) {
        if (line.stores == 0)
            continue;
        if (!line.read && !repeated.contains(id)) {
            trace::Finding finding =
                adviceAt(FindingKind::DeadSharedStore, id, line.stores,
                         fmt::format("nothing that this line stores is ever read ({} stores)", line.stores));
            finding.numbers = {{"stores", static_cast<double>(line.stores)}};
            findings.push_back(std::move(finding));
        }
        if (isRedundant(line)) {
            trace::Finding finding =
                adviceAt(FindingKind::RedundantStore, id, line.redundant,
                         fmt::format("{} of {} stores of this line write what line {} had just written there",
                                     line.redundant, line.stores, site(line.other).where.line));
            finding.numbers = {{"redundant", static_cast<double>(line.redundant)},
                               {"stores", static_cast<double>(line.stores)}};
            findings.push_back(std::move(finding));
        }
    }
    for (const auto& [name, array] : m_arrays) {
        const auto used = static_cast<uint64_t>(std::count(array.touched.begin(), array.touched.end(), true));
        const uint64_t unused = array.bytes - used;
        if (unused < kMinUnusedBytes ||
            100.0 * static_cast<double>(unused) < thresholds.unusedShared * static_cast<double>(array.bytes))
            continue;
        trace::Finding finding =
            adviceAt(FindingKind::UnusedShared, array.site, 1,
                     fmt::format("{} of the {} bytes of {} are never touched", unused, array.bytes, name));
        finding.buffer = name;
        finding.numbers = {{"bytes", static_cast<double>(unused)}, {"of", static_cast<double>(array.bytes)}};
        findings.push_back(std::move(finding));
    }
}

}  // namespace

std::unique_ptr<AdviceDetector> makeSharedUseDetector(const trace::Catalog& catalog, const FirstPlaces& places)
{
    return std::make_unique<SharedUseDetector>(catalog, places);
}

}  // namespace lanescope::analysis
