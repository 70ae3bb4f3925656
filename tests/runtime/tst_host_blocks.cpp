// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Blocks of the host's heap are found by any address in them: held against a map, over random lives of many blocks.
#include <map>
#include <random>
#include <thread>
#include <vector>

#include <QTest>

#include "instrumented/runtime/host_blocks.h"

using lanescope::runtime::HostBlocks;

namespace {

constexpr uint64_t kHeap = 0x5555'0000'0000;

/// Blocks that do not overlap, as an allocator's do not.
class Lives {
public:
    explicit Lives(uint32_t seed) : m_random(seed) {}

    void begin(HostBlocks& blocks)
    {
        const uint64_t bytes = sizes();
        const uint64_t address = kHeap + m_random() % 4096 * 0x2'0000 + m_random() % 64 * 16;
        if (const auto next = m_live.lower_bound(address + bytes);
            next != m_live.begin() && std::prev(next)->first + std::prev(next)->second > address)
            return;
        m_live[address] = bytes;
        blocks.add({address, bytes, bytes + 8, this});
    }
    void end(HostBlocks& blocks)
    {
        if (m_live.empty())
            return;
        auto chosen = m_live.lower_bound(kHeap + m_random() % 4096 * 0x2'0000);
        if (chosen == m_live.end())
            chosen = m_live.begin();
        blocks.remove(chosen->first);
        m_live.erase(chosen);
    }
    [[nodiscard]] bool isFound(HostBlocks& blocks, uint64_t address) const
    {
        const auto next = m_live.upper_bound(address);
        const bool isIn = next != m_live.begin() && address - std::prev(next)->first < std::prev(next)->second;
        const auto found = blocks.at(address);
        return isIn ? found && found->address == std::prev(next)->first && found->bytes == std::prev(next)->second &&
                          found->usable == found->bytes + 8 && found->caller == this
                    : !found;
    }
    [[nodiscard]] bool areFound(HostBlocks& blocks)
    {
        for (const auto& [address, bytes] : m_live)
            for (const uint64_t at : {address, address + bytes / 2, address + bytes - 1, address + bytes, address - 1,
                                      address + m_random() % bytes})
                if (!isFound(blocks, at))
                    return false;
        return true;
    }

private:
    uint64_t sizes()
    {
        switch (m_random() % 4) {
        case 0:
            return m_random() % 64 + 1;
        case 1:
            return m_random() % 0x1'0000 + 1;
        case 2:
            return 0x7ff0 + m_random() % 32;  // about what is small
        default:
            return m_random() % 0x1000 + 1;
        }
    }

    std::mt19937 m_random;
    std::map<uint64_t, uint64_t> m_live;
};

}  // namespace

class TestHostBlocks : public QObject {
    Q_OBJECT

private slots:
    void nothingIsFoundAtFirst()
    {
        HostBlocks blocks;
        QVERIFY(!blocks.at(0));
        QVERIFY(!blocks.at(kHeap));
        blocks.remove(kHeap);
    }

    void blocksAreFoundAsLongAsTheyLive()
    {
        for (uint32_t seed = 1; seed <= 4; ++seed) {
            HostBlocks blocks;
            Lives lives(seed);
            std::mt19937 random(seed);
            for (int round = 0; round < 20; ++round) {
                const bool grows = round % 4 < 2;
                for (int i = 0; i < 300; ++i)
                    random() % 4 == 0 || !grows ? lives.end(blocks) : lives.begin(blocks);
                QVERIFY(lives.areFound(blocks));
            }
        }
    }

    /// A library may free a block unseen; whoever takes its place counts.
    void whatIsTakenAgainReplacesWhatWasThere()
    {
        HostBlocks blocks;
        blocks.add({kHeap, 1 << 20, 1 << 20, nullptr});
        blocks.add({kHeap, 16, 24, this});
        QCOMPARE(blocks.at(kHeap + 15)->bytes, size_t{16});
        QVERIFY(!blocks.at(kHeap + 16));
        blocks.add({kHeap, 1 << 20, 1 << 20, nullptr});
        QCOMPARE(blocks.at(kHeap + 16)->bytes, size_t{1 << 20});
        blocks.remove(kHeap);
        QVERIFY(!blocks.at(kHeap));
    }

    void manyThreadsTakeAndFree()
    {
        HostBlocks blocks;
        std::vector<std::jthread> threads;
        for (uint64_t thread = 0; thread < 4; ++thread)
            threads.emplace_back([&blocks, thread] {
                for (uint64_t i = 0; i < 20'000; ++i) {
                    const uint64_t address = kHeap + (i % 500 * 4 + thread) * 64;
                    blocks.add({address, 48, 56, nullptr});
                    if (i % 3 != 0)
                        blocks.remove(address);
                }
            });
        threads.clear();
        for (uint64_t i = 0; i < 500; ++i)
            for (uint64_t thread = 0; thread < 4; ++thread) {
                uint64_t last = 20'000 - 500 + i;
                QCOMPARE(blocks.at(kHeap + (i * 4 + thread) * 64 + 47).has_value(), last % 3 == 0);
            }
    }
};

QTEST_GUILESS_MAIN(TestHostBlocks)
#include "tst_host_blocks.moc"
