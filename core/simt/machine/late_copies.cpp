// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/simt/machine/late_copies.h"

#include <algorithm>
#include <cstring>

#include "core/simt/checks/block_checks.h"
#include "core/simt/machine/handlers.h"
#include "core/simt/state/lane_memory.h"

namespace lanescope::simt {
namespace {

/// Phases of the barrier at \p within that are over; none: there is no such barrier.
std::optional<uint32_t> phaseOf(const Block& owner, uint64_t within)
{
    const auto* barriers = owner.checks->phaseBarriers.get();
    if (!barriers)
        return std::nullopt;
    const auto known = barriers->all().find(within);
    return known == barriers->all().end() ? std::nullopt : std::optional(known->second.phase);
}

}  // namespace

void LateCopies::Copy::make() const
{
    for (size_t i = 0; i < after.size(); ++i)
        if (after[i] != before[i])
            to[i] = after[i];
}

void LateCopies::Written::make() const
{
    if (!update) {
        std::memcpy(to, from, before.size());
        return;
    }
    AtomicInfo info;
    info.op = update->operation;
    info.isFloat = update->isFloat;
    info.memory.bytes = update->bytes;
    for (size_t at = 0; at + update->bytes <= before.size(); at += update->bytes) {
        uint64_t value = 0;
        std::memcpy(&value, from + at, update->bytes);
        updateMemory(info, to + at, value);
    }
}

void LateCopies::begin(const Warp& warp, int lane, uint64_t address, uint64_t bytes)
{
    m_begun.erase({warp.id, lane});
    std::byte* to = hostAddress(warp, lane, address, bytes, true);
    if (to && isNextLate())
        m_begun[{warp.id, lane}] = {to, {to, to + bytes}, {}};
}

LateCopies::Copy LateCopies::take(const Warp& warp, int lane)
{
    const auto begun = m_begun.find({warp.id, lane});
    if (begun == m_begun.end())
        return {};
    Copy copy = std::move(begun->second);
    m_begun.erase(begun);
    copy.after.assign(copy.to, copy.to + copy.before.size());
    std::memcpy(copy.to, copy.before.data(), copy.before.size());
    return copy;
}

void LateCopies::finishGrouped(const Warp& warp, int lane, uint32_t group)
{
    if (Copy copy = take(warp, lane); copy.to)
        m_grouped.push_back({warp.id, lane, group, std::move(copy)});
}

void LateCopies::finishBulk(const Warp& warp, int lane, uint64_t barrier)
{
    const Block& owner = ownerOf(warp, barrier);
    const uint64_t within = addressInBlock(warp, barrier);
    const std::optional<uint32_t> phase = phaseOf(owner, within);
    if (!phase || !owner.late)
        return;
    if (Copy copy = take(warp, lane); copy.to)
        owner.late->m_bulk.push_back({within, *phase, std::move(copy)});
}

void LateCopies::arriveGrouped(const Warp& warp, int lane, uint32_t end)
{
    std::erase_if(m_grouped, [&](const Grouped& grouped) {
        const bool arrives = grouped.warp == warp.id && grouped.lane == lane && grouped.group < end;
        if (arrives)
            grouped.copy.make();
        return arrives;
    });
}

void LateCopies::beginWrite(const Warp& warp, int lane, uint64_t to, uint64_t from, uint64_t bytes)
{
    std::byte* target = hostAddress(warp, lane, to, bytes, true);
    const std::byte* source = hostAddress(warp, lane, from, bytes, false);
    if (target && source)
        m_begunWrites.push_back({warp.id, lane, 0, target, source, {target, target + bytes}, {}});
}

void LateCopies::postponeUpdate(const Warp& warp, int lane, uint32_t group, uint64_t to, uint64_t from, uint64_t bytes,
                                const AtomicInfo& update)
{
    std::byte* target = hostAddress(warp, lane, to, bytes, true);
    const std::byte* source = hostAddress(warp, lane, from, bytes, false);
    if (target && source)
        m_written.push_back({warp.id,
                             lane,
                             group,
                             target,
                             source,
                             {target, target + bytes},
                             Update{update.op, update.isFloat, update.memory.bytes}});
}

void LateCopies::finishWrites(const Warp& warp, int lane, uint32_t group)
{
    const auto isOf = [&](const Written& piece) { return piece.warp == warp.id && piece.lane == lane; };
    const bool isLate = std::ranges::any_of(m_begunWrites, isOf) && isNextLate();
    std::erase_if(m_begunWrites, [&](Written& piece) {
        if (!isOf(piece))
            return false;
        if (isLate) {
            std::memcpy(piece.to, piece.before.data(), piece.before.size());
            piece.group = group;
            m_written.push_back(std::move(piece));
        }
        return true;
    });
}

void LateCopies::arriveWrites(const Warp& warp, int lane, uint32_t end)
{
    std::erase_if(m_written, [&](const Written& piece) {
        const bool arrives = piece.warp == warp.id && piece.lane == lane && piece.group < end;
        if (arrives)
            piece.make();
        return arrives;
    });
}

void LateCopies::arriveAllWrites()
{
    for (const Written& piece : m_written)
        piece.make();
    m_written.clear();
}

void LateCopies::arriveBulk(const Warp& warp, uint64_t barrier)
{
    const Block& owner = ownerOf(warp, barrier);
    const uint64_t within = addressInBlock(warp, barrier);
    if (!owner.late || owner.late->m_bulk.empty())
        return;
    const uint32_t end = phaseOf(owner, within).value_or(0);
    std::erase_if(owner.late->m_bulk, [&](const Bulk& bulk) {
        const bool arrives = bulk.barrier == within && bulk.phase < end;
        if (arrives)
            bulk.copy.make();
        return arrives;
    });
}

}  // namespace lanescope::simt
