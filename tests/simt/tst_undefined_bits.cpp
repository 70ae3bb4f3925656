// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How undefined bits pass instructions, against the definition: a bit of a result is undefined when it is not the same
// for all values that the undefined bits of the operands could have. All operands of a few bits are tried.
#include <functional>
#include <vector>

#include <QTest>

#include "core/simt/checks/undefined_bits.h"

using namespace lanescope::simt;

namespace {

using Values = std::vector<uint64_t>;
using Function = std::function<uint64_t(const Values&)>;
using Operands = std::vector<PartlyDefined>;

constexpr uint8_t kBits = 3;
constexpr uint64_t kAll = (1u << kBits) - 1;

/// Calls \p body with every combination of operands of \p widths bits.
void forAllOperands(const std::vector<uint8_t>& widths, const std::function<void(const Operands&)>& body,
                    const Operands& chosen = {})
{
    if (chosen.size() == widths.size())
        return body(chosen);
    const uint8_t bits = widths[chosen.size()];
    for (uint64_t value = 0; value < uint64_t{1} << bits; ++value)
        for (uint64_t undefined = 0; undefined < uint64_t{1} << bits; ++undefined) {
            Operands more = chosen;
            more.push_back({value, undefined, bits});
            forAllOperands(widths, body, more);
        }
}

/// Calls \p body with all that \p operands could be.
void forAllValues(const Operands& operands, const std::function<void(const Values&)>& body, const Values& chosen = {})
{
    if (chosen.size() == operands.size())
        return body(chosen);
    const PartlyDefined& operand = operands[chosen.size()];
    for (uint64_t value = 0; value < uint64_t{1} << operand.bits; ++value)
        if (((value ^ operand.value) & ~operand.undefined) == 0) {
            Values more = chosen;
            more.push_back(value);
            forAllValues(operands, body, more);
        }
}

/// The bits of \p function that depend on undefined ones.
uint64_t byDefinition(const Operands& operands, const Function& function)
{
    uint64_t ever = 0, always = ~uint64_t{0};
    forAllValues(operands, [&](const Values& values) {
        ever |= function(values);
        always &= function(values);
    });
    return ever & ~always;
}

uint64_t signWidened(uint64_t value)
{
    return (value >> (kBits - 1)) != 0 ? value | ~kAll : value;
}

struct Case {
    const char* name;
    FlowKind kind;
    std::vector<uint8_t> widths;
    uint8_t resultBits;
    Function function;
    size_t decisive = SIZE_MAX;  ///< an undefined bit of this operand makes all of the result undefined
};

const Case kExact[] = {
    {"copy", FlowKind::Move, {kBits}, kBits, [](const Values& in) { return in[0]; }},
    {"zero extension", FlowKind::Move, {kBits}, kBits + 2, [](const Values& in) { return in[0]; }},
    {"truncation", FlowKind::Move, {kBits}, kBits - 1, [](const Values& in) { return in[0] & kAll >> 1; }},
    {"sign extension", FlowKind::SignWiden, {kBits}, 64, [](const Values& in) { return signWidened(in[0]); }},
    {"and", FlowKind::And, {kBits, kBits}, kBits, [](const Values& in) { return in[0] & in[1]; }},
    {"or", FlowKind::Or, {kBits, kBits}, kBits, [](const Values& in) { return in[0] | in[1]; }},
    {"xor", FlowKind::Xor, {kBits, kBits}, kBits, [](const Values& in) { return in[0] ^ in[1]; }},
    {"shift left", FlowKind::ShiftLeft, {kBits, 2}, kBits, [](const Values& in) { return in[0] << in[1] & kAll; }, 1},
    {"shift right", FlowKind::ShiftRight, {kBits, 2}, kBits, [](const Values& in) { return in[0] >> in[1]; }, 1},
    {"signed shift right",
     FlowKind::ShiftRightSigned,
     {kBits, 2},
     kBits,
     [](const Values& in) { return signWidened(in[0]) >> in[1] & kAll; },
     1},
    {"select", FlowKind::Select, {1, kBits, kBits}, kBits, [](const Values& in) { return in[0] ? in[1] : in[2]; }, 0},
};

bool isShift(FlowKind kind)
{
    return kind == FlowKind::ShiftLeft || kind == FlowKind::ShiftRight || kind == FlowKind::ShiftRightSigned;
}

}  // namespace

Q_DECLARE_METATYPE(const Case*)

class TestUndefinedBits : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void isExact_data()
    {
        QTest::addColumn<const Case*>("flow");
        for (const Case& each : kExact)
            QTest::newRow(each.name) << &each;
    }
    void isExact()
    {
        QFETCH(const Case*, flow);
        size_t wrong = 0;
        forAllOperands(flow->widths, [&](const Operands& operands) {
            const bool isShiftedOut = isShift(flow->kind) && operands[1].value >= kBits;  // poison in LLVM
            const bool isDecided = flow->decisive < operands.size() && operands[flow->decisive].undefined;
            const uint64_t expected = isDecided ? kAll : byDefinition(operands, flow->function);
            const uint64_t found = undefinedResult(flow->kind, operands, flow->resultBits);
            wrong += (isDecided || !isShiftedOut) && found != expected;
        });
        QCOMPARE(wrong, size_t{0});
    }

    /// What an undefined bit happens to hold does not matter.
    void dependsOnDefinedBitsOnly_data() { isExact_data(); }
    void dependsOnDefinedBitsOnly()
    {
        QFETCH(const Case*, flow);
        size_t wrong = 0;
        forAllOperands(flow->widths, [&](const Operands& operands) {
            Operands zeros = operands;
            for (PartlyDefined& each : zeros)
                each.value &= ~each.undefined;
            wrong += undefinedResult(flow->kind, operands, flow->resultBits) !=
                     undefinedResult(flow->kind, zeros, flow->resultBits);
        });
        QCOMPARE(wrong, size_t{0});
    }

    /// Arithmetic is not told apart: nothing that could differ is taken for defined.
    void combiningMissesNothing()
    {
        const Function functions[] = {
            [](const Values& in) { return (in[0] + in[1]) & kAll; },
            [](const Values& in) { return (in[0] - in[1]) & kAll; },
            [](const Values& in) { return (in[0] * in[1]) & kAll; },
            [](const Values& in) { return uint64_t{in[0] < in[1]}; },
        };
        size_t wrong = 0;
        forAllOperands({kBits, kBits}, [&](const Operands& operands) {
            const uint64_t found = undefinedResult(FlowKind::Combine, operands, kBits);
            const bool isUndefined = operands[0].undefined || operands[1].undefined;
            wrong += found != (isUndefined ? kAll : 0);
            for (const Function& each : functions)
                wrong += (byDefinition(operands, each) & ~found) != 0;
            wrong += undefinedResult(FlowKind::Branch, operands, kBits) != found;
        });
        QCOMPARE(wrong, size_t{0});
    }

    void othersSayItThemselves()
    {
        const Operands operands(3, {0, kAll, kBits});
        for (const FlowKind kind : {FlowKind::Define, FlowKind::Gather, FlowKind::Undefined, FlowKind::Load,
                                    FlowKind::Store, FlowKind::Atomic})
            QCOMPARE(undefinedResult(kind, operands, kBits), uint64_t{0});
    }

    /// As wide as registers are.
    void fullWidth()
    {
        const Operands signs = {{0, uint64_t{1} << 63, 64}, {63, 0, 64}};
        QCOMPARE(undefinedResult(FlowKind::ShiftRightSigned, signs, 64), ~uint64_t{0});
        QCOMPARE(undefinedResult(FlowKind::ShiftRight, signs, 64), uint64_t{1});
        QCOMPARE(undefinedResult(FlowKind::ShiftLeft, signs, 64), uint64_t{0});
        const Operands word = {{0, 0x80000000, 32}};
        QCOMPARE(undefinedResult(FlowKind::SignWiden, word, 64), 0xffffffff80000000);
        QCOMPARE(undefinedResult(FlowKind::Move, word, 64), uint64_t{0x80000000});
    }
};

QTEST_APPLESS_MAIN(TestUndefinedBits)
#include "tst_undefined_bits.moc"
