// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Bits of bytes that have been written, against one bool for each.
#include "core/simt/memory/initialised_bits.h"

#include <algorithm>
#include <array>
#include <random>

#include <QTest>

using namespace lanescope;

class TestInitialisedBits : public QObject {
    Q_OBJECT

private slots:
    void areThoseOfTheirBytes()
    {
        constexpr unsigned kBytes = 512;
        std::mt19937 random(3);
        for (int round = 0; round < 500; ++round) {
            alignas(8) std::array<uint8_t, kBytes / 8> bits{};
            std::array<bool, kBytes> expected{};
            for (int i = 0; i < 8; ++i) {
                const unsigned offset = random() % kBytes;
                const unsigned bytes = 1 + random() % std::min(200u, kBytes - offset);
                simt::setInitialised(bits.data(), offset, bytes);
                std::fill_n(expected.begin() + offset, bytes, true);
                for (unsigned at = 0; at < kBytes; ++at)
                    QCOMPARE((bits[at / 8] >> (at % 8) & 1) != 0, expected[at]);
            }
            const auto isSet = [&](unsigned offset, unsigned bytes) {
                return std::all_of(expected.begin() + offset, expected.begin() + offset + bytes,
                                   [](bool byte) { return byte; });
            };
            for (unsigned offset = 0; offset + 128 <= kBytes; ++offset) {
                QCOMPARE(simt::isRunInitialised<128>(bits.data(), offset), isSet(offset, 128));
                QCOMPARE(simt::isRunInitialised<32>(bits.data(), offset), isSet(offset, 32));
                const unsigned bytes = 1 + random() % 100;
                QCOMPARE(simt::areInitialised(bits.data(), offset, bytes), isSet(offset, bytes));
            }
        }
    }
};

QTEST_APPLESS_MAIN(TestInitialisedBits)
#include "tst_initialised_bits.moc"
