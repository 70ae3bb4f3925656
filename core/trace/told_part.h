// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Blocks of a kernel mostly do the same, elsewhere: whoever knows one part of a trace knows another by how far on each
// site's accesses are. What is looked at is a log of events (event_log.h); what comes of it is a part that refers to
// another (chunk_packer.h).
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "core/trace/chunk_packer.h"
#include "core/trace/event_log.h"

namespace lanescope::trace {

/// How far on the accesses of a site are from those of another part, and what its values are.
struct SiteMove {
    uint64_t place = 0;   ///< bytes, modulo 2^32
    uint64_t value = 0;   ///< what is added to each lane's number, modulo 2^(8 * its bytes)
    bool areRaw = false;  ///< the values are given one by one instead

    friend bool operator==(const SiteMove&, const SiteMove&) = default;
};

/// A part that stands in the chunk as it is, and what other parts are compared with.
class ToldPart {
public:
    /// Which sites have an own move. A run's sites have that of their place.
    struct Slot {
        SiteId site;
        uint32_t event = 0;      ///< the first
        bool mayMove = false;    ///< its places may, or its value
        bool isWide = false;     ///< what moves is a value of 64 bits
        bool isValue = false;    ///< what moves is no place
        bool isInTally = false;  ///< it is an access
        // Of those with values in lanes:
        bool isWritten = false;        ///< there are some that are written apart,
        bool isPartlyWritten = false;  ///< and some that are not
    };

    /// None: the log has what cannot be told by moves. \p isDivided: whether accesses of a buffer are written as those
    /// of several. \p isGlobalWrite: whether a site's accesses of a buffer are written apart, too.
    template <typename IsDivided, typename IsGlobalWrite>
    static std::shared_ptr<ToldPart> of(EventLog& log, const IsDivided& isDivided, const IsGlobalWrite& isGlobalWrite)
    {
        auto part = std::make_shared<ToldPart>();
        for (const LoggedEvent& event : log.events()) {
            if (event.kind == LoggedEvent::Kind::Mixed)
                return nullptr;
            const bool mayBeMixed = event.isAccess() || event.isRun();
            part->m_isFixed.push_back(mayBeMixed && isDivided(event.buffer));
            part->m_isGlobalWrite.push_back(event.isAccess() && event.valueBytes != 0 &&
                                            isGlobalWrite(event.site, event.buffer));
        }
        return part->take(log) ? part : nullptr;
    }
    ToldPart() = default;

    /// Whether \p log is this part, moved; then by how much, by slot.
    bool findMoves(const EventLog& log, std::vector<SiteMove>& moves) const;
    /// What stands in the chunk of a part that is \p log: its moves, and values that are given one by one.
    void writeMoved(const EventLog& log, std::span<const SiteMove> moves, ChunkColumns& to) const;
    /// The same of what is written apart.
    void writeMovedWrites(const EventLog& log, std::span<const SiteMove> moves, ChunkColumns& to) const;

    [[nodiscard]] const EventLog& log() const { return m_log; }
    /// The part is not to be used any more.
    [[nodiscard]] EventLog takeLog() { return std::move(m_log); }
    [[nodiscard]] std::span<const Slot> siteSlots() const { return m_slots; }
    [[nodiscard]] std::span<const BufferId> buffers() const { return m_buffers; }
    [[nodiscard]] uint32_t writes() const { return m_writes; }
    /// By how far the place of event \p index of the log is on in a part that is moved by \p moves.
    [[nodiscard]] uint32_t moveOf(size_t index, std::span<const SiteMove> moves) const
    {
        const Slot& slot = m_slots[m_slotOf[index]];
        return slot.isInTally ? static_cast<uint32_t>(moves[m_slotOf[index]].place) : 0;
    }
    [[nodiscard]] size_t bytes() const { return m_log.events().size() * sizeof(LoggedEvent) + m_log.payloadBytes(); }

private:
    /// A slot, or none for what is the same in all parts.
    struct Listed {
        uint32_t slot = 0;
        bool isMoved = false;
    };
    struct LaneValuesAt {
        uint32_t event = 0;
        uint32_t payload = 0;  ///< where the values stand
    };

    bool take(EventLog& log);
    std::optional<uint16_t> slotFor(SiteId site, uint32_t event, bool mayMove, bool isWide, bool isValue);
    bool addRun(size_t index);
    bool list(SiteId site, bool isMoved, uint32_t slot, bool isWritten);
    void writeMoves(std::span<const SiteMove> moves, std::span<const Listed> listed, MovedValues raw,
                    ChunkColumns& to) const;
    template <typename IsWanted>
    void writeValues(const EventLog& log, std::span<const SiteMove> moves, const IsWanted& isWanted,
                     ChunkColumns& to) const;

    EventLog m_log;
    std::vector<bool> m_isFixed;
    std::vector<bool> m_isGlobalWrite;
    std::vector<uint16_t> m_slotOf;  ///< by event; the first slot is of all that stays
    std::vector<Slot> m_slots;
    std::vector<uint32_t> m_slotOfSite;  ///< plus 1; 0: none yet
    std::vector<uint8_t> m_isListed;     ///< by site: how, 0: not yet
    std::vector<Listed> m_listed;        ///< sites in the order in which they come first
    std::vector<Listed> m_listedWrites;  ///< of those written apart
    std::vector<LaneValuesAt> m_values;
    std::vector<LaneValuesAt> m_places;  ///< events whose lanes' places are in the payload
    std::vector<BufferId> m_buffers;
    uint32_t m_writes = 0;
};

}  // namespace lanescope::trace
