// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Blocks of a few warps with a global and a shared array, whose accesses go to the race check: for suites of it.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <deque>
#include <memory>
#include <vector>

#include "core/simt/checks/block_checks.h"
#include "core/simt/checks/race_check.h"
#include "core/simt/checks/race_rows.h"
#include "core/simt/checks/sync_order.h"
#include "core/simt/memory/address_slots.h"

namespace lanescope::test {

enum class Memory : uint8_t { Global, Shared };

/// One lane's access of a word.
struct WordAccess {
    uint32_t block = 0, warp = 0;
    int lane = 0;
    Memory memory = Memory::Global;
    uint32_t cell = 0;
    bool writes = false;
    bool atomic = false;
    bool changes = true;  ///< a write of another value than was there
};

/// A site for each word and kind of access, so that a report names the word.
constexpr uint32_t siteOf(const WordAccess& access)
{
    return access.cell * 4 + (access.memory == Memory::Shared ? 2 : 0) + (access.writes ? 1 : 0);
}

/// Lanes side by side at words side by side.
struct RowAccess {
    uint32_t block = 0, warp = 0;
    Memory memory = Memory::Global;
    int firstLane = 0;
    uint32_t lanes = 0;
    uint32_t firstCell = 0;
    uint32_t site = 0;
    bool writes = false;
    const uint32_t* values = nullptr;  ///< that a write stores, by lane
};

class RaceGrid {
public:
    static constexpr uint32_t kBlocks = 2, kWarps = 3, kCells = 12;

    /// Each array has \p cells.
    explicit RaceGrid(uint32_t cells = kCells) : m_words(cells), m_global(4 * cells, 2, /*global=*/true)
    {
        for (uint32_t i = 0; i < kBlocks; ++i)
            m_blocks.emplace_back(i, cells, *m_global.cells(), m_words.data());
    }

    simt::Block& block(uint32_t index) { return m_blocks[index].block; }
    simt::Warp& warp(uint32_t block, uint32_t warp) { return m_blocks[block].block.warps[warp]; }

    void access(const WordAccess& access)
    {
        simt::MemoryInfo info;
        info.staticSite = info.raceSite = siteOf(access);
        info.isPlain = !access.atomic;
        OneBlock& one = m_blocks[access.block];
        const simt::ObjectEntry& object = one.objects[access.memory == Memory::Shared ? kSharedEntry : kGlobalEntry];
        if (access.memory == Memory::Shared && !access.atomic)
            return accessAsWarp(one, info, object, access);
        simt::checkLane(one.block.warps[access.warp], info, object, access.lane, 4 * access.cell, 4, access.writes,
                        access.changes, access.atomic);
    }

    /// \p asRow: at once where that may be. Whether it was.
    bool access(const RowAccess& access, bool asRow)
    {
        OneBlock& one = m_blocks[access.block];
        const simt::ObjectEntry& object = one.objects[access.memory == Memory::Shared ? kSharedEntry : kGlobalEntry];
        simt::Warp& warp = one.block.warps[access.warp];
        simt::MemoryInfo info;
        info.staticSite = info.raceSite = access.site;
        info.isPlain = true;
        info.bytes = 4;
        info.values[0].form = simt::Form::Vector;
        info.values[0].reg = 0;
        warp.regs = reinterpret_cast<std::byte*>(const_cast<uint32_t*>(access.values));
        const auto lanes = (access.lanes == kWarpSize ? ~LaneMask{0} : (LaneMask{1} << access.lanes) - 1)
                           << access.firstLane;
        std::array<uint32_t, kWarpSize> offsets{};
        for (uint32_t i = 0; i < access.lanes; ++i)
            offsets[static_cast<uint32_t>(access.firstLane) + i] = 4 * (access.firstCell + i);
        bool isDone = false;
        if (asRow)
            isDone = access.writes ? simt::checkRowOfWrites(warp, info, object, offsets.data(), lanes)
                                   : simt::checkRowOfReads(warp, info, object, offsets.data(), lanes);
        if (!isDone && access.writes)
            simt::checkWrites(warp, info, object, offsets.data(), lanes);
        else if (!isDone)
            simt::checkReads(warp, info, object, offsets.data(), lanes);
        for (uint32_t i = 0; access.writes && i < access.lanes; ++i) {
            const uint32_t lane = static_cast<uint32_t>(access.firstLane) + i;
            std::memcpy(object.host + offsets[lane], access.values + lane, sizeof(uint32_t));
        }
        return isDone;
    }

    /// All that were found, of all blocks.
    [[nodiscard]] std::vector<device::RaceReport> races() const
    {
        std::vector<device::RaceReport> all;
        for (const OneBlock& each : m_blocks)
            all.insert(all.end(), each.checks.races.begin(), each.checks.races.end());
        return all;
    }

    /// From here on fences and flags order.
    void startFences()
    {
        for (OneBlock& each : m_blocks)
            each.checks.order = &m_order;
    }
    simt::SyncOrder& order() { return m_order; }

private:
    static constexpr size_t kGlobalEntry = 1, kSharedEntry = simt::kSharedSlot - simt::kSlotBase;

    struct OneBlock {
        OneBlock(uint32_t index, uint32_t cells, simt::RaceCells& global, uint32_t* globalWords)
            : shared(4 * cells, 2, /*global=*/false), words(cells), objects(kSharedEntry + 1)
        {
            objects[kGlobalEntry].races = &global;
            objects[kGlobalEntry].host = reinterpret_cast<std::byte*>(globalWords);
            objects[kSharedEntry].races = shared.cells();
            objects[kSharedEntry].raceArena = &shared;
            objects[kSharedEntry].host = reinterpret_cast<std::byte*>(words.data());
            block.index = index;
            block.cellIndex = static_cast<uint32_t>(index);
            block.checks = &checks;
            block.liveLanes = kWarps * kWarpSize;
            checks.time = 0;
            block.warps.resize(kWarps);
            for (uint32_t i = 0; i < kWarps; ++i) {
                simt::Warp& warp = block.warps[i];
                warp.id = static_cast<uint16_t>(i);
                warp.live = warp.launched = ~LaneMask{0};
                warp.objects = objects.data();
                warp.block = &block;
            }
            simt::meetBlock(block);  // as every block begins
        }
        OneBlock(const OneBlock&) = delete;
        OneBlock& operator=(const OneBlock&) = delete;

        simt::BlockChecks checks;
        simt::RaceArena shared;
        std::vector<uint32_t> words;  ///< of the shared array
        std::vector<simt::ObjectEntry> objects;
        simt::Block block;
    };

    /// As handlers do, of a warp that has no other lanes.
    static void accessAsWarp(OneBlock& one, simt::MemoryInfo& info, const simt::ObjectEntry& object,
                             const WordAccess& access)
    {
        simt::Warp& warp = one.block.warps[access.warp];
        std::array<uint32_t, kWarpSize> offsets{};
        offsets[static_cast<size_t>(access.lane)] = 4 * access.cell;
        info.bytes = 4;
        if (!access.writes)
            return simt::checkReads(warp, info, object, offsets.data(), LaneMask{1} << access.lane);
        info.values[0].form = simt::Form::Scalar;
        uint64_t value = one.words[access.cell] + (access.changes ? 1u : 0u);
        warp.scalars = &value;
        simt::checkWrites(warp, info, object, offsets.data(), LaneMask{1} << access.lane);
    }

    std::vector<uint32_t> m_words;  ///< of the global array
    simt::RaceArena m_global;
    simt::SyncOrder m_order;
    std::deque<OneBlock> m_blocks;
};

}  // namespace lanescope::test
