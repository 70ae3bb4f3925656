// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/trace/chunk_encoder.h"

#include <algorithm>
#include <bit>

#include "core/base/assert.h"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace lanescope::trace {

namespace {

int firstLane(LaneMask mask)
{
    return std::countr_zero(mask);
}

/// True when lanes[i] - shape[i] == base for every lane of the mask. The hottest loop of recording.
bool matches(const uint32_t* lanes, const uint32_t* shape, uint32_t base, LaneMask mask)
{
#if defined(__SSE2__)
    const __m128i expected = _mm_set1_epi32(static_cast<int>(base));
    const auto equal = [&](int quad) {
        const __m128i v = _mm_loadu_si128(reinterpret_cast<const __m128i*>(lanes + 4 * quad));
        const __m128i s = _mm_loadu_si128(reinterpret_cast<const __m128i*>(shape + 4 * quad));
        return _mm_cmpeq_epi32(_mm_sub_epi32(v, s), expected);
    };
    const auto equal16 = [&](int quad) {
        return static_cast<uint32_t>(_mm_movemask_epi8(_mm_packs_epi16(
            _mm_packs_epi32(equal(quad), equal(quad + 1)), _mm_packs_epi32(equal(quad + 2), equal(quad + 3)))));
    };
    return ((equal16(0) | equal16(4) << 16) & mask) == mask;
#else
    LaneMask equal = 0;
    for (int i = 0; i < kWarpSize; ++i)
        equal |= static_cast<LaneMask>(lanes[i] - shape[i] == base) << i;
    return (equal & mask) == mask;
#endif
}

/// Whether all lanes of the mask are so near to \p first that their differences, put in \p relative, fit in 32 bits
/// when they are counted from another lane: there is one bit to spare.
bool areNear(const uint64_t* lanes, uint64_t first, LaneMask mask, uint32_t* relative)
{
    constexpr uint64_t kFar = INT32_MAX / 4;
    LaneMask far = 0;
    // Without branches: most masks are whole.
    for (size_t i = 0; i < kWarpSize; ++i) {
        const uint64_t difference = lanes[i] - first;
        far |= LaneMask{difference + kFar > 2 * kFar} << i;
        relative[i] = static_cast<uint32_t>(difference);
    }
    return (far & mask) == 0;
}

/// Whether the first three lanes of the mask are equally spaced: cheap proof that values are noise.
template <typename Lane>
bool startsLinear(const Lane* lanes, LaneMask mask)
{
    const int a = firstLane(mask);
    mask &= mask - 1;
    if (mask == 0)
        return true;
    const int b = firstLane(mask);
    mask &= mask - 1;
    if (mask == 0)
        return true;
    const int c = firstLane(mask);
    return (lanes[b] - lanes[a]) * static_cast<Lane>(c - b) == (lanes[c] - lanes[b]) * static_cast<Lane>(b - a);
}

/// The shape of the lanes, relative to lane 0. Inactive lanes continue the progression of their neighbours, so
/// that the first half of a warp finds the shape of the whole warp.
Shape shapeOf(const uint32_t* lanes, LaneMask mask)
{
    Shape shape;
    const int first = firstLane(mask);
    uint32_t step = 0;
    const LaneMask rest = mask & (mask - 1);
    if (rest != 0) {
        const int second = firstLane(rest);
        step = static_cast<uint32_t>(static_cast<int32_t>(lanes[second] - lanes[first]) / (second - first));
    }
    const uint32_t base = lanes[first] - step * static_cast<uint32_t>(first);
    for (int i = 0; i < kWarpSize; ++i) {
        if ((mask >> i) & 1) {
            const uint32_t relative = lanes[i] - base;
            if (i > first && ((mask >> (i - 1)) & 1))
                step = relative - shape[static_cast<size_t>(i) - 1];
            shape[static_cast<size_t>(i)] = relative;
        } else {
            shape[static_cast<size_t>(i)] = i == 0 ? 0 : shape[static_cast<size_t>(i) - 1] + step;
        }
    }
    return shape;
}

template <typename Lane, size_t Bytes>
void gatherFixed(const uint8_t* from, size_t stride, LaneMask mask, Lane* to)
{
    if (mask == kAllLanes) {
        for (size_t i = 0; i < kWarpSize; ++i) {
            Lane v = 0;
            std::memcpy(&v, from + i * stride, Bytes);
            to[i] = v;
        }
        return;
    }
    for (; mask != 0; mask &= mask - 1) {
        const auto i = static_cast<size_t>(firstLane(mask));
        Lane v = 0;
        std::memcpy(&v, from + i * stride, Bytes);
        to[i] = v;
    }
}

template <typename Lane, size_t Bytes>
void gather(LaneValues values, LaneMask mask, Lane* to)
{
    const auto* from = static_cast<const uint8_t*>(values.data);
    // Constant strides let the compiler unroll and vectorise.
    if (values.stride == sizeof(Lane))
        gatherFixed<Lane, Bytes>(from, sizeof(Lane), mask, to);
    else if (values.stride == 8)
        gatherFixed<Lane, Bytes>(from, 8, mask, to);
    else
        gatherFixed<Lane, Bytes>(from, values.stride, mask, to);
}

/// The number of 1 to 8 bytes. The usual widths are single loads: a copy byte by byte would be waited for.
uint64_t numberAt(const void* at, uint8_t bytes)
{
    const auto load = [at]<typename Number>(Number number) {
        std::memcpy(&number, at, sizeof number);
        return uint64_t{number};
    };
    switch (bytes) {
    case 1:
        return load(uint8_t{});
    case 2:
        return load(uint16_t{});
    case 4:
        return load(uint32_t{});
    case 8:
        return load(uint64_t{});
    default:
        break;
    }
    uint64_t number = 0;
    std::memcpy(&number, at, bytes);
    return number;
}

}  // namespace

ChunkEncoder::ChunkEncoder() = default;

void ChunkEncoder::begin(uint32_t warps)
{
    m_columns.clear();
    m_slots.reset(warps, kChunkFormat);
    m_shapes.reset();
    m_lastRaw.resize(warps);
    for (RawLanes& last : m_lastRaw)
        last.mask = 0;
    m_previousSite = SiteId{};
    m_mask = kAllLanes;
    m_previousStep = 0;
    m_columns.small[0].reserve(kChunkEvents);
    m_wordBytes = 0;
}

void ChunkEncoder::missMask(SlotState& state, LaneMask mask)
{
    m_control |= control::kMaskMissed;
    column(SmallColumn::Mask).reserve(4);
    column(SmallColumn::Mask).putU32(mask);
    state.mask = mask;
}

void ChunkEncoder::missNext(SiteId site, uint16_t warp)
{
    m_control |= control::kNextMissed;
    ByteColumn& next = column(SmallColumn::Next);
    next.reserve(2 * ByteColumn::kMaxVarint);
    next.putVarint(zigzag(uint64_t{site.value} - m_previousSite.value));
    next.putVarint(warp);
}

void ChunkEncoder::access(SiteId site, uint16_t warp, LaneMask mask, BufferId buffer, const uint32_t* offsets,
                          LaneValues values)
{
    SlotState& state = beginEvent(site, warp, mask);
    if (mask != 0) {
        putPlace(state, buffer, offsets);
        putValues(state, warp, values);
    }
    endEvent();
}

void ChunkEncoder::accessMixed(SiteId site, uint16_t warp, LaneMask mask, const BufferId* buffers,
                               const uint64_t* offsets, LaneValues values)
{
    SlotState& state = beginEvent(site, warp, mask);
    if (mask != 0) {
        putMixed(buffers, offsets);
        putValues(state, warp, values);
    }
    endEvent();
}

void ChunkEncoder::variableWrite(SiteId site, uint16_t warp, LaneMask mask, LaneValues values)
{
    SlotState& state = beginEvent(site, warp, mask);
    if (mask != 0)
        putValues(state, warp, values);
    endEvent();
}

void ChunkEncoder::putUniform(SlotState& state, uint16_t warp, const void* value, uint8_t bytes)
{
    if (bytes > 8 || state.valueBytes != bytes || state.valueShape != ShapeTable::kUniform) {
        putValues(state, warp, {value, bytes, 0});
        return;
    }
    putShaped(state, ShapeTable::kUniform, false, numberAt(value, bytes), bytes);
}

namespace {

EvenOffsets offsetsOf(const EventRun::Event& event, const EventRun::Places& places)
{
    EvenOffsets offsets = places[event.place].offsets;
    for (uint32_t& first : offsets.first)
        first += event.offset;
    return offsets;
}

/// The control byte of an event of a run that is as expected.
uint8_t expectedControl(EventRun::Kind kind)
{
    const ValueMode mode = kind == EventRun::Kind::ConstantWrite ? ValueMode::Predicted : ValueMode::None;
    return static_cast<uint8_t>(static_cast<uint8_t>(mode) << control::kModeShift);
}

}  // namespace

void ChunkEncoder::put(const EventRun::Event& event, uint16_t warp, const EventRun::Places& places)
{
    switch (event.kind) {
    case EventRun::Kind::Access:
        return accessEven(event.site, warp, places[event.place].buffer, offsetsOf(event, places));
    case EventRun::Kind::DerivedWrite:
        return variableWriteDerived(event.site, warp, kAllLanes);
    case EventRun::Kind::ConstantWrite:
        return variableWriteUniform(event.site, warp, kAllLanes, &event.value, event.valueBytes);
    }
}

/// A run that noteRun() has marked changes no slot but that of the event before it. Nobody has recorded a part of it
/// since, or its last event would have lost the mark; so where the first access from each place is as expected, all
/// are.
bool ChunkEncoder::repeat(const EventRun& run, uint16_t warp, const EventRun::Places& places)
{
    const size_t count = run.events.size();
    const SiteId lastSite = run.events.back().site;
    const SlotState* last = m_slots.find(lastSite, warp);
    if (last == nullptr || last->repeated != &run || m_columns.events + count > kChunkEvents)
        return false;
    for (const uint32_t first : run.firstFrom) {
        const EventRun::Event& event = run.events[first];
        const SlotState* state = m_slots.find(event.site, warp);
        if (state == nullptr || !state->expects(places[event.place].buffer, offsetsOf(event, places)))
            return false;
    }
    m_control = 0;
    expectAfter(m_slots.previous(), run.events.front().site, warp);
    uint8_t* controls = m_columns.small[0].extend(count);
    for (size_t i = 0; i < count; ++i)
        controls[i] = expectedControl(run.events[i].kind);
    controls[0] |= m_control;
    m_columns.events += static_cast<uint32_t>(count);
    m_slots.at(lastSite, warp, kAllLanes);
    m_previousSite = lastSite;
    m_mask = kAllLanes;
    return true;
}

void ChunkEncoder::noteRun(const EventRun& run, uint16_t warp)
{
    const size_t count = run.events.size();
    if (m_columns.events < count)
        return;  // it began in the chunk before
    const uint8_t* const controls = m_columns.small[0].data() + m_columns.small[0].size() - count;
    for (size_t i = 0; i < count; ++i) {
        const EventRun::Event& event = run.events[i];
        const uint8_t mayDiffer = i == 0 ? control::kNextMissed : uint8_t{0};
        if ((controls[i] & ~mayDiffer) != expectedControl(event.kind))
            return;
        const SlotState* state = m_slots.find(event.site, warp);
        if ((event.kind == EventRun::Kind::Access && !state->base.stands()) ||
            (event.kind == EventRun::Kind::ConstantWrite && !state->value.stands()))
            return;
    }
    m_slots.find(run.events.back().site, warp)->repeated = &run;
}

void ChunkEncoder::branch(SiteId site, uint16_t warp, LaneMask mask, LaneMask taken)
{
    SlotState& state = beginEvent(site, warp, mask);
    taken &= mask;
    if ((state.taken & mask) != taken) {
        m_control |= control::kPlaceMissed;
        column(SmallColumn::Mask).reserve(4);
        column(SmallColumn::Mask).putU32(taken);
    }
    state.taken = taken == mask ? kAllLanes : taken;
    endEvent();
}

void ChunkEncoder::mark(SiteId site, uint16_t warp, LaneMask mask)
{
    beginEvent(site, warp, mask);
    endEvent();
}

void ChunkEncoder::putStep(uint64_t step)
{
    ByteColumn& steps = column(SmallColumn::Steps);
    steps.reserve(ByteColumn::kMaxVarint);
    steps.putVarint(step - m_previousStep);
    m_previousStep = step;
}

void ChunkEncoder::putPlace(SlotState& state, BufferId buffer, const uint32_t* offsets)
{
    const auto first = static_cast<size_t>(firstLane(m_mask));
    uint8_t flags = 0;
    uint32_t shape = state.shape;
    uint32_t base = offsets[first] - m_shapes[shape][first];
    const auto predicted = static_cast<uint32_t>(state.base.predicted());
    if (matches(offsets, m_shapes[shape].data(), base, m_mask)) [[likely]] {
        if (state.buffer == buffer && base == predicted) [[likely]] {
            state.base.update(base);
            return;
        }
    } else if (matches(offsets, m_shapes[ShapeTable::kUniform].data(), offsets[first], m_mask)) {
        flags = place::kShapeId;
        shape = ShapeTable::kUniform;
    } else if (m_shapes.full() && !startsLinear(offsets, m_mask)) {
        flags = place::kRaw;
    } else {
        const Shape pattern = shapeOf(offsets, m_mask);
        shape = m_shapes.find(pattern);
        flags = shape < m_shapes.size() ? place::kShapeId : m_shapes.full() ? place::kRaw : place::kNewShape;
        if (flags == place::kNewShape)
            putNewShape(pattern);
    }
    state.even.reset();
    m_control |= control::kPlaceMissed;
    ByteColumn& to = column(SmallColumn::Place);
    to.reserve(1 + 3 * ByteColumn::kMaxVarint);
    if (state.buffer != buffer)
        flags |= place::kBuffer;
    to.putByte(flags);
    if (state.buffer != buffer) {
        to.putVarint(buffer.value);
        state.buffer = buffer;
    }
    if ((flags & place::kRaw) != 0) {
        ByteColumn& words = column(WordColumn::Offsets4);
        words.reserve(4 * kWarpSize);
        for (LaneMask rest = m_mask; rest != 0; rest &= rest - 1)
            words.putU32(offsets[firstLane(rest)]);
        m_wordBytes += 4 * kWarpSize;
        return;
    }
    if ((flags & place::kShapeId) != 0)
        to.putVarint(shape);
    state.shape = shape;
    base = offsets[first] - m_shapes[shape][first];
    to.putVarint(zigzag(static_cast<uint64_t>(static_cast<int64_t>(static_cast<int32_t>(base - predicted)))));
    state.base.update(base);
}

void ChunkEncoder::missEvenPlace(SlotState& state, BufferId buffer, const EvenOffsets& offsets)
{
    constexpr uint32_t kHalf = kWarpSize / 2;
    alignas(16) uint32_t lanes[kWarpSize];
    for (uint32_t i = 0; i < kWarpSize; ++i)
        lanes[i] = offsets.first[i / kHalf] + offsets.step[i / kHalf] * (i % kHalf);
    putPlace(state, buffer, lanes);
    if (matches(lanes, m_shapes[state.shape].data(), lanes[0], kAllLanes))
        state.even = EvenSteps(offsets);
}

void ChunkEncoder::putMixed(const BufferId* buffers, const uint64_t* offsets)
{
    m_control |= control::kPlaceMissed;
    column(SmallColumn::Place).reserve(1);
    column(SmallColumn::Place).putByte(place::kMixed);
    ByteColumn& mixed = column(SmallColumn::Mixed);
    mixed.reserve(2 * kWarpSize * ByteColumn::kMaxVarint);
    uint64_t last = 0;
    for (LaneMask rest = m_mask; rest != 0; rest &= rest - 1) {
        const int lane = firstLane(rest);
        mixed.putVarint(uint32_t(buffers[lane].value + 1));  // kNoBuffer becomes 0
        mixed.putVarint(zigzag(offsets[lane] - last));
        last = offsets[lane];
    }
    m_wordBytes += 8 * kWarpSize;
}

void ChunkEncoder::putNewShape(const Shape& shape)
{
    m_shapes.add(shape);
    ByteColumn& to = column(SmallColumn::Shapes);
    to.reserve(kWarpSize * ByteColumn::kMaxVarint);
    uint32_t last = 0;
    for (const uint32_t offset : shape) {
        to.putVarint(zigzag(static_cast<uint64_t>(static_cast<int64_t>(static_cast<int32_t>(offset - last)))));
        last = offset;
    }
}

void ChunkEncoder::setMode(SlotState& state, ValueMode mode)
{
    m_control |= static_cast<uint8_t>(static_cast<uint8_t>(mode) << control::kModeShift);
    state.mode = mode;
}

void ChunkEncoder::putValues(SlotState& state, uint16_t warp, LaneValues values)
{
    if (values.data == nullptr || values.bytes == 0)
        return;
    LS_ASSERT(isValueWidth(values.bytes));
    if (state.valueBytes != values.bytes) [[unlikely]] {
        m_control |= control::kWidthMissed;
        column(SmallColumn::Scalars).reserve(1);
        column(SmallColumn::Scalars).putByte(values.bytes);
        state.valueBytes = values.bytes;
    }
    if (values.bytes == 16) {
        alignas(16) std::array<uint8_t, 16 * kWarpSize> lanes;
        for (LaneMask rest = m_mask; rest != 0; rest &= rest - 1) {
            const auto i = static_cast<size_t>(firstLane(rest));
            std::memcpy(lanes.data() + 16 * i, static_cast<const uint8_t*>(values.data) + i * values.stride, 16);
        }
        putRaw(state, warp, lanes.data(), 16, 16);
        return;
    }
    if (values.bytes == 8) {
        alignas(16) uint64_t lanes[kWarpSize] = {};
        gather<uint64_t, 8>(values, m_mask, lanes);
        putWide(state, warp, lanes);
        return;
    }
    alignas(16) uint32_t lanes[kWarpSize];
    if (values.bytes == 4)
        gather<uint32_t, 4>(values, m_mask, lanes);
    else if (values.bytes == 2)
        gather<uint32_t, 2>(values, m_mask, lanes);
    else
        gather<uint32_t, 1>(values, m_mask, lanes);
    putNarrow(state, warp, lanes, values.bytes);
}

void ChunkEncoder::putNarrow(SlotState& state, uint16_t warp, const uint32_t* lanes, uint8_t bytes)
{
    const bool wasRaw = state.mode == ValueMode::Raw || state.mode == ValueMode::Repeated;
    const bool linear = startsLinear(lanes, m_mask);
    if (wasRaw && !linear) {
        putRaw(state, warp, lanes, 4, bytes);
        return;
    }
    const auto first = static_cast<size_t>(firstLane(m_mask));
    const Shape& expected = m_shapes[state.valueShape];
    if (matches(lanes, expected.data(), lanes[first] - expected[first], m_mask)) {
        putShaped(state, state.valueShape, false, lanes[first] - expected[first], bytes);
        return;
    }
    if (!linear) {
        putRaw(state, warp, lanes, 4, bytes);
        return;
    }
    if (matches(lanes, m_shapes[ShapeTable::kUniform].data(), lanes[first], m_mask)) {
        putShaped(state, ShapeTable::kUniform, false, lanes[first], bytes);
        return;
    }
    const Shape pattern = shapeOf(lanes, m_mask);
    const uint32_t known = m_shapes.find(pattern);
    if (known == m_shapes.size() && m_shapes.full()) {
        putRaw(state, warp, lanes, 4, bytes);
        return;
    }
    const bool isNew = known == m_shapes.size();
    if (isNew)
        putNewShape(pattern);
    putShaped(state, known, isNew, lanes[first] - pattern[first], bytes);
}

void ChunkEncoder::putWide(SlotState& state, uint16_t warp, const uint64_t* lanes)
{
    const auto first = static_cast<size_t>(firstLane(m_mask));
    const bool wasRaw = state.mode == ValueMode::Raw || state.mode == ValueMode::Repeated;
    if ((wasRaw && !startsLinear(lanes, m_mask))) {
        putRaw(state, warp, lanes, 8, 8);
        return;
    }
    // Lanes of pointers and 64-bit indices differ by less than 2^31: use the shapes of the narrow ones.
    alignas(16) uint32_t relative[kWarpSize] = {};
    if (!areNear(lanes, lanes[first], m_mask, relative)) {
        putRaw(state, warp, lanes, 8, 8);
        return;
    }
    const auto baseFor = [&](const Shape& shape) {
        return lanes[first] - static_cast<uint64_t>(static_cast<int64_t>(static_cast<int32_t>(shape[first])));
    };
    // The decoder widens shape entries as signed 32-bit numbers; the differences must survive that.
    const auto fits = [&](const Shape& shape) {
        const uint64_t base = baseFor(shape);
        LaneMask differs = 0;
        for (size_t i = 0; i < kWarpSize; ++i)
            differs |= LaneMask{base + static_cast<uint64_t>(int64_t{static_cast<int32_t>(shape[i])}) != lanes[i]} << i;
        return (differs & m_mask) == 0;
    };
    const Shape& expected = m_shapes[state.valueShape];
    if (matches(relative, expected.data(), relative[first] - expected[first], m_mask) && fits(expected)) {
        putShaped(state, state.valueShape, false, baseFor(expected), 8);
        return;
    }
    const Shape pattern = shapeOf(relative, m_mask);
    const uint32_t known = m_shapes.find(pattern);
    const bool isNew = known == m_shapes.size();
    if (!startsLinear(lanes, m_mask) || (isNew && m_shapes.full()) || !fits(pattern)) {
        putRaw(state, warp, lanes, 8, 8);
        return;
    }
    if (isNew)
        putNewShape(pattern);
    putShaped(state, known, isNew, baseFor(pattern), 8);
}

void ChunkEncoder::putShaped(SlotState& state, uint32_t shape, bool isNew, uint64_t base, uint8_t bytes)
{
    uint64_t residual = base - state.value.predicted();
    if (bytes <= 4)
        residual = static_cast<uint64_t>(static_cast<int64_t>(static_cast<int32_t>(residual)));
    state.value.update(base);
    if (shape == state.valueShape && !isNew && residual == 0) [[likely]] {
        setMode(state, ValueMode::Predicted);
        return;
    }
    setMode(state, ValueMode::Shaped);
    ByteColumn& to = column(SmallColumn::Scalars);
    to.reserve(1 + 2 * ByteColumn::kMaxVarint);
    const uint8_t flags = isNew ? place::kNewShape : shape != state.valueShape ? place::kShapeId : uint8_t{0};
    to.putByte(flags);
    if (flags == place::kShapeId)
        to.putVarint(shape);
    to.putVarint(zigzag(residual));
    state.valueShape = shape;
}

void ChunkEncoder::putRaw(SlotState& state, uint16_t warp, const void* lanes, uint8_t laneBytes, uint8_t bytes)
{
    const auto* from = static_cast<const uint8_t*>(lanes);
    RawLanes& last = m_lastRaw[warp];
    if (last.bytes == bytes && (m_mask & ~last.mask) == 0) {
        bool same = true;
        if (m_mask == kAllLanes) {
            same = std::memcmp(last.lanes.data(), from, size_t{laneBytes} * kWarpSize) == 0;
        } else {
            for (LaneMask rest = m_mask; rest != 0 && same; rest &= rest - 1) {
                const size_t at = size_t{laneBytes} * static_cast<size_t>(firstLane(rest));
                same = std::memcmp(last.lanes.data() + at, from + at, laneBytes) == 0;
            }
        }
        if (same) {
            setMode(state, ValueMode::Repeated);
            return;
        }
    }
    setMode(state, ValueMode::Raw);
    ByteColumn& words = column(columnOfWidth(bytes));
    words.reserve(size_t{bytes} * kWarpSize);
    if (m_mask == kAllLanes && laneBytes == bytes) {
        words.putBytes(from, size_t{bytes} * kWarpSize);
    } else {
        for (LaneMask rest = m_mask; rest != 0; rest &= rest - 1)
            words.putBytes(from + size_t{laneBytes} * static_cast<size_t>(firstLane(rest)), bytes);
    }
    last.mask = m_mask;
    last.bytes = bytes;
    if (m_mask == kAllLanes) {
        std::memcpy(last.lanes.data(), from, size_t{laneBytes} * kWarpSize);
    } else {
        for (LaneMask rest = m_mask; rest != 0; rest &= rest - 1) {
            const size_t at = size_t{laneBytes} * static_cast<size_t>(firstLane(rest));
            std::memcpy(last.lanes.data() + at, from + at, laneBytes);
        }
    }
    m_wordBytes += size_t{bytes} * kWarpSize;
}

}  // namespace lanescope::trace
