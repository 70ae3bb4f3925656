// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/simt/launch/foreseen_blocks.h"

#include <algorithm>
#include <bit>

#include "core/simt/memory/address_slots.h"

namespace lanescope::simt {
namespace {

/// Sums of what fits into 63 bits come out right whatever they are on the way.
int64_t sumOf(int64_t first, const std::array<int64_t, 3>& times, Dim3 position)
{
    return static_cast<int64_t>(static_cast<uint64_t>(first) + static_cast<uint64_t>(times[0]) * position.x +
                                static_cast<uint64_t>(times[1]) * position.y +
                                static_cast<uint64_t>(times[2]) * position.z);
}

/// What threads of one block add: nothing else is.
LastCoordinates withoutBlocks(LastCoordinates last)
{
    std::fill(last.begin() + kFirstBlockCoordinate, last.end(), 0);
    return last;
}

bool holds(ForeseenGuard::Sign sign, int64_t lowest, int64_t highest)
{
    using Sign = ForeseenGuard::Sign;
    switch (sign) {
    case Sign::Negative:
        return highest < 0;
    case Sign::NotPositive:
        return highest <= 0;
    case Sign::Positive:
        return lowest > 0;
    case Sign::NotNegative:
        return lowest >= 0;
    case Sign::NotZero:
        return lowest > 0 || highest < 0;
    }
    return false;
}

}  // namespace

ForeseenBlocks::ForeseenBlocks(const ForeseenAccesses& accesses, LaunchNumbers launch, const ObjectTable& objects,
                               const std::function<bool(uint64_t slot)>& isPartlyUndefined)
{
    launch.computed = &accesses.computed;
    const bool areAll =
        std::ranges::all_of(accesses.provided, [&](const Fits& one) { return one.holdsIn(launch); }) &&
        std::ranges::all_of(accesses.guards, [&](const ForeseenGuard& one) { return add(one, launch); }) &&
        std::ranges::all_of(accesses.accesses,
                            [&](const ForeseenAccess& one) { return add(one, launch, objects, isPartlyUndefined); }) &&
        std::ranges::all_of(accesses.groups, [&](const auto& one) { return addWays(one, launch); });
    if (!areAll)
        m_accesses.clear();
}

bool ForeseenBlocks::add(const ForeseenGuard& guard, const LaunchNumbers& launch)
{
    const std::optional<PlacedAffine> number = placed(guard.number, launch);
    const LastCoordinates last = lastCoordinates(launch);
    // In all of the launch: so that nothing has to be asked of sums later.
    if (!number || !rangeOf(*number, last))
        return false;
    const std::optional<ValueRange> first = rangeOf(*number, withoutBlocks(last));
    if (!first)
        return false;
    m_guards.push_back({{number->times[kFirstBlockCoordinate], number->times[kFirstBlockCoordinate + 1],
                         number->times[kFirstBlockCoordinate + 2]},
                        first->lowest,
                        first->highest,
                        guard.sign});
    return true;
}

bool ForeseenBlocks::add(const ForeseenAccess& access, const LaunchNumbers& launch, const ObjectTable& objects,
                         const std::function<bool(uint64_t slot)>& isPartlyUndefined)
{
    const std::optional<int64_t> base = launch.valueOf(access.base);
    const uint64_t address = static_cast<uint64_t>(base.value_or(0)), slot = address >> 32;
    if (slot < kSlotBase || slot >= kEndSlot)
        return false;
    const ObjectEntry& object = objects[slot];
    const bool isPlain = object.host && !object.freed && !object.otherDevices && !object.heap &&
                         object.laneStride == 0 && !object.races && !object.defined;
    if (!isPlain || (access.isStore ? object.readOnly : object.partlyUndefined))
        return false;
    std::optional<PlacedAffine> offset = placed(access.offset, launch);
    if (!offset ||
        __builtin_add_overflow(offset->constant, static_cast<int64_t>(address & UINT32_MAX), &offset->constant))
        return false;
    const LastCoordinates last = lastCoordinates(launch);
    const std::optional<ValueRange> first = rangeOf(*offset, withoutBlocks(last));
    int64_t behind = 0;
    if (!rangeOf(*offset, last) || !first || __builtin_add_overflow(first->highest, int64_t{access.bytes}, &behind))
        return false;
    // All that is added to the first thread's place is aligned, so that no more than that has to be looked at.
    const uint64_t unaligned = uint64_t{access.bytes} - 1;
    for (Coordinate i = 0; i < kFirstBlockCoordinate; ++i)
        if ((static_cast<uint64_t>(offset->times[i]) & unaligned) != 0 && last[i] != 0)
            return false;
    m_accesses.push_back({{offset->times[kFirstBlockCoordinate], offset->times[kFirstBlockCoordinate + 1],
                           offset->times[kFirstBlockCoordinate + 2]},
                          offset->constant,
                          first->lowest - offset->constant,
                          behind - offset->constant,
                          object.bytes,
                          unaligned,
                          {object.host, 0, access.isStore && isPartlyUndefined(slot) ? object.initialised : nullptr}});
    return true;
}

bool ForeseenBlocks::addWays(const std::array<LaunchSum, 3>& group, const LaunchNumbers& launch)
{
    std::array<int64_t, 3> times{};
    for (size_t i = 0; i < times.size(); ++i) {
        const std::optional<int64_t> value = group[i].valueIn(launch);
        if (!value)
            return false;
        times[i] = *value;
    }
    const size_t first = m_ways.size();
    m_ways.resize(first + ForeseenBlock::kMostWarps);
    const uint64_t warps = launch.block.count() / kWarpSize;
    for (uint64_t warp = 0; warp < std::min<uint64_t>(warps, ForeseenBlock::kMostWarps); ++warp)
        m_ways[first + warp] = sumOf(0, times, positionOf(warp * kWarpSize, launch.block));
    return true;
}

bool ForeseenBlocks::look(Dim3 position, std::span<ForeseenBlock::Place> places) const
{
    for (const Guard& guard : m_guards) {
        const int64_t moved = sumOf(0, guard.times, position);
        if (!holds(guard.sign, guard.lowest + moved, guard.highest + moved))
            return false;
    }
    for (size_t i = 0; i < m_accesses.size(); ++i) {
        const Access& access = m_accesses[i];
        const int64_t first = sumOf(access.first, access.times, position);
        if (first + access.before < 0 || static_cast<uint64_t>(first + access.behind) > access.bytes ||
            (static_cast<uint64_t>(first) & access.unaligned) != 0)
            return false;
        // The first thread's own place may not be inside: offsets that go down.
        places[i] = {access.ofBuffer.host + first, static_cast<uint64_t>(first), access.ofBuffer.initialised};
    }
    return true;
}

}  // namespace lanescope::simt
