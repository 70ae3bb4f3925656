// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The textbook cases of bank conflicts and coalescing.
#include <bit>
#include <functional>
#include <random>
#include <set>

#include <QTest>

#include "core/analysis/analysis.h"

using namespace lanescope;
using namespace lanescope::analysis;

using Addresses = std::array<uint64_t, kWarpSize>;
Q_DECLARE_METATYPE(Addresses)

namespace {

Addresses lanes(const std::function<uint64_t(uint64_t)>& address)
{
    Addresses result;
    for (uint64_t i = 0; i < kWarpSize; ++i)
        result[i] = address(i);
    return result;
}

constexpr LaneMask kAll = 0xffffffff;

}  // namespace

class TestAccessCost : public QObject {
    Q_OBJECT

private slots:
    void bankConflicts_data()
    {
        QTest::addColumn<Addresses>("address");
        QTest::addColumn<uint32_t>("bytes");
        QTest::addColumn<LaneMask>("mask");
        QTest::addColumn<uint32_t>("wavefronts");
        QTest::addColumn<uint32_t>("ideal");
        QTest::addColumn<uint32_t>("degree");
        const auto row = [](const char* name, const Addresses& address, uint32_t bytes, LaneMask mask,
                            uint32_t wavefronts, uint32_t ideal, uint32_t degree) {
            QTest::newRow(name) << address << bytes << mask << wavefronts << ideal << degree;
        };
        const auto stride = [](uint64_t bytes) { return lanes([bytes](uint64_t i) { return bytes * i; }); };
        row("consecutive words", stride(4), 4, kAll, 1, 1, 1);
        row("one word for all", stride(0), 4, kAll, 1, 1, 1);
        row("stride 2", stride(8), 4, kAll, 2, 1, 2);
        row("stride 4", stride(16), 4, kAll, 4, 1, 4);
        row("odd stride", stride(12), 4, kAll, 1, 1, 1);
        row("column of [32][32]", stride(128), 4, kAll, 32, 1, 32);
        row("column of [32][33]", stride(132), 4, kAll, 1, 1, 1);
        row("half a column of [32][32]", stride(128), 4, 0xffff, 16, 1, 16);
        row("column of [32][32], one lane", stride(128), 4, 1, 1, 1, 1);
        row("nobody", stride(128), 4, 0, 0, 0, 0);
        row("permuted words", lanes([](uint64_t i) { return 4 * ((i * 5) % 32); }), 4, kAll, 1, 1, 1);
        row("bytes share words", stride(1), 1, kAll, 1, 1, 1);
        row("halves share words", stride(2), 2, kAll, 1, 1, 1);
        row("bytes, one per word of a bank", stride(128), 1, kAll, 32, 1, 32);
        row("two words of one bank, broadcast", lanes([](uint64_t i) { return i % 2 * 128; }), 4, kAll, 2, 1, 2);
        row("16x16 tile, row times k", lanes([](uint64_t i) { return i / 16 * 64 + 12; }), 4, kAll, 1, 1, 1);
        row("8x8 tile, row times k", lanes([](uint64_t i) { return i / 8 * 32; }), 4, kAll, 1, 1, 1);
        row("32 wide, row times k, 4 rows", lanes([](uint64_t i) { return i / 8 * 128; }), 4, kAll, 4, 1, 4);
        row("doubles", stride(8), 8, kAll, 2, 2, 1);
        row("doubles, stride 2", stride(16), 8, kAll, 4, 2, 2);
        row("doubles, broadcast", stride(0), 8, kAll, 2, 2, 1);
        row("doubles, first half warp", stride(8), 8, 0xffff, 1, 1, 1);
        row("float4", stride(16), 16, kAll, 4, 4, 1);
        row("float4, stride 2", stride(32), 16, kAll, 8, 4, 2);
        row("float4, column of [..][32 floats]", stride(128), 16, kAll, 32, 4, 8);
        row("float4, one quarter", stride(16), 16, 0xff00, 1, 1, 1);
    }
    void bankConflicts()
    {
        QFETCH(Addresses, address);
        QFETCH(uint32_t, bytes);
        QFETCH(LaneMask, mask);
        QFETCH(uint32_t, wavefronts);
        QFETCH(uint32_t, ideal);
        QFETCH(uint32_t, degree);
        const BankCost cost = bankCost(mask, address, bytes);
        QCOMPARE(cost.wavefronts, wavefronts);
        QCOMPARE(cost.phaseCount, ideal);
        QCOMPARE(cost.maxDegree, degree);
        QCOMPARE(cost.conflicts(), wavefronts - ideal);
    }

    void conflictingLanesAreNamed()
    {
        const BankCost cost = bankCost(kAll, lanes([](uint64_t i) { return 8 * i; }), 4);
        QCOMPARE(cost.phases[0].wanting[0], LaneMask{1 | 1 << 16});
        QCOMPARE(cost.phases[0].words[0], uint8_t{2});
        QCOMPARE(cost.phases[0].wanting[1], LaneMask{0});
    }

    void sectors_data()
    {
        QTest::addColumn<Addresses>("address");
        QTest::addColumn<uint32_t>("bytes");
        QTest::addColumn<LaneMask>("mask");
        QTest::addColumn<uint32_t>("sectors");
        QTest::addColumn<uint32_t>("ideal");
        const auto row = [](const char* name, const Addresses& address, uint32_t bytes, LaneMask mask, uint32_t sectors,
                            uint32_t ideal) { QTest::newRow(name) << address << bytes << mask << sectors << ideal; };
        const auto stride = [](uint64_t bytes, uint64_t base = 0x100000000000) {
            return lanes([=](uint64_t i) { return base + bytes * i; });
        };
        row("consecutive floats", stride(4), 4, kAll, 4, 4);
        row("consecutive floats, backwards", lanes([](uint64_t i) { return 4 * (31 - i); }), 4, kAll, 4, 4);
        row("off by one float", stride(4, 4), 4, kAll, 5, 4);
        row("stride 2", stride(8), 4, kAll, 8, 4);
        row("stride 32", stride(128), 4, kAll, 32, 4);
        row("one float for all", stride(0), 4, kAll, 1, 1);
        row("doubles", stride(8), 8, kAll, 8, 8);
        row("float4", stride(16), 16, kAll, 16, 16);
        row("bytes", stride(1), 1, kAll, 1, 1);
        row("one lane", stride(4), 4, 1 << 7, 1, 1);
        row("nobody", stride(4), 4, 0, 0, 0);
        row("9 floats", stride(4), 4, 0x1ff, 2, 2);
        row("a 16-byte value over a sector's end", stride(0, 24), 16, kAll, 2, 1);
        row("three rows of three", lanes([](uint64_t i) { return i / 3 * 36 + i % 3 * 4; }), 4, 0x1ff, 3, 2);
    }
    void sectors()
    {
        QFETCH(Addresses, address);
        QFETCH(uint32_t, bytes);
        QFETCH(LaneMask, mask);
        QFETCH(uint32_t, sectors);
        QFETCH(uint32_t, ideal);
        const SectorCost cost = sectorCost(mask, address, bytes);
        QCOMPARE(cost.sectors, sectors);
        QCOMPARE(cost.idealSectors, ideal);
    }

    void sectorsAgreeWithCountingBytes()
    {
        std::mt19937_64 random(1);
        for (int round = 0; round < 2000; ++round) {
            const uint32_t bytes = 1U << (random() % 5);
            const uint64_t range = 1 + random() % 3000;
            const Addresses address = lanes([&](uint64_t) { return random() % range; });
            const auto mask = static_cast<LaneMask>(random());
            std::set<uint64_t> touched;
            std::set<uint64_t> sectors;
            for (size_t i = 0; i < kWarpSize; ++i)
                for (uint64_t b = 0; b < bytes && ((mask >> i) & 1) != 0; ++b) {
                    touched.insert(address[i] + b);
                    sectors.insert((address[i] + b) / 32);
                }
            const SectorCost cost = sectorCost(mask, address, bytes);
            QCOMPARE(cost.distinctBytes, static_cast<uint32_t>(touched.size()));
            QCOMPARE(cost.sectors, static_cast<uint32_t>(sectors.size()));
        }
    }
};

QTEST_APPLESS_MAIN(TestAccessCost)
#include "tst_access_cost.moc"
