// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Cells of bytes in less than 7 bytes each. The lanes of a warp that touch memory together say the same of it but for
// their number, so a cell holds numbers only: of a *group* (warp, site, time, block) and of the lane in it. Groups
// stand in a table of the section of memory that they are used in. When a table is full, groups that no cell mentions
// any more make room, or that are too long ago to matter; failing that, the oldest: what they did is forgotten, so that
// a race with it may be missed, but none is made up.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "core/device/touch_flags.h"

namespace lanescope::simt {

/// Of a cell whose writer is a copy under way: later than every barrier.
inline constexpr uint32_t kTimeOfPendingCopy = UINT32_MAX;

/// Who touched a cell, and when.
struct Toucher {
    uint32_t info = 0;
    uint32_t block = 0;
    uint32_t time = 0;

    [[nodiscard]] uint32_t thread() const { return info & kTouchThread; }
    [[nodiscard]] uint32_t warp() const { return thread() / kLanesPerGroup; }

    static constexpr uint32_t kLanesPerGroup = 32;
};

/// As the planes of RaceCells, for the bytes of one object. Where it lies is zero-filled at first,
/// and paid for when touched.
class PackedCells {
public:
    static constexpr unsigned kSectionShift = 12;
    static constexpr unsigned kSectionCells = 1u << kSectionShift;

    /// Bytes of memory that \p cells cells take.
    static uint64_t bytesFor(uint64_t cells);
    void place(std::byte* memory) { m_sections = reinterpret_cast<Section*>(memory); }

    [[nodiscard]] Toucher writer(uint64_t cell) const { return toucherOf(cell, Writers); }
    [[nodiscard]] Toucher reader(uint64_t cell) const { return toucherOf(cell, Readers); }
    [[nodiscard]] Toucher secondReader(uint64_t cell) const { return toucherOf(cell, SecondReaders); }
    void setWriter(uint64_t cell, const Toucher& toucher, uint32_t since);
    void setReader(uint64_t cell, const Toucher& toucher, uint32_t since);
    void addReader(uint64_t cell, const Toucher& toucher, uint32_t flag, uint32_t since);

    /// Neighbouring cells that neighbouring lanes of a warp touch at once.
    struct Row {
        uint64_t first = 0;
        unsigned cells = 0;
        unsigned perLane = 0;  ///< log2 of how many each lane touches
        Toucher toucher;       ///< the first lane
    };
    /// Enters all lanes as writers, or readers. False, and nothing is changed, where somebody else has touched a cell
    /// at
    /// \p since or later, or the row is in two sections.
    bool writeRow(const Row& row, uint32_t since);
    /// \p manyFlag: what marks cells of which it need not be known who else read them; 0: that has to be known always.
    bool readRow(const Row& row, uint32_t since, uint32_t manyFlag);
    /// The first cell from \p cell on that lies in a section touched after \p time, or one at or behind \p end.
    [[nodiscard]] uint64_t nextTouched(uint64_t cell, uint64_t end, uint32_t time) const;

private:
    // A cell's entry: lane, group (0: none), flags that are the cell's own.
    static constexpr unsigned kGroupShift = 5;
    static constexpr unsigned kGroupMask = 255;
    static constexpr unsigned kGroups = 240;  ///< so many that a section takes less than 8 bytes a cell by a good part
    static constexpr unsigned kFlagShift = 13;
    static constexpr unsigned kWriterFlagShift = 27;
    static constexpr unsigned kReaderFlagShift = 28;
    static_assert(kTouchSameValue == 1u << kWriterFlagShift && kTouchManyLanes == 1u << kReaderFlagShift);
    struct Group {
        uint32_t time;
        uint32_t info;  ///< of lane 0
        uint32_t block;
        bool operator==(const Group&) const = default;
    };
    struct Section {
        std::array<std::array<uint16_t, kSectionCells>, 3> entries;  ///< writers, readers, second readers
        std::array<Group, kGroups> groups;
        uint32_t used;                   ///< of groups, but for the first, which is nobody
        std::array<uint32_t, 3> newest;  ///< time of who is in each plane, or a later one
    };
    enum Plane : uint8_t { Writers, Readers, SecondReaders };

    [[nodiscard]] Section& sectionOf(uint64_t cell) const { return m_sections[cell >> kSectionShift]; }
    [[nodiscard]] uint16_t& entryOf(uint64_t cell, Plane plane) const
    {
        return sectionOf(cell).entries[plane][cell % kSectionCells];
    }
    [[nodiscard]] Toucher toucherOf(uint64_t cell, Plane plane) const
    {
        const uint16_t entry = entryOf(cell, plane);
        const Group& group = sectionOf(cell).groups[entry >> kGroupShift & kGroupMask];
        const uint32_t flags = uint32_t{entry} >> kFlagShift
                                                      << (plane == Writers ? kWriterFlagShift : kReaderFlagShift);
        return {group.info | (entry & (Toucher::kLanesPerGroup - 1)) | flags, group.block, group.time};
    }
    /// Whether nobody but the row's own lanes has touched its cells, in one plane, at \p since or later.
    [[nodiscard]] bool isRowsOwn(const Row& row, Plane plane, uint32_t since) const;
    /// The same of cells that may have several groups.
    [[nodiscard]] bool areCellsRowsOwn(const Row& row, Plane plane, uint32_t since) const;
    void setRow(const Row& row, Plane plane, uint32_t since);
    [[nodiscard]] static bool isInOneSection(const Row& row)
    {
        return row.first >> kSectionShift == (row.first + row.cells - 1) >> kSectionShift;
    }
    /// The entry that \p toucher gets in a plane, its group found or made.
    static uint16_t enter(Section& section, Plane plane, const Toucher& toucher, uint32_t since);
    static void makeRoom(Section& section, uint32_t since);

    Section* m_sections = nullptr;
};

}  // namespace lanescope::simt
