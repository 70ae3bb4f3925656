// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/cuda/race_shadow.h"

#include <fmt/format.h>

#include <algorithm>

namespace lanescope::cuda {

using device::DeviceMemory;

namespace {

constexpr int kReservedShared = 111;  // CU_DEVICE_ATTRIBUTE_RESERVED_SHARED_MEMORY_PER_BLOCK; below a block's own
constexpr int kSharedBytes = 1;       // CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES
constexpr uint32_t kEntries = 4096;

/// What is kept in m_blocks before the cells of global memory.
enum Kept : size_t { Slots, CellTable, Entries, Objects, Losses, FirstCells };

void add(std::string& note, const std::string& sentence)
{
    note += (note.empty() ? "" : "; ") + sentence;
}

}  // namespace

RaceShadow::~RaceShadow()
{
    for (const Block& block : m_blocks)
        if (block.address)
            m_driver.free(block.address);
}

Result<DevicePointer> RaceShadow::zeros(size_t index, uint64_t bytes)
{
    if (index >= m_blocks.size())
        m_blocks.resize(index + 1);
    Block& block = m_blocks[index];
    if (block.bytes < bytes) {
        if (block.address)
            m_driver.free(block.address);
        block = {};
        if (const DriverStatus status = m_driver.allocate(&block.address, bytes))
            return m_driver.error(status, "the GPU has no memory for the race check");
        block.bytes = bytes;
    }
    if (const DriverStatus status = m_driver.fill(block.address, 0, bytes))
        return m_driver.error(status, "the race check cannot be prepared");
    return block.address;
}

/// One slot for each block that can run at a time, and one more for each multiprocessor.
Result<void> RaceShadow::placeSlots(const device::DeviceLaunch& launch, Function kernel, uint32_t shift)
{
    int processors = 0, reserved = 0, staticBytes = 0, blocks = 0;
    m_driver.deviceAttribute(&reserved, kReservedShared, 0);
    m_driver.deviceAttribute(&processors, kMultiprocessors, 0);
    m_driver.functionAttribute(&staticBytes, kSharedBytes, kernel);
    m_driver.activeBlocks(&blocks, kernel, static_cast<int>(launch.block.count()), launch.dynamicSharedBytes);
    const uint64_t shared =
        static_cast<uint64_t>(reserved) + static_cast<uint64_t>(staticBytes) + launch.dynamicSharedBytes;
    m_control.sharedCells = (shared >> shift) + 1;
    m_control.slotBytes = sizeof(RaceSlot) + m_control.sharedCells * sizeof(RaceCell);
    m_control.slotsPerPart = static_cast<uint32_t>(std::max(blocks, 1)) + 1;
    const Result<DevicePointer> slots =
        zeros(Slots, m_control.slotBytes * m_control.slotsPerPart * static_cast<uint64_t>(std::max(processors, 1)));
    if (!slots)
        return slots.error();
    m_control.firstSlot = slots.value();
    m_control.parts = static_cast<uint32_t>(std::max(processors, 1));
    return {};
}

Result<void> RaceShadow::placeCells(const device::DeviceLaunch& launch, const DeviceMemory& memory, uint32_t shift,
                                    std::string& note)
{
    std::vector<uint64_t> table;
    size_t next = FirstCells;
    for (const device::Allocation& allocation : memory.allocations()) {
        if (!allocation.live || allocation.constant || !launch.mayBeWritten(allocation.address))
            continue;
        const uint64_t slot = (allocation.address >> 32) - DeviceMemory::kFirstSlot;
        table.resize(std::max<size_t>(table.size(), slot + 1));
        const Result<DevicePointer> cells = zeros(next++, ((allocation.bytes >> shift) + 1) * sizeof(RaceCell));
        if (cells)
            table[slot] = cells.value();
        else
            add(note, fmt::format("{}; races on {} are not looked for", cells.error().text(), allocation.origin));
    }
    m_control.firstAddress = DeviceMemory::kFirstSlot << 32;
    m_control.addressSlots = static_cast<uint32_t>(table.size());
    const Result<DevicePointer> place = zeros(CellTable, std::max<size_t>(table.size(), 1) * sizeof(uint64_t));
    if (!place)
        return place.error();
    m_control.cellsOf = place.value();
    const DriverStatus status =
        table.empty() ? 0 : m_driver.copyToDevice(place.value(), table.data(), table.size() * sizeof(uint64_t));
    return status == 0 ? Result<void>() : m_driver.error(status, "the race check cannot be prepared");
}

Result<void> RaceShadow::prepare(const device::DeviceLaunch& launch, const DeviceMemory& memory, DeviceCode& code,
                                 Function kernel, std::string& note)
{
    const RaceShape shape = code.raceShape();
    m_objects = shape.objects;
    m_control = {};
    if (!m_limitsSaid && (shape.limits & kRaceNotAtAll))
        add(note, "races are not looked for: the program has barriers of part of a block, of clusters, or mbarriers");
    else if (!m_limitsSaid && (shape.limits & kRaceNotOfBlocks))
        add(note, "races between blocks are not looked for: the program has fences, which may order them");
    m_limitsSaid = true;
    if (Result<void> placed = placeSlots(launch, kernel, shape.shift); !placed)
        return placed;
    if (Result<void> placed = placeCells(launch, memory, shape.shift, note); !placed)
        return placed;
    const Result<DevicePointer> entries = zeros(Entries, kEntries * sizeof(RaceEntry));
    const Result<DevicePointer> objects = zeros(Objects, (m_objects + 1) * sizeof(RaceObject));
    const Result<DevicePointer> losses = zeros(Losses, sizeof(RaceLosses));
    for (const Result<DevicePointer>* kept : {&entries, &objects, &losses})
        if (!*kept)
            return kept->error();
    m_control.entries = entries.value();
    m_control.entryCount = kEntries;
    m_control.objects = objects.value();
    m_control.losses = losses.value();
    return code.setRaces(m_control);
}

Result<std::vector<std::pair<uint64_t, device::RaceReport>>>
RaceShadow::read(const LaunchTables& tables, std::span<const CountEntry> places, std::string& note) const
{
    RaceLosses losses{};
    std::vector<RaceEntry> entries(kEntries);
    std::vector<RaceObject> objects(m_objects);
    DriverStatus status = m_driver.copyToHost(entries.data(), m_control.entries, entries.size() * sizeof(RaceEntry));
    if (status == 0 && m_objects != 0)
        status = m_driver.copyToHost(objects.data(), m_control.objects, objects.size() * sizeof(RaceObject));
    if (status == 0)
        status = m_driver.copyToHost(&losses, m_control.losses, sizeof losses);
    if (status != 0)
        return m_driver.error(status, "the races cannot be read");
    if (losses.blocks != 0)
        add(note, fmt::format("races of {} blocks were not looked for: they had no place for their shared memory",
                              losses.blocks));
    if (losses.races != 0)
        add(note,
            fmt::format("{} occurrences of races were left out: over {} pairs of places race", losses.races, kEntries));
    std::vector<std::pair<uint64_t, device::RaceReport>> races;
    for (const RaceEntry& entry : entries) {
        device::RaceReport race;
        const size_t sides[2] = {static_cast<size_t>(entry.key >> 32 & kTouchMaxSite),
                                 static_cast<size_t>(entry.key >> 2 & kTouchMaxSite)};
        if (entry.key == 0 || sides[0] >= places.size() || sides[1] >= places.size())
            continue;
        bool isKnown = true;
        for (size_t side = 0; side < 2; ++side) {
            const SiteId site = tables.siteOf(places[sides[side]].place);
            isKnown &= site != kNoSite;
            race.sites[side] = tables.indexOf(site);
            race.threads[side] = entry.threads[side];
            race.blocks[side] = entry.blocks[side];
        }
        if (!isKnown)
            continue;
        race.writes[0] = (entry.key >> 1 & 1) != 0;
        race.writes[1] = (entry.key & 1) != 0;
        race.hazards = static_cast<uint8_t>(entry.hazards);
        race.atomicSide = entry.atomicSide != 0;
        race.sameWarp =
            entry.blocks[0] == entry.blocks[1] && entry.threads[0] / kWarpSize == entry.threads[1] / kWarpSize;
        race.epoch = entry.epoch;
        race.address = entry.address;
        race.count = entry.count;
        race.harmful = entry.harmful;
        for (const RaceObject& object : objects) {
            const LaunchTables::Object* known = tables.object(static_cast<uint32_t>(object.key));
            if (entry.isShared && known && entry.address - object.address < known->bytes)
                race.address = known->address + (entry.address - object.address);
        }
        races.emplace_back(race.blocks[1], race);
    }
    // The table's order is a matter of chance.
    std::sort(races.begin(), races.end(), [](const auto& a, const auto& b) {
        return std::tie(a.second.sites[0], a.second.sites[1], a.second.writes[0]) <
               std::tie(b.second.sites[0], b.second.sites[1], b.second.writes[0]);
    });
    return races;
}

}  // namespace lanescope::cuda
