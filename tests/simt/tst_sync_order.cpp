// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What fences and flags order: a writer that fences before it sets a flag, a reader that fences behind reading it.
#include "race_grid.h"

#include <functional>
#include <initializer_list>

#include <QTest>

using namespace lanescope;
using simt::FlagUse;
using simt::SyncScope;
using test::Memory;
using test::RaceGrid;

namespace {

struct Thread {
    uint32_t block = 0, warp = 0;
    int lane = 0;
};

constexpr uint64_t kFlag = simt::slotAddress(simt::kSlotBase + 1) + 40;
constexpr Thread kWriter{0, 0, 1};

/// A grid where kWriter hands a word on to others.
class Handing {
public:
    Handing() { m_grid.startFences(); }

    Handing& writes(const Thread& thread, uint32_t cell = 3)
    {
        m_grid.access({thread.block, thread.warp, thread.lane, Memory::Global, cell, true});
        return *this;
    }
    Handing& reads(const Thread& thread, uint32_t cell = 3)
    {
        m_grid.access({thread.block, thread.warp, thread.lane, Memory::Global, cell, false});
        return *this;
    }
    Handing& fences(const Thread& thread, SyncScope scope = SyncScope::Device)
    {
        m_grid.order().fence(warpOf(thread), LaneMask{1} << thread.lane, scope);
        return *this;
    }
    Handing& flags(const Thread& thread, FlagUse use, SyncScope scope = SyncScope::Device, uint64_t flag = kFlag)
    {
        simt::MemoryInfo info;
        info.isAtomic = true;
        info.isPlain = false;
        info.blockScope = scope == SyncScope::Block;
        simt::synchronise(warpOf(thread), info, thread.lane, flag, use);
        return *this;
    }
    Handing& meetBlock(uint32_t block)
    {
        simt::meetBlock(m_grid.block(block));
        return *this;
    }
    /// As a block whose threads start apart.
    Handing& hasNotMet(uint32_t block)
    {
        m_grid.block(block).checks->epochStart = 0;
        for (simt::Warp& warp : m_grid.block(block).warps)
            warp.syncTime = 0;
        return *this;
    }
    Handing& meetWarp(const Thread& thread)
    {
        simt::meetLanes(warpOf(thread), ~LaneMask{0});
        return *this;
    }
    [[nodiscard]] size_t races() const { return m_grid.races().size(); }
    /// Whether the only race is one that a fence of the reader would have ordered.
    [[nodiscard]] bool isOnlyUnfenced() const { return races() == 1 && m_grid.races().front().unfenced; }

private:
    simt::Warp& warpOf(const Thread& thread) { return m_grid.warp(thread.block, thread.warp); }
    RaceGrid m_grid;
};

/// In another block, another warp, the writer's warp.
constexpr Thread kReaders[] = {{1, 0, 1}, {0, 2, 1}, {0, 0, 9}};

}  // namespace

class TestSyncOrder : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void fencesAndAFlagOrder()
    {
        for (const Thread& reader : kReaders)
            for (const FlagUse use : {FlagUse::Write, FlagUse::Update}) {
                Handing all;
                all.writes(kWriter).fences(kWriter).flags(kWriter, use);
                all.flags(reader, FlagUse::Read).fences(reader).reads(reader);
                QCOMPARE(all.races(), size_t{0});
            }
    }

    void withoutTheWritersFenceNothingIsOrdered()
    {
        for (const Thread& reader : kReaders) {
            Handing all;
            all.writes(kWriter).flags(kWriter, FlagUse::Write);
            all.flags(reader, FlagUse::Read).fences(reader).reads(reader);
            QCOMPARE(all.races(), size_t{1});
            QVERIFY(!all.isOnlyUnfenced());
        }
    }

    /// Who has met nobody yet hands on what it has done itself, and nobody else's.
    void beforeTheFirstMeetingNobodyKnowsOfOthers()
    {
        Handing all;
        all.hasNotMet(0).writes({0, 1, 1}).fences(kWriter).flags(kWriter, FlagUse::Write);
        all.flags(kReaders[0], FlagUse::Read).fences(kReaders[0]).reads(kReaders[0]);
        QCOMPARE(all.races(), size_t{1});
    }

    /// A fence behind the write that is to be handed on, not before it.
    void whatIsWrittenBehindTheFenceIsNotHandedOn()
    {
        for (const Thread& reader : kReaders) {
            Handing all;
            all.fences(kWriter).writes(kWriter).flags(kWriter, FlagUse::Write);
            all.flags(reader, FlagUse::Read).fences(reader).reads(reader);
            QCOMPARE(all.races(), size_t{1});
        }
    }

    void withoutTheReadersFenceItIsToldSo()
    {
        for (const Thread& reader : kReaders) {
            Handing all;
            all.writes(kWriter).fences(kWriter).flags(kWriter, FlagUse::Write);
            all.flags(reader, FlagUse::Read).reads(reader);
            QVERIFY(all.isOnlyUnfenced());
        }
    }

    void withoutTheFlagNothingIsOrdered()
    {
        for (const Thread& reader : kReaders) {
            Handing all;
            all.writes(kWriter).fences(kWriter).fences(reader).reads(reader);
            QCOMPARE(all.races(), size_t{1});
            Handing another;
            another.writes(kWriter).fences(kWriter).flags(kWriter, FlagUse::Write);
            another.flags(reader, FlagUse::Read, SyncScope::Device, kFlag + 4).fences(reader).reads(reader);
            QCOMPARE(another.races(), size_t{1});
        }
    }

    void aReadBeforeTheFlagIsSetOrdersNothing()
    {
        Handing all;
        const Thread reader = kReaders[0];
        all.flags(reader, FlagUse::Read).fences(reader);
        all.writes(kWriter).fences(kWriter).flags(kWriter, FlagUse::Write).reads(reader);
        QCOMPARE(all.races(), size_t{1});
    }

    void blockScopeReachesTheBlockOnly()
    {
        for (const Thread& reader : kReaders)
            for (const bool isFence : {false, true}) {
                const SyncScope fence = isFence ? SyncScope::Block : SyncScope::Device;
                const SyncScope flag = isFence ? SyncScope::Device : SyncScope::Block;
                Handing all;
                all.writes(kWriter).fences(kWriter, fence).flags(kWriter, FlagUse::Write, flag);
                all.flags(reader, FlagUse::Read).fences(reader).reads(reader);
                QCOMPARE(all.races(), size_t{reader.block != kWriter.block});
            }
    }

    /// What came before is handed on by whoever updates the flag in between, not by one who overwrites it.
    void updatesHandOnWhatEarlierOnesReleased()
    {
        const Thread second{1, 1, 0}, reader{1, 2, 0};
        for (const FlagUse use : {FlagUse::Update, FlagUse::Write}) {
            Handing all;
            all.writes(kWriter).fences(kWriter).flags(kWriter, FlagUse::Update);
            all.fences(second).flags(second, use);
            all.flags(reader, FlagUse::Read).fences(reader).reads(reader);
            QCOMPARE(all.races(), size_t{use == FlagUse::Write});
        }
    }

    void orderIsHandedOnFromFlagToFlag()
    {
        const Thread middle{1, 1, 0}, reader{1, 2, 0};
        Handing all;
        all.writes(kWriter).fences(kWriter).flags(kWriter, FlagUse::Write);
        all.flags(middle, FlagUse::Read).fences(middle).flags(middle, FlagUse::Write, SyncScope::Device, kFlag - 8);
        all.flags(reader, FlagUse::Read, SyncScope::Device, kFlag - 8).fences(reader).reads(reader);
        QCOMPARE(all.races(), size_t{0});
    }

    /// One thread waits for the flag, the others for that one.
    void barriersHandOnWhatAThreadHasAcquired()
    {
        const Thread waiter{1, 0, 0}, reader{1, 2, 5}, neighbour{1, 0, 5};
        const auto acquired = [&](Handing& all) -> Handing& {
            return all.writes(kWriter)
                .fences(kWriter)
                .flags(kWriter, FlagUse::Write)
                .flags(waiter, FlagUse::Read)
                .fences(waiter);
        };
        Handing block;
        QCOMPARE(acquired(block).meetBlock(1).reads(reader).races(), size_t{0});
        Handing warp;
        QCOMPARE(acquired(warp).meetWarp(waiter).reads(neighbour).races(), size_t{0});
        Handing none;
        QCOMPARE(acquired(none).reads(reader).races(), size_t{1});
    }

    /// All write, the block meets, one of them fences and sets the flag.
    void aFenceReleasesWhatABlockMetOver()
    {
        const Thread other{0, 2, 7}, reader{1, 0, 0};
        for (const bool meets : {true, false}) {
            Handing all;
            all.writes(other);
            if (meets)
                all.meetBlock(0);
            all.fences(kWriter).flags(kWriter, FlagUse::Write);
            all.flags(reader, FlagUse::Read).fences(reader).reads(reader);
            QCOMPARE(all.races(), size_t{!meets});
        }
    }
};

QTEST_APPLESS_MAIN(TestSyncOrder)
#include "tst_sync_order.moc"
