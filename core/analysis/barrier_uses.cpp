// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/analysis/barrier_uses.h"

namespace lanescope::analysis {

using trace::SiteKind;
using Operation = BarrierOperation;

void BarrierUses::add(const trace::Event& event)
{
    PerWarp& warp = m_warps[event.warp];
    const AsyncKind kind = m_reader.operations().kindOf(event.site);
    for (const Operation& operation : m_reader.operations().of(event))
        apply(operation, warp);
    if (!event.isAccess() || kind == AsyncKind::Init || kind == AsyncKind::Barrier || kind == AsyncKind::Wait)
        return;
    // What comes before there are barriers is no turn of a ring.
    if (objects().empty())
        return;
    m_reader.forPieces(event, [&](const Piece& piece) {
        if (event.kind == SiteKind::Load) {
            ++warp.loads;
            return;
        }
        ++warp.stores;
        (kind == AsyncKind::Copy ? warp.copied : warp.stored).insert(piece);
    });
}

RingBarrier::Kind BarrierUses::kindOf(uint32_t barrier) const
{
    const auto found = m_evidence.find(barrier);
    if (found == m_evidence.end())
        return RingBarrier::Kind::Other;
    const Evidence& evidence = found->second;
    if (evidence.bytes > 0 || evidence.stores > evidence.loads)
        return RingBarrier::Kind::Full;
    return evidence.loads > 0 ? RingBarrier::Kind::Empty : RingBarrier::Kind::Other;
}
std::map<Piece, uint32_t> BarrierUses::barrierOfPieces() const
{
    // What was stored where a barrier came to lie later is no stage's.
    std::map<Piece, uint32_t> own = m_filledUnder;
    for (const BarrierOperations::Object& object : objects())
        own.erase({object.buffer.value, object.offset / kPieceBytes});
    std::map<Piece, uint32_t> result;
    for (const auto& [piece, barrier] : own)
        if (kindOf(barrier) == RingBarrier::Kind::Full)
            result.emplace(piece, barrier);
    return result;
}

void BarrierUses::apply(const Operation& operation, PerWarp& warp)
{
    Evidence& evidence = m_evidence[operation.barrier];
    const auto fill = [&](std::set<Piece>& pieces) {
        for (const Piece& piece : pieces)
            m_filledUnder[piece] = operation.barrier;
        pieces.clear();
    };
    switch (operation.kind) {
    case Operation::Kind::Came:
        evidence.bytes += operation.amount;
        fill(warp.copied);
        warp.loads = warp.stores = 0;
        return;
    case Operation::Kind::Arrive:
        evidence.loads += warp.loads;
        evidence.stores += warp.stores;
        if (warp.stores > warp.loads) {
            fill(warp.stored);
            fill(warp.copied);
        }
        warp.stored.clear();
        return;
    case Operation::Kind::Expect:
        evidence.bytes += operation.amount;
        return;
    case Operation::Kind::Poll:
        warp.loads = warp.stores = 0;
        return;
    case Operation::Kind::Init:
    case Operation::Kind::Flip:
        return;
    }
}

}  // namespace lanescope::analysis
