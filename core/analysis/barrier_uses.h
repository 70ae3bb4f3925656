// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a block's barriers are for, and which shared memory is filled under which: the first of the two passes behind
// traceRing.
#pragma once

#include <bit>
#include <map>
#include <set>
#include <vector>

#include "core/analysis/barrier_operations.h"
#include "core/analysis/ring.h"

namespace lanescope::analysis {

/// Memory of stages is told apart by pieces of this size; a copy's smallest is as large.
inline constexpr uint64_t kPieceBytes = 16;
/// Buffer and piece in it.
using Piece = std::pair<uint32_t, uint64_t>;

/// What both passes over the events share.
class EventReader {
public:
    explicit EventReader(const trace::Catalog& catalog) : m_catalog(catalog), m_operations(catalog) {}

    [[nodiscard]] BarrierOperations& operations() { return m_operations; }
    [[nodiscard]] const BarrierOperations& operations() const { return m_operations; }

    [[nodiscard]] bool isShared(BufferId buffer) const
    {
        return buffer != kNoBuffer && m_catalog.buffers[buffer.value].space == trace::Space::Shared;
    }
    /// Of shared memory that is no barrier, each once.
    template <typename Visit>
    void forPieces(const trace::Event& event, Visit visit) const
    {
        Piece last{UINT32_MAX, 0};
        for (LaneMask rest = event.mask; rest != 0; rest &= rest - 1) {
            const int lane = std::countr_zero(rest);
            const BufferId buffer = event.bufferOf(lane);
            const uint64_t offset = event.offset[static_cast<size_t>(lane)];
            if (!isShared(buffer) || m_operations.isBarrier(buffer, offset))
                continue;
            if (const Piece piece{buffer.value, offset / kPieceBytes}; piece != last)
                visit(last = piece);
        }
    }

private:
    const trace::Catalog& m_catalog;
    BarrierOperations m_operations;
};

/// The first pass.
class BarrierUses {
public:
    explicit BarrierUses(const trace::Catalog& catalog) : m_reader(catalog) {}

    void add(const trace::Event& event);

    [[nodiscard]] const std::vector<BarrierOperations::Object>& objects() const
    {
        return m_reader.operations().objects();
    }
    [[nodiscard]] RingBarrier::Kind kindOf(uint32_t barrier) const;
    /// The full barrier that says of each piece of memory that it is filled. Who says so last is right: before the ring
    /// turns, threads may clear it.
    [[nodiscard]] std::map<Piece, uint32_t> barrierOfPieces() const;

private:
    struct PerWarp {
        uint64_t loads = 0, stores = 0;  ///< since the last arrival
        std::set<Piece> stored, copied;
    };
    struct Evidence {
        uint64_t loads = 0, stores = 0, bytes = 0;
    };

    void apply(const BarrierOperation& operation, PerWarp& warp);

    EventReader m_reader;
    std::map<uint16_t, PerWarp> m_warps;
    std::map<uint32_t, Evidence> m_evidence;
    std::map<Piece, uint32_t> m_filledUnder;
};

}  // namespace lanescope::analysis
