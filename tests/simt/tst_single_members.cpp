// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Structs of one member are loaded, stored and passed as that member wherever nothing else is done with them.
#include <string>

#include <QTest>

#ifndef Q_MOC_RUN  // which does not understand LLVM
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>

#include "core/simt/ir/single_members.h"
#include "ir_text.h"
#endif

using namespace lanescope;
using namespace lanescope::simt;

namespace {

constexpr const char* kTypes = "%H = type { i16 }\n"
                               "%Nested = type { [1 x %H] }\n"
                               "%It = type { ptr }\n"
                               "%Empty = type { i8 }\n"
                               "%Two = type { i8, i32 }\n"
                               "@tile = external addrspace(3) global [4 x i32]\n"
                               "@of = constant %It { ptr addrspacecast (ptr addrspace(3) @tile to ptr) }\n"
                               "@one = constant %H { i16 7 }\n"
                               "declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)\n"
                               "declare void @sees(ptr)\n";

constexpr const char* kCallee = "define i16 @get(ptr byval(%H) align 2 %h, i32 %x) {\n"
                                " %at = getelementptr inbounds %H, ptr %h, i32 0, i32 0\n"
                                " %v = load i16, ptr %at, align 2\n"
                                " ret i16 %v\n"
                                "}\n";

struct Rewritten {
    llvm::LLVMContext context;
    std::unique_ptr<llvm::Module> module;

    explicit Rewritten(const std::string& text)
    {
        module = test::moduleOf(context, kTypes + text);
        if (module)
            unwrapSingleMembers(*module);
    }
    [[nodiscard]] bool isSound() const { return module && test::verifierProblem(*module).empty(); }
    [[nodiscard]] llvm::Function& operator[](const char* name) const { return *module->getFunction(name); }
};

template <typename Kind>
unsigned countOf(const llvm::Function& function)
{
    unsigned count = 0;
    for (const llvm::Instruction& instr : llvm::instructions(function))
        count += llvm::isa<Kind>(instr);
    return count;
}

/// Of the variable of that name in @f.
std::string typeOfVariable(const Rewritten& code, const char* name)
{
    std::string text;
    llvm::raw_string_ostream out(text);
    llvm::cast<llvm::AllocaInst>(test::instructionNamed(code["f"], name))->getAllocatedType()->print(out, false, true);
    return text;
}

}  // namespace

class TestSingleMembers : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void copiesAreLoadsAndStores_data()
    {
        QTest::addColumn<QString>("copy");
        QTest::addColumn<bool>("isRewritten");
        const auto row = [](const char* name, const char* to, const char* from, int bytes, bool isRewritten) {
            QTest::newRow(name) << QString("call void @llvm.memcpy.p0.p0.i64(ptr align 2 %1, ptr align 2 %2, i64 %3, "
                                           "i1 false)")
                                       .arg(to, from)
                                       .arg(bytes)
                                << isRewritten;
        };
        row("to a variable", "%h", "%in", 2, true);
        row("from a variable", "%in", "%h", 2, true);
        row("of nested structs", "%n", "%in", 2, true);
        row("from a constant", "%h", "@one", 2, true);
        row("by what an address is of", "%in", "%element", 2, true);
        row("of part of it", "%h", "%in", 1, false);
        row("of more than it", "%h", "%in", 4, false);
        row("of two members", "%t", "%in", 8, false);
        row("of what may be empty", "%e", "%in", 1, false);
        row("of an address that is a kernel's own", "%p", "@of", 8, false);
        row("of nothing known", "%in", "%other", 2, false);
    }
    void copiesAreLoadsAndStores()
    {
        QFETCH(QString, copy);
        QFETCH(bool, isRewritten);
        const Rewritten code("define void @f(ptr %in, ptr %other, i64 %i) {\n"
                             " %h = alloca %H, align 2\n %n = alloca %Nested, align 2\n %t = alloca %Two, align 8\n"
                             " %p = alloca %It, align 8\n %e = alloca %Empty, align 1\n"
                             " %element = getelementptr inbounds %H, ptr %other, i64 %i\n " +
                             copy.toStdString() + "\n ret void\n}\n");
        QVERIFY(code.isSound());
        QCOMPARE(countOf<llvm::MemCpyInst>(code["f"]), isRewritten ? 0U : 1U);
        QCOMPARE(countOf<llvm::LoadInst>(code["f"]), isRewritten ? 1U : 0U);
        QCOMPARE(countOf<llvm::StoreInst>(code["f"]), isRewritten ? 1U : 0U);
    }

    void copiesOfBitsReadTheOneAndWriteTheOther()
    {
        const Rewritten code(
            "define float @f(i32 %x) {\n %bits = alloca i32, align 4\n %number = alloca float, align 4\n"
            " store i32 %x, ptr %bits\n"
            " call void @llvm.memcpy.p0.p0.i64(ptr align 4 %number, ptr align 4 %bits, i64 4, i1 false)\n"
            " %r = load float, ptr %number\n ret float %r\n}\n");
        QVERIFY(code.isSound());
        for (const llvm::Instruction& instr : llvm::instructions(code["f"])) {
            if (const auto* const load = llvm::dyn_cast<llvm::LoadInst>(&instr))
                QCOMPARE(load->getType()->isIntegerTy(), load->getPointerOperand()->getName() == "bits");
            if (const auto* const store = llvm::dyn_cast<llvm::StoreInst>(&instr))
                QCOMPARE(store->getValueOperand()->getType()->isIntegerTy(),
                         store->getPointerOperand()->getName() == "bits");
        }
        QCOMPARE(countOf<llvm::BitCastInst>(code["f"]), 1U);
    }

    void volatileCopiesStay()
    {
        const Rewritten code("define void @f(ptr %in) {\n %h = alloca %H, align 2\n"
                             " call void @llvm.memcpy.p0.p0.i64(ptr %h, ptr %in, i64 2, i1 true)\n ret void\n}\n");
        QVERIFY(code.isSound());
        QCOMPARE(countOf<llvm::MemCpyInst>(code["f"]), 1U);
    }

    void parametersAreMembers()
    {
        const Rewritten code(std::string(kCallee) + "define i16 @f(ptr %in) {\n"
                                                    " %a = call i16 @get(ptr byval(%H) align 2 %in, i32 1)\n"
                                                    " %b = call i16 @get(ptr byval(%H) align 2 %in, i32 2)\n"
                                                    " %sum = add i16 %a, %b\n ret i16 %sum\n}\n");
        QVERIFY(code.isSound());
        const llvm::Function& callee = code["get"];
        QVERIFY(callee.getArg(0)->getType()->isIntegerTy(16));
        QVERIFY(!callee.getArg(0)->hasByValAttr());
        QVERIFY(callee.getArg(1)->getType()->isIntegerTy(32));
        QCOMPARE(countOf<llvm::LoadInst>(code["f"]), 2U);
        QCOMPARE(callee.getNumUses(), 2U);
    }

    void parametersStayWhereCallersAreUnknown_data()
    {
        QTest::addColumn<QString>("use");
        QTest::newRow("its address is kept") << "store ptr @get, ptr %in";
        QTest::newRow("called as another type") << "%c = call i32 @get(ptr byval(%H) align 2 %in, i32 3)";
    }
    void parametersStayWhereCallersAreUnknown()
    {
        QFETCH(QString, use);
        const Rewritten code(std::string(kCallee) +
                             "define i16 @f(ptr %in) {\n"
                             " %a = call i16 @get(ptr byval(%H) align 2 %in, i32 1)\n " +
                             use.toStdString() + "\n ret i16 %a\n}\n");
        QVERIFY(code.isSound());
        QVERIFY(code["get"].getArg(0)->hasByValAttr());
    }

    void kernelsKeepTheirParameters()
    {
        const Rewritten code("define ptx_kernel void @f(ptr byval(%H) align 2 %h) {\n"
                             " %v = load i16, ptr %h, align 2\n ret void\n}\n");
        QVERIFY(code.isSound());
        QVERIFY(code["f"].getArg(0)->hasByValAttr());
    }

    void variablesAreOfTheirMembersType_data()
    {
        QTest::addColumn<QString>("use");
        QTest::addColumn<QString>("type");
        QTest::newRow("by its member")
            << "%at = getelementptr inbounds %H, ptr %h, i32 0, i32 0\n store i16 1, ptr %at\n"
               " %v = load i16, ptr %h"
            << "i16";
        QTest::newRow("as a whole") << "%v = load %H, ptr %h\n store %H %v, ptr %h" << "i16";
        QTest::newRow("its address is given away") << "store i16 1, ptr %h\n call void @sees(ptr %h)" << "%H";
        QTest::newRow("its address is stored") << "store ptr %h, ptr %in" << "%H";
        QTest::newRow("by other bits") << "store i16 1, ptr %h\n %v = load half, ptr %h" << "i16";
        QTest::newRow("a smaller part") << "%v = load i8, ptr %h" << "%H";
        QTest::newRow("another place") << "%at = getelementptr i8, ptr %h, i64 1\n %v = load i8, ptr %at" << "%H";
        QTest::newRow("volatile") << "%v = load volatile i16, ptr %h" << "%H";
    }
    void variablesAreOfTheirMembersType()
    {
        QFETCH(QString, use);
        QFETCH(QString, type);
        const Rewritten code("define void @f(ptr %in) {\n %h = alloca %H, align 2\n " + use.toStdString() +
                             "\n ret void\n}\n");
        QVERIFY(code.isSound());
        QCOMPARE(QString::fromStdString(typeOfVariable(code, "h")), type);
    }

    void wholeValuesGoOnAsStructs()
    {
        const Rewritten code("define %Nested @f(%Nested %x) {\n %h = alloca %Nested, align 2\n"
                             " store %Nested %x, ptr %h, align 2\n %r = load %Nested, ptr %h, align 2\n"
                             " ret %Nested %r\n}\n");
        QVERIFY(code.isSound());
        QCOMPARE(QString::fromStdString(typeOfVariable(code, "h")), QString("i16"));
        QCOMPARE(countOf<llvm::InsertValueInst>(code["f"]), 1U);
        QCOMPARE(countOf<llvm::ExtractValueInst>(code["f"]), 1U);
    }
};

QTEST_GUILESS_MAIN(TestSingleMembers)
#include "tst_single_members.moc"
