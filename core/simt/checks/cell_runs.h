// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What many lanes did to a row of cells, in one entry.
#pragma once

#include <cstdint>

#include "core/device/touch_flags.h"

namespace lanescope::simt {

/// What neighbouring lanes of a warp wrote to cells at once, or read there, one each; the cells are neighbours, too, or
/// lie as far apart as the object's runs do (RaceCells::stepNow). Where its time is not 0, it stands for what the
/// planes say of these cells' writers, or of their readers. All of them are in one row of kRunCells cells.
struct CellRun {
    uint32_t time = 0;
    uint32_t info = 0;  ///< toucher of the first cell
    uint32_t block = 0;
    uint8_t first = 0;  ///< of the row's cells
    uint8_t cells = 0;
};
inline constexpr unsigned kRunShift = 5;
inline constexpr unsigned kRunCells = 1u << kRunShift;

/// Of one row of cells a run of writers and one of readers, in as little room as is left for them: of the same cells,
/// by the same lanes, of plain accesses, at sites, of blocks and at times that are not too far apart.
class CellRuns {
public:
    enum Side : uint8_t { Writers, Readers };
    static Side otherOf(Side side) { return static_cast<Side>(1 - side); }

    [[nodiscard]] bool has(Side side) const { return (who() >> kHasShift[side] & 1) != 0; }
    /// 0: there is none.
    [[nodiscard]] uint32_t time(Side side) const
    {
        if (!has(side))
            return 0;
        return side == Readers && has(Writers) ? firstTime() + static_cast<uint32_t>(timeBetween()) : firstTime();
    }
    /// Where there is one.
    [[nodiscard]] CellRun get(Side side) const
    {
        const uint64_t who = this->who();
        const auto site = static_cast<uint32_t>(who >> kSiteShift[side] & kSites);
        return {time(side), static_cast<uint32_t>(who >> kThreadShift & kThreads) | site << kTouchSiteShift,
                static_cast<uint32_t>(who & kMostBlocks), static_cast<uint8_t>(first()), static_cast<uint8_t>(cells())};
    }
    [[nodiscard]] bool isOf(Side side, unsigned first, unsigned cells) const
    {
        return has(side) && this->first() == first && this->cells() == cells;
    }
    /// Whether one of the cells from \p first on is in that run.
    [[nodiscard]] bool meets(Side side, unsigned first, unsigned cells) const
    {
        return has(side) && first < this->first() + this->cells() && this->first() < first + cells;
    }
    /// Whether \p run is what stands on a side.
    [[nodiscard]] bool holds(Side side, const CellRun& run) const
    {
        const uint64_t mask =
            kShared | uint64_t{3} << kCellsShift | kSites << kSiteShift[side] | uint64_t{1} << kHasShift[side];
        return ((who() ^ whoOf(side, run)) & mask) == 0 && at<uint8_t>(kSpanAt) == spanOf(run) &&
               time(side) == run.time && canHold(run);
    }
    [[nodiscard]] static bool canHold(const CellRun& run)
    {
        return run.info >> (kTouchSiteShift + kSiteBits) == 0 && run.block <= kMostBlocks;
    }
    /// Whether \p run may stand on a side, the other being as it is.
    [[nodiscard]] bool isBesides(Side other, const CellRun& run) const
    {
        if (!has(other))
            return true;
        const auto between = static_cast<int32_t>(time(other) - run.time);
        return ((who() ^ whoOf(other, run)) & kShared) == 0 && first() == run.first && cells() == run.cells &&
               between > INT16_MIN && between < INT16_MAX;
    }
    /// Other than of \p block.
    [[nodiscard]] bool isOfOtherBlock(Side side, uint32_t block) const
    {
        return has(side) && (who() & kMostBlocks) != block;
    }
    [[gnu::always_inline]] void set(Side side, const CellRun& run)
    {
        const Side other = otherOf(side);
        const uint32_t beside = time(other);
        const uint64_t kept = who() & (kSites << kSiteShift[other] | uint64_t{1} << kHasShift[other]);
        setWho(kept | whoOf(side, run));
        m_bytes[kSpanAt] = std::byte{spanOf(run)};
        const uint32_t first = side == Readers && beside != 0 ? beside : run.time;
        const auto between = static_cast<int16_t>((side == Writers ? beside : run.time) - first);
        __builtin_memcpy(m_bytes, &first, sizeof first);
        __builtin_memcpy(m_bytes + kBetweenAt, &between, sizeof between);
    }
    void clear(Side side)
    {
        const uint32_t left = time(otherOf(side));
        setWho(who() & ~(uint64_t{1} << kHasShift[side]));
        __builtin_memcpy(m_bytes, &left, sizeof left);
    }

private:
    // Bytes: the time of the writers, or of the readers where there are no writers (4), how much later the readers are
    // (2), first cell and the upper bits of how many there are (1), block, threads, sites, what there is (8).
    static constexpr unsigned kBetweenAt = 4, kSpanAt = 6, kWhoAt = 7;
    static constexpr unsigned kSiteBits = 13, kThreadShift = 24, kCellsShift = 62, kFirstBits = 5, kCellsInWho = 2;
    static constexpr unsigned kSiteShift[] = {34, 47}, kHasShift[] = {60, 61};
    static constexpr uint64_t kMostBlocks = (uint64_t{1} << kThreadShift) - 1, kSites = (uint64_t{1} << kSiteBits) - 1,
                              kThreads = kTouchThread;
    static constexpr uint64_t kShared = kThreads << kThreadShift | kMostBlocks;
    static_assert(kTouchThread < 1u << 10);

    template <typename T>
    [[nodiscard]] T at(unsigned index) const
    {
        T value;
        __builtin_memcpy(&value, m_bytes + index, sizeof value);
        return value;
    }
    [[nodiscard]] uint32_t firstTime() const { return at<uint32_t>(0); }
    [[nodiscard]] int32_t timeBetween() const { return at<int16_t>(kBetweenAt); }
    [[nodiscard]] uint64_t who() const { return at<uint64_t>(kWhoAt); }
    [[nodiscard]] unsigned first() const { return at<uint8_t>(kSpanAt) & ((1u << kFirstBits) - 1); }
    [[nodiscard]] unsigned cells() const
    {
        return (unsigned{at<uint8_t>(kSpanAt)} >> kFirstBits << kCellsInWho |
                static_cast<unsigned>(who() >> kCellsShift)) +
               1;
    }
    static uint64_t whoOf(Side side, const CellRun& run)
    {
        return run.block | uint64_t{run.info & kTouchThread} << kThreadShift |
               uint64_t{run.info >> kTouchSiteShift} << kSiteShift[side] | uint64_t{1} << kHasShift[side] |
               uint64_t{run.cells - 1u} << kCellsShift;
    }
    static uint8_t spanOf(const CellRun& run)
    {
        return static_cast<uint8_t>(run.first | (run.cells - 1u) >> kCellsInWho << kFirstBits);
    }
    void setWho(uint64_t who) { __builtin_memcpy(m_bytes + kWhoAt, &who, sizeof who); }

    std::byte m_bytes[kWhoAt + sizeof(uint64_t)] = {};
};

}  // namespace lanescope::simt
