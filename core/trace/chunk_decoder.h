// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Decodes a part of a chunk event by event; the mirror of chunk_encoder. Takes any bytes: damage gives an Error.
#pragma once

#include <array>
#include <span>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/trace/chunk_packer.h"
#include "core/trace/predictor.h"
#include "core/trace/reader.h"

namespace lanescope::trace {

/// What ids in a chunk may refer to.
struct ChunkContext {
    std::span<const Site> sites;
    size_t buffers = 0;
    uint32_t warps = 0;  ///< of a block
};

/// Reusable; not thread-safe.
class ChunkDecoder {
public:
    /// Starts on part \p index of \p chunk, which must outlive the decoding. Where the chunk has more detail than \p
    /// detail asks for, the rest is not looked at.
    /// \p writes: of a chunk of events, the one of what is written apart, with the same parts; null: its values are not
    /// there.
    void begin(const UnpackedChunk& chunk, size_t index, const ChunkContext& context, Detail detail,
               const UnpackedChunk* writes = nullptr);
    /// Fills in the next event; false at the end or when the chunk is damaged (see failure()). Reuse one Event
    /// for speed: only what the event has is written.
    bool next(Event& event);
    /// For cut-out events: the event's step relative to the part's first. Call once per next().
    uint64_t nextStep();
    /// Empty while all is well; else what is wrong, as "found …, expected …".
    [[nodiscard]] const std::string& failure() const { return m_failure; }
    /// That the part has.
    [[nodiscard]] uint32_t events() const { return m_events; }

private:
    /// Of a site, in a part that is another, moved: as SiteMove.
    struct Move {
        uint32_t part = 0;  ///< which begin() it is known since
        MovedValues values = MovedValues::Moved;
        uint32_t place = 0;
        uint64_t value = 0;
    };
    struct RawLanes {
        LaneMask mask = 0;
        uint8_t bytes = 0;
        std::array<std::array<uint8_t, 16>, kWarpSize> lanes;
    };

    bool fail(std::string what);
    bool readNext(Event& event);
    bool move(Event& event);
    bool readMove(Move& move);
    bool moveValues(Event& event, const Move& move);
    bool readHeader(Event& event, uint8_t control, SlotState*& state);
    bool readPlace(Event& event, uint8_t control, SlotState& state);
    bool readRawOffsets(Event& event);
    bool readMixed(Event& event);
    bool readNewShape(uint32_t& id);
    bool readValues(Event& event, uint8_t control, SlotState& state);
    bool readShaped(Event& event, uint8_t control, SlotState& state);
    bool readRaw(Event& event);
    bool takeRaw(Event& event, std::array<ByteReader, kWordColumns>& from);
    bool repeatRaw(Event& event);
    void readTaken(Event& event, uint8_t control, SlotState& state);
    ByteReader& small(SmallColumn c) { return m_smallReaders[static_cast<size_t>(c)]; }

    ChunkContext m_context;
    Detail m_detail = Detail::Everything;
    std::array<ByteReader, kSmallColumns> m_smallReaders;
    std::array<ByteReader, kWordColumns> m_wordReaders;
    // Of a part that is another, moved, whose columns the readers above are of.
    bool m_isMoved = false;
    ByteReader m_moves;
    std::array<ByteReader, kWordColumns> m_ownWords;
    std::array<ByteReader, kWordColumns> m_writeWords;  ///< of the part of what is written apart
    std::vector<Move> m_moveOf;                         ///< by site
    uint32_t m_part = 0;
    Move m_move;           ///< of the site that came last for the first time,
    uint64_t m_alike = 0;  ///< and of as many that follow
    SlotTable m_slots;
    ShapeTable m_shapes;
    std::vector<RawLanes> m_lastRaw;
    SiteId m_previousSite;
    LaneMask m_previousMask = kAllLanes;
    uint64_t m_previousStep = 0;
    uint32_t m_events = 0;
    uint32_t m_decoded = 0;
    std::string m_failure;
};

}  // namespace lanescope::trace
