// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What cells of the race check remember, in how much memory.
#include "core/device/device_memory.h"
#include "core/simt/checks/hidden_writes.h"
#include "core/simt/checks/packed_cells.h"
#include "core/simt/checks/race_cells.h"
#include "core/simt/checks/race_memory.h"

#include <QTest>

#include <cstddef>
#include <vector>

using namespace lanescope;
using namespace lanescope::simt;

namespace {

Toucher toucher(uint32_t block, uint32_t thread, uint32_t time, uint32_t flags = 0)
{
    return {thread | flags, block, time};
}

bool isSame(const Toucher& a, const Toucher& b)
{
    return a.info == b.info && a.block == b.block && a.time == b.time;
}

}  // namespace

class TestPackedCells : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init()
    {
        m_memory.assign(PackedCells::bytesFor(kCells), std::byte{0});
        m_cells.place(m_memory.data());
    }

    void writesThatAtomicsCoverAreKept()
    {
        HiddenWrites hidden;
        QVERIFY(!hidden.mayHold(1));
        hidden.add(5, toucher(2, 33, 7), 1);
        QVERIFY(hidden.mayHold(7));
        QVERIFY2(!hidden.mayHold(8), "there is none so late");
        QVERIFY(isSame(hidden.find(5).value(), toucher(2, 33, 7)));
        QVERIFY(!hidden.find(6));
        hidden.add(5, toucher(0, 1, 9), 1);
        QVERIFY(isSame(hidden.find(5).value(), toucher(0, 1, 9)));
        hidden.clear();
        QVERIFY(!hidden.mayHold(1) && !hidden.find(5));
    }

    void oldCoveredWritesMakeRoom()
    {
        constexpr uint64_t kMost = uint64_t{1} << 16;
        HiddenWrites hidden;
        for (uint64_t cell = 0; cell < kMost; ++cell)
            hidden.add(cell, toucher(0, 0, cell < 10 ? 1 : 5), 1);
        hidden.add(kMost, toucher(0, 0, 5), 1);
        QVERIFY2(!hidden.find(kMost), "all others are still of interest");
        hidden.add(kMost, toucher(0, 0, 5), 2);
        QVERIFY(hidden.find(kMost) && !hidden.find(9) && hidden.find(10));
    }

    void shadowOfGlobalMemoryIsAtMostEightTimesIt_data()
    {
        QTest::addColumn<uint32_t>("cellShift");
        QTest::newRow("bytes") << 0u;
        QTest::newRow("words") << 2u;
    }
    void shadowOfGlobalMemoryIsAtMostEightTimesIt()
    {
        QFETCH(uint32_t, cellShift);
        lanescope::device::DeviceMemory memory(kObject, lanescope::device::DeviceMemory::Range::LeftToDriver);
        const lanescope::Result<lanescope::device::Allocation> object = memory.allocate(kObject, "test");
        QVERIFY(object);
        RaceMemory races(memory);
        QVERIFY(races.cellsOf(object.value().address, cellShift) != nullptr);
        const uint64_t shadow = memory.shadowBytes() + races.bytes();
        QVERIFY2(shadow > 6 * kObject, "race cells are counted");
        QVERIFY2(shadow <= 8 * kObject, qPrintable(QString::number(shadow)));
    }

    /// Which has a bit for each bit on top, for undefined values.
    void shadowOfSharedMemoryIsAtMostEightTimesIt()
    {
        constexpr uint64_t kArray = 48 << 10;
        RaceArena words(kArray, 2, /*global=*/false);
        QVERIFY(words.bytes() > 4 * kArray && words.bytes() + kArray <= 8 * kArray);
        words.refine(1);
        QVERIFY(words.bytes() > 6 * kArray && words.bytes() + kArray <= 8 * kArray);
    }

    void bytesKnowWhatTheirWordKnew()
    {
        RaceArena arena(64, 2, /*global=*/false);
        const RaceCells& cells = *arena.cells();
        cells.setWriter(2, toucher(0, 33, 20), 1);
        cells.setReader(3, toucher(0, 34, 21), 1);
        cells.addReader(3, toucher(0, 35, 21), kTouchManyLanes, 1);
        cells.setWriter(4, toucher(0, 36, 9), 1);
        arena.refine(10);
        for (uint64_t byte = 8; byte < 12; ++byte)
            QVERIFY(isSame(cells.writerOf(byte, 0), toucher(0, 33, 20)));
        for (uint64_t byte = 12; byte < 16; ++byte) {
            QVERIFY(isSame(cells.readerOf(byte, 0), toucher(0, 34, 21, kTouchManyLanes)));
            QVERIFY(isSame(cells.secondReaderOf(byte, 0, 10), toucher(0, 35, 21)));
        }
        QCOMPARE(cells.writerOf(16, 0).time, 0u);  // too long ago
    }

    void secondReadersKnowTheirBlock()
    {
        RaceArena arena(64, 2, /*global=*/true);
        const RaceCells& cells = *arena.cells();
        for (const uint32_t block : {3u, 0x12345u, 0xfffffu}) {
            cells.setReader(5, toucher(7, 1, 20), 1);
            cells.addReader(5, toucher(block, 2, 20, kTouchAtomic | kTouchVolatile), kTouchManyBlocks, 1);
            QVERIFY(isSame(cells.secondReaderOf(5, 0, 1), toucher(block, 2, 20, kTouchAtomic | kTouchVolatile)));
        }
        // Its time is that of its own block, whatever the first reader's is.
        for (const uint32_t time : {9u, 40u, 41u, 999u, 70'000u, 9'000'000u}) {
            cells.setReader(5, toucher(7, 1, 20'000'000), 9);
            cells.addReader(5, toucher(3, 2, time), kTouchManyBlocks, 9);
            const uint32_t kept = cells.secondReaderOf(5, 0, 9).time;
            QVERIFY(kept <= time);
            QVERIFY(time - 9 < 32 ? kept == time : time > 500'000 || (time - kept) * 16 < time);
        }
        // Of huge grids it is at least another block than the first reader's.
        cells.addReader(5, toucher(0x100007, 2, 20), kTouchManyBlocks, 1);
        QVERIFY(cells.secondReaderOf(5, 0, 1).block != 7);
    }

    void columnsAreKeptAsRuns()
    {
        constexpr uint32_t kWidth = 40, kRows = 64, kColumn = 7, kFirstRow = 36, kLanes = 20;
        RaceArena arena(4 * kRows * kWidth, 2, /*global=*/true);
        const RaceCells& cells = *arena.cells();
        QVERIFY(cells.hasStep(kWidth, /*since=*/5, /*now=*/6));
        const RaceCells::Place place = cells.placeOf(kFirstRow * kWidth + kColumn, kWidth);
        QVERIFY(place.index < cells.runCount && place.first == kFirstRow % kRunCells);
        const CellRun run{6, 3, 2, static_cast<uint8_t>(place.first), kLanes};
        QVERIFY(cells.keep(cells.runs[place.index], CellRuns::Writers, run, 5));
        QVERIFY2(cells.planesAreOlder(CellRuns::Writers, 5), "who is in a run alone is not in the planes");
        QVERIFY2(!cells.hasStep(1, 5, 7), "one step for all of a launch");
        QCOMPARE(cells.nextTouched(0, kRows * kWidth, 5), kFirstRow * kWidth + kColumn);
        QVERIFY(isSame(cells.writerOf((kFirstRow + 4) * kWidth + kColumn, 0), toucher(2, 3 + 4, 6)));
        QVERIFY(cells.hasStep(1, 10, 10));
        for (uint32_t row = 0; row < kRows; ++row)
            for (uint32_t column = 0; column < kWidth; ++column) {
                const bool isOfRun = column == kColumn && row >= kFirstRow && row < kFirstRow + kLanes;
                const Toucher writer = cells.writerOf(row * kWidth + column, 0);
                QVERIFY(isOfRun ? isSame(writer, toucher(2, 3 + row - kFirstRow, 6)) : writer.time == 0);
            }
    }

    void everyCellHasALockInEveryLayout()
    {
        for (const uint64_t count : {1u, 33u, 256u, 1000u, 4099u}) {
            RaceArena arena(4 * count, 2, /*global=*/true);
            const RaceCells& cells = *arena.cells();
            for (uint32_t step = 1; step < 300; ++step)
                for (uint64_t cell = 0; cell < count; ++cell) {
                    const uint64_t lock = cells.lockIndexOf(cell, step);
                    QVERIFY(lock < cells.lockCount);
                    // Cells of one place have one lock.
                    if (const RaceCells::Place place = cells.placeOf(cell, step);
                        place.first != 0 && place.index < cells.runCount)
                        QCOMPARE(cells.lockIndexOf(cell - step, step), lock);
                }
        }
    }

    void remembersWhoCameLast()
    {
        QCOMPARE(m_cells.writer(7).time, 0u);
        m_cells.setWriter(7, toucher(3, 65, 20, kTouchAtomic | kTouchSameValue), 1);
        m_cells.setReader(7, toucher(4, 31, 21), 1);
        m_cells.addReader(7, toucher(5, 32, 22, kTouchVolatile), kTouchManyBlocks, 1);
        QVERIFY(isSame(m_cells.writer(7), toucher(3, 65, 20, kTouchAtomic | kTouchSameValue)));
        QVERIFY(isSame(m_cells.reader(7), toucher(4, 31, 21, kTouchManyBlocks)));
        QVERIFY(isSame(m_cells.secondReader(7), toucher(5, 32, 22, kTouchVolatile)));
        QCOMPARE(m_cells.writer(6).time, 0u);
        m_cells.setReader(7, toucher(6, 1, 23), 1);
        QVERIFY(isSame(m_cells.reader(7), toucher(6, 1, 23)));
    }

    /// Every byte of a section by another block, over and over: more than there is room for.
    /// Of much memory little is touched by a launch: what it touched is found without looking at every cell.
    /// Lanes of two bytes each, from lane 3 of the second warp on.
    void rowsAreEnteredAtOnce()
    {
        const PackedCells::Row row{40, 16, 1, toucher(2, 32 + 3, 9)};
        m_cells.setWriter(41, toucher(1, 7, 4), 1);
        QVERIFY2(!m_cells.writeRow(row, 4), "somebody else wrote one of them");
        QCOMPARE(m_cells.writer(42).time, 0u);
        QVERIFY2(m_cells.writeRow(row, 5), "too long ago");
        for (unsigned cell = 0; cell < row.cells; ++cell)
            QVERIFY(isSame(m_cells.writer(row.first + cell), toucher(2, 32 + 3 + cell / 2, 9)));
        QVERIFY(isSame(m_cells.writer(39), toucher(0, 0, 0)) && isSame(m_cells.writer(56), toucher(0, 0, 0)));
        QVERIFY2(m_cells.readRow(row, 5, 0) && m_cells.writeRow(row, 5), "the lanes themselves");
        QVERIFY2(!m_cells.readRow({41, 16, 1, row.toucher}, 5, 0), "other lanes of the warp");
        QVERIFY2(!m_cells.readRow({40, 16, 1, toucher(3, 32 + 3, 9)}, 5, 0), "another block's");
        QVERIFY2(!m_cells.writeRow({PackedCells::kSectionCells - 8, 16, 1, row.toucher}, 5), "in two sections");
    }

    void ofManyReadersOneMoreIsNoNews()
    {
        const PackedCells::Row row{8, 8, 1, toucher(0, 64, 20)};
        for (unsigned cell = 0; cell < row.cells; ++cell) {
            m_cells.setReader(row.first + cell, toucher(0, 32, 20), 10);
            m_cells.addReader(row.first + cell, toucher(0, 1, 20), kTouchManyWarps, 10);
        }
        QVERIFY(m_cells.readRow(row, 10, kTouchManyWarps) && !m_cells.readRow(row, 10, kTouchManyBlocks));
        QVERIFY2(!m_cells.readRow(row, 10, 0), "who they were has to be known");
        QVERIFY2(!m_cells.writeRow(row, 10), "they are others");
        QVERIFY(m_cells.readRow(row, 21, 0) && isSame(m_cells.reader(9), toucher(0, 64, 20)));
    }

    void findsTheNextThatWasTouchedLater()
    {
        constexpr uint64_t kEnd = 3 * PackedCells::kSectionCells;
        std::vector<std::byte> memory(PackedCells::bytesFor(kEnd), std::byte{0});
        PackedCells cells;
        cells.place(memory.data());
        cells.setWriter(PackedCells::kSectionCells + 5, toucher(0, 1, 7), 0);
        QCOMPARE(cells.nextTouched(0, kEnd, 6), uint64_t{PackedCells::kSectionCells});
        QVERIFY(cells.nextTouched(0, kEnd, 7) >= kEnd);
        QVERIFY(cells.nextTouched(2 * PackedCells::kSectionCells, kEnd, 0) >= kEnd);
    }

    void findsTheNextWordThatWasTouchedLater()
    {
        constexpr uint64_t kWords = 1000;
        RaceArena words(4 * kWords, 2, /*global=*/true);
        words.cells()->setWriter(300, toucher(0, 1, 7), 0);
        words.cells()->setReader(700, toucher(0, 1, 8), 0);
        QCOMPARE(words.cells()->nextTouched(0, kWords, 6), uint64_t{300});
        QCOMPARE(words.cells()->nextTouched(0, kWords, 7), uint64_t{700});
        QVERIFY(words.cells()->nextTouched(0, kWords, 8) >= kWords);
    }

    /// Of some cells of a row, on both sides or one, at times not too far apart.
    void runsSayWhatTheyWereGiven()
    {
        const auto isSameRun = [](const CellRun& a, const CellRun& b) {
            return a.time == b.time && a.info == b.info && a.block == b.block && a.first == b.first &&
                   a.cells == b.cells;
        };
        for (const uint8_t first : {0, 1, 7, 31})
            for (int cells = 1; first + cells <= 32; ++cells)
                for (const uint32_t between : {0u, 1u, 32766u, uint32_t(-5), uint32_t(-32767)}) {
                    const CellRun write{100000, 1023 | 8191u << kTouchSiteShift, (1u << 24) - 1, first,
                                        static_cast<uint8_t>(cells)};
                    CellRun read = write;
                    read.time += between;
                    read.info = 1023 | 1u << kTouchSiteShift;
                    CellRuns runs;
                    QVERIFY(CellRuns::canHold(write) && !runs.has(CellRuns::Writers));
                    runs.set(CellRuns::Readers, read);
                    QVERIFY(isSameRun(runs.get(CellRuns::Readers), read) && runs.time(CellRuns::Writers) == 0);
                    QVERIFY(runs.isBesides(CellRuns::Readers, write));
                    runs.set(CellRuns::Writers, write);
                    QVERIFY(isSameRun(runs.get(CellRuns::Readers), read));
                    QVERIFY(isSameRun(runs.get(CellRuns::Writers), write));
                    QVERIFY(runs.meets(CellRuns::Writers, first + unsigned(cells) - 1, 1));
                    QVERIFY(!runs.meets(CellRuns::Writers, first + unsigned(cells), 1));
                    QVERIFY(first == 0 || !runs.meets(CellRuns::Writers, 0, first));
                    CellRuns one = runs;
                    one.clear(CellRuns::Writers);
                    QVERIFY(!one.has(CellRuns::Writers) && isSameRun(one.get(CellRuns::Readers), read));
                    runs.clear(CellRuns::Readers);
                    QVERIFY(!runs.has(CellRuns::Readers) && isSameRun(runs.get(CellRuns::Writers), write));
                }
    }

    void runsOfOneRowAreAlikeOrOneOfThemGoes()
    {
        const CellRun write{100000, 5, 3, 4, 20};
        CellRuns runs;
        runs.set(CellRuns::Writers, write);
        QVERIFY(runs.isBesides(CellRuns::Writers, write));
        for (const CellRun& other :
             {CellRun{100000, 6, 3, 4, 20}, CellRun{100000, 5, 4, 4, 20}, CellRun{100000, 5, 3, 5, 20},
              CellRun{100000, 5, 3, 4, 19}, CellRun{132768, 5, 3, 4, 20}, CellRun{5, 5, 3, 4, 20}})
            QVERIFY(!runs.isBesides(CellRuns::Writers, other));
        QVERIFY(!CellRuns::canHold({1, 5, 1u << 24, 0, 32}) &&
                !CellRuns::canHold({1, 8192u << kTouchSiteShift, 0, 0, 32}));
        QVERIFY(!CellRuns::canHold({1, kTouchVolatile, 0, 0, 32}));
    }

    /// Cells that a run does not have stay as they are.
    void aRunStandsForItsCellsOnly()
    {
        RaceArena words(4 * 64, 2, /*global=*/true);
        const RaceCells& cells = *words.cells();
        for (uint64_t cell = 0; cell < 32; ++cell)
            cells.setWriter(cell, toucher(9, uint32_t(cell), 5), 0);
        QVERIFY(cells.keep(cells.runs[0], CellRuns::Writers, {7, 100, 2, 8, 10}, 0x10));
        QVERIFY2(!cells.keep(cells.runs[0], CellRuns::Readers, {7, 300, 3, 20, 8}, 0x10), "another block's stays");
        QVERIFY2(!cells.keep(cells.runs[0], CellRuns::Writers, {7, 300, 2, 20, 8}, 0x10), "its place is taken");
        for (uint64_t cell = 0; cell < 32; ++cell) {
            const bool isOfRun = cell >= 8 && cell < 18;
            QCOMPARE(cells.writtenAt(cell), isOfRun ? 7u : 5u);
            QCOMPARE(cells.nextTouched(cell, 32, 6) == cell, isOfRun);
        }
        cells.setWriter(3, toucher(9, 3, 6), 0);
        QVERIFY(cells.runs[0].has(CellRuns::Writers));
        QVERIFY(isSame(cells.writerOf(10, 0), toucher(2, 102, 7)));
        QVERIFY(!cells.runs[0].has(CellRuns::Writers));
        QVERIFY(isSame(cells.writerOf(17, 0), toucher(2, 109, 7)) && isSame(cells.writerOf(18, 0), toucher(9, 18, 5)));
    }

    void forgetsTheOldestFirst()
    {
        for (uint32_t time = 1; time <= 5000; ++time)
            m_cells.setWriter(time % kCells, toucher(time, time % 64, time), 1);
        for (uint32_t time = 5000; time > 5000 - 90; --time)
            QVERIFY(isSame(m_cells.writer(time % kCells), toucher(time, time % 64, time)));
        for (uint32_t cell = 0; cell < kCells; ++cell) {
            const Toucher writer = m_cells.writer(cell);
            QVERIFY(writer.time == 0 || (writer.time % kCells == cell && writer.block == writer.time));
        }
    }

    /// Groups of earlier launches make room for those of this one.
    void keepsThisLaunchBeforeEarlierOnes()
    {
        for (uint32_t i = 0; i < 100; ++i)
            m_cells.setReader(i, toucher(i, 0, 10), 1);
        for (uint32_t i = 0; i < 100; ++i)
            m_cells.setWriter(i, toucher(i, 1, 20), 15);
        for (uint32_t i = 0; i < 100; ++i) {
            QVERIFY(isSame(m_cells.writer(i), toucher(i, 1, 20)));
            QVERIFY(m_cells.reader(i).time == 0 || isSame(m_cells.reader(i), toucher(i, 0, 10)));
        }
    }

private:
    static constexpr uint64_t kObject = 1u << 20;
    static constexpr uint32_t kCells = PackedCells::kSectionCells;
    std::vector<std::byte> m_memory;
    PackedCells m_cells;
};

QTEST_APPLESS_MAIN(TestPackedCells)
#include "tst_packed_cells.moc"
