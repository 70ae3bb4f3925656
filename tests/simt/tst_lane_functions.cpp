// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Functions of one lane's values against LLVM's APInt and APFloat, on edge values and random ones, always the same.
#include <array>
#include <bit>
#include <random>
#include <string>
#include <utility>

#include <QTest>

#ifndef Q_MOC_RUN  // which does not understand LLVM
#include <llvm/ADT/APFloat.h>
#include <llvm/ADT/APInt.h>
#include <llvm/ADT/APSInt.h>

#include "core/simt/machine/lane_functions.h"
#endif

using namespace lanescope::simt;
using llvm::APFloat;
using llvm::APInt;

namespace {

constexpr int kRounds = 3000;
using Mode = APFloat::roundingMode;
constexpr Mode kModes[] = {APFloat::rmNearestTiesToEven, APFloat::rmTowardZero, APFloat::rmTowardNegative,
                           APFloat::rmTowardPositive};
constexpr NarrowFloat kNarrow[] = {NarrowFloat::Half, NarrowFloat::BFloat};

const llvm::fltSemantics& semanticsOf(NarrowFloat kind)
{
    return kind == NarrowFloat::Half ? APFloat::IEEEhalf() : APFloat::BFloat();
}

APFloat narrowNumber(uint64_t bits, NarrowFloat kind)
{
    return {semanticsOf(kind), APInt(16, bits)};
}

APFloat number(uint64_t bits, unsigned width)
{
    return width == 32 ? APFloat(APFloat::IEEEsingle(), APInt(32, bits))
                       : APFloat(APFloat::IEEEdouble(), APInt(64, bits));
}

APFloat converted(APFloat value, const llvm::fltSemantics& to, Mode mode = APFloat::rmNearestTiesToEven)
{
    bool losesInfo = false;
    value.convert(to, mode, &losesInfo);
    return value;
}

uint64_t bitsOf(const APFloat& value)
{
    return value.bitcastToAPInt().getZExtValue();
}

/// Any NaN is as good as another.
bool isSame(const APFloat& expected, uint64_t actual)
{
    const APFloat number(expected.getSemantics(), APInt(APFloat::getSizeInBits(expected.getSemantics()), actual));
    return expected.isNaN() ? number.isNaN() : bitsOf(expected) == actual;
}

/// Bits of numbers: edges, small and large ones, those with an exponent near zero, and any.
class Values {
public:
    uint64_t any(unsigned width)
    {
        const uint64_t mask = width == 64 ? ~uint64_t{0} : (uint64_t{1} << width) - 1;
        switch (m_random() % 6) {
        case 0:
            return edge(width) & mask;
        case 1:
            return m_random() % 70;
        case 2:
            return (uint64_t{0} - m_random() % 70) & mask;
        default:
            return m_random() & mask;
        }
    }
    /// A double whose exponent is within \p range of 0, or any.
    uint64_t real(unsigned width, unsigned range)
    {
        if (m_random() % 8 == 0)
            return any(width);
        const unsigned fraction = width == 64 ? 52 : 23;
        const uint64_t bias = width == 64 ? 1023 : 127;
        const uint64_t exponent = bias - range + m_random() % (2 * range + 1);
        // Few bits make ties.
        const uint64_t digits = m_random() & ~(~uint64_t{0} >> (64 - m_random() % fraction - 1));
        const uint64_t low = digits & ((uint64_t{1} << fraction) - 1);
        return (m_random() & 1) << (width - 1) | exponent << fraction | low;
    }
    APInt wide(unsigned bits)
    {
        const std::array<uint64_t, 2> words{any(64), m_random() % 3 ? any(64) : 0};
        APInt value = APInt(128, words).trunc(bits);
        return m_random() % 4 ? value : APInt::getSignedMinValue(bits) + (m_random() % 3 - 1);
    }
    uint64_t below(uint64_t end) { return m_random() % end; }

private:
    uint64_t edge(unsigned width)
    {
        const uint64_t top = uint64_t{1} << (width - 1);
        const uint64_t edges[] = {0, 1, top, top - 1, top + 1, ~uint64_t{0}};
        return edges[m_random() % std::size(edges)];
    }
    std::mt19937_64 m_random{20};
};

struct WidePair {
    uint64_t words[2] = {};
};

WidePair wordsOf(const APInt& value)
{
    const APInt all = value.zext(value.getBitWidth() < 128 ? 128 : value.getBitWidth());
    return {{all.extractBitsAsZExtValue(64, 0), all.extractBitsAsZExtValue(64, 64)}};
}

uint64_t called(const char* name, std::array<uint64_t, 3> in)
{
    const NamedLaneFunction* function = laneFunction(name);
    uint64_t out[2] = {0, 0};
    function->function(in.data(), out, function->imm);
    return out[0];
}

/// What two numbers come to by a wide operation; none where that is nothing (division by zero).
std::optional<APInt> wideResult(WideOp op, const APInt& a, const APInt& b)
{
    const bool isZero = b.isZero();
    switch (op) {
    case WideOp::Add:
        return a + b;
    case WideOp::Sub:
        return a - b;
    case WideOp::Mul:
        return a * b;
    case WideOp::UDiv:
        return isZero ? std::nullopt : std::optional(a.udiv(b));
    case WideOp::SDiv:
        return isZero ? std::nullopt : std::optional(a.sdiv(b));
    case WideOp::URem:
        return isZero ? std::nullopt : std::optional(a.urem(b));
    case WideOp::SRem:
        return isZero ? std::nullopt : std::optional(a.srem(b));
    case WideOp::Shl:
        return a.shl(b);
    case WideOp::LShr:
        return a.lshr(b);
    case WideOp::AShr:
        return a.ashr(b);
    case WideOp::And:
        return a & b;
    case WideOp::Or:
        return a | b;
    case WideOp::Xor:
        return a ^ b;
    case WideOp::UMin:
        return llvm::APIntOps::umin(a, b);
    case WideOp::UMax:
        return llvm::APIntOps::umax(a, b);
    case WideOp::SMin:
        return llvm::APIntOps::smin(a, b);
    case WideOp::SMax:
        return llvm::APIntOps::smax(a, b);
    default:
        return std::nullopt;
    }
}

bool wideOrder(WideOp op, const APInt& a, const APInt& b)
{
    switch (op) {
    case WideOp::Eq:
        return a == b;
    case WideOp::Ne:
        return a != b;
    case WideOp::UGt:
        return a.ugt(b);
    case WideOp::UGe:
        return a.uge(b);
    case WideOp::ULt:
        return a.ult(b);
    case WideOp::ULe:
        return a.ule(b);
    case WideOp::SGt:
        return a.sgt(b);
    case WideOp::SGe:
        return a.sge(b);
    case WideOp::SLt:
        return a.slt(b);
    default:
        return a.sle(b);
    }
}

}  // namespace

#define SAY(...) qPrintable(QString::asprintf(__VA_ARGS__))

class TestLaneFunctions : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init() { m_values = Values(); }

    void narrowNumbersWiden()
    {
        for (const NarrowFloat kind : kNarrow)
            for (uint64_t bits = 0; bits < 0x10000; ++bits) {
                const APFloat value = narrowNumber(bits, kind);
                uint64_t single = 0, twice = 0;
                widenToFloat(&bits, &single, static_cast<uint64_t>(kind));
                widenToDouble(&bits, &twice, static_cast<uint64_t>(kind));
                // What an H200 makes of halves that are no numbers (tests/conformance/api/nans.cu).
                const bool becomesNan = value.isNaN() && kind == NarrowFloat::Half;
                QCOMPARE(single, becomesNan ? uint64_t{0x7fffffff} : widened(bits, kind));
                QVERIFY2(isSame(converted(value, APFloat::IEEEsingle()), single), SAY("%lx", bits));
                QVERIFY2(isSame(converted(value, APFloat::IEEEdouble()), twice), SAY("%lx", bits));
            }
    }

    void floatsNarrowInAllRoundingModes()
    {
        for (int round = 0; round < kRounds; ++round)
            for (const NarrowFloat kind : kNarrow)
                for (uint64_t mode = 0; mode < 4; ++mode) {
                    const uint64_t imm = static_cast<uint64_t>(kind) | mode << 8;
                    const uint64_t single = m_values.real(32, 28), twice = m_values.real(64, round % 2 ? 28 : 140);
                    uint64_t fromSingle = 0, fromDouble = 0;
                    narrowFromFloat(&single, &fromSingle, imm);
                    narrowFromDouble(&twice, &fromDouble, imm);
                    const llvm::fltSemantics& to = semanticsOf(kind);
                    QVERIFY2(isSame(converted(number(single, 32), to, kModes[mode]), fromSingle),
                             SAY("float %lx to %lx, kind %lu, mode %lu", single, fromSingle, imm & 1, mode));
                    QVERIFY2(isSame(converted(number(twice, 64), to, kModes[mode]), fromDouble),
                             SAY("double %lx to %lx, kind %lu, mode %lu", twice, fromDouble, imm & 1, mode));
                }
    }

    /// Of every exponent, near ties and random: to nearest as any other way of rounding, in double.
    void floatsNarrowToNearestByTheirBits()
    {
        std::mt19937 random(1);
        for (const NarrowFloat kind : kNarrow)
            for (uint32_t high = 0; high <= 0x1ff; ++high)
                for (const uint32_t low : {0u, 1u, 0xfffu, 0x1000u, 0x1001u, 0x7fffu, 0x8000u, 0x8001u, 0x7fffffu})
                    for (int again = 0; again < 32; ++again) {
                        const uint64_t bits =
                            high << 23 |
                            ((low + (random() & 3) * 0x2000 + (random() & 1) * (random() >> 9)) & 0x7fffff);
                        uint64_t result = 0;
                        narrowFromFloat(&bits, &result, static_cast<uint64_t>(kind));
                        const double value = std::bit_cast<float>(static_cast<uint32_t>(bits));
                        QVERIFY2(result == narrowed(value, kind, RoundMode::Nearest), SAY("%lx: %lx", bits, result));
                    }
    }

    void conversionsToNearestAreOperations()
    {
        const auto half = static_cast<uint64_t>(NarrowFloat::Half), bfloat = static_cast<uint64_t>(NarrowFloat::BFloat);
        QVERIFY(operationOf(widenToFloat, half) == UnaryOp::HalfToFloat);
        QVERIFY(operationOf(widenToFloat, bfloat) == UnaryOp::BFloatToFloat);
        QVERIFY(operationOf(narrowFromFloat, half) == UnaryOp::FloatToHalf);
        QVERIFY(operationOf(narrowFromFloat, bfloat) == UnaryOp::FloatToBFloat);
        QVERIFY(!operationOf(narrowFromFloat, half | static_cast<uint64_t>(RoundMode::Zero) << 8));
        QVERIFY(!operationOf(widenToDouble, half));
    }

    void narrowNumbersAreFusedWithOneRounding()
    {
        for (int round = 0; round < 5 * kRounds; ++round)
            for (const NarrowFloat kind : kNarrow) {
                const std::array<uint64_t, 3> in{m_values.any(16), m_values.any(16), m_values.any(16)};
                uint64_t out = 0;
                fuseNarrow(in.data(), &out, static_cast<uint64_t>(kind));
                APFloat expected = narrowNumber(in[0], kind);
                expected.fusedMultiplyAdd(narrowNumber(in[1], kind), narrowNumber(in[2], kind), kModes[0]);
                QVERIFY2(isSame(expected, out),
                         SAY("%lx * %lx + %lx = %lx, not %lx", in[0], in[1], in[2], bitsOf(expected), out));
            }
    }

    void wideIntegersCompute()
    {
        for (int round = 0; round < kRounds; ++round) {
            const auto bits = static_cast<unsigned>(65 + m_values.below(64));
            const APInt a = m_values.wide(bits),
                        b = m_values.below(3) ? m_values.wide(bits) : APInt(bits, m_values.below(140));
            const WidePair left = wordsOf(a), right = wordsOf(b);
            const uint64_t in[] = {left.words[0], left.words[1], right.words[0], right.words[1]};
            for (uint64_t op = 0; op <= static_cast<uint64_t>(WideOp::SMax); ++op) {
                const bool compares =
                    op >= static_cast<uint64_t>(WideOp::Eq) && op <= static_cast<uint64_t>(WideOp::SLe);
                uint64_t out[2] = {0, 0};
                if (compares) {
                    wideCompare(in, out, op | bits << 8);
                    QVERIFY2(out[0] == wideOrder(static_cast<WideOp>(op), a, b), SAY("comparison %lu", op));
                    continue;
                }
                wideBinary(in, out, op | bits << 8);
                const std::optional<APInt> expected = wideResult(static_cast<WideOp>(op), a, b);
                if (!expected)
                    continue;
                const WidePair words = wordsOf(*expected);
                QVERIFY2(out[0] == words.words[0] && out[1] == words.words[1],
                         SAY("operation %lu of %u bits: %lx %lx", op, bits, out[1], out[0]));
            }
        }
    }

    void wideIntegersConvert()
    {
        for (int round = 0; round < kRounds; ++round) {
            const auto to = static_cast<unsigned>(66 + m_values.below(63));
            const auto from = static_cast<unsigned>(8 + m_values.below(to - 9));
            const bool isSigned = round & 1, isWide = from > 64;
            const APInt value = m_values.wide(128).trunc(from);
            const WidePair words = wordsOf(value);
            uint64_t out[2] = {0, 0};
            wideExtend(words.words, out, from | (isSigned ? 256u : 0u) | (isWide ? 512u : 0u) | to << 16);
            const WidePair extended = wordsOf(isSigned ? value.sext(to) : value.zext(to));
            QVERIFY2(out[0] == extended.words[0] && out[1] == extended.words[1], SAY("%u to %u bits", from, to));

            const APInt whole = m_values.wide(128);
            for (const uint64_t single : {0u, 2u}) {
                APFloat expected(single ? APFloat::IEEEsingle() : APFloat::IEEEdouble());
                expected.convertFromAPInt(whole, isSigned, kModes[0]);
                wideToFloat(wordsOf(whole).words, out, (isSigned ? 1 : 0) | single);
                QVERIFY2(isSame(expected, out[0]), SAY("%lx", out[0]));
            }
        }
    }

    void floatsBecomeWideIntegers()
    {
        for (int round = 0; round < kRounds; ++round) {
            const bool isSigned = round & 1, isSingle = round & 2;
            const uint64_t in = m_values.real(isSingle ? 32 : 64, 124);
            const APFloat value = number(in, isSingle ? 32 : 64);
            llvm::APSInt expected(128, !isSigned);
            bool isExact = false;
            if (value.convertToInteger(expected, APFloat::rmTowardZero, &isExact) & APFloat::opInvalidOp)
                continue;
            uint64_t out[2] = {0, 0};
            wideFromDouble(&in, out, (isSigned ? 1 : 0) | (isSingle ? 2 : 0));
            const WidePair words = wordsOf(expected);
            QVERIFY2(out[0] == words.words[0] && out[1] == words.words[1], SAY("%lx", in));
        }
    }

    void overflowIsTold()
    {
        for (int round = 0; round < kRounds; ++round)
            for (const unsigned bits : {8u, 16u, 32u, 64u}) {
                const uint64_t in[] = {m_values.any(bits), m_values.any(bits)};
                const APInt a(bits, in[0]), b(bits, in[1]);
                using Operation = APInt (APInt::*)(const APInt&, bool&) const;
                constexpr Operation kOperations[] = {&APInt::uadd_ov, &APInt::usub_ov, &APInt::umul_ov,
                                                     &APInt::sadd_ov, &APInt::ssub_ov, &APInt::smul_ov};
                for (unsigned i = 0; i < std::size(kOperations); ++i) {
                    bool overflows = false;
                    const APInt expected = (a.*kOperations[i])(b, overflows);
                    uint64_t out[2] = {0, 0};
                    withOverflow(in, out, i % 3 | (i >= 3 ? 4u : 0u) | bits << 8);
                    QVERIFY2(out[0] == expected.getZExtValue() && out[1] == overflows,
                             SAY("operation %u of %u bits: %lx, %lx", i, bits, in[0], in[1]));
                }
            }
    }

    void saturatedResultsStayInRange()
    {
        for (int round = 0; round < kRounds; ++round)
            for (const unsigned bits : {8u, 16u, 32u, 64u}) {
                const uint64_t in[] = {m_values.any(bits), m_values.any(bits)};
                const uint64_t shift[] = {in[0], in[1] % bits};
                const APInt a(bits, in[0]), b(bits, in[1]), by(bits, shift[1]);
                const std::pair<unsigned, APInt> expected[] = {{0, a.uadd_sat(b)},     {1, a.usub_sat(b)},
                                                               {3, a.ushl_sat(by)},    {0 | 4, a.sadd_sat(b)},
                                                               {1 | 4, a.ssub_sat(b)}, {3 | 4, a.sshl_sat(by)}};
                for (const auto& [operation, result] : expected) {
                    uint64_t out = 0;
                    saturating((operation & 3) == 3 ? shift : in, &out, operation | bits << 8);
                    QVERIFY2(out == result.getZExtValue(),
                             SAY("operation %u of %u bits: %lx, %lx", operation, bits, in[0], in[1]));
                }
            }
    }

    void bitsAreCountedAndMoved()
    {
        for (int round = 0; round < kRounds; ++round)
            for (const unsigned bits : {8u, 16u, 32u, 64u}) {
                const uint64_t in[] = {m_values.any(bits), m_values.any(bits), m_values.any(bits)};
                const APInt a(bits, in[0]), both = a.zext(2 * bits).shl(bits) | APInt(bits, in[1]).zext(2 * bits);
                const auto by = static_cast<unsigned>(in[2] % bits);
                const std::pair<BitOp, uint64_t> expected[] = {
                    {BitOp::PopCount, a.popcount()},
                    {BitOp::LeadingZeros, a.countl_zero()},
                    {BitOp::TrailingZeros, a.countr_zero()},
                    {BitOp::ByteSwap, bits == 8 ? in[0] : a.byteSwap().getZExtValue()},
                    {BitOp::Reverse, a.reverseBits().getZExtValue()},
                    {BitOp::Abs, a.abs().getZExtValue()},
                    {BitOp::FunnelLeft, both.shl(by).lshr(bits).trunc(bits).getZExtValue()},
                    {BitOp::FunnelRight, both.lshr(by).trunc(bits).getZExtValue()}};
                for (const auto& [operation, result] : expected) {
                    uint64_t out = 0;
                    bitOperation(in, &out, static_cast<uint64_t>(operation) | bits << 8);
                    QVERIFY2(out == result, SAY("operation %lu of %u bits: %lx, %lx, %lx",
                                                static_cast<uint64_t>(operation), bits, in[0], in[1], in[2]));
                }
            }
    }

    void arithmeticRoundsAsItsNameSays()
    {
        const char* const kNames[] = {"add", "mul", "div", "fma"};
        const char* const kRoundings[] = {"rn", "rz", "rm", "rp"};
        for (int round = 0; round < kRounds / 4; ++round)
            for (const unsigned width : {32u, 64u})
                for (unsigned mode = 1; mode < 4; ++mode) {
                    const std::array<uint64_t, 3> in{m_values.real(width, 40), m_values.real(width, 40),
                                                     m_values.real(width, 80)};
                    for (const std::string name : kNames) {
                        const APFloat b = number(in[1], width);
                        APFloat expected = number(in[0], width);
                        if (name == "add")
                            expected.add(b, kModes[mode]);
                        else if (name == "mul")
                            expected.multiply(b, kModes[mode]);
                        else if (name == "div")
                            expected.divide(b, kModes[mode]);
                        else
                            expected.fusedMultiplyAdd(b, number(in[2], width), kModes[mode]);
                        const std::string full =
                            "llvm.nvvm." + name + "." + kRoundings[mode] + (width == 32 ? ".f" : ".d");
                        const uint64_t actual = called(full.c_str(), in);
                        QVERIFY2(isSame(expected, actual), SAY("%s %lx %lx %lx = %lx, not %lx", full.c_str(), in[0],
                                                               in[1], in[2], bitsOf(expected), actual));
                    }
                }
    }

    void floatsBecomeIntegersInAllRoundingModes()
    {
        struct Conversion {
            const char* name;
            unsigned from, to;
            bool isSigned;
        };
        constexpr Conversion kConversions[] = {
            {"f2i", 32, 32, true}, {"f2ui", 32, 32, false}, {"f2ll", 32, 64, true}, {"f2ull", 32, 64, false},
            {"d2i", 64, 32, true}, {"d2ui", 64, 32, false}, {"d2ll", 64, 64, true}, {"d2ull", 64, 64, false}};
        const char* const kRoundings[] = {".rn", ".rz", ".rm", ".rp"};
        for (int round = 0; round < kRounds / 4; ++round)
            for (const Conversion& each : kConversions)
                for (unsigned mode = 0; mode < 4; ++mode) {
                    const uint64_t in = m_values.real(each.from, round % 2 ? 66 : 3);
                    const APFloat value = number(in, each.from);
                    llvm::APSInt expected(each.to, !each.isSigned);
                    bool isExact = false;
                    value.convertToInteger(expected, kModes[mode], &isExact);
                    // As an H200 does, see tests/conformance/api/conversions.cu.
                    const bool hasHighestBit = value.isNaN() && (each.to == 64 || each.from == 64);
                    const uint64_t result = hasHighestBit ? uint64_t{1} << (each.to - 1) : expected.getZExtValue();
                    const std::string name = std::string("llvm.nvvm.") + each.name + kRoundings[mode];
                    const uint64_t actual = called(name.c_str(), {in, 0, 0});
                    QVERIFY2(actual == result, SAY("%s %lx = %lx, not %lx", name.c_str(), in, result, actual));
                }
    }

    void integersBecomeFloatsInAllRoundingModes()
    {
        struct Conversion {
            const char* name;
            unsigned from, to;
            bool isSigned;
        };
        constexpr Conversion kConversions[] = {
            {"i2f", 32, 32, true}, {"ui2f", 32, 32, false}, {"ll2f", 64, 32, true}, {"ull2f", 64, 32, false},
            {"i2d", 32, 64, true}, {"ui2d", 32, 64, false}, {"ll2d", 64, 64, true}, {"ull2d", 64, 64, false}};
        const char* const kRoundings[] = {".rn", ".rz", ".rm", ".rp"};
        for (int round = 0; round < kRounds / 4; ++round)
            for (const Conversion& each : kConversions)
                for (unsigned mode = 0; mode < 4; ++mode) {
                    const uint64_t in = m_values.any(each.from);
                    APFloat expected(each.to == 32 ? APFloat::IEEEsingle() : APFloat::IEEEdouble());
                    expected.convertFromAPInt(APInt(each.from, in), each.isSigned, kModes[mode]);
                    const std::string name = std::string("llvm.nvvm.") + each.name + kRoundings[mode];
                    const uint64_t actual = called(name.c_str(), {in, 0, 0});
                    QVERIFY2(bitsOf(expected) == actual,
                             SAY("%s %lx = %lx, not %lx", name.c_str(), in, bitsOf(expected), actual));
                }
    }

    void productsHaveUpperHalves()
    {
        struct Product {
            const char* name;
            unsigned bits;
            bool isSigned;
        };
        constexpr Product kProducts[] = {{"s", 16, true},   {"us", 16, false}, {"i", 32, true},
                                         {"ui", 32, false}, {"ll", 64, true},  {"ull", 64, false}};
        for (int round = 0; round < kRounds; ++round)
            for (const Product& each : kProducts) {
                const uint64_t a = m_values.any(each.bits), b = m_values.any(each.bits);
                const APInt left(each.bits, a), right(each.bits, b);
                const APInt expected =
                    each.isSigned ? llvm::APIntOps::mulhs(left, right) : llvm::APIntOps::mulhu(left, right);
                const std::string name = std::string("llvm.nvvm.mulhi.") + each.name;
                QVERIFY2(called(name.c_str(), {a, b, 0}) == expected.getZExtValue(),
                         SAY("%s %lx %lx", name.c_str(), a, b));
            }
    }

    void smallFunctionsDoWhatTheIsaSays()
    {
        for (int round = 0; round < kRounds; ++round) {
            const uint64_t a = m_values.any(32), b = m_values.any(32), c = m_values.any(32);
            const APInt left(32, a), right(32, b);
            const APInt apart = left.sext(64) - right.sext(64), apartUnsigned = left.zext(64) - right.zext(64);
            QCOMPARE(called("llvm.nvvm.sad.i", {a, b, c}), (apart.abs() + c).trunc(32).getZExtValue());
            QCOMPARE(called("llvm.nvvm.sad.ui", {a, b, c}), (apartUnsigned.abs() + c).trunc(32).getZExtValue());
            QCOMPARE(called("llvm.nvvm.mul24.i", {a, b, 0}),
                     (left.trunc(24).sext(32) * right.trunc(24).sext(32)).getZExtValue());
            QCOMPARE(called("llvm.nvvm.mul24.ui", {a, b, 0}),
                     (left.trunc(24).zext(32) * right.trunc(24).zext(32)).getZExtValue());
            const APInt bytes = right.zext(64).shl(32) | left.zext(64);
            APInt permuted(32, 0);
            for (unsigned i = 0; i < 4; ++i) {
                const APInt byte = bytes.extractBits(8, 8 * (c >> 4 * i & 7));
                permuted.insertBits(c >> 4 * i & 8 ? byte.ashr(7) : byte, 8 * i);
            }
            QCOMPARE(called("llvm.nvvm.prmt", {a, b, c}), permuted.getZExtValue());
        }
    }

    void floatsHaveTheirClasses()
    {
        for (int round = 0; round < kRounds; ++round)
            for (const unsigned width : {32u, 64u}) {
                const uint64_t bits = m_values.any(width), asked = m_values.below(1024);
                const bool isOne = number(bits, width).classify() & asked;
                const char* name = width == 32 ? "llvm.is.fpclass.f32" : "llvm.is.fpclass.f64";
                QVERIFY2(called(name, {bits, asked, 0}) == isOne, SAY("%lx of %lx", bits, asked));
            }
    }

    void namesThatNobodyDeclaresAreUnknown()
    {
        QVERIFY(laneFunction("llvm.nvvm.prmt") != nullptr);
        QVERIFY(laneFunction("llvm.nvvm.prm") == nullptr);
        QVERIFY(laneFunction("") == nullptr);
    }

private:
    Values m_values;
};

QTEST_APPLESS_MAIN(TestLaneFunctions)
#include "tst_lane_functions.moc"
