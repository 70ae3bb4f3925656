// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs of cells against what they stand for: each cell with its own toucher. Accesses are random, always the same ones.
#include "core/simt/checks/race_cells.h"

#include <array>
#include <random>

#include <QTest>

using namespace lanescope;
using simt::CellRun;
using simt::CellRuns;
using simt::RaceCells;
using simt::Toucher;

namespace {

constexpr unsigned kCells = 64;
constexpr uint32_t kSite = 3;

/// By cell: who touched it last.
using Touchers = std::array<Toucher, kCells>;

CellRun randomRun(std::mt19937& random, CellRun::Side side, uint32_t time)
{
    CellRun run{.time = time};
    run.info = random() % 3 * kWarpSize | kSite << kTouchSiteShift;
    run.block = random() % 2;
    run.side = side;
    run.perLane = static_cast<uint8_t>(random() % 3);
    run.base = static_cast<uint8_t>(random() % 2 ? 0 : random() % kWarpSize);
    run.first = static_cast<uint8_t>(random() % 2 ? 0 : random() % simt::kRunCells);
    run.last =
        static_cast<uint8_t>(random() % 2 ? simt::kRunCells - 1 : run.first + random() % (simt::kRunCells - run.first));
    return run;
}

/// One launch's accesses, from its first time on.
class Launch {
public:
    Launch(const RaceCells& cells, std::mt19937& random, uint32_t since)
        : m_cells(cells), m_random(random), m_since(since), m_time(since)
    {
    }

    void access()
    {
        const CellRun::Side side = m_random() % 2 ? CellRun::Writers : CellRun::Readers;
        const uint64_t row = m_random() % (kCells / simt::kRunCells);
        const CellRun run = randomRun(m_random, side, m_time++);
        const CellRuns::Packed packed = CellRuns::pack(run);
        CellRuns& place = m_cells.runs[row];
        if (!place.isByOthers(side, packed, m_since) && m_cells.keep(place, run.time, packed, m_since)) {
            QVERIFY(place.covers(side, packed, m_since));
            ++kept;
        } else {
            for (unsigned i = run.first; i <= run.last; ++i)
                set(side, cellOf(row, i), {run.toucher(i), run.block, run.time});
        }
        for (unsigned i = run.first; i <= run.last; ++i)
            m_last[side][cellOf(row, i)] = {run.toucher(i), run.block, run.time};
    }

    /// Without a change to what is kept.
    void compareTimes() const
    {
        for (unsigned cell = 0; cell < kCells; ++cell)
            if (m_last[CellRun::Writers][cell].time)
                QCOMPARE(m_cells.writtenAt(cell), m_last[CellRun::Writers][cell].time);
    }
    void compare() const
    {
        for (unsigned cell = 0; cell < kCells; ++cell) {
            compare(m_cells.writerOf(cell, 0), m_last[CellRun::Writers][cell]);
            compare(m_cells.readerOf(cell, 0), m_last[CellRun::Readers][cell]);
        }
    }

    int kept = 0;

private:
    static unsigned cellOf(uint64_t row, unsigned inRow)
    {
        return static_cast<unsigned>(row) * simt::kRunCells + inRow;
    }
    void set(CellRun::Side side, uint64_t cell, const Toucher& toucher) const
    {
        if (side == CellRun::Writers)
            m_cells.setWriter(cell, toucher, m_since);
        else
            m_cells.setReader(cell, toucher, m_since);
    }
    void compare(const Toucher& found, const Toucher& expected) const
    {
        if (expected.time == 0) {
            QVERIFY(found.time < m_since);
            return;
        }
        QCOMPARE(found.info, expected.info);
        QCOMPARE(found.block, expected.block);
        QCOMPARE(found.time, expected.time);
    }

    const RaceCells& m_cells;
    std::mt19937& m_random;
    uint32_t m_since;
    uint32_t m_time;
    std::array<Touchers, 2> m_last{};
};

}  // namespace

class TestCellRuns : public QObject {
    Q_OBJECT

private slots:
    void standForTheirCells()
    {
        std::mt19937 random(7);
        simt::RaceArena arena(kCells * 4, simt::kWordCells, /*global=*/true);
        const RaceCells& cells = *arena.cells();
        int kept = 0, accesses = 0;
        for (uint32_t round = 0; round < 20'000 && !QTest::currentTestFailed(); ++round) {
            Launch launch(cells, random, 1 + round * 100);
            for (unsigned count = 1 + random() % 12; count-- > 0; ++accesses)
                launch.access();
            launch.compareTimes();
            launch.compare();
            kept += launch.kept;
        }
        QVERIFY(kept > accesses / 10);
        QVERIFY(kept < accesses);
    }

    void arePacked()
    {
        std::mt19937 random(11);
        for (int i = 0; i < 1000; ++i) {
            const CellRun run = randomRun(random, CellRun::Readers, 5);
            CellRuns runs;
            QVERIFY(runs.keep(run.time, CellRuns::pack(run), 1));
            const CellRun back = runs.get(runs.time(0) ? 0 : 1);
            QCOMPARE(std::tie(back.time, back.info, back.block, back.side, back.perLane),
                     std::tie(run.time, run.info, run.block, run.side, run.perLane));
            QCOMPARE(std::tie(back.base, back.first, back.last), std::tie(run.base, run.first, run.last));
        }
    }

    void holdFewSitesAndBlocks()
    {
        QVERIFY(CellRuns::canHold({.info = 8191u << kTouchSiteShift, .block = (1u << 24) - 1}));
        QVERIFY(!CellRuns::canHold({.info = 8192u << kTouchSiteShift}));
        QVERIFY(!CellRuns::canHold({.block = 1u << 24}));
    }

    /// Of two warps that share a row both are kept; a third is not.
    void holdTwo()
    {
        CellRuns runs;
        const auto part = [](uint32_t warp, uint8_t first, uint8_t last) {
            return CellRuns::pack({.info = warp * kWarpSize, .first = first, .last = last});
        };
        QVERIFY(runs.keep(5, part(0, 0, 7), 5));
        QVERIFY(runs.keep(5, part(1, 8, 20), 5));
        QVERIFY(!runs.keep(5, part(2, 21, 31), 5));
        QVERIFY(runs.isByOthers(CellRun::Writers, part(2, 7, 9), 5));
        QVERIFY(!runs.isByOthers(CellRun::Writers, part(2, 21, 31), 5));
        QVERIFY(!runs.isByOthers(CellRun::Readers, part(2, 7, 9), 5));
        QVERIFY(!runs.isByOthers(CellRun::Writers, part(2, 7, 9), 6));
        QVERIFY(runs.keep(6, part(2, 0, 31), 6));
    }
};

QTEST_APPLESS_MAIN(TestCellRuns)
#include "tst_cell_runs.moc"
