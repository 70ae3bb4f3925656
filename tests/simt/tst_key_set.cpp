// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A KeySet is what std::unordered_set is: of random numbers, of neighbours, of many and of few again.
#include <random>
#include <unordered_set>

#include <QTest>

#include "core/simt/checks/key_set.h"

using lanescope::simt::KeySet;

namespace {

bool isSame(const KeySet& set, const std::unordered_set<uint64_t>& expected)
{
    size_t seen = 0;
    bool areExpected = true;
    set.forEach([&](uint64_t key) {
        ++seen;
        areExpected &= expected.contains(key);
    });
    return areExpected && seen == expected.size() && set.size() == expected.size();
}

}  // namespace

class TestKeySet : public QObject {
    Q_OBJECT

private slots:
    void holdsNothingAtFirst()
    {
        const KeySet set;
        QCOMPARE(set.size(), size_t{0});
        QVERIFY(!set.contains(1));
    }

    void holdsWhatWasInserted_data()
    {
        QTest::addColumn<quint64>("step");
        QTest::addColumn<int>("count");
        QTest::newRow("random") << quint64{0} << 20'000;
        QTest::newRow("neighbours") << quint64{1} << 20'000;
        QTest::newRow("by their high bits") << (quint64{1} << 48) << 5'000;
        QTest::newRow("few") << quint64{4096} << 20;
    }
    void holdsWhatWasInserted()
    {
        QFETCH(quint64, step);
        QFETCH(int, count);
        std::mt19937_64 random(1);
        KeySet set;
        // Emptied, it is as good as new.
        for (int round = 0; round < 3; ++round) {
            std::unordered_set<uint64_t> expected;
            for (int i = 0; i < count; ++i) {
                const uint64_t key = step ? step * (static_cast<uint64_t>(i) / 2 + 1) : random() | 1;
                set.insert(key);
                expected.insert(key);
                QVERIFY(set.contains(key));
            }
            QVERIFY(isSame(set, expected));
            for (int i = 0; i < count; ++i) {
                const uint64_t key = random() | 2;
                QCOMPARE(set.contains(key), expected.contains(key));
            }
            set.clear();
            QVERIFY(isSame(set, {}));
        }
    }
};

QTEST_GUILESS_MAIN(TestKeySet)
#include "tst_key_set.moc"
