// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tallies a block's events while they are recorded (block_tally.h). An access that advances as the one before it did
// costs a few comparisons; a run that came before is found by what followed last time.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <vector>

#include "core/trace/block_tally.h"
#include "core/trace/event_run.h"

namespace lanescope::trace {

/// What tallies need to know of a site,
struct SiteFacts {
    SiteKind kind = SiteKind::Load;
    Space space = Space::Global;  ///< where addresses outside all buffers count
    uint8_t bytes = 0;            ///< of each lane's access, where an event does not say
};

/// and of a buffer.
struct BufferPlace {
    Space space = Space::Global;
    uint64_t base = 0;  ///< device address, or offset in shared memory
};

/// Not thread-safe. Allocates only for what a launch's blocks have not done before.
class TallyCollector {
public:
    /// Of a block of \p threads threads. The tables must outlive the block; they may grow.
    void begin(uint32_t threads, const std::vector<SiteFacts>& sites, const std::vector<BufferPlace>& buffers);
    void access(SiteId site, uint16_t warp, LaneMask mask, BufferId buffer, const uint32_t* offsets, uint32_t bytes);
    void accessEven(SiteId site, uint16_t warp, BufferId buffer, const EvenOffsets& offsets, uint32_t bytes)
    {
        addEven(slotOf(site, warp), {buffer, kAllLanes, bytes}, offsets);
    }
    void accessMixed(SiteId site, uint16_t warp, LaneMask mask, const BufferId* buffers, const uint64_t* offsets,
                     uint32_t bytes);
    void run(const EventRun& run, uint16_t warp, const EventRun::Places& places);
    void branch(SiteId site, uint16_t warp, LaneMask mask, LaneMask taken);
    void barrier(SiteId site, uint16_t warp);
    /// Each event, in order, beside the above; but not those of runs.
    void step(SiteKind kind, uint16_t warp, LaneMask mask)
    {
        if (m_stepsLeft == 0) [[unlikely]]
            nextKinds();
        --m_stepsLeft;
        m_kindsNow.kinds |= static_cast<uint16_t>(1U << static_cast<unsigned>(kind));
        if (mask != kAllLanes) [[unlikely]]
            notePart(kind, warp, mask);
    }
    /// Appends the block's tally to \p to, and forgets it. Where its accesses are those of a block before, moved, only
    /// that is said.
    void finish(BlockIndex block, ByteColumn& to);
    /// What the block told last has in common with the one that others are told by (reference()): by how many bytes its
    /// accesses of a site are on; none where they are not all alike, or not at all.
    [[nodiscard]] std::optional<uint32_t> latestMoveOf(SiteId site) const;
    /// Counts blocks that were told by themselves and others may be told by; 0: there is none.
    [[nodiscard]] uint64_t reference() const { return m_reference.empty() ? 0 : m_referenceNumber; }
    /// What kinds of steps came when in the block that was told last, as they are written.
    [[nodiscard]] std::span<const uint8_t> latestKinds() const { return m_kindsWritten.bytes(); }
    /// As finish() of a block of which nothing was collected: all its accesses are those of reference(), and of a site
    /// they are \p moveOf(site) bytes on; its steps are \p kinds. False, and nothing written: it cannot be told so.
    template <typename MoveOf>
    bool finishMoved(BlockIndex block, const MoveOf& moveOf, std::span<const uint8_t> kinds, ByteColumn& to)
    {
        if (!beginMoves())
            return false;
        for (size_t i = 0; i < m_moves.size(); ++i)
            m_moves[i] = m_placedSites[i] == kNoSite ? 0 : moveOf(m_placedSites[i]);
        writeMoved(block, kinds, to);
        return true;
    }
    /// The next block's is not told by those before.
    void restart();

    /// Runs of one site by one warp that are kept apart; what comes beyond is summed.
    static constexpr size_t kMostRuns = 64;
    /// Of those, runs whose lanes are not evenly spaced.
    static constexpr size_t kMostUneven = 16;
    static constexpr size_t kMostKinds = 2048;

private:
    static constexpr uint32_t kNone = UINT32_MAX;

    /// What must be equal for an access to be in the same run as the one before.
    struct Accessed {
        BufferId buffer;
        LaneMask mask = 0;
        uint32_t bytes = 0;
        friend bool operator==(const Accessed&, const Accessed&) = default;
    };
    struct EvenRun {
        Accessed accessed;
        uint32_t advance = 0;
        uint32_t count = 0;  ///< 0: none is under way
        EvenOffsets first{};

        [[nodiscard]] bool isSame(const EvenRun& other) const;
    };
    struct KnownEven {
        EvenRun run;
        uint64_t times = 0;
        uint32_t next = kNone;  ///< which run followed it last
    };
    struct KnownUneven {
        AccessRun run;
        uint32_t next = kNone;
    };
    /// What is rare.
    struct Cold {
        uint64_t executions = 0;  ///< that are in no run
        uint64_t lanes = 0;
        uint64_t divergent = 0;
        std::vector<KnownEven> even;
        std::vector<KnownUneven> uneven;
        std::vector<AccessSums> rest;
        uint32_t latestUneven = kNone;                      ///< index of the run before the one under way
        AccessRun underWay{BufferId{}, 0, 0, {}, 0, 0, 0};  ///< not evenly spaced; count 0: none is
        std::array<uint32_t, kWarpSize> last{};             ///< offsets of its last execution
    };
    /// One site of one warp, and the run it is in: a line of the cache.
    struct alignas(64) Slot {
        EvenRun run;
        EvenOffsets last{};       ///< of the run's last execution
        uint32_t latest = kNone;  ///< index in Cold::even of the run before it
    };
    struct PlacesRun {
        EventRun::Places first{};
        std::array<uint32_t, EventRun::kPlaces> advance{};
        uint32_t count = 0;  ///< 0: none is under way
        uint64_t times = 0;
        uint32_t next = kNone;

        [[nodiscard]] bool isSame(const PlacesRun& other) const;
    };
    /// How one warp goes through an EventRun.
    struct RunSlot {
        PlacesRun run;
        EventRun::Places last{};
        uint32_t latest = kNone;
        std::vector<PlacesRun> known;
    };
    struct RunGroup {
        const EventRun* run = nullptr;
        uint16_t kinds = 0;  ///< 1 << SiteKind of each event
        std::vector<RunSlot> byWarp;
    };

    Slot& slotOf(SiteId site, uint16_t warp)
    {
        const size_t place = size_t{site.value} * m_warps + warp;
        if (place < m_index.size() && m_index[place] != kNone) [[likely]]
            return m_slots[m_index[place]];
        return newSlot(site, warp);
    }
    Slot& newSlot(SiteId site, uint16_t warp);
    Cold& coldOf(const Slot& slot) { return m_cold[static_cast<size_t>(&slot - m_slots.data())]; }
    void addEven(Slot& slot, const Accessed& accessed, const EvenOffsets& offsets)
    {
        EvenRun& run = slot.run;
        const uint32_t moved = offsets.first[0] - slot.last.first[0];
        if (run.count != 0 && run.accessed == accessed && isMovedBy(offsets, slot.last, moved) &&
            (moved == run.advance || run.count == 1)) [[likely]] {
            run.advance = moved;
            ++run.count;
        } else {
            beginRun(slot, accessed, offsets);
        }
        slot.last = offsets;
    }
    static bool isMovedBy(const EvenOffsets& now, const EvenOffsets& before, uint32_t moved)
    {
        return now.step == before.step && now.first[1] - before.first[1] == moved;
    }
    void beginRun(Slot& slot, const Accessed& accessed, const EvenOffsets& offsets);
    void endRun(Slot& slot);
    void addUneven(Slot& slot, const Accessed& accessed, const uint32_t* offsets);
    void endUneven(Cold& cold);
    void endPlacesRun(RunSlot& slot);
    RunGroup& groupOf(const EventRun& run);
    void sum(Cold& cold, const AccessRun& run);
    static AccessSums& sumsOf(Cold& cold, Space space);
    static void addCost(AccessSums& sums, LaneMask mask, const std::array<uint64_t, kWarpSize>& address, uint32_t bytes,
                        uint64_t times);
    void nextKinds()
    {
        m_kinds[m_kindsUsed++] = m_kindsNow;
        m_kindsNow = {};
        if (m_kindsUsed == kMostKinds) [[unlikely]]
            foldKinds();
        m_stepsLeft = uint64_t{1} << m_shift;
    }
    void foldKinds();
    void notePart(SiteKind kind, uint16_t warp, LaneMask mask);
    void writeGroup(const RunGroup& group, ByteColumn& to) const;
    void writeSlots(ByteColumn& to);
    void writeSlot(size_t index, ByteColumn& to) const;
    bool writeMoves(ByteColumn& to);
    bool findMoves();
    [[nodiscard]] bool beginMoves();
    void putMoves(ByteColumn& to) const;
    void writeMoved(BlockIndex block, std::span<const uint8_t> kinds, ByteColumn& to);
    void putKinds(std::span<const uint8_t> kinds, ByteColumn& to);
    static bool hasRuns(const Cold& cold) { return !cold.even.empty() || !cold.uneven.empty(); }
    static std::optional<uint32_t> moveOf(const Cold& cold, const Cold& reference);
    void writeKinds(ByteColumn& to);

    const std::vector<SiteFacts>* m_sites = nullptr;
    const std::vector<BufferPlace>* m_buffers = nullptr;
    uint32_t m_threads = 0;
    uint32_t m_warps = 0;
    std::vector<uint32_t> m_index;  ///< into m_slots, by site * warps + warp
    std::vector<Slot> m_slots;
    std::vector<Cold> m_cold;         ///< by slot
    std::vector<uint32_t> m_placeOf;  ///< in m_index, by slot
    size_t m_used = 0;                ///< slots, by this block
    /// Of the last block that was told by itself: m_cold and m_placeOf.
    std::vector<Cold> m_reference;
    std::vector<uint32_t> m_referencePlaceOf;
    uint64_t m_referenceNumber = 0;
    bool m_referenceMayMove = false;    ///< a block of which nothing was collected may be told by it
    std::vector<SiteId> m_placedSites;  ///< by slot of m_reference; kNoSite where it has no places
    std::vector<uint32_t> m_moves;      ///< by slot of m_reference, of the block that was told last
    size_t m_expanded = 0;              ///< sites of blocks told by m_reference
    ByteColumn m_kindsWritten;          ///< of the block before
    ByteColumn m_kindsNext;             ///< of this one
    std::vector<RunGroup> m_groups;
    size_t m_groupsUsed = 0;
    std::vector<StepKinds> m_kinds = std::vector<StepKinds>(kMostKinds);
    size_t m_kindsUsed = 0;
    StepKinds m_kindsNow;
    uint64_t m_stepsLeft = 0;  ///< in m_kindsNow
    uint32_t m_shift = 0;      ///< each of m_kinds is of 1 << m_shift steps
};

}  // namespace lanescope::trace
