// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the race check makes of one access, and of a row of them.
#pragma once

#include <algorithm>
#include <bit>
#include <memory>
#include <optional>
#include <type_traits>
#include <vector>

#include "core/simt/checks/block_checks.h"
#include "core/simt/checks/launch_group.h"
#include "core/simt/checks/race_check.h"
#include "core/simt/checks/repeated_rows.h"
#include "core/simt/checks/sync_order.h"
#include "core/simt/memory/address_slots.h"
#include "core/simt/state/cluster.h"
#include "core/simt/state/lane_memory.h"
#include "core/trace/writer.h"

namespace lanescope::simt {

/// Whether other blocks may see an access of the cluster's scope: those of this one.
inline bool isForCluster(const Warp& warp, const MemoryInfo& info)
{
    return info.clusterScope && warp.block->cluster->blocks.size() > 1;
}

/// Of cells whose locks somebody holds already.
struct NoLock {
    NoLock(const RaceCells& /*cells*/, uint64_t /*cell*/) {}
};

inline bool isStrong(uint32_t info)
{
    return info & (kTouchAtomic | kTouchVolatile);
}

/// The access of one lane, held against what its cells remember; or of lanes side by side that touch a cell each, side
/// by side (`isRow`), where all cells say the same of lanes side by side: what holds of the first then holds of all.
/// Masks of lanes have a bit for each from the first on.
template <bool isRow>
class LaneAccess {
public:
    LaneAccess(Warp& warp, const MemoryInfo& info, const RaceCells& cells, int lane, uint64_t address, bool atomic,
               unsigned lanes = 1)
        : m_warp(warp), m_info(info), m_block(*warp.block), m_cells(cells), m_lane(lane), m_lanes(lanes),
          m_address(address)
    {
        m_self.info = writerInfo(warp, info, lane, atomic);
        m_self.block = m_block.cellIndex;
        m_self.time = m_block.checks->time;
    }

    /// A row's cells are locked. \p shared: where several threads have written the row's cells, and one value.
    void read(uint64_t cell, LaneMask shared = 0)
    {
        m_isRepeatable &= shared == 0;
        m_cells.noteRead(m_self.time);
        const Lock lock(m_cells, cell);
        Toucher writer = writerOf(cell);
        if (mayOverlap(writer))
            againstEarlier(device::RaceReport::ReadAfterWrite, writer, true, false);
        else if (isUnderWay(writer))
            againstCopy(device::RaceReport::ReadAfterWrite, cell, writer, false);
        else if (isStaleInCache(writer))
            report(device::RaceReport::ReadAfterWrite, writer, true, false, all());
        else if (Before before = order(writer, m_info.isPlain);
                 before != Before::Yes && !synchronises(writer, false) && !looksAtFlag(cell, writer))
            report(device::RaceReport::ReadAfterWrite, writer, true, false,
                   all() & ~haveWrittenSame(cell, sharedOf(writer, shared)), before);
        registerRead(cell);
    }

    /// \p changes: the lanes that write what was not there. As read.
    void write(uint64_t cell, LaneMask changes, LaneMask shared = 0)
    {
        m_isRepeatable &= shared == 0;
        m_cells.noteWrite(m_self.time);
        const Lock lock(m_cells, cell);
        Toucher writer = writerOf(cell);
        const Before before = order(writer, false);
        const bool unordered = before != Before::Yes;
        if (mayOverlap(writer))
            againstEarlier(device::RaceReport::WriteAfterWrite, writer, true, true);
        else if (isUnderWay(writer))
            againstCopy(device::RaceReport::WriteAfterWrite, cell, writer, true);
        else if (unordered && !synchronises(writer, !isPolled(cell)) && !isAwaitedArrival(writer))
            report(device::RaceReport::WriteAfterWrite, writer, true, true, changes, before);
        // Several threads that write one value (a flag, a common size) do no harm. That a value happens to be what was
        // there already says nothing: with other data it would not be.
        const LaneMask mayBeSame = unordered                                   ? all()
                                   : writer.time >= m_block.checks->epochStart ? sharedOf(writer, shared)
                                                                               : 0;
        const LaneMask sameValue = mayBeSame & ~changes;
        for (LaneMask rest = sameValue; rest; rest &= rest - 1)
            noteSameValue(cell, writer, static_cast<unsigned>(std::countr_zero(rest)));
        Toucher reader = readerOf(cell);
        if (mayOverlap(reader))
            againstEarlier(device::RaceReport::WriteAfterRead, reader, false, true);
        if (isCurrent(reader)) {
            if (!(reader.info & (kTouchManyLanes | kTouchManyWarps | kTouchManyBlocks)))
                againstReader(reader, all() & ~sameValue);
            else if (!againstReader(reader, all() & ~sameValue))
                againstReader(secondReaderOf(cell), all() & ~sameValue, m_cells.knowsSecondTime(cell));
        }
        if (m_self.info & kTouchAtomic)
            cover(cell, writer, before);
        setWriter(cell, sameValue);
    }

    /// What to do the same again comes to, as long as nobody touches the cells; null: something else.
    [[nodiscard]] const RepeatedRow::Side* kept()
    {
        m_kept.time = m_self.time;
        m_kept.toucher = m_self.info;
        return m_isRepeatable ? &m_kept : nullptr;
    }

    /// An asynchronous read that was issued at \p since is over only now: nobody may have written in between.
    void endRead(uint64_t cell, uint32_t since)
    {
        m_cells.noteRead(m_self.time);
        CellLock lock(m_cells, cell);
        Toucher writer = writerOf(cell);
        const BulkCopy* copy = isUnderWay(writer) ? copyInto(cell) : nullptr;
        if (writer.block == m_self.block && (copy ? copy->issued : isUnderWay(writer) ? 0 : writer.time) >= since) {
            m_isEndOfRead = true;
            report(device::RaceReport::WriteAfterRead, writer, true, false, all());
            m_isEndOfRead = false;
        }
        registerRead(cell);
    }

    /// An asynchronous read of what an ordinary store has written needs a fence.proxy.async of who wrote, who reads, or
    /// somebody between the two: one that follows the store, and that the read comes after.
    void checkProxy(uint64_t cell)
    {
        CellLock lock(m_cells, cell);
        const Toucher writer = writerOf(cell);
        if ((writer.info & kTouchAsync) || writer.block != m_self.block || writer.time < m_block.checks->blockStart ||
            order(writer, false) != Before::Yes || isProxyFenced(writer))
            return;
        m_lacksProxyFence = true;
        report(device::RaceReport::ReadAfterWrite, writer, true, false, all());
        m_lacksProxyFence = false;
    }

private:
    using Lock = std::conditional_t<isRow, NoLock, CellLock>;

    [[nodiscard]] unsigned lanes() const { return isRow ? m_lanes : 1; }
    [[nodiscard]] LaneMask all() const { return ~LaneMask{0} >> (kWarpSize - lanes()); }
    static LaneMask sharedOf(const Toucher& writer, LaneMask shared)
    {
        return isRow ? shared : LaneMask{isShared(writer.info)};
    }

    bool isProxyFenced(const Toucher& writer) const
    {
        const std::vector<ProxyFences>& fences = m_block.checks->proxyFences;
        for (size_t thread = 0; thread < fences.size(); ++thread)
            if (const uint32_t fence = fences[thread].firstAfter(writer.time); fence != 0 && comesAfter(thread, fence))
                return true;
        return false;
    }
    /// Whether this access does, what \p thread of the block did just before \p time.
    bool comesAfter(size_t thread, uint32_t time) const
    {
        Toucher event = m_self;
        event.info = static_cast<uint32_t>(thread);
        event.time = time - 1;
        return order(event, false) == Before::Yes;
    }

    /// Whether \p other arrived at an mbarrier, and this access comes after what it released there: after its fence,
    /// and so after the phase that it arrived in. Its update of the barrier's word itself is later than that fence.
    bool isAwaitedArrival(const Toucher& other) const
    {
        constexpr uint64_t kObjectBytes = 8;
        const PhaseBarriers* barriers = ownerOf(m_warp, m_address).checks->phaseBarriers.get();
        return (other.info & kTouchAtomic) && other.block == m_self.block && barriers &&
               barriers->all().contains(addressInBlock(m_warp, m_address & ~(kObjectBytes - 1))) &&
               comesAfter(other.thread(), other.time);
    }

    /// Whether \p other is of the launch before, and nobody whom this access comes after has waited for that.
    bool mayOverlap(const Toucher& other) const
    {
        const device::Overlap& overlap = m_block.checks->overlap;
        if (!m_cells.isGlobal() || other.time <= overlap.begin || other.time > overlap.end)
            return false;
        const std::vector<uint32_t>& waits = m_block.checks->gridWaits;
        for (size_t thread = 0; thread < waits.size(); ++thread)
            if (waits[thread] != 0 && comesAfter(thread, waits[thread]))
                return false;
        return true;
    }
    void againstEarlier(device::RaceReport::Hazard hazard, Toucher first, bool firstWrites, bool secondWrites)
    {
        if (!firstWrites)
            first.info &= ~(kTouchManyLanes | kTouchManyWarps | kTouchManyBlocks);
        m_isEarlier = true;
        report(hazard, first, firstWrites, secondWrites, all());
        m_isEarlier = false;
    }

    /// The copy in bulk that is writing the cell; null: it is another one, or of another block's barrier.
    BulkCopy* copyInto(uint64_t cell) const
    {
        for (BulkCopy& bulk : ownerOf(m_warp, m_address).checks->bulkCopies)
            if (bulk.copy.cells == &m_cells && cell >= bulk.copy.offset >> m_cells.shift &&
                cell <= (bulk.copy.offset + bulk.copy.bytes - 1) >> m_cells.shift)
                return &bulk;
        return nullptr;
    }
    /// Who would be ordered after the issue of a copy in bulk has only missed to wait for it; others race with it.
    void againstCopy(device::RaceReport::Hazard hazard, uint64_t cell, const Toucher& writer, bool writes)
    {
        using Told = BulkCopy::Told;
        BulkCopy* copy = copyInto(cell);
        if (!copy)
            return report(hazard, writer, true, writes, all());
        Toucher issued = writer;
        issued.time = copy->issued;
        const Before before = order(issued, m_info.isPlain);
        const Told now = before == Before::Yes ? Told::NotAwaited : Told::Race;
        if (copy->told != Told::Nothing && copy->told != now)
            return;
        copy->told = now;
        report(hazard, now == Told::Race ? issued : writer, true, writes, all(), before);
    }

    Toucher writerOf(uint64_t cell) const { return m_cells.writerOf(cell, m_self.block); }
    Toucher readerOf(uint64_t cell) const { return m_cells.readerOf(cell, m_self.block); }
    Toucher secondReaderOf(uint64_t cell) const { return m_cells.secondReaderOf(cell, m_self.block, oldest()); }

    /// Whether a reader (with all that its flags stand for) may still be unordered with somebody.
    bool isCurrent(const Toucher& reader) const
    {
        if (!m_cells.isGlobal())
            return reader.time >= m_block.checks->epochStart;
        if (reader.time < m_block.checks->launchStart)
            return false;
        return reader.block != m_self.block || (reader.info & kTouchManyBlocks) ||
               reader.time >= m_block.checks->epochStart;
    }

    /// \p isPlainRead: this access is one.
    Before order(const Toucher& other, bool isPlainRead) const
    {
        if (m_cells.isGlobal()) {
            if (other.time < m_block.checks->launchStart)
                return Before::Yes;
            if (hasMetInCluster(other))
                return Before::Yes;
            const bool beside = isBeside(other.block);
            if (beside ? m_block.checks->peers->comesBefore(other.block) : other.time <= m_block.checks->gridMet)
                return Before::Yes;
            if (other.block != m_self.block)
                return releasedToUs(other, isPlainRead);
        }
        if (other.time < m_block.checks->epochStart || other.thread() == m_self.thread() || hasMet(other))
            return Before::Yes;
        return releasedToUs(other, isPlainRead);
    }
    /// Whether a block is of another launch, beside this one.
    bool isBeside(uint64_t block) const
    {
        const LaunchPeers* peers = m_block.checks->peers;
        return peers && m_cells.isGlobal() && !peers->own.contains(block);
    }
    /// In the launch that it is of.
    uint64_t indexOf(uint64_t block) const
    {
        const LaunchPeers* peers = m_block.checks->peers;
        if (!peers)
            return block;
        const LaunchGroup::Member* member = peers->group->memberOf(block);
        return block - (member ? member->blocks.first : peers->own.first);
    }
    std::optional<LaunchId> besideOf(uint64_t block) const
    {
        if (!isBeside(block))
            return std::nullopt;
        const LaunchGroup::Member* member = m_block.checks->peers->group->memberOf(block);
        return member ? std::optional(member->id) : std::nullopt;
    }
    bool ordered(const Toucher& other) const { return order(other, false) == Before::Yes; }
    bool hasMet(const Toucher& other) const
    {
        if (other.warp() == m_warp.id)
            return other.time < m_warp.metSince(m_lane, other.thread() % kWarpSize);
        return m_block.checks->warpOrder && other.time < m_block.checks->warpOrder->met[m_warp.id][other.warp()];
    }
    /// At the cluster's barrier: before its arrival there, the latest that this warp has waited for.
    bool hasMetInCluster(const Toucher& other) const
    {
        return m_warp.clusterPhase != 0 && other.time < metInCluster(m_warp, other.block, other.warp());
    }
    /// By fences and flags.
    Before releasedToUs(const Toucher& other, bool isPlainRead) const
    {
        if (!m_block.checks->order)
            return Before::No;
        // Cells side by side mostly have one writer.
        const Asked asked{other.block, other.thread(), other.time, isPlainRead};
        if (!m_asked || *m_asked != asked) {
            m_asked = asked;
            m_answer = m_block.checks->order->order(asked.block, asked.thread, asked.time, m_warp, m_lane, isPlainRead);
        }
        return m_answer;
    }

    /// Atomics do not race with each other; nor do volatile accesses to global memory, which is how flags are polled.
    /// Two plain writes of \p data, which nobody polls, do, volatile or not; and a plain one with an atomic, unless
    /// that one tests a flag.
    bool synchronises(const Toucher& other, bool data) const
    {
        if (!isStrong(m_self.info) || !isStrong(other.info))
            return false;
        if (other.block != m_self.block && ((m_self.info | other.info) & kTouchBlockScope))
            return false;
        if (data && !(m_self.info & other.info & kTouchAtomic) && !(isFlagTest(m_self.info) || isFlagTest(other.info)))
            return false;
        // Volatile flags in shared memory are for warps that use fences; lanes of one warp have barriers for that.
        return m_cells.isGlobal() || ((m_self.info | other.info) & kTouchAtomic) ||
               (m_block.checks->order && !sameWarp(other));
    }

    /// A copy that nobody has awaited: not even its thread, nor a barrier, is ordered after it.
    bool isUnderWay(const Toucher& writer) const
    {
        return m_cells.isShared() && (writer.info & kTouchAsync) && writer.time == kTimeOfPendingCopy;
    }

    /// What this launch has written, whoever and however long ago, a cache that it reads by may not have.
    bool isStaleInCache(const Toucher& writer) const
    {
        return m_info.keptInCache && m_cells.isGlobal() && writer.time >= m_block.checks->launchStart &&
               writer.time > m_block.checks->gridMet && !isBeside(writer.block);
    }

    static bool isShared(uint32_t writer) { return writer & kTouchSameValue; }
    /// An atomic whose result decides what happens next: of a lock, say, that a plain store opens.
    static bool isFlagTest(uint32_t info) { return (info & kTouchAtomic) && (info & kTouchVolatile); }

    /// Whether the last reads of this launch asked for a flag.
    bool isPolled(uint64_t cell) const
    {
        const Toucher reader = readerOf(cell);
        return m_cells.isGlobal() && isCurrent(reader) && isFlagRead(cell, reader);
    }
    /// A volatile read, though none that decides a branch, of a flag that others poll: to remember what it was, say.
    bool looksAtFlag(uint64_t cell, const Toucher& writer) const
    {
        return !m_info.isPlain && (writer.info & kTouchVolatile) && isPolled(cell);
    }
    /// Whether one of the readers that the cell knows, of which \p reader is the first, asked for a flag.
    bool isFlagRead(uint64_t cell, const Toucher& reader) const
    {
        const bool many = reader.info & (kTouchManyLanes | kTouchManyWarps | kTouchManyBlocks);
        return (reader.info | (many ? secondReaderOf(cell).info : 0)) & kTouchVolatile;
    }

    uint64_t addressOf(uint64_t cell) const { return (m_address & ~uint64_t{UINT32_MAX}) | cell << m_cells.shift; }

    /// Several threads have written one value: this one, and the one that did before.
    void noteSameValue(uint64_t cell, const Toucher& writer, unsigned lane)
    {
        auto& writes = m_block.checks->sameValueWrites;
        if (!writes)
            writes = std::make_unique<SameValueWrites>();
        const uint64_t address = addressOf(cell + lane);
        writes->add(address, m_self.thread() + lane, m_block.checks->epochStart);
        if (writer.block == m_self.block && writer.time >= m_block.checks->epochStart)
            writes->add(address, writer.thread() + lane, m_block.checks->epochStart);
    }
    /// Those of \p asked that have written the one value of their cell themselves.
    LaneMask haveWrittenSame(uint64_t cell, LaneMask asked) const
    {
        LaneMask found = 0;
        for (LaneMask rest = asked; rest; rest &= rest - 1) {
            const int lane = std::countr_zero(rest);
            if (hasWrittenSame(cell + static_cast<unsigned>(lane), m_lane + lane))
                found |= rest & -rest;
        }
        return found;
    }
    /// Who wrote the value itself, or has met a lane since that did, reads nothing else, whatever the order; everybody
    /// else may come too early.
    bool hasWrittenSame(uint64_t cell, int reader) const
    {
        const auto& writes = m_block.checks->sameValueWrites;
        if (!writes)
            return false;
        const uint64_t address = addressOf(cell);
        for (uint32_t lane = 0; lane < kWarpSize; ++lane) {
            const bool met = m_warp.metSince(reader, lane) > m_block.checks->epochStart;
            if ((met || lane == static_cast<uint32_t>(reader)) &&
                writes->contains(address, uint32_t{m_warp.id} * kWarpSize + lane, m_block.checks->epochStart))
                return true;
        }
        return false;
    }

    /// \p isExact: the reader's time is; when it had a lock and had not fenced is only told of exact ones.
    bool againstReader(Toucher reader, LaneMask harmful, bool isExact = true)
    {
        // What these bits say of other readers, they do not say of this one.
        reader.info &= ~(kTouchManyLanes | kTouchManyWarps | kTouchManyBlocks);
        const Before before = order(reader, false);
        const bool isOrdered = before == Before::Yes || (before == Before::Unfenced && !isExact);
        if (isOrdered || synchronises(reader, false))
            return false;
        report(device::RaceReport::WriteAfterRead, reader, false, true, harmful, before);
        return true;
    }

    /// This atomic becomes the cell's writer. What it covers may be a plain write that comes \p before it, but not
    /// before others' atomics; and this one may be such.
    void cover(uint64_t cell, const Toucher& writer, Before before)
    {
        HiddenWrites& hidden = *m_cells.hidden;
        if (hidden.mayHold(oldest()))
            if (const std::optional<Toucher> covered = hidden.find(cell))
                if (const Before covers = order(*covered, false); covers != Before::Yes)
                    report(device::RaceReport::WriteAfterWrite, *covered, true, true, all(), covers);
        if (before == Before::Yes && !isStrong(writer.info) && !isUnderWay(writer) && writer.time >= oldest())
            hidden.add(cell, writer, oldest());
    }

    bool sameWarp(const Toucher& other) const { return other.block == m_self.block && other.warp() == m_warp.id; }

    /// \p sameValue: the lanes that wrote what others had, unordered.
    void setWriter(uint64_t cell, LaneMask sameValue)
    {
        Toucher self = m_self;
        if constexpr (isRow) {
            noteChange(writerOf(cell), self);
            m_cells.setRow(CellRuns::Writers, cell, lanes(), self);
            for (LaneMask rest = sameValue; rest; rest &= rest - 1)
                m_cells.writer[cell + static_cast<unsigned>(std::countr_zero(rest))] |= kTouchSameValue;
        } else {
            self.info |= sameValue ? kTouchSameValue : 0;
            m_cells.setWriter(cell, self, oldest());
        }
    }
    void setReader(uint64_t cell)
    {
        if constexpr (isRow) {
            noteChange(readerOf(cell), asReader());
            m_cells.setRow(CellRuns::Readers, cell, lanes(), asReader());
        } else
            m_cells.setReader(cell, asReader(), oldest());
    }
    void addReader(uint64_t cell, uint32_t flag)
    {
        Toucher self = asReader();
        if constexpr (!isRow)
            return m_cells.addReader(cell, self, flag, oldest());
        m_isRepeatable = false;
        for (unsigned i = 0; i < lanes(); ++i, ++self.info)
            m_cells.addReaderToPlanes(cell + i, self, flag, oldest());
    }

    void registerRead(uint64_t cell)
    {
        Toucher reader = readerOf(cell);
        if (!isCurrent(reader) || ((m_block.checks->order || m_block.checks->warpOrder || m_warp.clusterPhase != 0) &&
                                   readersComeBefore(cell, reader)))
            return setReader(cell);
        if (reader.info & kTouchManyBlocks) {
            // That somebody polls is worth more than one more that read before.
            if ((m_self.info & kTouchVolatile) && reader.block != m_self.block && !isFlagRead(cell, reader))
                addReader(cell, kTouchManyBlocks);
            return;
        }
        if (reader.block != m_self.block)
            return addReader(cell, kTouchManyBlocks);
        if (reader.info & kTouchManyWarps)
            return;
        if (!sameWarp(reader))
            return addReader(cell, kTouchManyWarps);
        bool alone = !(reader.info & kTouchManyLanes);
        bool same = reader.thread() == m_self.thread();
        uint32_t met = alone ? m_warp.metSince(m_lane, reader.thread() % kWarpSize) : m_warp.syncTime;
        if ((alone && same) || reader.time < met)
            setReader(cell);
        else if (!same && alone)
            addReader(cell, kTouchManyLanes);
    }

    /// What is before it is ordered before this access in any case.
    uint32_t oldest() const { return m_cells.isGlobal() ? m_block.checks->launchStart : m_block.checks->epochStart; }
    /// Readers have other flags than writers.
    Toucher asReader() const
    {
        Toucher reader = m_self;
        reader.info &= ~(kTouchManyLanes | kTouchManyWarps | kTouchManyBlocks);
        return reader;
    }

    bool readersComeBefore(uint64_t cell, const Toucher& reader) const
    {
        const bool many = reader.info & (kTouchManyLanes | kTouchManyWarps | kTouchManyBlocks);
        return reader.thread() != m_self.thread() && ordered(reader) && (!many || ordered(secondReaderOf(cell)));
    }

    /// For each lane; of \p harmful it matters.
    void report(device::RaceReport::Hazard hazard, const Toucher& first, bool firstWrites, bool secondWrites,
                LaneMask harmful, Before before = Before::No)
    {
        const bool unfenced = before == Before::Unfenced;
        if (first.block != m_self.block && !m_isEarlier)
            m_block.checks->acrossBlocks = true;
        uint32_t firstSite = touchSite(first.info);
        const std::optional<LaunchId> beside = besideOf(first.block);
        bool notAwaited = firstWrites && isUnderWay(first);
        auto known =
            std::find_if(m_block.checks->races.begin(), m_block.checks->races.end(), [&](const device::RaceReport& r) {
                if (r.notAwaited != notAwaited || r.whileRead != m_isEndOfRead || r.otherProxy != m_lacksProxyFence ||
                    r.ofEarlier != m_isEarlier || r.beside != beside)
                    return false;
                return (r.sites[0] == firstSite && r.sites[1] == m_info.raceSite && r.writes[0] == firstWrites) ||
                       (!beside && r.sites[1] == firstSite && r.sites[0] == m_info.raceSite &&
                        r.writes[1] == firstWrites);
            });
        if (known == m_block.checks->races.end()) {
            device::RaceReport race;
            race.sameWarp = sameWarp(first);
            race.notAwaited = notAwaited;
            race.whileRead = m_isEndOfRead;
            race.otherProxy = m_lacksProxyFence;
            race.ofEarlier = m_isEarlier;
            race.beside = beside;
            race.blockScope = isStrong(first.info) && isStrong(m_self.info) && first.block != m_self.block &&
                              ((first.info | m_self.info) & kTouchBlockScope);
            race.fences = m_block.checks->order != nullptr;
            race.unfenced = unfenced;
            race.keptInCache = firstWrites && isStaleInCache(first);
            race.atomicSide = (first.info | m_self.info) & kTouchAtomic;
            race.sites[0] = firstSite;
            race.sites[1] = m_info.raceSite;
            race.writes[0] = firstWrites;
            race.writes[1] = secondWrites;
            race.blocks[0] = indexOf(first.block);
            race.blocks[1] = m_block.index;
            race.threads[0] = first.thread();
            race.threads[1] = m_self.thread();
            race.epoch = m_block.epoch;
            race.address = ownAddress();
            race.step = m_warp.recorder ? m_warp.recorder->steps() : 0;
            known = m_block.checks->races.insert(m_block.checks->races.end(), race);
        }
        known->hazards |= hazard;
        known->unfenced &= unfenced;
        const size_t kind = noteInstance(*known, first, firstSite, firstWrites);
        if constexpr (isRow)
            noteTold(static_cast<size_t>(known - m_block.checks->races.begin()), kind);
        known->count += lanes();
        known->harmful += static_cast<unsigned>(std::popcount(harmful));
    }

    /// Buffers are called by where they lie in their own block.
    uint64_t ownAddress() const { return addressInBlock(m_warp, m_address); }

    size_t noteInstance(device::RaceReport& race, const Toucher& first, uint32_t firstSite, bool firstWrites) const
    {
        const bool asSeen = race.sites[0] == firstSite && race.writes[0] == firstWrites;
        const size_t side = asSeen ? 0 : 1;
        device::Instance instance;
        instance.blocks[side] = indexOf(first.block);
        instance.blocks[1 - side] = m_block.index;
        instance.threads[side] = first.thread();
        instance.threads[1 - side] = m_self.thread();
        instance.address = ownAddress();
        instance.epoch = m_block.epoch;
        instance.step = m_warp.recorder ? m_warp.recorder->steps() : 0;
        return race.instances.add(instance, true, lanes());
    }

    void noteTold(size_t race, size_t kind)
    {
        m_isRepeatable &= m_kept.toldCount < RepeatedRow::kMostTold;
        if (m_isRepeatable)
            m_kept.told[m_kept.toldCount++] = {static_cast<uint32_t>(race), static_cast<uint32_t>(kind)};
    }
    /// The cells' last \p known of a side becomes \p now.
    void noteChange(const Toucher& known, const Toucher& now)
    {
        m_isRepeatable &= known.info == now.info && known.block == now.block && known.time == now.time;
    }

    Warp& m_warp;
    const MemoryInfo& m_info;
    Block& m_block;
    const RaceCells& m_cells;
    int m_lane;
    unsigned m_lanes;
    uint64_t m_address;
    Toucher m_self;
    RepeatedRow::Side m_kept;
    bool m_isRepeatable = true;
    bool m_isEndOfRead = false;
    bool m_lacksProxyFence = false;
    bool m_isEarlier = false;
    struct Asked {
        uint64_t block;
        uint32_t thread, time;
        bool isPlainRead;
        bool operator==(const Asked&) const = default;
    };
    mutable std::optional<Asked> m_asked;  ///< of releasedToUs, the last time
    mutable Before m_answer = Before::No;
};

}  // namespace lanescope::simt
