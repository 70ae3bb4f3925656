// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/simt/checks/packed_cells.h"

#include <algorithm>

namespace lanescope::simt {
namespace {

constexpr uint32_t kLane = Toucher::kLanesPerGroup - 1;
/// What a cell says of itself rather than of the group that touched it.
constexpr uint32_t kWriterFlags = kTouchSameValue;
constexpr uint32_t kReaderFlags = kTouchManyLanes | kTouchManyWarps | kTouchManyBlocks;

}  // namespace

uint64_t PackedCells::bytesFor(uint64_t cells)
{
    return (cells + kSectionCells - 1) / kSectionCells * sizeof(Section);
}

void PackedCells::setWriter(uint64_t cell, const Toucher& toucher, uint32_t since)
{
    Toucher group = toucher;
    group.info &= ~kWriterFlags;
    const uint32_t flags = (toucher.info & kWriterFlags) >> kWriterFlagShift << kFlagShift;
    entryOf(cell, Writers) = static_cast<uint16_t>(enter(sectionOf(cell), Writers, group, since) | flags);
}

void PackedCells::setReader(uint64_t cell, const Toucher& toucher, uint32_t since)
{
    Toucher group = toucher;
    group.info &= ~kReaderFlags;
    entryOf(cell, Readers) = enter(sectionOf(cell), Readers, group, since);
}

void PackedCells::addReader(uint64_t cell, const Toucher& toucher, uint32_t flag, uint32_t since)
{
    Toucher group = toucher;
    group.info &= ~kReaderFlags;
    entryOf(cell, SecondReaders) = enter(sectionOf(cell), SecondReaders, group, since);
    entryOf(cell, Readers) |= static_cast<uint16_t>(flag >> kReaderFlagShift << kFlagShift);
}

namespace {

/// The bits in which entries differ: of the first and any other, and of any and that of the lane whose its cell would
/// be.
struct Differences {
    uint16_t fromFirst = 0, fromLanes = 0;
};

Differences differencesOf(const uint16_t* entries, uint16_t cells, unsigned perLane, uint32_t firstLane)
{
    const uint16_t first = entries[0];
    uint16_t fromFirst = 0, fromLanes = 0;
    for (uint16_t i = 0; i < cells; ++i) {
        fromFirst |= static_cast<uint16_t>(entries[i] ^ first);
        fromLanes |= static_cast<uint16_t>(entries[i] ^ (firstLane + (i >> perLane)));
    }
    return {fromFirst, fromLanes};
}

}  // namespace

bool PackedCells::isRowsOwn(const Row& row, Plane plane, uint32_t since) const
{
    const Section& section = sectionOf(row.first);
    if (section.newest[plane] < since)
        return true;
    constexpr uint32_t kGroupBits = kGroupMask << kGroupShift;
    const uint16_t* const entries = &section.entries[plane][row.first % kSectionCells];
    const Differences differences =
        differencesOf(entries, static_cast<uint16_t>(row.cells), row.perLane, row.toucher.info & kLane);
    if ((differences.fromFirst & kGroupBits) != 0)
        return areCellsRowsOwn(row, plane, since);
    const Group& group = section.groups[entries[0] >> kGroupShift & kGroupMask];
    return group.time < since ||
           (group.block == row.toucher.block && ((group.info ^ row.toucher.info) & kTouchThread & ~kLane) == 0 &&
            (group.info & kTouchAsync) == 0 && (differences.fromLanes & ~kGroupBits) == 0);
}

bool PackedCells::areCellsRowsOwn(const Row& row, Plane plane, uint32_t since) const
{
    const Section& section = sectionOf(row.first);
    const uint16_t* const entries = &section.entries[plane][row.first % kSectionCells];
    const uint32_t firstLane = row.toucher.info & kLane;
    // Neighbours mostly have one group.
    uint32_t known = UINT32_MAX;
    bool isOld = false;
    uint32_t foreign = 0;
    for (uint32_t i = 0; i < row.cells; ++i) {
        const uint32_t entry = entries[i], number = entry >> kGroupShift & kGroupMask;
        if (number != known) {
            known = number;
            const Group& group = section.groups[number];
            isOld = group.time < since;
            if (!isOld && (group.block != row.toucher.block ||
                           ((group.info ^ row.toucher.info) & kTouchThread & ~kLane) || (group.info & kTouchAsync)))
                return false;
        }
        foreign |= isOld ? 0 : (entry ^ (firstLane + (i >> row.perLane))) & ~(kGroupMask << kGroupShift);
    }
    return foreign == 0;
}

void PackedCells::setRow(const Row& row, Plane plane, uint32_t since)
{
    Section& section = sectionOf(row.first);
    const uint16_t first = enter(section, plane, row.toucher, since);
    uint16_t* const entries = &section.entries[plane][row.first % kSectionCells];
    // Copied: for all that the compiler knows, entries lie in the row.
    const auto cells = static_cast<uint16_t>(row.cells);
    const unsigned perLane = row.perLane;
    for (uint16_t i = 0; i < cells; ++i)
        entries[i] = static_cast<uint16_t>(first + (i >> perLane));
}

bool PackedCells::writeRow(const Row& row, uint32_t since)
{
    if (!isInOneSection(row) || !isRowsOwn(row, Writers, since) || !isRowsOwn(row, Readers, since))
        return false;
    setRow(row, Writers, since);
    return true;
}

bool PackedCells::readRow(const Row& row, uint32_t since, uint32_t manyFlag)
{
    if (!isInOneSection(row) || !isRowsOwn(row, Writers, since))
        return false;
    if (isRowsOwn(row, Readers, since)) {
        setRow(row, Readers, since);
        return true;
    }
    uint32_t many = manyFlag;
    for (uint32_t i = 0; i < row.cells; ++i) {
        const Toucher reader = toucherOf(row.first + i, Readers);
        many &= reader.time >= since ? reader.info : 0;
    }
    return many != 0;
}

uint64_t PackedCells::nextTouched(uint64_t cell, uint64_t end, uint32_t time) const
{
    const auto isTouched = [&](const Section& section) {
        const auto* const first = section.groups.data() + 1;
        return std::any_of(first, first + section.used, [&](const Group& group) { return group.time > time; });
    };
    // Who asks from within a section has been there: it is not judged again for each of its cells.
    while (cell < end && cell % kSectionCells == 0 && !isTouched(sectionOf(cell)))
        cell += kSectionCells;
    return cell;
}

uint16_t PackedCells::enter(Section& section, Plane plane, const Toucher& toucher, uint32_t since)
{
    section.newest[plane] = std::max(section.newest[plane], toucher.time);
    const Group wanted{toucher.time, toucher.info & ~kLane, toucher.block};
    const auto entry = [&](uint32_t group) {
        return static_cast<uint16_t>(group << kGroupShift | (toucher.info & kLane));
    };
    // The lanes of a warp come one after the other, and in a loop the accesses of one round. A group that is not found
    // again is entered again: the table fills up, and making room in it takes longer than to look for thousands.
    constexpr uint32_t kLookBack = 32;
    for (uint32_t back = 0; back < std::min(kLookBack, section.used); ++back)
        if (section.groups[section.used - back] == wanted)
            return entry(section.used - back);
    if (section.used == kGroups - 1)
        makeRoom(section, since);
    section.groups[++section.used] = wanted;
    return entry(section.used);
}

void PackedCells::makeRoom(Section& section, uint32_t since)
{
    std::array<bool, kGroups> mentioned{};
    // Most memory is only read, or only written.
    const auto forEntries = [&](const auto& visit) {
        for (size_t plane = 0; plane < section.entries.size(); ++plane)
            if (section.newest[plane] != 0)
                std::ranges::for_each(section.entries[plane], visit);
    };
    forEntries([&](uint16_t entry) { mentioned[entry >> kGroupShift & kGroupMask] = true; });
    size_t staying = 0;
    for (uint32_t group = 1; group < kGroups; ++group) {
        mentioned[group] = mentioned[group] && section.groups[group].time >= since;
        staying += mentioned[group];
    }
    // A quarter of the table is free afterwards, so that this has not to be done again soon.
    constexpr size_t kMost = kGroups * 3 / 4;
    size_t forgotten = staying > kMost ? staying - kMost : 0;
    std::array<uint16_t, kGroups> moved{};
    uint32_t used = 0;
    for (uint32_t group = 1; group < kGroups; ++group) {
        if (!mentioned[group])
            continue;
        if (forgotten) {  // groups are entered in the order of their time
            --forgotten;
            continue;
        }
        section.groups[++used] = section.groups[group];
        moved[group] = static_cast<uint16_t>(used << kGroupShift);
    }
    section.used = used;
    forEntries([&](uint16_t& entry) {
        const uint16_t group = moved[entry >> kGroupShift & kGroupMask];
        entry = group ? static_cast<uint16_t>((entry & ~(kGroupMask << kGroupShift)) | group) : uint16_t{0};
    });
}

}  // namespace lanescope::simt
