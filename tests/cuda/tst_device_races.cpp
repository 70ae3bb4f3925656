// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The device's race check, run by warps on the host and held against the definition: two accesses of one cell, one of
// them a write, which neither program order nor a barrier orders.
#include <QTest>

#include <bit>
#include <random>
#include <set>

#include "core/cuda/device_races.h"
#include "core/device/reports.h"
#include "core/simt/checks/race_cells.h"
#include "tests/cuda/host_warp.h"

using namespace lanescope;
using namespace lanescope::cuda;

extern "C" {
extern RaceControl __lanescope_races;
extern uint64_t __lanescope_race_slot;
void __lanescope_race_access(uint64_t address, uint32_t info, uint64_t low, uint64_t high, uint32_t bytes,
                             uint32_t shift, uint32_t writes, uint32_t blocksOrdered);
void __lanescope_race_barrier();
void __lanescope_race_warp_sync(uint32_t lanes);
void __lanescope_race_begin();
void __lanescope_race_end();
}

namespace {

constexpr uint32_t kWholeWarp = 0xffffffff;
constexpr uint64_t kFirst = uint64_t{1} << 40;
/// As the GPU places them: below 16 MiB of their window.
constexpr uint64_t kShared = uint64_t{7} << 32;
constexpr uint32_t kCells = 64;

/// The shadow of one buffer and of blocks with some shared memory.
class Shadow {
public:
    explicit Shadow(uint32_t entries = 4096)
        : m_cells(kCells), m_cellsOf{reinterpret_cast<uint64_t>(m_cells.data())}, m_entries(entries),
          m_slots(2 * kSlotBytes / sizeof(RaceCell))
    {
        __lanescope_races = {reinterpret_cast<uint64_t>(m_slots.data()),
                             reinterpret_cast<uint64_t>(m_cellsOf.data()),
                             reinterpret_cast<uint64_t>(m_entries.data()),
                             0,
                             reinterpret_cast<uint64_t>(&m_losses),
                             kFirst,
                             kCells,
                             kSlotBytes,
                             1,
                             2,
                             entries,
                             1};
    }

    [[nodiscard]] std::vector<RaceEntry> races() const
    {
        std::vector<RaceEntry> found;
        for (const RaceEntry& entry : m_entries)
            if (entry.key != 0)
                found.push_back(entry);
        return found;
    }
    [[nodiscard]] const RaceLosses& losses() const { return m_losses; }

private:
    static constexpr uint64_t kSlotBytes =
        (sizeof(RaceSlot) + sizeof(RaceCell) - 1) / sizeof(RaceCell) * sizeof(RaceCell) + kCells * sizeof(RaceCell);

    std::vector<RaceCell> m_cells;
    std::vector<uint64_t> m_cellsOf;
    std::vector<RaceEntry> m_entries;
    std::vector<RaceCell> m_slots;
    RaceLosses m_losses{};
};

struct Access {
    uint32_t block = 0, thread = 0, epoch = 0, meeting = 0;
    bool writes = false, atomic = false, shared = false;
    uint32_t cell = 0;

    [[nodiscard]] bool isOrdered(const Access& later) const
    {
        if (block != later.block)
            return shared;  // not the same memory
        if (thread == later.thread || epoch < later.epoch)
            return true;
        return thread / 32 == later.thread / 32 && meeting < later.meeting;
    }
    [[nodiscard]] bool races(const Access& later) const
    {
        return shared == later.shared && cell == later.cell && (writes || later.writes) && !isOrdered(later) &&
               !(atomic && later.atomic);
    }
};

/// One entry for each cell and kind, so that what is found names the cell.
uint32_t entryOf(const Access& access)
{
    return access.cell * 4 + access.shared * 2 + access.writes;
}

HostPlace placeOf(uint32_t block, uint32_t warp)
{
    return {block, 2, warp, 2, kShared, kShared + 4 * kCells};
}

/// Each block has its own shared variable.
bool runInBlock(uint32_t mask, const std::function<void(uint32_t)>& lane, const HostPlace& place)
{
    static std::array<uint64_t, 3> ofBlock;
    __lanescope_race_slot = ofBlock[place.block];
    const bool ended = runWarp(mask, lane, place);
    ofBlock[place.block] = __lanescope_race_slot;
    return ended;
}

/// Of one warp, whose lanes may come with different entries.
bool makeAccesses(const std::vector<Access>& lanes, const HostPlace& place)
{
    uint32_t mask = 0;
    for (const Access& access : lanes)
        mask |= 1u << access.thread % 32;
    return runInBlock(
        mask,
        [&](uint32_t lane) {
            for (const Access& access : lanes)
                if (access.thread % 32 == lane)
                    __lanescope_race_access((access.shared ? kShared : kFirst) + 4 * access.cell,
                                            entryOf(access) << kTouchSiteShift | (access.atomic ? kTouchAtomic : 0),
                                            access.thread, 0, 4, 2, access.writes, 0);
        },
        place);
}

bool forAllWarps(const std::function<void()>& action)
{
    bool ended = true;
    for (uint32_t block = 0; block < 2; ++block)
        for (uint32_t warp = 0; warp < 2; ++warp)
            ended &= runInBlock(kWholeWarp, [&](uint32_t) { action(); }, placeOf(block, warp));
    return ended;
}

}  // namespace

class DeviceRacesTest : public QObject {
    Q_OBJECT

private slots:
    void cellsRaceExactlyWhenTheDefinitionSaysSo();
    void lanesThatReadAndWriteInOneCallDoNotWait();
    void oneRaceHasBothItsSides();
    void aFullTableCountsWhatItLoses();
    void blocksWithoutASlotAreCounted();
};

/// Two blocks of two warps; cells of each kind, some of them only for atomics. (Of a cell with both, the last writer
/// is known and not the one before.)
void DeviceRacesTest::cellsRaceExactlyWhenTheDefinitionSaysSo()
{
    std::mt19937 random(11);
    size_t racy = 0, quiet = 0;
    for (int round = 0; round < 300; ++round) {
        Shadow shadow;
        std::vector<Access> all;
        QVERIFY(forAllWarps(__lanescope_race_begin));
        std::array<uint32_t, 4> meetings{};
        for (uint32_t epoch = 0; epoch < 3; ++epoch) {
            for (int step = 0; step < 6; ++step) {
                const uint32_t block = random() % 2, warp = random() % 2;
                const uint32_t mask = random() % 3 ? 1u << random() % 32 : random() & random();
                const uint32_t cell = random() % kCells, stride = random() % 2;
                const bool shared = random() % 2, writes = random() % 3 == 0;
                std::vector<Access> lanes;
                for (uint32_t rest = mask; rest != 0; rest &= rest - 1) {
                    const auto lane = static_cast<uint32_t>(std::countr_zero(rest));
                    Access access{block,  warp * 32 + lane,
                                  epoch,  meetings[2 * block + warp],
                                  writes, false,
                                  shared, (cell + stride * lane) % kCells};
                    access.writes |= access.atomic = access.cell % 4 == 0;
                    lanes.push_back(access);
                }
                QVERIFY(lanes.empty() || makeAccesses(lanes, placeOf(block, warp)));
                all.insert(all.end(), lanes.begin(), lanes.end());
                if (random() % 2) {
                    ++meetings[2 * block + warp];
                    QVERIFY(runInBlock(
                        kWholeWarp, [](uint32_t) { __lanescope_race_warp_sync(kWholeWarp); }, placeOf(block, warp)));
                }
            }
            QVERIFY(forAllWarps(__lanescope_race_barrier));
            meetings = {};
        }
        QVERIFY(forAllWarps(__lanescope_race_end));

        std::set<uint32_t> expected, found;
        for (size_t a = 0; a < all.size(); ++a)
            for (size_t b = a + 1; b < all.size(); ++b)
                if (all[a].races(all[b]))
                    expected.insert(entryOf(all[a]) / 2);
        for (const RaceEntry& entry : shadow.races())
            found.insert((entry.key >> 32 & kTouchMaxSite) / 2);
        QCOMPARE(found, expected);
        QCOMPARE(shadow.losses().blocks, uint64_t{0});
        racy += expected.size();
        quiet += expected.empty();
    }
    QVERIFY(racy > 100 && quiet > 10);
}

void DeviceRacesTest::lanesThatReadAndWriteInOneCallDoNotWait()
{
    Shadow shadow;
    QVERIFY(forAllWarps(__lanescope_race_begin));
    std::vector<Access> lanes;
    for (uint32_t lane = 0; lane < 32; ++lane)
        lanes.push_back({0, lane, 0, 0, lane % 3 == 0, false, true, 5});
    QVERIFY(makeAccesses(lanes, placeOf(0, 0)));
    QVERIFY(!shadow.races().empty());
}

void DeviceRacesTest::oneRaceHasBothItsSides()
{
    Shadow shadow;
    QVERIFY(forAllWarps(__lanescope_race_begin));
    QVERIFY(forAllWarps(__lanescope_race_barrier));
    QVERIFY(makeAccesses({{1, 3, 1, 0, true, false, true, 9}}, placeOf(1, 0)));
    QVERIFY(makeAccesses({{1, 40, 1, 0, false, false, true, 9}}, placeOf(1, 1)));
    QCOMPARE(shadow.races().size(), size_t{1});
    const RaceEntry race = shadow.races().front();
    QCOMPARE(race.address, kShared + 36);
    QCOMPARE(race.threads[0], 3u);
    QCOMPARE(race.threads[1], 40u);
    QCOMPARE(race.blocks[1], 1u);
    QCOMPARE(race.epoch, 1u);
    QCOMPARE(race.hazards, uint32_t{lanescope::device::RaceReport::ReadAfterWrite});
    QCOMPARE(race.isShared, 1u);
    QCOMPARE(race.count, uint64_t{1});
}

void DeviceRacesTest::aFullTableCountsWhatItLoses()
{
    Shadow shadow(1);
    QVERIFY(forAllWarps(__lanescope_race_begin));
    for (uint32_t cell = 0; cell < 3; ++cell)
        for (uint32_t block = 0; block < 2; ++block)
            QVERIFY(makeAccesses({{block, 0, 0, 0, true, false, false, cell}}, placeOf(block, 0)));
    QCOMPARE(shadow.races().size(), size_t{1});
    QCOMPARE(shadow.losses().races, uint64_t{2});
}

void DeviceRacesTest::blocksWithoutASlotAreCounted()
{
    Shadow shadow;
    for (uint32_t block = 0; block < 3; ++block)
        QVERIFY(runInBlock(kWholeWarp, [](uint32_t) { __lanescope_race_begin(); }, {block, 3, 0, 1, 0, 0}));
    QCOMPARE(shadow.losses().blocks, uint64_t{1});
}

QTEST_GUILESS_MAIN(DeviceRacesTest)
#include "tst_device_races.moc"
