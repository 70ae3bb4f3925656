// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The race check against the definition: two accesses race when they touch one cell, at least one writes, and nothing
// orders them. Accesses and barriers are random, always the same ones.
#include "race_grid.h"

#include <algorithm>
#include <random>
#include <set>

#include <QTest>

using namespace lanescope;
using test::Memory;
using test::RaceGrid;
using test::WordAccess;

namespace {

/// Lanes of each warp that do anything.
constexpr uint32_t kLanes = 3;
constexpr uint32_t kThreads = RaceGrid::kBlocks * RaceGrid::kWarps * kLanes;

uint32_t threadOf(const WordAccess& access)
{
    return (access.block * RaceGrid::kWarps + access.warp) * kLanes + static_cast<uint32_t>(access.lane);
}

/// Vector clocks: of each thread, how many accesses of each other thread come before what it does now.
class Definition {
public:
    void access(const WordAccess& access)
    {
        const uint32_t thread = threadOf(access);
        for (const Done& earlier : m_done)
            if (isSameCell(earlier.access, access) && conflicts(earlier.access, access) &&
                earlier.number >= m_known[thread][threadOf(earlier.access)] && threadOf(earlier.access) != thread)
                m_racy.insert(test::siteOf(access) / 2);
        m_done.push_back({access, m_known[thread][thread]++});
    }
    void meet(const std::vector<uint32_t>& threads)
    {
        Clock all{};
        for (const uint32_t thread : threads)
            for (uint32_t other = 0; other < kThreads; ++other)
                all[other] = std::max(all[other], m_known[thread][other]);
        for (const uint32_t thread : threads)
            m_known[thread] = all;
    }
    [[nodiscard]] const std::set<uint32_t>& racy() const { return m_racy; }

private:
    using Clock = std::array<uint32_t, kThreads>;
    struct Done {
        WordAccess access;
        uint32_t number;
    };
    static bool isSameCell(const WordAccess& a, const WordAccess& b)
    {
        return a.cell == b.cell && a.memory == b.memory && (a.memory == Memory::Global || a.block == b.block);
    }
    static bool conflicts(const WordAccess& a, const WordAccess& b)
    {
        return (a.writes || b.writes) && !(a.atomic && b.atomic);
    }

    std::vector<Clock> m_known = std::vector<Clock>(kThreads);
    std::vector<Done> m_done;
    std::set<uint32_t> m_racy;
};

/// What is done to both, step by step.
class Both {
public:
    explicit Both(uint32_t seed) : m_random(seed) {}

    /// Few lanes and cells, so that they meet; some cells are only for atomics. (Of a cell with both, the last writer
    /// is known and not the one before.)
    void access()
    {
        WordAccess access;
        access.block = m_random() % RaceGrid::kBlocks;
        access.warp = m_random() % RaceGrid::kWarps;
        access.lane = static_cast<int>(m_random() % kLanes);
        access.memory = m_random() % 2 ? Memory::Shared : Memory::Global;
        access.cell = m_random() % RaceGrid::kCells;
        access.atomic = access.cell % 4 == 0;
        access.writes = access.atomic || m_random() % 4 == 0;
        m_grid.access(access);
        m_definition.access(access);
    }
    void meetBlock()
    {
        const uint32_t block = m_random() % RaceGrid::kBlocks;
        simt::meetBlock(m_grid.block(block));
        std::vector<uint32_t> all;
        for (uint32_t warp = 0; warp < RaceGrid::kWarps; ++warp)
            add(all, block, warp, ~LaneMask{0});
        m_definition.meet(all);
    }
    void meetLanes(LaneMask lanes)
    {
        const uint32_t block = m_random() % RaceGrid::kBlocks, warp = m_random() % RaceGrid::kWarps;
        simt::meetLanes(m_grid.warp(block, warp), lanes);
        std::vector<uint32_t> all;
        add(all, block, warp, lanes);
        m_definition.meet(all);
    }
    /// A barrier of two warps.
    void meetWarps()
    {
        const uint32_t block = m_random() % RaceGrid::kBlocks, left = m_random() % RaceGrid::kWarps;
        std::array<LaneMask, simt::WarpOrder::kMostWarps> waiting{};
        std::vector<uint32_t> all;
        for (uint32_t warp = 0; warp < RaceGrid::kWarps; ++warp)
            if (warp != left) {
                waiting[warp] = ~LaneMask{0};
                add(all, block, warp, ~LaneMask{0});
            }
        simt::meetWarps(m_grid.block(block), waiting, {});
        m_definition.meet(all);
    }
    uint32_t random(uint32_t end) { return static_cast<uint32_t>(m_random() % end); }

    [[nodiscard]] const std::set<uint32_t>& expected() const { return m_definition.racy(); }
    [[nodiscard]] std::set<uint32_t> found() const
    {
        std::set<uint32_t> cells;
        for (const device::RaceReport& race : m_grid.races())
            cells.insert(race.sites[1] / 2);
        return cells;
    }

private:
    static void add(std::vector<uint32_t>& threads, uint32_t block, uint32_t warp, LaneMask lanes)
    {
        for (uint32_t lane = 0; lane < kLanes; ++lane)
            if (lanes >> lane & 1)
                threads.push_back((block * RaceGrid::kWarps + warp) * kLanes + lane);
    }

    std::mt19937 m_random;
    RaceGrid m_grid;
    Definition m_definition;
};

QString textOf(const device::Instance& instance)
{
    return QString("blocks %1 %2 threads %3 %4 at %5 epoch %6")
        .arg(instance.blocks[0])
        .arg(instance.blocks[1])
        .arg(instance.threads[0])
        .arg(instance.threads[1])
        .arg(instance.address)
        .arg(instance.epoch);
}

/// All that is told of it.
QString textOf(const device::RaceReport& race)
{
    return QString("sites %1 %2 hazards %3 count %4 harmful %5 threads %6 %7; smallest %8, typical %9")
        .arg(race.sites[0])
        .arg(race.sites[1])
        .arg(race.hazards)
        .arg(race.count)
        .arg(race.harmful)
        .arg(race.threads[0])
        .arg(race.threads[1])
        .arg(textOf(race.instances.smallest()), textOf(race.instances.typical()));
}

}  // namespace

class TestRaceCheck : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void cellsRaceExactlyWhenTheDefinitionSaysSo()
    {
        size_t racy = 0, quiet = 0;
        for (uint32_t seed = 0; seed < kRounds; ++seed) {
            Both both(seed);
            for (uint32_t step = 0, steps = 5 + both.random(60); step < steps; ++step) {
                both.access();
                if (both.random(4) == 0)
                    both.meetBlock();
                if (both.random(3) == 0)
                    both.meetLanes(~LaneMask{0});
            }
            QCOMPARE(both.found(), both.expected());
            racy += both.expected().size();
            quiet += both.expected().empty();
        }
        QVERIFY2(racy > kRounds && quiet > kRounds / 20, qPrintable(QString("%1, %2").arg(racy).arg(quiet)));
    }

    /// Where only some lanes or warps meet, two readers cannot stand for all: races may be missed, none is invented.
    void meetingsOfSomeInventNoRace()
    {
        size_t racy = 0, found = 0;
        for (uint32_t seed = 0; seed < kRounds; ++seed) {
            Both both(seed);
            for (int step = 0; step < 60; ++step) {
                both.access();
                if (both.random(3) == 0)
                    both.meetLanes(1 + both.random(7));
                if (both.random(4) == 0)
                    both.meetWarps();
                if (both.random(12) == 0)
                    both.meetBlock();
            }
            const std::set<uint32_t> cells = both.found();
            QVERIFY(std::ranges::includes(both.expected(), cells));
            racy += both.expected().size();
            found += cells.size();
        }
        QVERIFY2(found * 100 > racy * 95, qPrintable(QString("%1 of %2").arg(found).arg(racy)));
    }

    /// Rows that are looked at as a whole find what their lanes find one by one.
    void rowsFindWhatTheirLanesFind()
    {
        constexpr uint32_t kCells = 96;
        size_t rows = 0, racing = 0;
        for (uint32_t seed = 0; seed < kRounds; ++seed) {
            std::mt19937 random(seed);
            RaceGrid asRows(kCells), byLanes(kCells);
            std::array<uint32_t, kWarpSize> values;
            for (uint32_t step = 0, steps = 10 + random() % 40; step < steps; ++step) {
                test::RowAccess access;
                access.block = random() % RaceGrid::kBlocks;
                access.warp = random() % RaceGrid::kWarps;
                access.memory = random() % 2 ? Memory::Shared : Memory::Global;
                access.lanes = random() % 3 == 0 ? 8 + random() % 25 : 32;
                access.firstLane = static_cast<int>(random() % (33 - access.lanes));
                // Mostly the same ones, so that they meet.
                access.firstCell = random() % 4 == 0 ? random() % (kCells - 32) : 32 * (random() % 2);
                access.site = random() % 3;
                access.writes = random() % 3 == 0;
                access.values = values.data();
                for (uint32_t& value : values)
                    value = random() % (seed % 2 ? 2 : 1000);
                rows += asRows.access(access, true);
                (void)byLanes.access(access, false);
                if (random() % 12 == 0)
                    for (RaceGrid* grid : {&asRows, &byLanes})
                        simt::meetBlock(grid->block(access.block));
                if (random() % 6 == 0)
                    for (RaceGrid* grid : {&asRows, &byLanes})
                        simt::meetLanes(grid->warp(access.block, access.warp), ~LaneMask{0});
            }
            const std::vector<device::RaceReport> found = asRows.races(), expected = byLanes.races();
            QCOMPARE(found.size(), expected.size());
            racing += !found.empty();
            for (size_t i = 0; i < found.size(); ++i)
                QCOMPARE(textOf(found[i]), textOf(expected[i]));
        }
        QVERIFY2(rows > kRounds && racing > kRounds / 2, qPrintable(QString("%1, %2").arg(rows).arg(racing)));
    }

    void aRaceHasBothItsSides()
    {
        RaceGrid grid;
        simt::meetBlock(grid.block(1));
        grid.block(1).epoch = 1;
        grid.access({1, 0, 3, Memory::Shared, 9, true});
        grid.access({1, 2, 8, Memory::Shared, 9, false});
        grid.access({1, 2, 8, Memory::Shared, 9, false});
        QCOMPARE(grid.races().size(), size_t{1});
        const device::RaceReport race = grid.races().front();
        QCOMPARE(race.address, simt::slotAddress(simt::kSharedSlot) + 36);
        QCOMPARE(race.threads[0], 3u);
        QCOMPARE(race.threads[1], 72u);
        QCOMPARE(race.blocks[0], uint64_t{1});
        QVERIFY(race.writes[0] && !race.writes[1] && !race.sameWarp);
        QCOMPARE(race.hazards, uint8_t{device::RaceReport::ReadAfterWrite});
        QCOMPARE(race.count, uint64_t{2});
        QCOMPARE(race.epoch, 1u);
    }

    /// Several threads that set one flag to one value do no harm, but one of them that sets another does.
    void writesOfOneValueDoNoHarm()
    {
        for (const bool changes : {false, true}) {
            RaceGrid grid;
            grid.access({0, 0, 3, Memory::Shared, 5, true});
            grid.access({0, 1, 3, Memory::Shared, 5, true, false, changes});
            QCOMPARE(grid.races().size(), size_t{1});
            QCOMPARE(grid.races().front().harmful, uint64_t{changes});
        }
    }

    void finerAccessesAreToldApart()
    {
        RaceGrid grid;
        simt::MemoryInfo info;
        simt::Warp& warp = grid.warp(0, 0);
        const simt::ObjectEntry& shared = warp.objects[simt::kSharedSlot - simt::kSlotBase];
        for (int lane = 0; lane < 4; ++lane)
            simt::checkLane(warp, info, shared, lane, 8 + static_cast<uint32_t>(lane), 1, true, true, false);
        QVERIFY(grid.races().empty());
        simt::checkLane(warp, info, shared, 5, 10, 1, true, true, false);
        QCOMPARE(grid.races().size(), size_t{1});
    }

private:
    static constexpr uint32_t kRounds = 2000;
};

QTEST_APPLESS_MAIN(TestRaceCheck)
#include "tst_race_check.moc"
