// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What cells of bytes remember, in how much memory.
#include <QTest>

#include <cstddef>
#include <vector>

#include "core/simt/packed_cells.h"

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

    void takesLessThanEightBytesEach() { QVERIFY(PackedCells::bytesFor(1u << 20) < 8u << 20); }

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
    static constexpr uint32_t kCells = PackedCells::kSectionCells;
    std::vector<std::byte> m_memory;
    PackedCells m_cells;
};

QTEST_APPLESS_MAIN(TestPackedCells)
#include "tst_packed_cells.moc"
