// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/trace/tally_collector.h"

#include <algorithm>
#include <bit>

#include "core/cost/access_cost.h"

namespace lanescope::trace {

namespace {

constexpr size_t kHalf = kWarpSize / 2;

uint64_t signedOf(uint32_t value)
{
    return static_cast<uint64_t>(int64_t{static_cast<int32_t>(value)});
}

/// Whether the 16 lanes of a half that are in \p lanes are evenly spaced; then where they begin and how far apart they
/// are.
bool isEvenHalf(uint32_t lanes, const uint32_t* offsets, uint32_t& first, uint32_t& step)
{
    if (lanes == (1U << kHalf) - 1) [[likely]] {
        first = offsets[0];
        step = offsets[1] - offsets[0];
        uint32_t differs = 0;
        for (size_t i = 1; i < kHalf; ++i)
            differs |= (offsets[i] - offsets[i - 1]) ^ step;
        return differs == 0;
    }
    first = step = 0;
    if (lanes == 0)
        return true;
    const auto lane = static_cast<uint32_t>(std::countr_zero(lanes));
    if (const uint32_t others = lanes & (lanes - 1); others != 0) {
        const auto second = static_cast<uint32_t>(std::countr_zero(others));
        const uint32_t way = offsets[second] - offsets[lane];
        step = second == lane + 1 ? way : way / (second - lane);
    }
    first = offsets[lane] - lane * step;
    for (; lanes != 0; lanes &= lanes - 1) {
        const auto i = static_cast<uint32_t>(std::countr_zero(lanes));
        if (offsets[i] != first + i * step)
            return false;
    }
    return true;
}

/// \p offsets as two evenly spaced halves, as far as \p mask goes. False: they are not.
bool areEven(LaneMask mask, const uint32_t* offsets, EvenOffsets& even)
{
    constexpr uint32_t kHalfMask = (1U << kHalf) - 1;
    return isEvenHalf(mask & kHalfMask, offsets, even.first[0], even.step[0]) &&
           isEvenHalf(mask >> kHalf, offsets + kHalf, even.first[1], even.step[1]);
}

using LaneOffsets = std::array<uint32_t, kWarpSize>;

/// Whether each lane in \p mask is \p moved bytes on; the others have 0 in both.
bool areMovedBy(const LaneOffsets& now, const LaneOffsets& before, LaneMask mask, uint32_t moved)
{
    uint32_t differs = 0;
    for (size_t lane = 0; lane < kWarpSize; ++lane)
        differs |= (now[lane] - before[lane]) ^ (moved & (0U - (mask >> lane & 1U)));
    return differs == 0;
}

/// Whether \p run is \p before, \p moved bytes on.
bool isRunMovedBy(const AccessRun& run, const AccessRun& before, uint32_t moved)
{
    return run.times == before.times && run.advance == before.advance && run.count == before.count &&
           run.mask == before.mask && run.buffer == before.buffer && run.bytes == before.bytes &&
           areMovedBy(run.offset, before.offset, run.mask, moved);
}

bool isSamePlace(const EventRun::Place& a, const EventRun::Place& b)
{
    return a.buffer == b.buffer && a.offsets.first == b.offsets.first && a.offsets.step == b.offsets.step;
}

void putEven(const EvenOffsets& even, ByteColumn& to)
{
    to.putVarint(even.first[0]);
    to.putVarint(zigzag(signedOf(even.first[1] - even.first[0])));
    to.putVarint(zigzag(signedOf(even.step[0])));
    to.putVarint(zigzag(signedOf(even.step[1])));
}

/// Finds \p run among \p known by what came after the latest one last time; adds it where it is new. None: there are
/// too many.
template <typename Known, typename Same>
Known* findOrAdd(std::vector<Known>& known, uint32_t& latest, size_t most, const Same& isSame, const Known& run)
{
    uint32_t index = latest == UINT32_MAX ? 0 : known[latest].next;
    if (index >= known.size() || !isSame(known[index])) {
        index = static_cast<uint32_t>(std::find_if(known.begin(), known.end(), isSame) - known.begin());
        if (index == known.size()) {
            if (index == most)
                return nullptr;
            known.push_back(run);
        }
        if (latest != UINT32_MAX)
            known[latest].next = index;
    }
    latest = index;
    return &known[index];
}

}  // namespace

bool TallyCollector::EvenRun::isSame(const EvenRun& other) const
{
    return first.first == other.first.first && first.step == other.first.step && advance == other.advance &&
           count == other.count && accessed == other.accessed;
}

bool TallyCollector::PlacesRun::isSame(const PlacesRun& other) const
{
    return count == other.count && advance == other.advance &&
           std::equal(first.begin(), first.end(), other.first.begin(), isSamePlace);
}

void TallyCollector::begin(uint32_t threads, const std::vector<SiteFacts>& sites,
                           const std::vector<BufferPlace>& buffers)
{
    m_sites = &sites;
    m_buffers = &buffers;
    m_threads = threads;
    const uint32_t warps = (threads + kWarpSize - 1) / kWarpSize;
    // A block that came to its end has left the index empty.
    if (warps != m_warps || m_used != 0)
        m_index.clear();
    m_warps = warps;
    m_used = 0;
    m_groupsUsed = 0;
    m_kindsUsed = 0;
    m_kindsNow = {};
    m_shift = 0;
    m_stepsLeft = 1;
}

TallyCollector::Slot& TallyCollector::newSlot(SiteId site, uint16_t warp)
{
    const size_t place = size_t{site.value} * m_warps + warp;
    if (place >= m_index.size())
        m_index.resize((size_t{site.value} + 1) * m_warps, kNone);
    m_index[place] = static_cast<uint32_t>(m_used);
    if (m_used == m_slots.size()) {
        m_slots.emplace_back();
        m_cold.emplace_back();
        m_placeOf.emplace_back();
    }
    m_placeOf[m_used] = static_cast<uint32_t>(place);
    Cold& cold = m_cold[m_used];
    cold.executions = cold.lanes = cold.divergent = 0;
    cold.even.clear();
    cold.uneven.clear();
    cold.rest.clear();
    cold.latestUneven = kNone;
    cold.underWay.count = 0;
    return m_slots[m_used++] = {};
}

void TallyCollector::beginRun(Slot& slot, const Accessed& accessed, const EvenOffsets& offsets)
{
    endRun(slot);
    slot.run = {accessed, 0, 1, offsets};
}

void TallyCollector::endRun(Slot& slot)
{
    EvenRun& run = slot.run;
    if (run.count == 0)
        return;
    Cold& cold = coldOf(slot);
    KnownEven* const known = findOrAdd(
        cold.even, slot.latest, kMostRuns, [&](const KnownEven& other) { return other.run.isSame(run); },
        KnownEven{run, 0, kNone});
    if (known != nullptr)
        ++known->times;
    else
        sum(cold, asAccessRun(run.accessed.buffer, run.accessed.mask, run.accessed.bytes, run.first, run.advance,
                              run.count, 1));
    run.count = 0;
}

void TallyCollector::access(SiteId site, uint16_t warp, LaneMask mask, BufferId buffer, const uint32_t* offsets,
                            uint32_t bytes)
{
    if (mask == 0)
        return;
    Slot& slot = slotOf(site, warp);
    EvenOffsets even;
    if (areEven(mask, offsets, even))
        addEven(slot, {buffer, mask, bytes}, even);
    else
        addUneven(slot, {buffer, mask, bytes}, offsets);
}

void TallyCollector::addUneven(Slot& slot, const Accessed& accessed, const uint32_t* offsets)
{
    Cold& cold = coldOf(slot);
    AccessRun& run = cold.underWay;
    LaneOffsets here;
    for (size_t lane = 0; lane < kWarpSize; ++lane)
        here[lane] = offsets[lane] & (0U - (accessed.mask >> lane & 1U));
    if (run.count != 0 && run.buffer == accessed.buffer && run.mask == accessed.mask && run.bytes == accessed.bytes) {
        const auto first = static_cast<size_t>(std::countr_zero(accessed.mask));
        const uint32_t moved = here[first] - cold.last[first];
        if ((run.count == 1 || moved == run.advance) && areMovedBy(here, cold.last, run.mask, moved)) {
            run.advance = moved;
            ++run.count;
            cold.last = here;
            return;
        }
    }
    endUneven(cold);
    run = {accessed.buffer, accessed.mask, accessed.bytes, here, 0, 1, 0};
    cold.last = here;
}

void TallyCollector::endUneven(Cold& cold)
{
    AccessRun& run = cold.underWay;
    if (run.count == 0)
        return;
    const auto isSame = [&](const KnownUneven& other) {
        return other.run.offset == run.offset && other.run.advance == run.advance && other.run.count == run.count &&
               other.run.mask == run.mask && other.run.buffer == run.buffer && other.run.bytes == run.bytes;
    };
    // Where there are too many, nobody looks for one among them any more.
    const size_t most = cold.rest.empty() ? kMostUneven : 0;
    KnownUneven* const known =
        most == 0 ? nullptr : findOrAdd(cold.uneven, cold.latestUneven, most, isSame, KnownUneven{run, kNone});
    if (known != nullptr)
        ++known->run.times;
    else
        sum(cold, run);
    run.count = 0;
}

void TallyCollector::accessMixed(SiteId site, uint16_t warp, LaneMask mask, const BufferId* buffers,
                                 const uint64_t* offsets, uint32_t bytes)
{
    if (mask == 0)
        return;
    Cold& cold = coldOf(slotOf(site, warp));
    ++cold.executions;
    std::array<uint64_t, kWarpSize> address{};
    std::array<LaneMask, 4> lanes{};
    for (LaneMask rest = mask; rest != 0; rest &= rest - 1) {
        const auto lane = static_cast<size_t>(std::countr_zero(rest));
        const bool isKnown = buffers[lane] != kNoBuffer;
        const BufferPlace place =
            isKnown ? (*m_buffers)[buffers[lane].value] : BufferPlace{(*m_sites)[site.value].space, 0};
        address[lane] = place.base + offsets[lane];
        lanes[static_cast<size_t>(place.space)] |= LaneMask{1} << lane;
    }
    for (size_t space = 0; space < lanes.size(); ++space)
        if (lanes[space] != 0)
            addCost(sumsOf(cold, static_cast<Space>(space)), lanes[space], address, bytes, 1);
}

TallyCollector::RunGroup& TallyCollector::groupOf(const EventRun& run)
{
    for (size_t i = 0; i < m_groupsUsed; ++i)
        if (m_groups[i].run == &run)
            return m_groups[i];
    if (m_groupsUsed == m_groups.size())
        m_groups.emplace_back();
    RunGroup& group = m_groups[m_groupsUsed++];
    group.run = &run;
    group.kinds = 0;
    for (const EventRun::Event& event : run.events) {
        const SiteKind kind =
            event.kind == EventRun::Kind::Access ? (*m_sites)[event.site.value].kind : SiteKind::VariableWrite;
        group.kinds |= static_cast<uint16_t>(1U << static_cast<unsigned>(kind));
    }
    group.byWarp.resize(m_warps);
    for (RunSlot& slot : group.byWarp) {
        slot.run.count = 0;
        slot.latest = kNone;
        slot.known.clear();
    }
    return group;
}

void TallyCollector::run(const EventRun& run, uint16_t warp, const EventRun::Places& places)
{
    RunGroup& group = groupOf(run);
    RunSlot& slot = group.byWarp[warp];
    bool goesOn = slot.run.count != 0;
    std::array<uint32_t, EventRun::kPlaces> moved{};
    for (size_t i = 0; i < EventRun::kPlaces; ++i) {
        moved[i] = places[i].offsets.first[0] - slot.last[i].offsets.first[0];
        goesOn = goesOn && places[i].buffer == slot.last[i].buffer &&
                 isMovedBy(places[i].offsets, slot.last[i].offsets, moved[i]) &&
                 (slot.run.count == 1 || moved[i] == slot.run.advance[i]);
    }
    if (goesOn) {
        slot.run.advance = moved;
        ++slot.run.count;
    } else {
        endPlacesRun(slot);
        slot.run = {places, {}, 1, 0, kNone};
    }
    slot.last = places;
    for (size_t left = run.events.size(); left != 0;) {
        if (m_stepsLeft == 0)
            nextKinds();
        const uint64_t here = std::min<uint64_t>(left, m_stepsLeft);
        m_kindsNow.kinds |= group.kinds;
        m_stepsLeft -= here;
        left -= here;
    }
}

void TallyCollector::endPlacesRun(RunSlot& slot)
{
    if (slot.run.count == 0)
        return;
    // However many there are: an unrolled loop's addresses are few.
    PlacesRun* const known = findOrAdd(
        slot.known, slot.latest, SIZE_MAX, [&](const PlacesRun& other) { return other.isSame(slot.run); }, slot.run);
    ++known->times;
    slot.run.count = 0;
}

AccessSums& TallyCollector::sumsOf(Cold& cold, Space space)
{
    const auto known =
        std::find_if(cold.rest.begin(), cold.rest.end(), [&](const AccessSums& sums) { return sums.space == space; });
    if (known != cold.rest.end())
        return *known;
    cold.rest.emplace_back().space = space;
    return cold.rest.back();
}

void TallyCollector::addCost(AccessSums& sums, LaneMask mask, const std::array<uint64_t, kWarpSize>& address,
                             uint32_t bytes, uint64_t times)
{
    const auto lanes = static_cast<uint64_t>(std::popcount(mask));
    sums.requests += times;
    sums.laneAccesses += times * lanes;
    sums.laneBytes += times * lanes * bytes;
    if (sums.space == Space::Global) {
        const cost::SectorCost found = cost::sectorCost(mask, address, bytes);
        sums.sectors += times * found.sectors;
        sums.idealSectors += times * found.idealSectors;
    } else if (sums.space == Space::Shared) {
        const cost::BankSums found = cost::bankSums(mask, address, bytes);
        sums.wavefronts += times * found.wavefronts;
        sums.idealWavefronts += times * found.idealWavefronts;
        sums.maxDegree = std::max(sums.maxDegree, found.maxDegree);
    }
}

void TallyCollector::sum(Cold& cold, const AccessRun& run)
{
    cold.executions += run.count;
    const BufferPlace& place = (*m_buffers)[run.buffer.value];
    AccessSums& sums = sumsOf(cold, place.space);
    eachCost(run, place.space, [&](uint32_t shift, uint64_t count) {
        addCost(sums, run.mask, addressesOf(run, place.base, shift), run.bytes, count);
    });
}

void TallyCollector::branch(SiteId site, uint16_t warp, LaneMask mask, LaneMask taken)
{
    if (mask == 0)
        return;
    Cold& cold = coldOf(slotOf(site, warp));
    ++cold.executions;
    cold.lanes += static_cast<uint64_t>(std::popcount(mask));
    cold.divergent += taken != 0 && taken != mask ? 1 : 0;
}

void TallyCollector::barrier(SiteId site, uint16_t warp)
{
    ++coldOf(slotOf(site, warp)).executions;
}

void TallyCollector::foldKinds()
{
    for (size_t i = 0; i < kMostKinds; i += 2)
        m_kinds[i / 2] = {static_cast<uint16_t>(m_kinds[i].kinds | m_kinds[i + 1].kinds),
                          m_kinds[i].diverged || m_kinds[i + 1].diverged};
    m_kindsUsed = kMostKinds / 2;
    ++m_shift;
}

void TallyCollector::notePart(SiteKind kind, uint16_t warp, LaneMask mask)
{
    const uint32_t launched = std::min<uint32_t>(kWarpSize, m_threads - uint32_t{warp} * kWarpSize);
    if (kind != SiteKind::Exit && static_cast<uint32_t>(std::popcount(mask)) < launched)
        m_kindsNow.diverged = true;
}

void TallyCollector::restart()
{
    m_reference.clear();
    m_referencePlaceOf.clear();
    m_moves.clear();
    m_expanded = 0;
    m_kindsWritten.clear();
}

void TallyCollector::finish(BlockIndex block, ByteColumn& to)
{
    to.reserve(3 * ByteColumn::kMaxVarint);
    to.putVarint(block.value);
    to.putVarint(m_groupsUsed);
    for (size_t i = 0; i < m_groupsUsed; ++i) {
        for (RunSlot& slot : m_groups[i].byWarp)
            endPlacesRun(slot);
        writeGroup(m_groups[i], to);
    }
    m_kindsNext.clear();
    writeKinds(m_kindsNext);
    writeSlots(to);
    putKinds(m_kindsNext.bytes(), to);
    m_used = 0;
    m_groupsUsed = 0;
}

/// If they are others than those of the block before.
void TallyCollector::putKinds(std::span<const uint8_t> kinds, ByteColumn& to)
{
    const bool isAsBefore = std::ranges::equal(kinds, m_kindsWritten.bytes());
    to.reserve(1 + kinds.size());
    to.putByte(isAsBefore ? 1 : 0);
    if (isAsBefore)
        return;
    to.putBytes(kinds.data(), kinds.size());
    m_kindsWritten.clear();
    m_kindsWritten.reserve(kinds.size());
    m_kindsWritten.putBytes(kinds.data(), kinds.size());
}

bool TallyCollector::beginMoves()
{
    if (m_reference.empty() || !m_referenceMayMove || m_expanded + m_reference.size() > kMostExpandedSites)
        return false;
    m_moves.resize(m_reference.size());
    return true;
}

void TallyCollector::writeMoved(BlockIndex block, std::span<const uint8_t> kinds, ByteColumn& to)
{
    to.reserve(2 * ByteColumn::kMaxVarint);
    to.putVarint(block.value);
    to.putVarint(0);
    putMoves(to);
    m_expanded += m_reference.size();
    putKinds(kinds, to);
}

std::optional<uint32_t> TallyCollector::latestMoveOf(SiteId site) const
{
    std::optional<uint32_t> move;
    for (size_t i = 0; i < m_moves.size(); ++i) {
        if (m_placedSites[i] != site)
            continue;
        if (move && *move != m_moves[i])
            return std::nullopt;
        move = m_moves[i];
    }
    return move;
}

/// The number of sites, times two, and one more where moves follow instead of all there is to say.
void TallyCollector::writeSlots(ByteColumn& to)
{
    for (size_t i = 0; i < m_used; ++i) {
        endRun(m_slots[i]);
        endUneven(m_cold[i]);
        m_index[m_placeOf[i]] = kNone;
    }
    if (writeMoves(to))
        return;
    to.reserve(ByteColumn::kMaxVarint);
    to.putVarint(2 * m_used);
    for (size_t i = 0; i < m_used; ++i)
        writeSlot(i, to);
    m_reference.assign(m_cold.begin(), m_cold.begin() + static_cast<std::ptrdiff_t>(m_used));
    m_referencePlaceOf.assign(m_placeOf.begin(), m_placeOf.begin() + static_cast<std::ptrdiff_t>(m_used));
    ++m_referenceNumber;
    m_placedSites.resize(m_used);
    for (size_t i = 0; i < m_used; ++i)
        m_placedSites[i] = hasRuns(m_reference[i]) ? SiteId{m_placeOf[i] / m_warps} : kNoSite;
    m_moves.assign(m_used, 0);
    // Sums have no places, groups of runs are told by themselves.
    m_referenceMayMove =
        m_groupsUsed == 0 && std::ranges::all_of(m_reference, [](const Cold& cold) { return cold.rest.empty(); });
}

/// How far on from the reference's the accesses of all sites are: how many sites, and by how many bytes. False, and
/// nothing written, where there is more to it.
bool TallyCollector::writeMoves(ByteColumn& to)
{
    if (m_used == 0 || m_used != m_reference.size() || m_expanded + m_used > kMostExpandedSites ||
        !std::equal(m_referencePlaceOf.begin(), m_referencePlaceOf.end(), m_placeOf.begin()) || !findMoves())
        return false;
    putMoves(to);
    m_expanded += m_used;
    return true;
}

bool TallyCollector::findMoves()
{
    m_moves.resize(m_used);
    for (size_t i = 0; i < m_used; ++i) {
        const std::optional<uint32_t> move = moveOf(m_cold[i], m_reference[i]);
        if (!move) {
            m_moves.clear();
            return false;
        }
        m_moves[i] = *move;
    }
    return true;
}

void TallyCollector::putMoves(ByteColumn& to) const
{
    const size_t count = m_moves.size();
    to.reserve((1 + 2 * count) * ByteColumn::kMaxVarint);
    to.putVarint(2 * count + 1);
    for (size_t i = 0; i < count;) {
        const size_t begin = i;
        while (++i < count && m_moves[i] == m_moves[begin]) {
        }
        to.putVarint(i - begin);
        to.putVarint(zigzag(signedOf(m_moves[begin])));
    }
}

/// By how many bytes all accesses have moved on, if that is all that differs.
std::optional<uint32_t> TallyCollector::moveOf(const Cold& cold, const Cold& reference)
{
    if (cold.executions != reference.executions || cold.lanes != reference.lanes ||
        cold.divergent != reference.divergent || cold.even.size() != reference.even.size() ||
        cold.uneven.size() != reference.uneven.size() || !cold.rest.empty() || !reference.rest.empty())
        return {};
    uint32_t move = 0;
    if (!cold.even.empty()) {
        move = cold.even.front().run.first.first[0] - reference.even.front().run.first.first[0];
    } else if (!cold.uneven.empty()) {
        const AccessRun& run = cold.uneven.front().run;
        const auto first = static_cast<size_t>(std::countr_zero(run.mask));
        move = run.offset[first] - reference.uneven.front().run.offset[first];
    }
    for (size_t i = 0; i < cold.even.size(); ++i) {
        const EvenRun& run = cold.even[i].run;
        const EvenRun& known = reference.even[i].run;
        if (cold.even[i].times != reference.even[i].times || run.advance != known.advance || run.count != known.count ||
            !(run.accessed == known.accessed) || run.first.first[0] - known.first.first[0] != move ||
            !isMovedBy(run.first, known.first, move))
            return {};
    }
    for (size_t i = 0; i < cold.uneven.size(); ++i)
        if (!isRunMovedBy(cold.uneven[i].run, reference.uneven[i].run, move))
            return {};
    return move;
}

void TallyCollector::writeGroup(const RunGroup& group, ByteColumn& to) const
{
    const auto isAccess = [](const EventRun::Event& event) { return event.kind == EventRun::Kind::Access; };
    size_t rows = 0;
    for (const RunSlot& slot : group.byWarp)
        rows += slot.known.size();
    to.reserve((2 + 4 * group.run->events.size()) * ByteColumn::kMaxVarint);
    to.putVarint(static_cast<uint64_t>(std::count_if(group.run->events.begin(), group.run->events.end(), isAccess)));
    for (const EventRun::Event& event : group.run->events)
        if (isAccess(event))
            for (const uint32_t value :
                 {event.site.value, uint32_t{event.place}, event.offset, uint32_t{(*m_sites)[event.site.value].bytes}})
                to.putVarint(value);
    to.putVarint(rows);
    for (size_t warp = 0; warp < group.byWarp.size(); ++warp)
        for (const PlacesRun& run : group.byWarp[warp].known) {
            to.reserve((3 + 6 * EventRun::kPlaces) * ByteColumn::kMaxVarint);
            to.putVarint(warp);
            to.putVarint(run.count);
            to.putVarint(run.times);
            for (size_t place = 0; place < EventRun::kPlaces; ++place) {
                to.putVarint(run.first[place].buffer.value);
                to.putVarint(zigzag(signedOf(run.advance[place])));
                putEven(run.first[place].offsets, to);
            }
        }
}

void TallyCollector::writeSlot(size_t index, ByteColumn& to) const
{
    const Cold& cold = m_cold[index];
    to.reserve(8 * ByteColumn::kMaxVarint);
    for (const uint64_t value :
         {uint64_t{m_placeOf[index] / m_warps}, uint64_t{m_placeOf[index] % m_warps}, cold.executions, cold.lanes,
          cold.divergent, uint64_t{cold.even.size()}, uint64_t{cold.uneven.size()}, uint64_t{cold.rest.size()}})
        to.putVarint(value);
    const auto putAccessed = [&](BufferId buffer, LaneMask mask, uint32_t bytes, uint64_t times) {
        to.reserve((8 + kWarpSize) * ByteColumn::kMaxVarint);
        to.putVarint(buffer.value);
        to.putVarint(static_cast<LaneMask>(~mask));  // mostly all
        to.putVarint(bytes);
        to.putVarint(times);
    };
    for (const KnownEven& known : cold.even) {
        const EvenRun& run = known.run;
        putAccessed(run.accessed.buffer, run.accessed.mask, run.accessed.bytes, known.times);
        to.putVarint(run.count);
        to.putVarint(zigzag(signedOf(run.advance)));
        putEven(run.first, to);
    }
    for (const KnownUneven& known : cold.uneven) {
        const AccessRun& run = known.run;
        putAccessed(run.buffer, run.mask, run.bytes, run.times);
        to.putVarint(run.count);
        to.putVarint(zigzag(signedOf(run.advance)));
        uint32_t before = 0;
        for (LaneMask rest = run.mask; rest != 0; rest &= rest - 1) {
            const uint32_t here = run.offset[static_cast<size_t>(std::countr_zero(rest))];
            to.putVarint(zigzag(signedOf(here - before)));
            before = here;
        }
    }
    for (const AccessSums& sums : cold.rest) {
        to.reserve(9 * ByteColumn::kMaxVarint);
        for (const uint64_t value :
             {static_cast<uint64_t>(sums.space), sums.requests, sums.laneAccesses, sums.laneBytes, sums.sectors,
              sums.idealSectors, sums.wavefronts, sums.idealWavefronts, uint64_t{sums.maxDegree}})
            to.putVarint(value);
    }
}

void TallyCollector::writeKinds(ByteColumn& to)
{
    if (m_kindsNow.kinds != 0)
        m_kinds[m_kindsUsed++] = m_kindsNow;
    to.reserve((2 + 2 * m_kindsUsed) * ByteColumn::kMaxVarint);
    to.putVarint(m_shift);
    to.putVarint(m_kindsUsed);
    // Equal neighbours are told once.
    for (size_t i = 0; i < m_kindsUsed;) {
        size_t end = i + 1;
        while (end < m_kindsUsed && m_kinds[end] == m_kinds[i])
            ++end;
        to.putVarint(end - i);
        to.putVarint(uint64_t{m_kinds[i].kinds} << 1 | (m_kinds[i].diverged ? 1 : 0));
        i = end;
    }
}

}  // namespace lanescope::trace
