// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The race check of a block's own words, here and there, lane by lane.
#pragma once

#include <cstdint>

#include "core/simt/checks/block_checks.h"
#include "core/simt/checks/race_cells.h"
#include "core/simt/checks/race_check.h"
#include "core/simt/code/instruction.h"
#include "core/simt/memory/object_entry.h"
#include "core/simt/state/warp.h"

namespace lanescope::simt {

/// Words that only one block sees and that only barriers order. Where there is nothing to tell of an access it is
/// entered after a few comparisons; what remains is for who looks at everything (LaneAccess).
class QuietWords {
public:
    QuietWords(const Warp& warp, const MemoryInfo& info, const ObjectEntry& object)
        : m_cells(*object.races), m_first(writerInfo(warp, info, 0, false)), m_bytes(info.bytes * info.components),
          m_time(warp.block->checks->time), m_since(warp.block->checks->epochStart), m_met(warp.syncTime)
    {
        const BlockChecks& checks = *warp.block->checks;
        m_isUsable = !m_cells.isGlobal() && m_cells.shift == kWordCells && m_bytes % 4 == 0 && !checks.order &&
                     !checks.warpOrder && !warp.laneOrder && warp.clusterPhase == 0 && !(m_first & kTouchAtomic);
    }

    /// Calls \p ask(cell, toucher) for the words of a lane's access at \p offset until it says no; whether it never
    /// did.
    template <typename Ask>
    [[nodiscard]] bool forWords(int lane, uint32_t offset, Ask ask) const
    {
        if (!m_isUsable || (offset & 3) != 0)
            return false;
        const uint32_t toucher = m_first + static_cast<uint32_t>(lane);
        for (uint64_t cell = offset >> 2, end = cell + m_bytes / 4; cell < end; ++cell)
            if (!ask(cell, toucher))
                return false;
        return true;
    }

    /// Enters a read, unless more is to be looked at; it may be entered twice.
    bool read(uint64_t cell, uint32_t toucher) const
    {
        if (!isWrittenBefore(cell, toucher))
            return false;
        const uint32_t self = toucher & ~kManyFlags, known = m_cells.reader[cell];
        const bool isAlone = !(known & kTouchManyLanes), isSame = ((known ^ toucher) & kTouchThread) == 0;
        if (m_cells.readTime[cell] < m_since) {
            set(cell, self);
        } else if (known & kTouchManyWarps) {
            return true;
        } else if (!isOfWarp(known, toucher)) {
            m_cells.addReaderToPlanes(cell, {self, 0, m_time}, kTouchManyWarps, m_since);
        } else if ((isAlone && isSame) || m_cells.readTime[cell] < m_met) {
            set(cell, self);
        } else if (isAlone) {
            m_cells.addReaderToPlanes(cell, {self, 0, m_time}, kTouchManyLanes, m_since);
        }
        return true;
    }

    /// Whether nobody races with a write there.
    [[nodiscard]] bool mayWrite(uint64_t cell, uint32_t toucher) const
    {
        if (!isWrittenBefore(cell, toucher))
            return false;
        const uint32_t known = m_cells.reader[cell], time = m_cells.readTime[cell];
        return time < m_since || (!(known & kManyFlags) && isBefore(known, time, toucher));
    }
    void write(uint64_t cell, uint32_t toucher) const
    {
        m_cells.notePlanes(CellRuns::Writers, m_time);
        m_cells.writeTime[cell] = m_time;
        m_cells.writer[cell] = toucher;
    }
    void beginWrites() const
    {
        if (m_isUsable)
            m_cells.noteWrite(m_time);
    }

private:
    static constexpr uint32_t kManyFlags = kTouchManyLanes | kTouchManyWarps | kTouchManyBlocks;

    static bool isOfWarp(uint32_t other, uint32_t toucher)
    {
        return ((other ^ toucher) & kTouchThread) / kWarpSize == 0;
    }
    [[nodiscard]] bool isBefore(uint32_t other, uint32_t time, uint32_t toucher) const
    {
        return ((other ^ toucher) & kTouchThread) == 0 || (isOfWarp(other, toucher) && time < m_met);
    }
    [[nodiscard]] bool isWrittenBefore(uint64_t cell, uint32_t toucher) const
    {
        const uint32_t writer = m_cells.writer[cell], time = m_cells.writeTime[cell];
        return time < m_since || (!(writer & (kTouchAsync | kTouchSameValue)) && isBefore(writer, time, toucher));
    }
    void set(uint64_t cell, uint32_t reader) const
    {
        m_cells.notePlanes(CellRuns::Readers, m_time);
        m_cells.readTime[cell] = m_time;
        m_cells.reader[cell] = reader;
    }

    const RaceCells& m_cells;
    uint32_t m_first;  ///< toucher of the warp's first lane
    unsigned m_bytes;
    uint32_t m_time, m_since, m_met;
    bool m_isUsable;
};

}  // namespace lanescope::simt
