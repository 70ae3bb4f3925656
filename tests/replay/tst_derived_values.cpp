// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What replay computes in place of values that were not recorded: every operation, at every width, against what C++
// says.
#include <QTest>

#include <bit>
#include <cmath>
#include <limits>

#include "core/replay/derived_values.h"
#include "core/trace/derivation.h"

using namespace lanescope;

namespace {

uint64_t bits(float value)
{
    return std::bit_cast<uint32_t>(value);
}

uint64_t bits(double value)
{
    return std::bit_cast<uint64_t>(value);
}

/// In lane 3, with variables 0, 1 and 2 being \p values.
std::optional<uint64_t> evaluated(const QString& text, const std::array<uint64_t, 3>& values)
{
    const auto derivation = trace::derivationOf(text.toStdString());
    if (!derivation || derivation->empty())
        return std::nullopt;
    const replay::LaneBits all =
        replay::evaluate(*derivation, [&](const trace::DerivationStep& step, replay::LaneBits& lanes) {
            lanes.fill(0);
            lanes[3] = values[step.operand];
        });
    return all[3];
}

}  // namespace

class DerivedValuesTest : public QObject {
    Q_OBJECT

private slots:
    void valuesAreThoseOfCpp_data()
    {
        using Values = std::array<uint64_t, 3>;
        QTest::addColumn<Values>("values");
        QTest::addColumn<uint64_t>("expected");
        const auto row = [](const char* text, Values values, uint64_t expected) {
            QTest::addRow("%s of %llx %llx %llx", text, static_cast<unsigned long long>(values[0]),
                          static_cast<unsigned long long>(values[1]), static_cast<unsigned long long>(values[2]))
                << values << expected;
        };
        constexpr uint64_t kMinus32 = 0xffffffff, kLeast32 = 0x80000000, kLeast64 = uint64_t{1} << 63;
        row("v0.32 v1.32 iadd.32", {kMinus32, 2}, 1);
        row("v0.8 v1.8 iadd.8", {200, 100}, 44);
        row("v0.64 v1.64 isub.64", {0, 1}, ~uint64_t{0});
        row("v0.16 v1.16 imul.16", {300, 300}, 90000 & 0xffff);
        row("v0.8", {0x1234}, 0x34);
        row("v0.32 v1.32 udiv.32", {kMinus32, 2}, 0x7fffffff);
        row("v0.32 v1.32 udiv.32", {7, 0}, kMinus32);
        row("v0.32 v1.32 sdiv.32", {kMinus32 - 6, 2}, kMinus32 - 2);
        row("v0.32 v1.32 sdiv.32", {kLeast32, kMinus32}, kLeast32);
        row("v0.64 v1.64 sdiv.64", {kLeast64, ~uint64_t{0}}, kLeast64);
        row("v0.32 v1.32 sdiv.32", {7, 0}, kMinus32);
        row("v0.32 v1.32 urem.32", {kMinus32, 10}, 5);
        row("v0.32 v1.32 urem.32", {7, 0}, 7);
        row("v0.32 v1.32 srem.32", {kMinus32 - 6, 4}, kMinus32 - 2);
        row("v0.32 v1.32 srem.32", {kLeast32, kMinus32}, 0);
        row("v0.32 v1.32 shl.32", {kMinus32, 31}, kLeast32);
        row("v0.32 v1.32 shl.32", {1, 32}, 0);
        row("v0.64 v1.64 shl.64", {1, 63}, kLeast64);
        row("v0.64 v1.64 shl.64", {1, 64}, 0);
        row("v0.32 v1.32 lshr.32", {kLeast32, 31}, 1);
        row("v0.32 v1.32 lshr.32", {kLeast32, 40}, 0);
        row("v0.32 v1.32 ashr.32", {kLeast32, 31}, kMinus32);
        row("v0.32 v1.32 ashr.32", {kLeast32, 99}, kMinus32);
        row("v0.8 v1.8 ashr.8", {0x80, 3}, 0xf0);
        row("v0.32 v1.32 and.32 v2.32 or.32", {12, 10, 1}, 9);
        row("v0.32 v1.32 xor.32", {12, 10}, 6);
        row("v0.1 v1.1 xor.1", {1, 1}, 0);
        row("v0.32 v1.32 umin.32", {kMinus32, 1}, 1);
        row("v0.32 v1.32 umax.32", {kMinus32, 1}, kMinus32);
        row("v0.32 v1.32 smin.32", {kMinus32, 1}, kMinus32);
        row("v0.32 v1.32 smax.32", {kMinus32, 1}, 1);
        row("v0.32 trunc32.8", {0x1ff}, 0xff);
        row("v0.8 sext8.32", {0x80}, 0xffffff80);
        row("v0.1 sext1.32", {1}, kMinus32);
        row("v0.32 sext32.64", {kMinus32}, ~uint64_t{0});
        row("v0.32 sitof32.32", {kMinus32}, bits(-1.0f));
        row("v0.32 uitof32.32", {kMinus32}, bits(float(kMinus32)));
        row("v0.64 sitof64.32", {(uint64_t{1} << 53) + 1}, bits(float((int64_t{1} << 53) + 1)));
        row("v0.64 uitof64.64", {~uint64_t{0}}, bits(18446744073709551616.0));
        row("v0.1 uitof1.64", {1}, bits(1.0));
        row("v0.32 ftof32.64", {bits(0.1f)}, bits(double(0.1f)));
        row("v0.64 ftof64.32", {bits(0.1)}, bits(0.1f));
        row("v0.32 v1.32 add.32", {bits(1e8f), bits(1.0f)}, bits(1e8f));
        row("v0.64 v1.64 add.64", {bits(1e8), bits(1.0)}, bits(1e8 + 1));
        row("v0.32 v1.32 sub.32", {bits(1.0f), bits(3.0f)}, bits(-2.0f));
        row("v0.32 v1.32 mul.32", {bits(1e30f), bits(1e30f)}, bits(std::numeric_limits<float>::infinity()));
        row("v0.32 v1.32 div.32", {bits(1.0f), bits(3.0f)}, bits(1.0f / 3.0f));
        row("v0.32 neg.32", {bits(0.0f)}, bits(-0.0f));
        row("v0.32 v1.32 v2.32 fma.32", {bits(1.1f), bits(1.1f), bits(-1.21f)}, bits(std::fma(1.1f, 1.1f, -1.21f)));
        row("v0.64 v1.64 v2.64 fma.64", {bits(1.1), bits(1.1), bits(-1.21)}, bits(std::fma(1.1, 1.1, -1.21)));
        row("v0.32 v1.32 mul.32", {bits(1e-30f), bits(1e-10f)}, bits(1e-30f * 1e-10f));
        row("v0.32 v1.32 eq.32", {5, 5}, 1);
        row("v0.32 v1.32 ult.32", {kMinus32, 1}, 0);
        row("v0.32 v1.32 ule.32", {1, 1}, 1);
        row("v0.32 v1.32 slt.32", {kMinus32, 1}, 1);
        row("v0.32 v1.32 sle.32", {2, 1}, 0);
        row("v0.8 v1.8 slt.8", {0x80, 0x7f}, 1);
        row("v0.32 v1.32 feq.32", {bits(0.0f), bits(-0.0f)}, 1);
        row("v0.32 v1.32 flt.32", {bits(-1.0f), bits(1.0f)}, 1);
        row("v0.32 v1.32 fle.32", {bits(NAN), bits(NAN)}, 0);
        row("v0.64 v1.64 flt.64 not.1", {bits(1.0), bits(2.0)}, 0);
        row("v0.1 v1.32 v2.32 select.32", {1, 7, 8}, 7);
        row("v0.1 v1.32 v2.32 select.32", {0, 7, 8}, 8);
        row("c2654435761.32 v0.32 imul.32", {2}, 2 * uint64_t{2654435761} & kMinus32);
    }
    void valuesAreThoseOfCpp()
    {
        using Values = std::array<uint64_t, 3>;
        QFETCH(Values, values);
        QFETCH(uint64_t, expected);
        const QString text = QString(QTest::currentDataTag()).section(" of ", 0, 0);
        QCOMPARE(evaluated(text, values), std::optional(expected));
    }

    void texts_data()
    {
        QTest::addColumn<bool>("isExpression");
        for (const char* text : {"v8 l20 l21 fma", "v8.32", "c1", "t11.32", "v0.1 v1.8 v2.8 select.8",
                                 "v0.64 ftof64.32", "v0.16 sext16.64"})
            QTest::newRow(text) << true;
        for (const char* text : {"v",
                                 "v0 add",
                                 "v0 v1",
                                 "iadd",
                                 "v0 v1 iadd",
                                 "v0.32 v1.32 iadd.33",
                                 "v0.32 v1.32 add.8",
                                 "t12.32",
                                 "t0",
                                 "v0.32 sext.64",
                                 "v0.32 sext7.64",
                                 "v0.32 ftof8.32",
                                 "v0.0",
                                 "v0.",
                                 "v0.32x",
                                 "v0.32.32",
                                 "not.1",
                                 "v0.1  not.1",
                                 "v0.32 v1.32 add32.32",
                                 "x0.32"})
            QTest::newRow(text) << false;
    }
    void texts()
    {
        QFETCH(bool, isExpression);
        const std::string text = QTest::currentDataTag();
        const auto derivation = trace::derivationOf(text);
        QCOMPARE(derivation.has_value(), isExpression);
        if (derivation)
            QCOMPARE(trace::textOf(*derivation), text);
    }

    void coordinatesAreThoseOfTheLaunch()
    {
        trace::Launch launch;
        launch.grid = {5, 4, 3};
        launch.block = {7, 3, 2};
        const auto of = [&](uint64_t operand) {
            return replay::coordinates({trace::DerivationStep::Op::Coordinate, 32, operand}, launch, BlockIndex{47},
                                       1)[5];
        };
        // Thread 37 is at (2, 2, 1), block 47 at (2, 1, 2).
        const std::array<uint64_t, 12> expected{2, 2, 1, 2, 1, 2, 7, 3, 2, 5, 4, 3};
        for (uint64_t i = 0; i < expected.size(); ++i)
            QCOMPARE(of(i), expected[i]);
    }

    void aDamagedLaunchHasCoordinates()
    {
        trace::Launch launch;
        launch.grid = {0, 1, 1};
        launch.block = {0, 0, 0};
        QCOMPARE(replay::coordinates({trace::DerivationStep::Op::Coordinate, 32, 3}, launch, BlockIndex{1}, 0)[0],
                 uint64_t{0});
    }
};

QTEST_APPLESS_MAIN(DerivedValuesTest)
#include "tst_derived_values.moc"
