// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the chunk encoder and decoder both expect the next event to look like. Kernels repeat themselves: a site
// run again by the same warp mostly has the same mask, the same pattern of lane offsets ("shape") and a base
// that moves by a constant stride. Events that come as expected cost one control byte, which zstd packs away.
// Both sides update the same state with the same rules; the state starts anew with each chunk.
#pragma once

#include <array>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "core/trace/model.h"

namespace lanescope::trace {

/// Events per full chunk. Decoding one chunk into Event objects takes about a millisecond.
inline constexpr uint32_t kChunkEvents = 4096;
/// What a reader accepts, so that a damaged count cannot make it allocate without bound.
inline constexpr uint32_t kMaxChunkEvents = 16384;

/// Predicts `last + delta`; the delta changes once the same step was seen twice, so that the jump back at the
/// start of an inner loop does not cost two misses.
struct StridePredictor {
    uint64_t last = 0;
    uint64_t delta = 0;
    uint64_t candidate = 0;

    [[nodiscard]] uint64_t predicted() const { return last + delta; }
    void update(uint64_t value)
    {
        const uint64_t step = value - last;
        if (step == candidate)
            delta = step;
        candidate = step;
        last = value;
    }
};

/// How the values of an event are stored.
enum class ValueMode : uint8_t {
    None = 0,       ///< not recorded
    Predicted = 1,  ///< shape and base as expected
    Shaped = 2,     ///< base + shape, both given
    Raw = 3,        ///< each lane's bytes
    Repeated = 4,   ///< the raw bytes that the same warp had last
};

/// What is known of one site run by one warp.
struct SlotState {
    uint32_t generation = 0;  ///< chunk serial this state belongs to
    LaneMask mask = 0;
    LaneMask taken = 0;
    SiteId nextSite = kNoSite;  ///< event that followed last time
    uint16_t nextWarp = 0;
    uint8_t valueBytes = 0;
    ValueMode mode = ValueMode::None;
    BufferId buffer = kNoBuffer;
    uint32_t shape = 0;
    uint32_t valueShape = 0;
    StridePredictor base;
    StridePredictor value;
};

/// Offsets of the 32 lanes relative to a common base.
using Shape = std::array<uint32_t, kWarpSize>;

/// Shapes of the current chunk, by small dense ids. Ids 0 and 1 always exist: all lanes equal; lane number.
class ShapeTable {
public:
    static constexpr uint32_t kUniform = 0;
    static constexpr uint32_t kLanes = 1;
    /// Beyond these, irregular patterns are stored lane by lane.
    static constexpr size_t kCapacity = 512;

    ShapeTable() { reset(); }
    void reset();
    [[nodiscard]] const Shape& operator[](uint32_t id) const { return m_shapes[id]; }
    [[nodiscard]] uint32_t size() const { return static_cast<uint32_t>(m_shapes.size()); }
    [[nodiscard]] bool full() const { return m_shapes.size() >= kCapacity; }
    uint32_t add(const Shape& shape);
    /// The id of exactly this shape, or size() when it is new. O(1), about 30 ns.
    [[nodiscard]] uint32_t find(const Shape& shape) const;

private:
    std::vector<Shape> m_shapes;
    std::unordered_multimap<uint64_t, uint32_t> m_byHash;
};

/// Slot states of the sites of one block, found by (site, warp).
class SlotTable {
public:
    /// Forgets everything. O(1).
    void reset(uint32_t warps);
    /// The state of \p site run by \p warp (< warps), fresh when this chunk has not seen it.
    /// The reference holds until the next call with a new site; the index holds until reset().
    SlotState& at(SiteId site, uint16_t warp)
    {
        if (site.value >= m_slotOf.size() || m_slotOf[site.value] == 0) [[unlikely]]
            addSite(site);
        SlotState& state = m_states[(m_slotOf[site.value] - 1) * size_t{m_warps} + warp];
        if (state.generation != m_generation) [[unlikely]] {
            state = SlotState{};
            state.generation = m_generation;
        }
        return state;
    }
    [[nodiscard]] size_t indexOf(const SlotState& state) const { return static_cast<size_t>(&state - m_states.data()); }
    [[nodiscard]] SlotState& byIndex(size_t index) { return m_states[index]; }

private:
    void addSite(SiteId site);

    std::vector<uint32_t> m_slotOf;  ///< slot + 1 by site; 0: none yet
    std::vector<SlotState> m_states;
    size_t m_slots = 0;
    uint32_t m_warps = 0;
    uint32_t m_generation = 0;
};

/// Control byte of an event.
namespace control {
inline constexpr uint8_t kNextMissed = 1;   ///< site and warp are given
inline constexpr uint8_t kMaskMissed = 2;   ///< the mask is given
inline constexpr uint8_t kPlaceMissed = 4;  ///< accesses: buffer, shape or base are given; branches: taken is given
inline constexpr uint8_t kWidthMissed = 8;  ///< value width is given
inline constexpr int kModeShift = 4;        ///< ValueMode in bits 4 … 6
}  // namespace control

/// First byte of a given place.
namespace place {
inline constexpr uint8_t kBuffer = 1;    ///< a buffer id follows
inline constexpr uint8_t kShapeId = 2;   ///< a shape id follows
inline constexpr uint8_t kNewShape = 4;  ///< the next new shape
inline constexpr uint8_t kRaw = 8;       ///< offsets lane by lane
inline constexpr uint8_t kMixed = 16;    ///< buffer and offset lane by lane
}  // namespace place

/// Sections of a chunk, in file order: small columns first, then columns of words as byte planes.
enum class SmallColumn : uint8_t { Control, Next, Mask, Place, Shapes, Scalars, Mixed, Steps, Count };
enum class WordColumn : uint8_t { Offsets4, Values1, Values2, Values4, Values8, Count };
inline constexpr size_t kSmallColumns = static_cast<size_t>(SmallColumn::Count);
inline constexpr size_t kWordColumns = static_cast<size_t>(WordColumn::Count);
inline constexpr std::array<uint8_t, kWordColumns> kWordBytes{4, 1, 2, 4, 8};
inline constexpr uint8_t kChunkFormat = 1;

/// Column that raw values of a width go to. 16-byte values are four words of 4.
constexpr WordColumn columnOfWidth(uint8_t bytes)
{
    switch (bytes) {
    case 1:
        return WordColumn::Values1;
    case 2:
        return WordColumn::Values2;
    case 8:
        return WordColumn::Values8;
    default:
        return WordColumn::Values4;
    }
}

constexpr bool isValueWidth(uint8_t bytes)
{
    return bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8 || bytes == 16;
}

}  // namespace lanescope::trace
