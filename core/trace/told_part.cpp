// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/trace/told_part.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstring>

#include "core/trace/predictor.h"

namespace lanescope::trace {

namespace {

constexpr size_t kMostSlots = UINT16_MAX;
constexpr uint8_t kMoved = 1, kFixed = 2, kListedWrite = 4;
/// A wide value's lanes are compared as they are.
constexpr uint8_t kMostNumberBytes = 8;

uint64_t numberAt(const uint8_t* from, uint8_t bytes)
{
    uint64_t number = 0;
    std::memcpy(&number, from, bytes);
    return number;
}

template <typename Number>
bool areMovedBy(const uint8_t* now, const uint8_t* before, LaneMask mask, uint64_t move)
{
    std::array<Number, kWarpSize> a, b;
    std::memcpy(a.data(), now, sizeof a);
    std::memcpy(b.data(), before, sizeof b);
    Number differs = 0;
    for (size_t lane = 0; lane < kWarpSize; ++lane)
        differs =
            static_cast<Number>(differs | (static_cast<Number>(a[lane] - b[lane] - static_cast<Number>(move)) &
                                           static_cast<Number>(Number{0} - static_cast<Number>(mask >> lane & 1U))));
    return differs == 0;
}

/// Whether the active lanes' values are those of another event, \p move more.
bool areMovedBy(const uint8_t* now, const uint8_t* before, uint8_t bytes, LaneMask mask, uint64_t move)
{
    switch (bytes) {
    case 1:
        return areMovedBy<uint8_t>(now, before, mask, move);
    case 2:
        return areMovedBy<uint16_t>(now, before, mask, move);
    case 4:
        return areMovedBy<uint32_t>(now, before, mask, move);
    case 8:
        return areMovedBy<uint64_t>(now, before, mask, move);
    default:
        break;
    }
    for (; mask != 0; mask &= mask - 1) {
        const size_t at = size_t{bytes} * static_cast<size_t>(std::countr_zero(mask));
        if (std::memcmp(now + at, before + at, bytes) != 0)
            return false;
    }
    return true;
}

/// Half an event: what says what it is, or what it is about.
using Narrow [[gnu::vector_size(16)]] = uint32_t;
using Wide [[gnu::vector_size(16)]] = uint64_t;

/// What is added to the second half of an event: to its first number, of 32 bits or of 64.
struct HalfMove {
    Narrow narrow{};
    Wide wide{};
};

/// Whether \p now are the events \p before, those of slot i moved by moves[i].
bool areMovedBy(std::span<const LoggedEvent> now, std::span<const LoggedEvent> before, std::span<const uint16_t> slotOf,
                std::span<const HalfMove> moves)
{
    constexpr size_t kAtOnce = 16;
    static_assert(offsetof(LoggedEvent, first) == sizeof(Narrow));
    for (size_t i = 0; i < now.size();) {
        Wide differs{};
        for (const size_t end = std::min(now.size(), i + kAtOnce); i < end; ++i) {
            std::array<Wide, 2> a, b;
            std::memcpy(a.data(), &now[i], sizeof a);
            std::memcpy(b.data(), &before[i], sizeof b);
            const HalfMove& move = moves[slotOf[i]];
            const Wide moved = reinterpret_cast<Wide>(reinterpret_cast<Narrow>(b[1]) + move.narrow) + move.wide;
            differs |= (a[0] ^ b[0]) | (a[1] ^ moved);
        }
        if ((differs[0] | differs[1]) != 0)
            return false;
    }
    return true;
}

}  // namespace

std::optional<uint16_t> ToldPart::slotFor(SiteId site, uint32_t event, bool mayMove, bool isWide, bool isValue)
{
    if (site.value >= m_slotOfSite.size())
        m_slotOfSite.resize(site.value + size_t{1});
    uint32_t& slot = m_slotOfSite[site.value];
    if (slot == 0) {
        if (m_slots.size() == kMostSlots)
            return std::nullopt;
        m_slots.push_back({site, event, mayMove, isWide, isValue, !isValue, false, false});
        slot = static_cast<uint32_t>(m_slots.size());
    }
    Slot& known = m_slots[slot - 1];
    if (known.isValue != isValue)
        return std::nullopt;
    known.mayMove = known.mayMove && mayMove;
    return static_cast<uint16_t>(slot - 1);
}

/// False: the site is known as one that is otherwise.
bool ToldPart::list(SiteId site, bool isMoved, uint32_t slot, bool isWritten)
{
    if (site.value >= m_isListed.size())
        m_isListed.resize(site.value + size_t{1});
    uint8_t& known = m_isListed[site.value];
    const uint8_t form = isMoved ? kMoved : kFixed;
    if (known != 0 && (known & form) == 0)
        return false;
    if (known == 0)
        m_listed.push_back({slot, isMoved});
    if (isWritten && (known & kListedWrite) == 0)
        m_listedWrites.push_back({slot, isMoved});
    known |= isWritten ? form | kListedWrite : form;
    return true;
}

/// Accesses of a run move with their place.
bool ToldPart::addRun(size_t index)
{
    const EventRun& run = runOf(m_log.events()[index]);
    std::array<uint16_t, EventRun::kPlaces> slots{};
    for (size_t place = 0; place < EventRun::kPlaces; ++place) {
        const LoggedEvent& event = m_log.events()[index + place];
        const auto slot =
            slotFor(event.site, static_cast<uint32_t>(index + place), !m_isFixed[index + place], false, false);
        if (!slot)
            return false;
        slots[place] = *slot;
        m_slotOf[index + place] = *slot;
    }
    for (const EventRun::Event& event : run.events) {
        const bool isMoved = event.kind == EventRun::Kind::Access;
        if (isMoved) {
            if (event.site.value >= m_slotOfSite.size())
                m_slotOfSite.resize(event.site.value + size_t{1});
            uint32_t& known = m_slotOfSite[event.site.value];
            if (known == 0)
                known = slots[event.place] + 1U;
            else if (known != slots[event.place] + 1U)
                return false;
        }
        if (!list(event.site, isMoved, isMoved ? slots[event.place] : 0, false))
            return false;
    }
    return true;
}

/// Takes over what \p log has, which is empty then.
bool ToldPart::take(EventLog& log)
{
    m_log.swap(log);
    const std::span<const LoggedEvent> events = m_log.events();
    m_slotOf.resize(events.size());
    // What stays as it is has one together.
    m_slots.push_back({kNoSite, 0, false, false, false, false, false, false});
    uint32_t payload = 0;
    for (uint32_t i = 0; i < events.size(); ++i) {
        const LoggedEvent& event = events[i];
        if (event.kind == LoggedEvent::Kind::RunFirst) {
            if (!addRun(i))
                return false;
        } else if (event.isAccess() || event.kind == LoggedEvent::Kind::Write ||
                   event.kind == LoggedEvent::Kind::WriteUniform) {
            const bool isUniform = event.kind == LoggedEvent::Kind::WriteUniform;
            const auto slot =
                slotFor(event.site, i, isUniform || (event.isAccess() && !m_isFixed[i]), isUniform, !event.isAccess());
            if (!slot || (!event.isAccess() && m_slots[*slot].isWide != isUniform))
                return false;
            m_slotOf[i] = *slot;
            if (!list(event.site, true, *slot, m_isGlobalWrite[i]))
                return false;
        } else if (event.kind == LoggedEvent::Kind::WriteDerived) {
            if (!list(event.site, false, 0, false))
                return false;
        }
        m_writes += m_isGlobalWrite[i] ? 1 : 0;
        if (event.isRun() || event.isAccess())
            if (std::ranges::find(m_buffers, event.buffer) == m_buffers.end())
                m_buffers.push_back(event.buffer);
        if (event.placeBytes() != 0)
            m_places.push_back({i, payload});
        if (event.hasLaneValues()) {
            m_values.push_back({i, payload + static_cast<uint32_t>(event.placeBytes())});
            Slot& slot = m_slots[m_slotOf[i]];
            slot.isWritten = slot.isWritten || m_isGlobalWrite[i];
            slot.isPartlyWritten = slot.isPartlyWritten || !m_isGlobalWrite[i];
        }
        payload += static_cast<uint32_t>(event.payloadBytes());
    }
    for (Slot& slot : m_slots)
        slot.isPartlyWritten = slot.isPartlyWritten && slot.isWritten;
    return true;
}

bool ToldPart::findMoves(const EventLog& log, std::vector<SiteMove>& moves) const
{
    const std::span<const LoggedEvent> now = log.events();
    const std::span<const LoggedEvent> before = m_log.events();
    if (now.size() != before.size() || log.payloadBytes() != m_log.payloadBytes())
        return false;
    moves.assign(m_slots.size(), {});
    thread_local std::vector<HalfMove> halves;  // whoever records has them
    halves.assign(m_slots.size(), {});
    for (size_t i = 0; i < m_slots.size(); ++i) {
        const Slot& slot = m_slots[i];
        if (!slot.mayMove)
            continue;
        if (slot.isWide) {
            moves[i].place = now[slot.event].value() - before[slot.event].value();
            halves[i].wide[0] = moves[i].place;
        } else {
            const uint32_t move = now[slot.event].first - before[slot.event].first;
            moves[i].place = move;
            halves[i].narrow[0] = move;
        }
    }
    if (!areMovedBy(now, before, m_slotOf, halves))
        return false;
    for (const LaneValuesAt& at : m_places)
        if (std::memcmp(log.payload() + at.payload, m_log.payload() + at.payload, before[at.event].placeBytes()) != 0)
            return false;
    // Uniform values are no places.
    for (size_t i = 0; i < m_slots.size(); ++i)
        if (m_slots[i].isValue && m_slots[i].isWide)
            moves[i] = {0, moves[i].place, false};
    for (size_t i = 0; i < m_values.size(); ++i) {
        const LaneValuesAt& at = m_values[i];
        SiteMove& move = moves[m_slotOf[at.event]];
        if (move.areRaw)
            continue;
        const LoggedEvent& event = before[at.event];
        const uint8_t* const a = log.payload() + at.payload;
        const uint8_t* const b = m_log.payload() + at.payload;
        const bool isFirst = m_slots[m_slotOf[at.event]].event == at.event;
        if (isFirst && event.valueBytes <= kMostNumberBytes) {
            const size_t lane = size_t{event.valueBytes} * static_cast<size_t>(std::countr_zero(event.mask));
            move.value = numberAt(a + lane, event.valueBytes) - numberAt(b + lane, event.valueBytes);
        }
        if (!areMovedBy(a, b, event.valueBytes, event.mask, move.value))
            move = {move.place, 0, true};
    }
    return true;
}

/// As the decoder meets sites: how many have the same; how their values come; how far on places are; where values are
/// not given, how much is added to them.
void ToldPart::writeMoves(std::span<const SiteMove> moves, std::span<const Listed> listed, MovedValues raw,
                          ChunkColumns& to) const
{
    ByteColumn& column = to.small[static_cast<size_t>(SmallColumn::Place)];
    const auto moveOfListed = [&](const Listed& site) { return site.isMoved ? moves[site.slot] : SiteMove{}; };
    for (size_t i = 0; i < listed.size();) {
        const SiteMove move = moveOfListed(listed[i]);
        const size_t begin = i;
        const auto isAlike = [&](const Listed& site) {
            return moveOfListed(site) == move &&
                   (!move.areRaw || m_slots[site.slot].isWritten == m_slots[listed[begin].slot].isWritten);
        };
        while (++i < listed.size() && isAlike(listed[i])) {
        }
        column.reserve(1 + 3 * ByteColumn::kMaxVarint);
        column.putVarint(i - begin);
        column.putByte(static_cast<uint8_t>(!move.areRaw                            ? MovedValues::Moved
                                            : m_slots[listed[begin].slot].isWritten ? raw
                                                                                    : MovedValues::Given));
        column.putVarint(
            zigzag(static_cast<uint64_t>(int64_t{static_cast<int32_t>(static_cast<uint32_t>(move.place))})));
        if (!move.areRaw)
            column.putVarint(zigzag(move.value));
    }
}

template <typename IsWanted>
void ToldPart::writeValues(const EventLog& log, std::span<const SiteMove> moves, const IsWanted& isWanted,
                           ChunkColumns& to) const
{
    for (const LaneValuesAt& at : m_values) {
        if (!moves[m_slotOf[at.event]].areRaw || !isWanted(at.event))
            continue;
        const LoggedEvent& event = m_log.events()[at.event];
        const size_t bytes = event.valueBytes;
        const uint8_t* const from = log.payload() + at.payload;
        ByteColumn& words = to.words[static_cast<size_t>(columnOfWidth(event.valueBytes))];
        words.reserve(bytes * kWarpSize);
        if (event.mask == kAllLanes) {
            words.putBytes(from, bytes * kWarpSize);
            continue;
        }
        for (LaneMask rest = event.mask; rest != 0; rest &= rest - 1)
            words.putBytes(from + bytes * static_cast<size_t>(std::countr_zero(rest)), bytes);
    }
}

void ToldPart::writeMoved(const EventLog& log, std::span<const SiteMove> moves, ChunkColumns& to) const
{
    to.clear();
    to.events = m_log.steps();
    // What is written apart is given there, if all of it is.
    bool areApart = true;
    for (size_t i = 0; i < m_slots.size(); ++i)
        areApart = areApart && (!moves[i].areRaw || !m_slots[i].isPartlyWritten);
    writeMoves(moves, m_listed, areApart ? MovedValues::GivenApart : MovedValues::Given, to);
    writeValues(log, moves, [&](uint32_t event) { return !areApart || !m_isGlobalWrite[event]; }, to);
}

void ToldPart::writeMovedWrites(const EventLog& log, std::span<const SiteMove> moves, ChunkColumns& to) const
{
    to.clear();
    to.events = m_writes;
    writeMoves(moves, m_listedWrites, MovedValues::Given, to);
    writeValues(log, moves, [&](uint32_t event) { return m_isGlobalWrite[event]; }, to);
}

}  // namespace lanescope::trace
