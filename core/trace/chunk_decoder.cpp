// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/trace/chunk_decoder.h"

#include <algorithm>
#include <bit>

#include <fmt/format.h>

namespace lanescope::trace {

namespace {

void putNarrow(Event& event, uint32_t base, const Shape& shape)
{
    for (size_t i = 0; i < kWarpSize; ++i) {
        const uint32_t v = base + shape[i];
        std::memcpy(event.value[i].data(), &v, sizeof v);
    }
}

void putWide(Event& event, uint64_t base, const Shape& shape)
{
    for (size_t i = 0; i < kWarpSize; ++i) {
        const uint64_t v = base + static_cast<uint64_t>(static_cast<int64_t>(static_cast<int32_t>(shape[i])));
        std::memcpy(event.value[i].data(), &v, sizeof v);
    }
}

template <size_t Bytes>
void scatter(const uint8_t* from, LaneMask mask, std::array<std::array<uint8_t, 16>, kWarpSize>& to)
{
    if (mask == kAllLanes) {
        for (size_t i = 0; i < kWarpSize; ++i)
            std::memcpy(to[i].data(), from + Bytes * i, Bytes);
        return;
    }
    for (; mask != 0; mask &= mask - 1, from += Bytes)
        std::memcpy(to[static_cast<size_t>(std::countr_zero(mask))].data(), from, Bytes);
}

void scatter(const uint8_t* from, LaneMask mask, size_t bytes, std::array<std::array<uint8_t, 16>, kWarpSize>& to)
{
    switch (bytes) {
    case 1:
        return scatter<1>(from, mask, to);
    case 2:
        return scatter<2>(from, mask, to);
    case 4:
        return scatter<4>(from, mask, to);
    case 8:
        return scatter<8>(from, mask, to);
    default:
        return scatter<16>(from, mask, to);
    }
}

}  // namespace

bool ChunkDecoder::fail(std::string what)
{
    if (m_failure.empty())
        m_failure = std::move(what);
    return false;
}

void ChunkDecoder::begin(const UnpackedChunk& chunk, size_t index, const ChunkContext& context, Detail detail,
                         const UnpackedChunk* writes)
{
    const UnpackedChunk::Part own = chunk.part(index);
    const UnpackedChunk::Part part = own.movedFrom ? chunk.part(*own.movedFrom) : own;
    m_isMoved = own.movedFrom.has_value();
    m_moves = ByteReader(own.small[static_cast<size_t>(SmallColumn::Place)]);
    m_alike = 0;
    ++m_part;
    m_moveOf.resize(std::max(m_moveOf.size(), context.sites.size()));
    m_context = context;
    m_detail = std::min(detail, chunk.detail());
    m_failure.clear();
    m_decoded = 0;
    m_events = part.events;
    m_previousSite = SiteId{};
    m_previousStep = 0;
    m_previousMask = kAllLanes;
    m_slots.reset(context.warps, chunk.format());
    m_shapes.reset();
    m_lastRaw.resize(context.warps);
    for (RawLanes& last : m_lastRaw)
        last.mask = 0;
    for (size_t i = 0; i < kSmallColumns; ++i)
        m_smallReaders[i] = ByteReader(part.small[i]);
    for (size_t i = 0; i < kWordColumns; ++i)
        m_wordReaders[i] = ByteReader(part.words[i]);
    const UnpackedChunk::Part apart = writes != nullptr ? writes->part(index) : UnpackedChunk::Part{};
    for (size_t i = 0; i < kWordColumns; ++i) {
        m_ownWords[i] = ByteReader(own.words[i]);
        m_writeWords[i] = ByteReader(apart.words[i]);
    }
}

uint64_t ChunkDecoder::nextStep()
{
    m_previousStep += small(SmallColumn::Steps).varint();
    return m_previousStep;
}

bool ChunkDecoder::next(Event& event)
{
    if (m_decoded == m_events || !m_failure.empty() || !readNext(event) || (m_isMoved && !move(event)))
        return false;
    ++m_decoded;
    return true;
}

/// The event is the other part's: moves it.
bool ChunkDecoder::move(Event& event)
{
    if (!event.isAccess() && event.kind != SiteKind::VariableWrite)
        return true;
    Move& move = m_moveOf[event.site.value];
    if (move.part != m_part && !readMove(move))
        return false;
    if (event.mask == 0)
        return true;
    if (event.isAccess() && m_detail != Detail::Headers && event.laneBuffer.empty() && move.place != 0)
        for (uint64_t& offset : event.offset)
            offset = static_cast<uint32_t>(offset + move.place);
    return event.valueBytes == 0 || m_detail != Detail::Everything || moveValues(event, move);
}

/// The next site's that has not been there.
bool ChunkDecoder::readMove(Move& move)
{
    if (m_alike == 0) {
        m_alike = m_moves.varint();
        const uint8_t values = m_moves.byte();
        if (values >= static_cast<uint8_t>(MovedValues::Count))
            return fail(fmt::format("event {}: moved values {}, expected 0 to 2", m_decoded, values));
        m_move.values = static_cast<MovedValues>(values);
        m_move.place = static_cast<uint32_t>(unzigzag(m_moves.varint()));
        m_move.value = m_move.values == MovedValues::Moved ? unzigzag(m_moves.varint()) : 0;
        if (m_moves.failed() || m_alike == 0)
            return fail(fmt::format("event {}: moves end early", m_decoded));
    }
    --m_alike;
    move = m_move;
    move.part = m_part;
    return true;
}

bool ChunkDecoder::moveValues(Event& event, const Move& move)
{
    if (move.values != MovedValues::Moved)
        return takeRaw(event, move.values == MovedValues::Given ? m_ownWords : m_writeWords);
    if (move.value == 0)
        return true;
    if (event.valueBytes > sizeof move.value)
        return fail(fmt::format("event {}: values of {} bytes are moved", m_decoded, event.valueBytes));
    for (auto& lane : event.value) {
        uint64_t number = 0;
        std::memcpy(&number, lane.data(), event.valueBytes);
        number += move.value;
        std::memcpy(lane.data(), &number, event.valueBytes);
    }
    return true;
}

bool ChunkDecoder::readNext(Event& event)
{
    const uint8_t control = small(SmallColumn::Control).byte();
    SlotState* state = nullptr;
    if (!readHeader(event, control, state))
        return false;
    event.taken = 0;
    event.valueBytes = 0;
    event.valuesKnown = false;
    event.buffer = kNoBuffer;
    event.laneBuffer.clear();
    switch (event.kind) {
    case SiteKind::Load:
    case SiteKind::Store:
    case SiteKind::Atomic:
        if (event.mask != 0 && (!readPlace(event, control, *state) || !readValues(event, control, *state)))
            return false;
        break;
    case SiteKind::VariableWrite:
        if (event.mask != 0 && !readValues(event, control, *state))
            return false;
        break;
    case SiteKind::Branch:
        readTaken(event, control, *state);
        break;
    case SiteKind::Barrier:
    case SiteKind::Exit:
    case SiteKind::Call:
    case SiteKind::Return:
        break;
    }
    for (const ByteReader& reader : m_smallReaders)
        if (reader.failed())
            return fail(fmt::format("event {}: a column ends early", m_decoded));
    return true;
}

bool ChunkDecoder::readHeader(Event& event, uint8_t control, SlotState*& state)
{
    SiteId site;
    uint16_t warp = 0;
    if ((control & control::kNextMissed) != 0) {
        ByteReader& from = small(SmallColumn::Next);
        const uint64_t id = m_previousSite.value + unzigzag(from.varint());
        const uint64_t warpNumber = from.varint();
        if (id >= m_context.sites.size())
            return fail(fmt::format("event {}: site {}, expected one of {}", m_decoded, id, m_context.sites.size()));
        if (warpNumber >= m_context.warps)
            return fail(fmt::format("event {}: warp {}, expected one of {}", m_decoded, warpNumber, m_context.warps));
        site = SiteId{static_cast<uint32_t>(id)};
        warp = static_cast<uint16_t>(warpNumber);
        if (SlotState* previous = m_slots.previous()) {
            previous->nextSite = site;
            previous->nextWarp = warp;
        }
    } else {
        const SlotState* previous = m_slots.previous();
        if (previous == nullptr)
            return fail("the first event has no site");
        if (previous->nextSite.value >= m_context.sites.size())
            return fail(fmt::format("event {}: no site", m_decoded));
        site = previous->nextSite;
        warp = previous->nextWarp;
    }
    state = &m_slots.at(site, warp, m_previousMask);
    m_previousSite = site;
    if ((control & control::kMaskMissed) != 0)
        state->mask = small(SmallColumn::Mask).u32();
    m_previousMask = state->mask;
    event.site = site;
    event.warp = warp;
    event.kind = m_context.sites[site.value].kind;
    event.mask = state->mask;
    return true;
}

void ChunkDecoder::readTaken(Event& event, uint8_t control, SlotState& state)
{
    event.taken =
        (control & control::kPlaceMissed) != 0 ? small(SmallColumn::Mask).u32() & event.mask : state.taken & event.mask;
    state.taken = event.taken == event.mask ? kAllLanes : event.taken;
}

bool ChunkDecoder::readPlace(Event& event, uint8_t control, SlotState& state)
{
    auto base = static_cast<uint32_t>(state.base.predicted());
    if ((control & control::kPlaceMissed) != 0) {
        ByteReader& from = small(SmallColumn::Place);
        const uint8_t flags = from.byte();
        if ((flags & place::kMixed) != 0)
            return readMixed(event);
        if ((flags & place::kBuffer) != 0) {
            const uint64_t buffer = from.varint();
            if (buffer >= m_context.buffers && buffer != kNoBuffer.value)
                return fail(
                    fmt::format("event {}: buffer {}, expected one of {}", m_decoded, buffer, m_context.buffers));
            state.buffer = BufferId{static_cast<uint32_t>(buffer)};
        }
        event.buffer = state.buffer;
        if ((flags & place::kRaw) != 0)
            return readRawOffsets(event);
        if ((flags & place::kNewShape) != 0) {
            if (!readNewShape(state.shape))
                return false;
        } else if ((flags & place::kShapeId) != 0) {
            const uint64_t id = from.varint();
            if (id >= m_shapes.size())
                return fail(fmt::format("event {}: shape {}, expected one of {}", m_decoded, id, m_shapes.size()));
            state.shape = static_cast<uint32_t>(id);
        }
        base += static_cast<uint32_t>(unzigzag(from.varint()));
    }
    event.buffer = state.buffer;
    state.base.update(base);
    if (m_detail != Detail::Headers) {
        const Shape& shape = m_shapes[state.shape];
        for (size_t i = 0; i < kWarpSize; ++i)
            event.offset[i] = base + shape[i];
    }
    return true;
}

bool ChunkDecoder::readRawOffsets(Event& event)
{
    if (m_detail == Detail::Headers)
        return true;
    ByteReader& words = m_wordReaders[static_cast<size_t>(WordColumn::Offsets4)];
    for (LaneMask rest = event.mask; rest != 0; rest &= rest - 1)
        event.offset[static_cast<size_t>(std::countr_zero(rest))] = words.u32();
    if (words.failed())
        return fail(fmt::format("event {}: the offset column ends early", m_decoded));
    return true;
}

bool ChunkDecoder::readMixed(Event& event)
{
    ByteReader& from = small(SmallColumn::Mixed);
    event.laneBuffer.assign(kWarpSize, kNoBuffer);
    uint64_t offset = 0;
    bool same = true;
    const auto first = static_cast<size_t>(std::countr_zero(event.mask));
    for (LaneMask rest = event.mask; rest != 0; rest &= rest - 1) {
        const auto lane = static_cast<size_t>(std::countr_zero(rest));
        const uint64_t buffer = from.varint();
        if (buffer > m_context.buffers)
            return fail(fmt::format("event {}: buffer {}, expected one of {}", m_decoded, buffer, m_context.buffers));
        event.laneBuffer[lane] = BufferId{static_cast<uint32_t>(buffer - 1)};
        offset += unzigzag(from.varint());
        event.offset[lane] = offset;
        same = same && event.laneBuffer[lane] == event.laneBuffer[first];
    }
    if (same) {
        event.buffer = event.laneBuffer[first];
        event.laneBuffer.clear();
    }
    return true;
}

bool ChunkDecoder::readNewShape(uint32_t& id)
{
    if (m_shapes.full())
        return fail(fmt::format("event {}: more than {} shapes", m_decoded, ShapeTable::kCapacity));
    ByteReader& from = small(SmallColumn::Shapes);
    Shape shape;
    uint32_t last = 0;
    for (uint32_t& offset : shape) {
        last += static_cast<uint32_t>(unzigzag(from.varint()));
        offset = last;
    }
    id = m_shapes.add(shape);
    return true;
}

bool ChunkDecoder::readValues(Event& event, uint8_t control, SlotState& state)
{
    const auto mode = static_cast<ValueMode>(control >> control::kModeShift);
    if (mode == ValueMode::None)
        return true;
    if ((control & control::kWidthMissed) != 0)
        state.valueBytes = small(SmallColumn::Scalars).byte();
    if (!isValueWidth(state.valueBytes))
        return fail(
            fmt::format("event {}: values of {} bytes, expected 1, 2, 4, 8 or 16", m_decoded, state.valueBytes));
    event.valueBytes = state.valueBytes;
    event.valuesKnown = m_detail == Detail::Everything;
    switch (mode) {
    case ValueMode::Predicted:
    case ValueMode::Shaped:
        return readShaped(event, control, state);
    case ValueMode::Raw:
        return m_detail != Detail::Everything || readRaw(event);
    case ValueMode::Repeated:
        return m_detail != Detail::Everything || repeatRaw(event);
    case ValueMode::None:
        break;
    }
    return fail(fmt::format("event {}: value mode {}, expected 0 to 4", m_decoded, static_cast<int>(mode)));
}

bool ChunkDecoder::readShaped(Event& event, uint8_t control, SlotState& state)
{
    if (state.valueBytes == 16)
        return fail(fmt::format("event {}: a pattern of 16-byte values", m_decoded));
    uint64_t base = state.value.predicted();
    if (static_cast<ValueMode>(control >> control::kModeShift) == ValueMode::Shaped) {
        ByteReader& from = small(SmallColumn::Scalars);
        const uint8_t flags = from.byte();
        if (flags == place::kNewShape) {
            if (!readNewShape(state.valueShape))
                return false;
        } else if (flags == place::kShapeId) {
            const uint64_t id = from.varint();
            if (id >= m_shapes.size())
                return fail(fmt::format("event {}: shape {}, expected one of {}", m_decoded, id, m_shapes.size()));
            state.valueShape = static_cast<uint32_t>(id);
        }
        base += unzigzag(from.varint());
    }
    if (state.valueBytes <= 4)
        base = static_cast<uint32_t>(base);
    state.value.update(base);
    if (m_detail == Detail::Everything) {
        if (state.valueBytes == 8)
            putWide(event, base, m_shapes[state.valueShape]);
        else
            putNarrow(event, static_cast<uint32_t>(base), m_shapes[state.valueShape]);
    }
    return true;
}

bool ChunkDecoder::takeRaw(Event& event, std::array<ByteReader, kWordColumns>& from)
{
    const size_t bytes = event.valueBytes;
    const uint8_t* const lanes = from[static_cast<size_t>(columnOfWidth(event.valueBytes))].take(
        bytes * static_cast<size_t>(std::popcount(event.mask)));
    if (lanes == nullptr)
        return fail(fmt::format("event {}: the column of {}-byte values ends early", m_decoded, bytes));
    scatter(lanes, event.mask, bytes, event.value);
    return true;
}

bool ChunkDecoder::readRaw(Event& event)
{
    if (!takeRaw(event, m_wordReaders))
        return false;
    RawLanes& last = m_lastRaw[event.warp];
    for (LaneMask rest = event.mask; rest != 0; rest &= rest - 1) {
        const auto lane = static_cast<size_t>(std::countr_zero(rest));
        std::memcpy(last.lanes[lane].data(), event.value[lane].data(), event.valueBytes);
    }
    last.mask = event.mask;
    last.bytes = event.valueBytes;
    return true;
}

bool ChunkDecoder::repeatRaw(Event& event)
{
    const RawLanes& last = m_lastRaw[event.warp];
    if (last.bytes != event.valueBytes || (event.mask & ~last.mask) != 0)
        return fail(fmt::format("event {}: repeats values that are not there", m_decoded));
    for (LaneMask rest = event.mask; rest != 0; rest &= rest - 1) {
        const auto lane = static_cast<size_t>(std::countr_zero(rest));
        std::memcpy(event.value[lane].data(), last.lanes[lane].data(), event.valueBytes);
    }
    return true;
}

}  // namespace lanescope::trace
