// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The text of inline assembly as statements and operands; what is damaged is named.
#include <bit>
#include <string>

#include <QTest>

#include "core/simt/ptx/ptx_parser.h"

using namespace lanescope::simt;
using Kind = PtxOperand::Kind;

namespace {

std::string described(const PtxOperand& operand);

std::string joined(const std::vector<PtxOperand>& operands, const char* between)
{
    std::string text;
    for (const PtxOperand& each : operands)
        text += (text.empty() ? "" : between) + described(each);
    return text;
}

/// An operand by its kind: "reg $0.h1", "int 7", "[reg+4]", …
std::string described(const PtxOperand& operand)
{
    const std::string sign = operand.isNegated ? "not " : "";
    switch (operand.kind) {
    case Kind::Register:
        return sign + operand.name + (operand.selector.empty() ? "" : "." + operand.selector);
    case Kind::Integer:
        return sign + "int " + std::to_string(operand.integer);
    case Kind::Float:
        return sign + (operand.isSingle ? "single " : "double ") +
               std::to_string(operand.isSingle
                                  ? static_cast<double>(std::bit_cast<float>(static_cast<uint32_t>(operand.integer)))
                                  : std::bit_cast<double>(operand.integer));
    case Kind::Address:
        return "[" + operand.name + (operand.elements.empty() ? "" : "+" + joined(operand.elements, "+")) +
               (operand.integer >= 0 ? "+" : "") + std::to_string(operand.integer) + "]";
    case Kind::Vector:
        return sign + "{" + joined(operand.elements, " ") + "}";
    case Kind::Pair:
        return joined(operand.elements, "|");
    default:
        return "nothing";
    }
}

std::string described(const PtxStatement& statement)
{
    if (!statement.label.empty())
        return statement.label + ":";
    std::string text;
    if (!statement.predicate.empty())
        text = (statement.predicateNegated ? "@!" : "@") + statement.predicate + " ";
    for (const std::string& part : statement.opcode)
        text += part + (&part == &statement.opcode.back() ? "" : " ");
    return text + (statement.operands.empty() ? "" : ": " + joined(statement.operands, ", "));
}

/// All statements, a line each, or "problem: …".
QString described(const std::string& text)
{
    std::string problem;
    const std::optional<PtxText> read = parsePtx(text, problem);
    if (!read)
        return QString::fromStdString("problem: " + problem);
    std::string all;
    for (const PtxRegister& each : read->registers)
        all += "register " + each.name + " " + each.type + "\n";
    for (const PtxStatement& each : read->statements)
        all += described(each) + "\n";
    return QString::fromStdString(all).trimmed();
}

}  // namespace

class TestPtxParser : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void readsStatements_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("expected");
        const auto row = [](const char* name, const char* text, const char* expected) {
            QTest::newRow(name) << QString(text) << QString(expected);
        };
        row("nothing", "", "");
        row("only comments", " // one\n /* two\n */ // three", "");
        row("an instruction", "add.s32 $0, $1, $2;", "add s32: $0, $1, $2");
        row("without a semicolon", "membar.gl", "membar gl");
        row("two", "mov.u32 $0, 1; mov.u32 $1, 2;", "mov u32: $0, int 1\nmov u32: $1, int 2");
        row("modifiers", "ld.global.L1::no_allocate.v2.f32 {$0, $1}, [$2];",
            "ld global L1::no_allocate v2 f32: {$0 $1}, [$2+0]");
        row("comments between", "add.u32 /* to */ $0, // from\n $1, 2;", "add u32: $0, $1, int 2");
        row("comment without an end", "exit; /* and so on", "exit");
        row("braces", "{ .reg .pred p; setp.eq.s32 p, $1, 0; }", "register p pred\nsetp eq s32: p, $1, int 0");
        row("registers", ".reg .b32 a, b<2>, c;", "register a b32\nregister b0 b32\nregister b1 b32\nregister c b32");
        row("a pragma", ".pragma \"nounroll\"; exit;", "exit");
        row("a predicate", "@p add.u32 a, a, 1;", "@p add u32: a, a, int 1");
        row("a negated predicate", "@!%p1 bra done;", "@!%p1 bra: done");
        row("a label", "again: bra again;", "again:\nbra: again");
        row("labels made unique", "L_${:uid}: bra L_${:uid};", "L_$:\nbra: L_$");
        row("operands with modifiers", "mov.b32 ${0:r}, ${1};", "mov b32: $0, $1");
        row("special registers", "mov.u32 $0, %tid.x;", "mov u32: $0, %tid.x");
        row("a selector", "vadd.s32.s32.s32 $0, $1.b3, $2.h1;", "vadd s32 s32 s32: $0, $1.b3, $2.h1");
        row("a pair", "setp.lt.and.s32 p|q, a, b, !r;", "setp lt and s32: p|q, a, b, not r");
        row("no result", "atom.add.u32 _, [a], 1;", "atom add u32: nothing, [a+0], int 1");
        row("a negated register", "sub.s32 $0, -$1, 3;", "sub s32: $0, not $1, int 3");
        row("vectors", "mma.sync {a, b}, {c, 1, _};", "mma sync: {a b}, {c int 1 nothing}");
    }
    void readsStatements()
    {
        QFETCH(QString, text);
        QFETCH(QString, expected);
        QCOMPARE(described(text.toStdString()), expected);
    }

    void readsNumbers_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("expected");
        const auto row = [](const char* text, const char* expected) {
            QTest::newRow(text) << QString(text) << QString(expected);
        };
        row("7", "int 7");
        row("-7", "int -7");
        row("+7", "int 7");
        row("7U", "int 7");
        row("0xff", "int 255");
        row("0x1e", "int 30");
        row("-0x10", "int -16");
        row("0b101", "int 5");
        row("017", "int 15");
        row("0xffffffffffffffff", "int -1");
        row("-9223372036854775808", "int -9223372036854775808");
        row("1.5", "double 1.500000");
        row("-2.5e1", "double -25.000000");
        row("1e+2", "double 100.000000");
        row("1E-1", "double 0.100000");
        row("0f3f800000", "single 1.000000");
        row("0F3FC00000", "single 1.500000");
        row("-0f3f800000", "single -1.000000");
        row("0d3ff0000000000000", "double 1.000000");
        row("-0D4000000000000000", "double -2.000000");
    }
    void readsNumbers()
    {
        QFETCH(QString, text);
        QFETCH(QString, expected);
        QCOMPARE(described("op " + text.toStdString() + ";"), "op: " + expected);
    }

    void readsAddresses_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("expected");
        QTest::newRow("register") << "[$1]" << "[$1+0]";
        QTest::newRow("offset") << "[ $1 + 16 ]" << "[$1+16]";
        QTest::newRow("negative offset") << "[$1-4]" << "[$1-4]";
        QTest::newRow("negative number") << "[$1+-4]" << "[$1-4]";
        QTest::newRow("two offsets") << "[$1+8-2]" << "[$1+6]";
        QTest::newRow("number") << "[64]" << "[+64]";
        QTest::newRow("register offset") << "[$1+r]" << "[$1+r+0]";
        QTest::newRow("lowest offset") << "[$1-0x8000000000000000]" << "[$1-9223372036854775808]";
        QTest::newRow("offsets that wrap") << "[$1+0x7fffffffffffffff+1]" << "[$1-9223372036854775808]";
    }
    void readsAddresses()
    {
        QFETCH(QString, text);
        QFETCH(QString, expected);
        QCOMPARE(described("ld.u32 $0, " + text.toStdString() + ";"), "ld u32: $0, " + expected);
    }

    void namesWhatIsDamaged_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("problem");
        const auto row = [](const char* name, const char* text, const char* problem) {
            QTest::newRow(name) << QString(text) << QString(problem);
        };
        row("no opcode", "+ 3;", "'+ 3;'");
        row("only dots", "@p ..;", "'..'");
        row("a predicate alone", "@p", "''");
        row("no operand", "add.s32 $0, ;", "';'");
        row("no comma", "add.s32 $0 $1;", "'$1;'");
        row("an open vector", "mov.b32 {a, b;", "a vector without '}'");
        row("an open address", "ld.u32 a, [b;", "an address without ']'");
        row("a directive", ".shared .b32 a;", "the directive '.shared'");
        row("too many registers", ".reg .b32 a<9999999>;", "a declaration of 9999999 registers");
        row("digits of another base", "mov.u32 a, 12xyz;", "the number '12xyz'");
        row("no octal digit", "mov.u32 a, 08;", "the number '08'");
        row("no digits", "mov.u32 a, 0x;", "the number '0x'");
        row("two points", "mov.f32 a, 1.2.3;", "the number '1.2.3'");
        row("too few digits", "mov.f32 a, 0f3f8;", "a number of 3 digits");
        row("a sign alone", "mov.u32 a, - ;", "the number '-'");
    }
    void namesWhatIsDamaged()
    {
        QFETCH(QString, text);
        QFETCH(QString, problem);
        QCOMPARE(described(text.toStdString()), "problem: " + problem);
    }

    void nestsNoDeeperThanItShould()
    {
        for (const char* opening : {"{", "!"}) {
            std::string text = "mov.b32 a, ";
            for (int i = 0; i < 1000000; ++i)
                text += opening;
            QCOMPARE(described(text), "problem: an operand of more than 8 levels");
        }
    }

    /// Whatever is cut off, it is read or named.
    void readsEveryPrefix()
    {
        const std::string text = "{ .reg .pred p<2>; @!p0 ld.v2.f32 {${0:r}, $1}, [%rd1+-8]; L: bra L; /* x */ "
                                 "setp.eq.f32 p0|p1, -0f3f800000, 1.5e-3; .pragma \"a\"; // end\n }";
        for (size_t length = 0; length <= text.size(); ++length) {
            std::string problem;
            const std::optional<PtxText> read = parsePtx(std::string_view(text).substr(0, length), problem);
            QCOMPARE(read.has_value(), problem.empty());
        }
    }
};

QTEST_APPLESS_MAIN(TestPtxParser)
#include "tst_ptx_parser.moc"
