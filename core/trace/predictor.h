// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the chunk encoder and decoder both expect the next event to look like. Kernels repeat themselves: a site
// run again by the same warp mostly has the same mask, the same pattern of lane offsets ("shape") and a base
// that moves by a constant stride. Events that come as expected cost one control byte, which zstd packs away.
// Both sides update the same state with the same rules; the state starts anew with each part of a chunk.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "core/trace/event_run.h"
#include "core/trace/model.h"

namespace lanescope::trace {

/// Events per full chunk. Decoding one into Event objects takes some four milliseconds, and 14 MB.
inline constexpr uint32_t kChunkEvents = 16384;
/// Values of wide types fill a chunk earlier, to keep its memory and decoding time near those of 4-byte ones.
inline constexpr size_t kChunkWordBytes = 1 << 20;
/// What a reader accepts, so that a damaged count cannot make it allocate without bound: events of a chunk,
inline constexpr uint32_t kMaxChunkEvents = 1 << 20;
/// and of them in parts that are not another part, moved.
inline constexpr uint32_t kMostStoredEvents = 65536;

/// Predicts `last + delta`; the delta changes once the same step was seen twice, so that the jump back at the
/// start of an inner loop does not cost two misses.
struct StridePredictor {
    uint64_t last = 0;
    uint64_t delta = 0;
    uint64_t candidate = 0;

    [[nodiscard]] uint64_t predicted() const { return last + delta; }
    /// Expects \p value and then the steps as before: for another warp that does the same.
    void expect(uint64_t value) { last = value - delta; }
    /// Whether what is expected stays the same as long as it comes.
    [[nodiscard]] bool stands() const { return delta == 0 && candidate == 0; }
    void update(uint64_t value)
    {
        const uint64_t step = value - last;
        if (step == candidate)
            delta = step;
        candidate = step;
        last = value;
    }
};

/// What two evenly spaced halves of a warp's offsets have in common wherever they begin.
struct EvenSteps {
    uint32_t low = 0;   ///< between two lanes of the first half
    uint32_t high = 0;  ///< of the second
    uint32_t gap = 0;   ///< from the first half's first offset to the second's

    explicit EvenSteps(const EvenOffsets& offsets)
        : low(offsets.step[0]), high(offsets.step[1]), gap(offsets.first[1] - offsets.first[0])
    {
    }
    bool operator==(const EvenSteps&) const = default;
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
    SiteId nextSite = kNoSite;  ///< event that followed last time
    uint16_t nextWarp = 0;
    uint8_t valueBytes = 0;
    ValueMode mode = ValueMode::None;
    BufferId buffer = kNoBuffer;
    uint32_t shape = 0;
    StridePredictor base;
    uint32_t valueShape = 0;
    LaneMask taken = 0;
    StridePredictor value;
    /// Encoder: when it holds, `shape` is that of offsets with these steps.
    std::optional<EvenSteps> even;
    /// Encoder: of the last event of a run that was all as expected and, once more the same, would change nothing.
    const EventRun* repeated = nullptr;

    /// Whether the access expected next is this one.
    [[nodiscard]] bool expects(BufferId nextBuffer, const EvenOffsets& offsets) const
    {
        // All shapes begin with 0: the base is the first lane's offset.
        return even == EvenSteps(offsets) && buffer == nextBuffer &&
               static_cast<uint32_t>(base.predicted()) == offsets.first[0];
    }
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
    /// Forgets everything. O(1). \p format: of the chunk (kChunkFormat); in format 1 every slot begins with nothing.
    void reset(uint32_t warps, uint8_t format);
    /// What at() gave last; null when this chunk has no event yet.
    [[nodiscard]] SlotState* previous() { return m_previous; }
    /// The state of \p site run by \p warp (< warps). One that this chunk has not seen begins with what another warp
    /// has there, since warps run the same code; or, if none has been there, with \p maskBefore, the mask of the event
    /// before. References hold until the next call with a new site.
    SlotState& at(SiteId site, uint16_t warp, LaneMask maskBefore)
    {
        if (site.value >= m_slotOf.size() || m_slotOf[site.value] == 0) [[unlikely]]
            addSite(site);
        const size_t slot = m_slotOf[site.value] - 1;
        SlotState& state = m_states[warp * m_capacity + slot];
        if (state.generation != m_generation) [[unlikely]]
            begin(state, slot, site, warp, maskBefore);
        m_previous = &state;
        return state;
    }
    /// The same where this chunk has it, else null. previous() stays.
    [[nodiscard]] SlotState* find(SiteId site, uint16_t warp)
    {
        if (site.value >= m_slotOf.size() || m_slotOf[site.value] == 0)
            return nullptr;
        SlotState& state = m_states[warp * m_capacity + m_slotOf[site.value] - 1];
        return state.generation == m_generation ? &state : nullptr;
    }

private:
    void addSite(SiteId site);
    void begin(SlotState& state, size_t slot, SiteId site, uint16_t warp, LaneMask maskBefore);

    std::vector<uint32_t> m_slotOf;  ///< slot + 1 by site; 0: none yet
    /// By warp, then by slot: a warp runs through its sites in order, so that what comes next is near.
    std::vector<SlotState> m_states;
    /// The warp that came to a slot last for the first time.
    struct Newcomer {
        uint16_t warp = 0;
        bool isSecond = false;    ///< another one was there before
        uint64_t baseBefore = 0;  ///< that one's base
    };
    std::vector<Newcomer> m_newest;  ///< by slot
    SlotState* m_previous = nullptr;
    size_t m_slots = 0;
    size_t m_capacity = 0;  ///< slots of a warp
    uint32_t m_warps = 0;
    uint32_t m_generation = 0;
    bool m_inherits = true;
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

/// How the values of a site's events come in a part that is another, moved.
enum class MovedValues : uint8_t {
    Moved = 0,       ///< as the other part's, so much more
    Given = 1,       ///< raw, in the part's own words
    GivenApart = 2,  ///< raw, in the words of the part of what is written apart
    Count = 3,
};

/// Sections of a chunk, in file order: small columns first, then columns of words as byte planes.
enum class SmallColumn : uint8_t { Control, Next, Mask, Place, Shapes, Scalars, Mixed, Steps, Count };
enum class WordColumn : uint8_t { Offsets4, Values1, Values2, Values4, Values8, Count };
inline constexpr size_t kSmallColumns = static_cast<size_t>(SmallColumn::Count);
inline constexpr size_t kWordColumns = static_cast<size_t>(WordColumn::Count);
inline constexpr std::array<uint8_t, kWordColumns> kWordBytes{4, 1, 2, 4, 8};
/// Written; readers know 3 too, in which no part is another, moved; 2, in which a chunk is of one block; and 1, in
/// which slots do not begin with what another warp has there either.
inline constexpr uint8_t kChunkFormat = 4;

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
