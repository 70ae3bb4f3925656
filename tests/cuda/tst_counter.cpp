// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The device's counter, run by a warp on the host and held against what the analysis says of the same addresses.
#include <QTest>

#include <bit>
#include <random>

#include "core/analysis/analysis.h"
#include "core/cuda/device_counts.h"
#include "tests/cuda/host_warp.h"

using namespace lanescope;
using namespace lanescope::cuda;

extern "C" {
extern CountControl __lanescope_counters;
void __lanescope_count_access(uint64_t address, uint32_t entry, uint32_t bytes, uint32_t space);
void __lanescope_count_branch(uint32_t entry, uint32_t taken);
void __lanescope_count_copy(uint32_t entry, unsigned char* to, const unsigned char* from, uint64_t length);
}

namespace {

using Addresses = std::array<uint64_t, kWarpSize>;

/// Some way in which the lanes of a warp access memory, in elements of \p bytes.
Addresses pattern(std::mt19937& random, uint32_t bytes)
{
    Addresses addresses{};
    const uint64_t base = random() % 64, stride = random() % 40, row = random() % 600;
    const uint32_t kind = random() % 6;
    for (uint64_t lane = 0; lane < kWarpSize; ++lane) {
        const uint64_t element[] = {
            base + stride * lane,       base + stride * (31 - lane), base + lane % 16 + row * (lane / 16),
            base + (lane ^ (row % 32)), base + random() % 256,       base + stride * (lane / 8)};
        addresses[lane] = 0x10000000000 + element[kind] * bytes;
    }
    return addresses;
}

class Counters {
public:
    explicit Counters(size_t entries) : m_counters(entries)
    {
        __lanescope_counters = {reinterpret_cast<uint64_t>(m_counters.data()), 1, static_cast<uint32_t>(entries)};
    }
    SiteCounter& operator[](size_t entry) { return m_counters[entry]; }

private:
    std::vector<SiteCounter> m_counters;
};

}  // namespace

class CounterTest : public QObject {
    Q_OBJECT

private slots:
    void globalAccessesCostWhatTheAnalysisSays();
    void sharedAccessesCostWhatTheAnalysisSays();
    void branchesThatGoBothWaysAreCounted();
    void copiesAreMadeAndCounted();

private:
    static constexpr int kCases = 400;
    std::mt19937 m_random{7};
    /// Whole warps mostly, as it is.
    LaneMask someLanes()
    {
        return m_random() % 3 ? 0xffffffffu : static_cast<LaneMask>(m_random() | 1u << m_random() % 32);
    }
};

void CounterTest::globalAccessesCostWhatTheAnalysisSays()
{
    for (int i = 0; i < kCases; ++i) {
        const uint32_t bytes = 1u << m_random() % 5;
        const Addresses addresses = pattern(m_random, bytes);
        const LaneMask mask = someLanes();
        Counters counters(1);
        QVERIFY(runWarp(mask, [&](uint32_t lane) {
            __lanescope_count_access(addresses[lane], 0, bytes, static_cast<uint32_t>(CountSpace::Global));
        }));
        const analysis::SectorCost cost = analysis::sectorCost(mask, addresses, bytes);
        QCOMPARE(counters[0].requests, uint64_t{1});
        QCOMPARE(counters[0].lanes, static_cast<uint64_t>(std::popcount(mask)));
        QCOMPARE(counters[0].cost, uint64_t{cost.sectors});
        QCOMPARE(counters[0].ideal, uint64_t{cost.idealSectors});
        uint64_t lowest = UINT64_MAX, end = 0;
        for (LaneMask rest = mask; rest != 0; rest &= rest - 1) {
            lowest = std::min(lowest, addresses[static_cast<size_t>(std::countr_zero(rest))]);
            end = std::max(end, addresses[static_cast<size_t>(std::countr_zero(rest))] + bytes);
        }
        QCOMPARE(~counters[0].notLowest, lowest);
        QCOMPARE(counters[0].end, end);
    }
}

void CounterTest::sharedAccessesCostWhatTheAnalysisSays()
{
    for (int i = 0; i < kCases; ++i) {
        const uint32_t bytes = 1u << m_random() % 5;
        const Addresses addresses = pattern(m_random, bytes);
        const LaneMask mask = someLanes();
        Counters counters(1);
        QVERIFY(runWarp(mask, [&](uint32_t lane) {
            __lanescope_count_access(addresses[lane], 0, bytes, static_cast<uint32_t>(CountSpace::Shared));
        }));
        const analysis::BankCost cost = analysis::bankCost(mask, addresses, bytes);
        QCOMPARE(counters[0].cost, uint64_t{cost.wavefronts});
        QCOMPARE(counters[0].ideal, uint64_t{cost.phaseCount});
        for (uint32_t degree = 2; degree <= kDegrees; ++degree)
            QCOMPARE(counters[0].degrees[degree - 1], uint64_t{cost.maxDegree == degree});
    }
}

void CounterTest::branchesThatGoBothWaysAreCounted()
{
    Counters counters(1);
    for (const uint32_t taken : {0u, 1u, 0xffffffffu})
        QVERIFY(runWarp(0xffffffffu, [&](uint32_t lane) { __lanescope_count_branch(0, taken >> lane & 1); }));
    QCOMPARE(counters[0].requests, uint64_t{3});
    QCOMPARE(counters[0].cost, uint64_t{1});
}

void CounterTest::copiesAreMadeAndCounted()
{
    Counters counters(30);
    std::array<unsigned char, 32 * 24> from{}, to{};
    for (size_t i = 0; i < from.size(); ++i)
        from[i] = static_cast<unsigned char>(m_random());
    QVERIFY(runWarp(0xffffffffu, [&](uint32_t lane) {
        __lanescope_count_copy(0, to.data() + 24 * lane, from.data() + 24 * lane, 24);
    }));
    QCOMPARE(to, from);
    // 16 bytes and 8: the entries of the load, then of the store.
    for (const size_t entry : {3 * 4, 3 * 3, 15 + 3 * 4, 15 + 3 * 3})
        QCOMPARE(counters[entry].requests, uint64_t{1});
}

QTEST_GUILESS_MAIN(CounterTest)
#include "tst_counter.moc"
