// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/trace/block_tally.h"

#include <algorithm>
#include <bit>

#include <fmt/format.h>

#include "core/trace/event_run.h"

namespace lanescope::trace {

namespace {

constexpr uint64_t kMostAccessBytes = 16;
constexpr uint64_t kSpaces = 4;
constexpr uint64_t kMostShift = 63;
/// More than a writer has, which may keep more one day.
constexpr uint64_t kMostSpans = 1 << 16;
/// What the rows of all groups of a block have together.
constexpr size_t kMostExpanded = 1 << 20;

}  // namespace

bool BlockTally::hasEveryPlace(Space space) const
{
    const auto isThere = [space](const AccessSums& sums) { return sums.space == space; };
    return std::none_of(sites.begin(), sites.end(), [&](const SiteTally& site) {
        return std::any_of(site.rest.begin(), site.rest.end(), isThere);
    });
}

AccessRun asAccessRun(BufferId buffer, LaneMask mask, uint32_t bytes, const EvenOffsets& first, uint32_t advance,
                      uint32_t count, uint64_t times)
{
    constexpr size_t kHalf = kWarpSize / 2;
    AccessRun run{buffer, mask, bytes, {}, advance, count, times};
    for (size_t lane = 0; lane < kWarpSize; ++lane)
        run.offset[lane] =
            (first.first[lane / kHalf] + static_cast<uint32_t>(lane % kHalf) * first.step[lane / kHalf]) &
            (0U - (mask >> lane & 1U));
    return run;
}

std::array<uint64_t, kWarpSize> addressesOf(const AccessRun& run, uint64_t base, uint32_t shift)
{
    std::array<uint64_t, kWarpSize> address;
    for (size_t lane = 0; lane < kWarpSize; ++lane)
        address[lane] = base + uint32_t{run.offset[lane] + shift};
    return address;
}

bool BlockTally::isOf(StepIndex steps) const
{
    StepIndex left = steps;
    for (const SiteTally& site : sites)
        for (const AccessRun& run : site.runs) {
            if (run.times > left / run.count)
                return false;
            left -= run.times * run.count;
        }
    return true;
}

TallyDecoder::TallyDecoder(std::span<const uint8_t> bytes, Form form, size_t sites, size_t buffers, uint32_t warps)
    : m_from(bytes), m_form(form), m_sites(sites), m_buffers(buffers), m_warps(warps)
{
}

bool TallyDecoder::fail(const std::string& what)
{
    if (m_failure.empty())
        m_failure = what;
    return false;
}

/// 0, and a failure, when there is none of at most \p most.
uint64_t TallyDecoder::number(uint64_t most, const char* what)
{
    const uint64_t value = m_from.varint();
    if (!m_from.failed() && value <= most)
        return value;
    fail(m_from.failed() ? fmt::format("ends before {}", what)
                         : fmt::format("{} {}, expected at most {}", what, value, most));
    return 0;
}

bool TallyDecoder::next(BlockTally& tally)
{
    if (m_from.left() == 0 || !m_failure.empty())
        return false;
    tally.block = BlockIndex{number(UINT64_MAX, "block")};
    m_used = 0;
    for (uint64_t left = number(m_from.left(), "groups"); left != 0; --left)
        if (!readGroup(tally))
            return false;
    if (!readSites(tally))
        return false;
    tally.sites.resize(m_used);
    return readKinds(tally) && m_failure.empty();
}

bool TallyDecoder::readSites(BlockTally& tally)
{
    const uint64_t most = uint64_t{m_sites} * m_warps;
    if (m_form == Form::Alone) {
        for (uint64_t left = number(std::min<uint64_t>(most, m_from.left()), "sites"); left != 0; --left)
            if (!readSite(nextSite(tally)))
                return false;
        return m_failure.empty();
    }
    const uint64_t found = number(2 * most + 1, "sites");
    if (found % 2 != 0)
        return readMoves(tally, found / 2);
    // One by one: a damaged number asks for no more memory than there are bytes.
    const size_t first = m_used;
    for (uint64_t left = found / 2; left != 0; --left)
        if (!readSite(nextSite(tally)))
            return false;
    m_reference.assign(tally.sites.begin() + static_cast<std::ptrdiff_t>(first),
                       tally.sites.begin() + static_cast<std::ptrdiff_t>(m_used));
    return m_failure.empty();
}

bool TallyDecoder::readMoves(BlockTally& tally, uint64_t sites)
{
    if (sites != m_reference.size())
        return fail(fmt::format("{} sites, expected {}", sites, m_reference.size()));
    m_expanded += sites;
    if (m_expanded > kMostExpandedSites)
        return fail(fmt::format("more than {} sites told by others", kMostExpandedSites));
    uint64_t equal = 0;
    uint32_t move = 0;
    for (size_t i = 0; i < sites; ++i, --equal) {
        if (equal == 0) {
            equal = number(sites - i, "sites that moved alike");
            move = static_cast<uint32_t>(unzigzag(m_from.varint()));
            if (equal == 0 || m_from.failed())
                return fail("ends within moves");
        }
        SiteTally& site = nextSite(tally);
        site = m_reference[i];
        for (AccessRun& run : site.runs)
            for (size_t lane = 0; lane < kWarpSize; ++lane)
                run.offset[lane] += move & (0U - (run.mask >> lane & 1U));
    }
    return true;
}

/// One more of the block's; takes over the memory of one of the block before.
SiteTally& TallyDecoder::nextSite(BlockTally& tally)
{
    if (m_used == tally.sites.size())
        tally.sites.emplace_back();
    SiteTally& site = tally.sites[m_used++];
    site.executions = site.lanes = site.divergent = 0;
    site.runs.clear();
    site.rest.clear();
    return site;
}

bool TallyDecoder::readGroup(BlockTally& tally)
{
    const uint64_t members = number(m_sites == 0 || m_buffers == 0 ? 0 : m_from.left(), "accesses");
    m_members.clear();
    for (uint64_t i = 0; i < members && m_failure.empty(); ++i) {
        Member& member = m_members.emplace_back();
        member.site = SiteId{static_cast<uint32_t>(number(m_sites - 1, "site"))};
        member.place = number(EventRun::kPlaces - 1, "place");
        member.offset = static_cast<uint32_t>(number(UINT32_MAX, "offset"));
        member.bytes = static_cast<uint32_t>(number(kMostAccessBytes, "bytes"));
    }
    for (uint64_t left = number(members == 0 ? 0 : m_from.left(), "rows"); left != 0 && m_failure.empty(); --left)
        if (!readGroupRow(tally))
            return false;
    return m_failure.empty();
}

bool TallyDecoder::readGroupRow(BlockTally& tally)
{
    const auto warp = static_cast<uint16_t>(number(m_warps - 1, "warp"));
    const auto count = static_cast<uint32_t>(number(UINT32_MAX, "count"));
    const uint64_t times = number(UINT64_MAX, "times");
    EventRun::Places places;
    std::array<uint32_t, EventRun::kPlaces> advance{};
    for (size_t i = 0; i < EventRun::kPlaces; ++i) {
        places[i].buffer = BufferId{static_cast<uint32_t>(number(m_buffers - 1, "buffer"))};
        advance[i] = static_cast<uint32_t>(unzigzag(m_from.varint()));
        places[i].offsets = readEvenOffsets();
    }
    if (!m_failure.empty())
        return false;
    if (m_used + m_members.size() > kMostExpanded)
        return fail(fmt::format("more than {} accesses in groups", kMostExpanded));
    for (const Member& member : m_members) {
        SiteTally& site = nextSite(tally);
        site.site = member.site;
        site.warp = warp;
        const EventRun::Place& place = places[member.place];
        EvenOffsets first = place.offsets;
        first.first[0] += member.offset;
        first.first[1] += member.offset;
        site.runs.push_back(
            asAccessRun(place.buffer, kAllLanes, member.bytes, first, advance[member.place], count, times));
        if (!check(site.runs.back()))
            return false;
    }
    return true;
}

bool TallyDecoder::readSite(SiteTally& tally)
{
    tally.site = SiteId{static_cast<uint32_t>(number(m_sites - 1, "site"))};
    tally.warp = static_cast<uint16_t>(number(m_warps - 1, "warp"));
    tally.executions = number(UINT64_MAX, "executions");
    tally.lanes = number(UINT64_MAX, "lanes");
    tally.divergent = number(UINT64_MAX, "divergent");
    const uint64_t even = number(m_buffers == 0 ? 0 : m_from.left(), "even runs");
    const uint64_t uneven = number(m_buffers == 0 ? 0 : m_from.left(), "uneven runs");
    tally.rest.resize(number(kSpaces, "spaces"));
    for (uint64_t i = 0; i < even && m_failure.empty(); ++i)
        readEven(tally.runs.emplace_back());
    for (uint64_t i = 0; i < uneven && m_failure.empty(); ++i)
        readUneven(tally.runs.emplace_back());
    for (AccessSums& sums : tally.rest)
        if (!readSums(sums))
            return false;
    return m_failure.empty();
}

void TallyDecoder::readAccessed(AccessRun& run)
{
    run.buffer = BufferId{static_cast<uint32_t>(number(m_buffers - 1, "buffer"))};
    run.mask = ~static_cast<LaneMask>(number(kAllLanes, "inactive lanes"));
    run.bytes = static_cast<uint32_t>(number(kMostAccessBytes, "bytes"));
    run.times = number(UINT64_MAX, "times");
}

EvenOffsets TallyDecoder::readEvenOffsets()
{
    EvenOffsets even;
    even.first[0] = static_cast<uint32_t>(number(UINT32_MAX, "offset"));
    even.first[1] = even.first[0] + static_cast<uint32_t>(unzigzag(m_from.varint()));
    even.step[0] = static_cast<uint32_t>(unzigzag(m_from.varint()));
    even.step[1] = static_cast<uint32_t>(unzigzag(m_from.varint()));
    return even;
}

bool TallyDecoder::readEven(AccessRun& run)
{
    readAccessed(run);
    const auto count = static_cast<uint32_t>(number(UINT32_MAX, "count"));
    const auto advance = static_cast<uint32_t>(unzigzag(m_from.varint()));
    run = asAccessRun(run.buffer, run.mask, run.bytes, readEvenOffsets(), advance, count, run.times);
    return check(run);
}

bool TallyDecoder::readUneven(AccessRun& run)
{
    readAccessed(run);
    run.count = m_form == Form::Advancing ? static_cast<uint32_t>(number(UINT32_MAX, "count")) : 1;
    run.advance = m_form == Form::Advancing ? static_cast<uint32_t>(unzigzag(m_from.varint())) : 0;
    run.offset = {};
    uint32_t offset = 0;
    for (LaneMask lanes = run.mask; lanes != 0; lanes &= lanes - 1) {
        offset += static_cast<uint32_t>(unzigzag(m_from.varint()));
        run.offset[static_cast<size_t>(std::countr_zero(lanes))] = offset;
    }
    return check(run);
}

bool TallyDecoder::check(const AccessRun& run)
{
    if (!m_failure.empty())
        return false;
    if (m_from.failed())
        return fail("ends within a run");
    if (run.bytes == 0 || run.mask == 0 || run.count == 0)
        return fail("a run of nothing");
    return true;
}

bool TallyDecoder::readSums(AccessSums& sums)
{
    sums.space = static_cast<Space>(number(kSpaces - 1, "space"));
    for (uint64_t* value : {&sums.requests, &sums.laneAccesses, &sums.laneBytes, &sums.sectors, &sums.idealSectors,
                            &sums.wavefronts, &sums.idealWavefronts})
        *value = number(UINT64_MAX, "sum");
    sums.maxDegree = static_cast<uint32_t>(number(2 * kWarpSize, "degree"));
    return m_failure.empty();
}

bool TallyDecoder::readKinds(BlockTally& tally)
{
    const bool isAsBefore = number(1, "whether steps are of the kinds before") != 0;
    if (isAsBefore && m_stepsEach == 0)
        return fail("steps like those of no block");
    if (!isAsBefore && !readOwnKinds())
        return false;
    tally.stepsEach = m_stepsEach;
    tally.kinds = m_kinds;
    return m_failure.empty();
}

bool TallyDecoder::readOwnKinds()
{
    m_stepsEach = uint64_t{1} << number(kMostShift, "steps");
    const uint64_t spans = number(kMostSpans, "spans of steps");
    m_kinds.clear();
    while (m_kinds.size() < spans && m_failure.empty()) {
        const uint64_t equal = number(spans - m_kinds.size(), "equal spans");
        const uint64_t kinds = number(UINT16_MAX * 2 + 1, "kinds");
        if (equal == 0)
            return fail("no equal spans, expected at least 1");
        m_kinds.insert(m_kinds.end(), equal, {static_cast<uint16_t>(kinds >> 1), (kinds & 1) != 0});
    }
    return m_failure.empty();
}

}  // namespace lanescope::trace
