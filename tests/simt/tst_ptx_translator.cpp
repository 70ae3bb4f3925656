// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Inline PTX as IR: what it computes, where its branches go, and how what is not known is named.
#include <string>

#include <QTest>

#ifndef Q_MOC_RUN  // which does not understand LLVM
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>

#include "core/simt/ptx/ptx_to_ir.h"
#include "ir_text.h"
#endif

using namespace lanescope;

namespace {

llvm::CallInst* inlineCall(llvm::Module& module)
{
    for (llvm::Function& function : module)
        for (llvm::Instruction& instr : llvm::instructions(function))
            if (auto* call = llvm::dyn_cast<llvm::CallInst>(&instr); call && call->isInlineAsm())
                return call;
    return nullptr;
}

/// A function "f" that returns what \p statement leaves in $0, of \p type; \p arguments: "i32 1, i32 2".
std::string functionOf(const QString& type, const QString& statement, const QString& arguments)
{
    QString constraints = "=r";
    for (qsizetype i = 0; i < arguments.split(',', Qt::SkipEmptyParts).size(); ++i)
        constraints += ",r";
    return QString("define %1 @f() {\n  %r = call %1 asm sideeffect \"%2\", \"%3\"(%4)\n  ret %1 %r\n}\n")
        .arg(type, statement, constraints, arguments)
        .toStdString();
}

}  // namespace

class TestPtxTranslator : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void computes_data()
    {
        QTest::addColumn<QString>("type");
        QTest::addColumn<QString>("statement");
        QTest::addColumn<QString>("arguments");
        QTest::addColumn<quint64>("expected");
        const auto row = [](const char* statement, const char* arguments, quint64 expected, const char* type = "i32") {
            QTest::newRow(statement) << QString(type) << QString(statement) << QString(arguments) << expected;
        };
        row("add.s32 $0, $1, $2;", "i32 2, i32 -5", 0xfffffffd);
        row("sub.u64 $0, $1, $2;", "i64 2, i64 5", ~uint64_t{2}, "i64");
        row("add.sat.s32 $0, $1, $2;", "i32 2147483647, i32 1", 0x7fffffff);
        row("mul.lo.u32 $0, $1, $2;", "i32 65537, i32 65537", 0x00020001);
        row("mul.hi.u32 $0, $1, $2;", "i32 -1, i32 -1", 0xfffffffe);
        row("mul.hi.s32 $0, $1, $2;", "i32 -2, i32 3", 0xffffffff);
        row("mul.wide.s16 $0, $1, $2;", "i16 -300, i16 300", 0xfffea070);
        row("mul24.lo.u32 $0, $1, $2;", "i32 16777217, i32 3", 3);
        row("mad.lo.s32 $0, $1, $2, $3;", "i32 3, i32 -4, i32 5", 0xfffffff9);
        row("div.s32 $0, $1, $2;", "i32 -7, i32 2", 0xfffffffd);
        row("rem.u32 $0, $1, $2;", "i32 -7, i32 10", 9);
        row("min.s32 $0, $1, $2;", "i32 -7, i32 2", 0xfffffff9);
        row("min.u32 $0, $1, $2;", "i32 -7, i32 2", 2);
        row("max.s32 $0, $1, -1;", "i32 -7", 0xffffffff);
        row("abs.s32 $0, $1;", "i32 -7", 7);
        row("neg.s32 $0, $1;", "i32 7", 0xfffffff9);
        row("cnot.b32 $0, $1;", "i32 0", 1);
        row("not.b32 $0, $1;", "i32 0", 0xffffffff);
        row("and.b32 $0, $1, 0xf0;", "i32 63", 0x30);
        row("shl.b32 $0, $1, $2;", "i32 1, i32 32", 0);
        row("shl.b32 $0, $1, 31;", "i32 3", 0x80000000);
        row("shr.s32 $0, $1, $2;", "i32 -8, i32 40", 0xffffffff);
        row("shr.u32 $0, $1, $2;", "i32 -8, i32 28", 0xf);
        row("shf.l.wrap.b32 $0, $1, $2, $3;", "i32 305419896, i32 -2023406815, i32 36", 0x76543211);
        row("shf.r.clamp.b32 $0, $1, $2, $3;", "i32 305419896, i32 -2023406815, i32 40", 0x87654321);
        row("bfe.u32 $0, $1, 8, 4;", "i32 4660", 2);
        row("bfe.s32 $0, $1, 4, 4;", "i32 240", 0xffffffff);
        row("bfi.b32 $0, $1, $2, 8, 4;", "i32 5, i32 -1", 0xfffff5ff);
        row("clz.b32 $0, $1;", "i32 1", 31);
        row("popc.b32 $0, $1;", "i32 255", 8);
        row("brev.b32 $0, $1;", "i32 1", 0x80000000);
        row("lop3.b32 $0, $1, $2, $3, 0x96;", "i32 12, i32 10, i32 255", 12 ^ 10 ^ 255);
        row("lop3.b32 $0, $1, $2, $3, 0xe8;", "i32 12, i32 10, i32 9", 8);
        row("sad.s32 $0, $1, $2, $3;", "i32 -3, i32 4, i32 10", 17);
        row("dp4a.u32.u32 $0, $1, $2, $3;", "i32 16909060, i32 16843009, i32 5", 15);
        row("mov.b32 $0, {$1, $2};", "i16 1, i16 2", 0x20001);
        row("{ .reg .b16 a, b; mov.b32 {a, b}, $1; mov.b32 $0, {b, a}; }", "i32 65538", 0x20001);
        row("{ .reg .f16x2 a; mov.b32 a, $1; mov.b32 $0, a; }", "i32 305419896", 305419896);
        row("{ .reg .pred p; setp.lt.s32 p, $1, 0; selp.s32 $0, 7, 9, p; }", "i32 -1", 7);
        row("{ .reg .pred p, q; setp.lt.s32 p|q, $1, 0; selp.s32 $0, 7, 9, q; }", "i32 -1", 9);
        row("{ .reg .pred p; setp.lo.u32 p, $1, 5; @p mov.u32 $0, 1; @!p mov.u32 $0, 2; }", "i32 -1", 2);
        row("set.gt.u32.f32 $0, $1, $2;", "float 2.0, float 1.0", 0xffffffff);
        row("set.gt.f32.s32 $0, $1, $2;", "i32 2, i32 1", 0x3f800000, "float");
        row("slct.s32.s32 $0, $1, $2, $3;", "i32 4, i32 5, i32 -1", 5);
        row("add.cc.u32 $0, $1, $2; addc.u32 $0, 0, 0;", "i32 -1, i32 1", 1);
        row("sub.cc.u32 $0, $1, $2; subc.u32 $0, 5, 0;", "i32 0, i32 1", 4);
        row("add.f32 $0, $1, 0f3f800000;", "float 2.0", 0x40400000, "float");
        row("add.f32 $0, $1, -0f3f800000;", "float 2.0", 0x3f800000, "float");
        row("fma.rn.f64 $0, $1, $2, $3;", "double 3.0, double 2.0, double 1.0", 0x401c000000000000, "double");
        row("add.sat.f32 $0, $1, $2;", "float 2.0, float 1.0", 0x3f800000, "float");
        row("min.f32 $0, $1, $2;", "float 0x7FF8000000000000, float 1.0", 0x3f800000, "float");
        row("max.NaN.f32 $0, $1, $2;", "float 0x7FF8000000000000, float 1.0", 0x7fc00000, "float");
        row("testp.infinite.f32 p, $1; selp.u32 $0, 1, 0, p;", "float 0x7FF0000000000000", 1);
        row("cvt.u32.u8 $0, $1;", "i32 511", 255);
        row("cvt.s32.s8 $0, $1;", "i32 255", 0xffffffff);
        row("cvt.rn.f32.s32 $0, $1;", "i32 -2", 0xc0000000, "float");
        row("mov.u32 $0, WARP_SZ;", "", 32);
    }
    void computes()
    {
        QFETCH(QString, type);
        QFETCH(QString, statement);
        QFETCH(QString, arguments);
        QFETCH(quint64, expected);
        if (statement.startsWith("testp"))
            statement = "{ .reg .pred p; " + statement + " }";
        const auto module = test::moduleOf(m_context, functionOf(type, statement, arguments));
        QVERIFY(module);
        simt::rewriteInlinePtx(*inlineCall(*module));
        QVERIFY(!inlineCall(*module));
        QCOMPARE(test::verifierProblem(*module), "");
        const std::optional<uint64_t> result = test::returnedBits(*module->getFunction("f"));
        QVERIFY(result);
        QCOMPARE(*result, expected);
    }

    void namesWhatIsNotKnown_data()
    {
        QTest::addColumn<QString>("statement");
        QTest::addColumn<QString>("problem");
        const auto row = [](const char* statement, const char* problem) {
            QTest::newRow(statement) << QString(statement) << QString(problem);
        };
        row("frobnicate.b32 $0, $1;", "the inline assembly instruction 'frobnicate.b32'");
        row("mov.u32 $0, $1; frobnicate.b32 $0, $1;", "the inline assembly instruction 'frobnicate.b32'");
        row("add.q32 $0, $1, $1;", "the inline assembly instruction 'add.q32'");
        row("add.s32 $0, $1;", "the inline assembly instruction 'add.s32'");
        row("selp.u32 $0, 1, 2;", "inline assembly with too few operands");
        row("setp.odd.u32 $0, $1, 2;", "the inline assembly instruction 'setp.odd.u32'");
        row("mov.u32 $0, %nonsense;", "the inline assembly register '%nonsense'");
        row("mov.u32 $0, unheard;", "the inline assembly register 'unheard'");
        row("mov.u32 unheard, $1;", "the inline assembly result 'unheard'");
        row("@p mov.u32 $0, $1;", "the inline assembly predicate 'p'");
        row("bra away;", "the inline assembly branch to a label that is not in the same statement");
        row("a: mov.u32 $0, $1; a: bra a;", "the inline assembly label 'a', which is there twice");
        row(".reg .pred $0; mov.u32 $0, $1;", "the inline assembly register '$0', which is an operand");
        row("vote.sync.most.pred $0, $1, -1;", "the inline assembly instruction 'vote.sync.most.pred'");
        row("and.f32 $0, $1, $1;", "the inline assembly instruction 'and.f32'");
        row("atom.global.and.f32 $0, [$1], $1;", "the inline assembly instruction 'atom.global.and.f32'");
        row("ld.global.pred $0, [$1];", "the inline assembly instruction 'ld.global.pred'");
        row("cvt.bf16.f16 $0, $1;", "the inline assembly instruction 'cvt.bf16.f16'");
        row("setp.lo.f32 $0, $1, $1;", "the inline assembly instruction 'setp.lo.f32'");
        row(".reg . a; mov.u32 $0, $1;", "the inline assembly register type '.'");
        row(".reg .b7 a; mov.u32 $0, $1;", "the inline assembly register type 'b7'");
        row(".reg .b8 a; mov.b32 {a, a, a}, $1;", "the inline assembly vector of 3 elements for 32 bits");
        row("mov.pred {$0, $1}, $1;", "the inline assembly vector of 2 elements for 1 bits");
        row("add.s32 $0 $1;", "the inline assembly '$1;'");
    }
    /// And nothing else has changed.
    void namesWhatIsNotKnown()
    {
        QFETCH(QString, statement);
        QFETCH(QString, problem);
        const auto module = test::moduleOf(m_context, functionOf("i32", statement, "i32 7"));
        QVERIFY(module);
        simt::rewriteInlinePtx(*inlineCall(*module));
        llvm::CallInst* left = inlineCall(*module);
        QVERIFY(left);
        QCOMPARE(QString::fromStdString(simt::ptxProblem(*left)), problem);
        QCOMPARE(test::verifierProblem(*module), "");
    }

    /// A loop inside the statement: as many rounds as its input says.
    void branchesBecomeBlocks()
    {
        const auto module = test::moduleOf(
            m_context, "define i32 @f(i32 %n) {\n"
                       "%r = call i32 asm sideeffect \"{ .reg .pred p; .reg .u32 i; mov.u32 i, 0; mov.u32 $0, 0; "
                       "again: add.u32 $0, $0, i; add.u32 i, i, 1; setp.lt.u32 p, i, $1; @p bra again; "
                       "}\", \"=r,r\"(i32 %n)\n"
                       "ret i32 %r\n"
                       "}\n");
        QVERIFY(module);
        simt::rewriteInlinePtx(*inlineCall(*module));
        QCOMPARE(test::verifierProblem(*module), "");
        llvm::Function& function = *module->getFunction("f");
        unsigned loops = 0, variables = 0;
        for (llvm::Instruction& instr : llvm::instructions(function)) {
            variables += llvm::isa<llvm::AllocaInst>(instr);
            if (const auto* jump = llvm::dyn_cast<llvm::BranchInst>(&instr); jump && jump->isConditional())
                loops += jump->getSuccessor(0) == jump->getParent();
        }
        QCOMPARE(loops, 1u);
        QCOMPARE(variables, 0u);
    }

    /// A store behind a predicate is made only where it holds.
    void effectsUnderAPredicateAreBehindABranch()
    {
        const auto module = test::moduleOf(
            m_context, "define void @f(ptr %to, i32 %value) {\n"
                       "call void asm sideeffect \"{ .reg .pred p; setp.ne.u32 p, $1, 0; @p st.global.u32 [$0], $1; "
                       "}\", \"l,r\"(ptr %to, i32 %value)\n"
                       "ret void\n"
                       "}\n");
        QVERIFY(module);
        simt::rewriteInlinePtx(*inlineCall(*module));
        QCOMPARE(test::verifierProblem(*module), "");
        const llvm::Function& function = *module->getFunction("f");
        for (const llvm::Instruction& instr : llvm::instructions(function))
            if (llvm::isa<llvm::StoreInst>(instr))
                QVERIFY(instr.getParent() != &function.getEntryBlock());
        QVERIFY(llvm::cast<llvm::BranchInst>(function.getEntryBlock().getTerminator())->isConditional());
    }

    void severalOutputsComeAsAStructure()
    {
        const auto module = test::moduleOf(
            m_context, "define i32 @f() {\n"
                       "%both = call { i32, i32 } asm \"mov.u32 $0, $2; add.u32 $1, $2, 1;\", \"=r,=r,r\"(i32 4)\n"
                       "%first = extractvalue { i32, i32 } %both, 0\n"
                       "%second = extractvalue { i32, i32 } %both, 1\n"
                       "%ten = mul i32 %second, 10\n"
                       "%r = add i32 %first, %ten\n"
                       "ret i32 %r\n"
                       "}\n");
        QVERIFY(module);
        simt::rewriteInlinePtx(*inlineCall(*module));
        QCOMPARE(test::returnedBits(*module->getFunction("f")).value_or(0), uint64_t{54});
    }

private:
    llvm::LLVMContext m_context;
};

QTEST_APPLESS_MAIN(TestPtxTranslator)
#include "tst_ptx_translator.moc"
