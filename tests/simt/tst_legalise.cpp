// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// IR rewritten into what lowering knows: it means the same, LLVM's verifier accepts it, and what was not known is gone.
#include <string>

#include <QTest>

#ifndef Q_MOC_RUN  // which does not understand LLVM
#include <llvm/IR/Constants.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>

#include "core/simt/ir/legalise.h"
#include "ir_text.h"
#endif

using namespace lanescope;

namespace {

unsigned countOf(const llvm::Function& function, unsigned opcode)
{
    unsigned count = 0;
    for (const llvm::Instruction& instr : llvm::instructions(function))
        count += instr.getOpcode() == opcode;
    return count;
}

/// Whether some instruction but a conversion has narrow floats.
bool computesNarrow(const llvm::Function& function)
{
    for (const llvm::Instruction& instr : llvm::instructions(function)) {
        const llvm::Type* type = instr.getType()->getScalarType();
        if ((type->isHalfTy() || type->isBFloatTy()) && (instr.isBinaryOp() || llvm::isa<llvm::CallInst>(instr)))
            return true;
    }
    return false;
}

constexpr const char* kCallees = "define i32 @twice(i32 %x) {\n %r = mul i32 %x, 2\n ret i32 %r\n}\n"
                                 "define i32 @next(i32 %x) {\n %r = add i32 %x, 1\n ret i32 %r\n}\n"
                                 "define void @other() {\n ret void\n}\n"
                                 "@table = global [3 x ptr] [ptr @twice, ptr @next, ptr @other]\n";

}  // namespace

class TestLegalise : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void meansTheSame_data()
    {
        QTest::addColumn<QString>("type");
        QTest::addColumn<QString>("value");
        QTest::addColumn<quint64>("expected");
        const auto row = [](const char* type, const char* value, quint64 expected) {
            QTest::newRow(value) << QString(type) << QString(value) << expected;
        };
        // 2048 + 1 is a tie to even, 2050 + 1 another, to the other side.
        row("half", "fadd half 0xH6800, 0xH3C00", 0x6800);
        row("half", "fadd half 0xH6801, 0xH3C00", 0x6802);
        row("half", "fmul half 0xH7BFF, 0xH4000", 0x7c00);
        row("half", "fdiv half 0xH3C00, 0xH4200", 0x3555);
        row("half", "fneg half 0xH0000", 0x8000);
        row("half", "call half @llvm.fabs.f16(half 0xHBC00)", 0x3c00);
        row("half", "call half @llvm.copysign.f16(half 0xH3C00, half 0xH8000)", 0xbc00);
        row("half", "call half @llvm.floor.f16(half 0xHBE00)", 0xc000);
        row("half", "call half @llvm.maxnum.f16(half 0xH7E00, half 0xH3C00)", 0x3c00);
        row("half", "sitofp i32 2049 to half", 0x6800);
        row("half", "uitofp i32 65519 to half", 0x7bff);
        row("bfloat", "fadd bfloat 0xR4380, 0xR3F80", 0x4380);
        row("bfloat", "fsub bfloat 0xR3F80, 0xR3F00", 0x3f00);
        row("i32", "fptosi half 0xHC500 to i32", 0xfffffffb);
        row("i1", "fcmp olt half 0xHBC00, 0xH3C00", 1);
        row("i1", "fcmp uno half 0xH7E00, 0xH3C00", 1);
        row("<2 x half>", "fadd <2 x half> <half 0xH3C00, half 0xH4000>, <half 0xH3C00, half 0xHC000>", 0x00004000);
        row("i32", "extractelement <4 x i32> <i32 5, i32 6, i32 7, i32 8>, i32 0", 5);
        row("i32", "bitcast <2 x i16> <i16 1, i16 2> to i32", 0x00020001);
        row("<4 x i8>", "bitcast i32 16909060 to <4 x i8>", 0x01020304);
        row("<2 x i32>", "bitcast <4 x i16> <i16 1, i16 2, i16 3, i16 4> to <2 x i32>", 0x0004000300020001);
        row("float", "bitcast <4 x i8> <i8 0, i8 0, i8 -128, i8 63> to float", 0x3f800000);
    }
    void meansTheSame()
    {
        QFETCH(QString, type);
        QFETCH(QString, value);
        QFETCH(quint64, expected);
        const auto module =
            moduleOf(QString("declare half @llvm.fabs.f16(half)\ndeclare half @llvm.copysign.f16(half, half)\n"
                             "declare half @llvm.floor.f16(half)\ndeclare half @llvm.maxnum.f16(half, half)\n"
                             "define %1 @f() {\n %r = %2\n ret %1 %r\n}\n")
                         .arg(type, value)
                         .toStdString());
        QVERIFY(module);
        llvm::Function& function = *module->getFunction("f");
        QVERIFY(!computesNarrow(function));
        const std::optional<uint64_t> result = test::returnedBits(function);
        QVERIFY(result);
        QCOMPARE(*result, expected);
    }

    /// Of an element chosen at run time, every choice gives what the original gives.
    void elementsChosenAtRunTimeBecomeSelects()
    {
        const auto module = moduleOf("define i32 @take(<4 x i32> %v, i32 %i) {\n"
                                     " %r = extractelement <4 x i32> %v, i32 %i\n ret i32 %r\n}\n"
                                     "define <4 x i32> @put(<4 x i32> %v, i32 %x, i64 %i) {\n"
                                     " %r = insertelement <4 x i32> %v, i32 %x, i64 %i\n ret <4 x i32> %r\n}\n");
        QVERIFY(module);
        for (const char* name : {"take", "put"}) {
            const llvm::Function& function = *module->getFunction(name);
            for (const llvm::Instruction& instr : llvm::instructions(function)) {
                if (const auto* extract = llvm::dyn_cast<llvm::ExtractElementInst>(&instr))
                    QVERIFY(llvm::isa<llvm::ConstantInt>(extract->getIndexOperand()));
                if (const auto* insert = llvm::dyn_cast<llvm::InsertElementInst>(&instr))
                    QVERIFY(llvm::isa<llvm::ConstantInt>(insert->getOperand(2)));
            }
        }
        for (uint64_t index = 0; index < 4; ++index) {
            QCOMPARE(chosen("i16", "extractelement <4 x i16> <i16 10, i16 11, i16 12, i16 13>, i64 %i", index),
                     10 + index);
            QCOMPARE(chosen("<4 x i16>", "insertelement <4 x i16> zeroinitializer, i16 255, i64 %i", index),
                     uint64_t{255} << 16 * index);
        }
    }

    void callsThroughPointersBecomeSwitches()
    {
        const auto module = test::moduleOf(
            m_context,
            std::string(kCallees) + "define i32 @f(ptr %p, i32 %x) {\n %r = call i32 %p(i32 %x)\n ret i32 %r\n}\n");
        QVERIFY(module);
        const simt::FunctionAddresses addresses = simt::legalise(*module);
        QCOMPARE(test::verifierProblem(*module), "");
        QCOMPARE(addresses.size(), size_t{3});
        const llvm::Function& function = *module->getFunction("f");
        const auto* choice = llvm::dyn_cast<llvm::SwitchInst>(function.getEntryBlock().getTerminator());
        QVERIFY(choice);
        QCOMPARE(choice->getNumCases(), 2u);  // not the function of another type
        for (const auto& each : choice->cases()) {
            const auto* call = llvm::dyn_cast<llvm::CallInst>(&each.getCaseSuccessor()->front());
            QVERIFY(call && call->getCalledFunction());
            QCOMPARE(each.getCaseValue()->getZExtValue(), addresses.lookup(call->getCalledFunction()));
        }
        const auto* trap = llvm::dyn_cast<llvm::CallInst>(&choice->getDefaultDest()->front());
        QVERIFY(trap && trap->getMetadata(simt::kBadCall));
    }

    void functionsWhoseAddressNobodyTakesHaveNone()
    {
        const auto module =
            test::moduleOf(m_context, "define i32 @twice(i32 %x) {\n %r = mul i32 %x, 2\n ret i32 %r\n}\n"
                                      "define i32 @f(i32 %x) {\n %r = call i32 @twice(i32 %x)\n"
                                      " ret i32 %r\n}\n");
        QVERIFY(module);
        QVERIFY(simt::legalise(*module).empty());
        QCOMPARE(countOf(*module->getFunction("f"), llvm::Instruction::Call), 1u);
    }

    void libraryCallsBecomeIntrinsics()
    {
        const auto module = moduleOf("declare ptr @memcpy(ptr, ptr, i64)\ndeclare i64 @llvm.lrint.i64.f32(float)\n"
                                     "define i64 @f(ptr %to, ptr %from) {\n"
                                     " %r = call ptr @memcpy(ptr %to, ptr %from, i64 8)\n"
                                     " %n = call i64 @llvm.lrint.i64.f32(float 2.5)\n ret i64 %n\n}\n");
        QVERIFY(module);
        llvm::Function& function = *module->getFunction("f");
        unsigned copies = 0;
        for (const llvm::Instruction& instr : llvm::instructions(function))
            if (const auto* call = llvm::dyn_cast<llvm::CallInst>(&instr))
                copies += call->getCalledFunction()->getName().starts_with("llvm.memcpy");
        QCOMPARE(copies, 1u);
        QCOMPARE(test::returnedBits(function).value_or(0), uint64_t{2});
    }

    /// A block that only traps goes on to the other side, so that diverged lanes meet right behind.
    void trapsRejoin()
    {
        const auto module = moduleOf("declare void @llvm.trap()\n"
                                     "define void @f(i1 %c) {\n br i1 %c, label %bad, label %good\n"
                                     "bad:\n call void @llvm.trap()\n unreachable\n"
                                     "good:\n ret void\n}\n");
        QVERIFY(module);
        const llvm::Function& function = *module->getFunction("f");
        QCOMPARE(countOf(function, llvm::Instruction::Unreachable), 0u);
        QCOMPARE(countOf(function, llvm::Instruction::Br), 2u);
    }

private:
    /// Legalised; null when the verifier does not accept it.
    std::unique_ptr<llvm::Module> moduleOf(const std::string& text)
    {
        auto module = test::moduleOf(m_context, text);
        if (!module || !test::verifierProblem(*module).empty())
            return nullptr;
        simt::legalise(*module);
        return test::verifierProblem(*module).empty() ? std::move(module) : nullptr;
    }

    /// What \p value comes to where %i is \p index; it is no constant while the module is rewritten.
    uint64_t chosen(const char* type, const char* value, uint64_t index)
    {
        const auto module = moduleOf(QString("define %1 @f() {\n %i = add i64 %3, 0\n %r = %2\n ret %1 %r\n}\n")
                                         .arg(type)
                                         .arg(value)
                                         .arg(index)
                                         .toStdString());
        return module ? test::returnedBits(*module->getFunction("f")).value_or(~uint64_t{0}) : ~uint64_t{0};
    }

    llvm::LLVMContext m_context;
};

QTEST_APPLESS_MAIN(TestLegalise)
#include "tst_legalise.moc"
