// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What lowering knows of a function before it writes code: variables in registers, folded addresses, last uses, joins;
// and the places behind conditional barriers.
#include <optional>
#include <string>

#include <QTest>

#ifndef Q_MOC_RUN  // which does not understand LLVM
#include "core/simt/lower/function_analysis.h"
#include "core/simt/lower/passed_marks.h"
#include "ir_text.h"
#endif

using namespace lanescope;
using namespace lanescope::simt;

namespace {

/// The function "f" of a module, as a kernel; values and blocks are asked for by name.
class Analysed {
public:
    explicit Analysed(const std::string& body, FunctionAnalysis::Purpose purpose = {.records = true})
    {
        m_module = test::moduleOf(m_context, "declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()\n"
                                             "declare void @llvm.nvvm.barrier0()\n"
                                             "declare void @other(ptr)\n"
                                             "define void @f(ptr %data, i32 %n) {\nbegin:\n"
                                             "%t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()\n"
                                             "%some = icmp eq i32 %t, 3\n"
                                             "%all = icmp eq i32 %n, 3\n" +
                                                 body + "}\n");
        if (!m_module || !test::verifierProblem(*m_module).empty())
            return;
        m_analysis.emplace(*m_module->getFunction("f"), /*isKernel=*/true, /*isRecursive=*/false, purpose);
        m_marks.emplace(*m_analysis, m_program);
    }

    [[nodiscard]] bool isValid() const { return m_marks.has_value(); }
    const FunctionAnalysis* operator->() const { return &*m_analysis; }
    [[nodiscard]] const llvm::Instruction& instr(const char* name) const
    {
        return *test::instructionNamed(m_analysis->function(), name);
    }
    [[nodiscard]] const llvm::BasicBlock& block(const char* name) const
    {
        for (const llvm::BasicBlock& each : m_analysis->function())
            if (each.getName() == name)
                return each;
        qFatal("no block %s", name);
    }
    /// Of the value's last use: its name, or its opcode's; empty: it is used elsewhere too.
    [[nodiscard]] QString lastUse(const char* name) const
    {
        const llvm::Instruction* last = m_analysis->lastUse(instr(name));
        return !last ? QString() : last->hasName() ? last->getName().str().c_str() : last->getOpcodeName();
    }
    [[nodiscard]] const PassedMarks& marks() const { return *m_marks; }
    [[nodiscard]] uint32_t markCount() const { return m_program.passedMarks; }

private:
    llvm::LLVMContext m_context;
    std::unique_ptr<llvm::Module> m_module;
    Program m_program;
    std::optional<FunctionAnalysis> m_analysis;
    std::optional<PassedMarks> m_marks;
};

}  // namespace

class TestFunctionAnalysis : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void variablesThatAreOnlyReadAndWrittenLiveInRegisters()
    {
        const Analysed f("%plain = alloca i32\n%escapes = alloca i32\n%watched = alloca i32\n%halves = alloca i32\n"
                         "%array = alloca [4 x i32]\n"
                         "store i32 %t, ptr %plain\n%a = load i32, ptr %plain\n"
                         "call void @other(ptr %escapes)\n"
                         "%b = load volatile i32, ptr %watched\n"
                         "%c = load i16, ptr %halves\n"
                         "%d = load i32, ptr %array\n"
                         "ret void\n");
        QVERIFY(f.isValid());
        QCOMPARE(f->promoted(&f.instr("plain")), &f.instr("plain"));
        for (const char* inMemory : {"escapes", "watched", "halves", "array", "a"})
            QVERIFY2(!f->promoted(&f.instr(inMemory)), inMemory);
        QVERIFY(!f->declarationOf(*f->promoted(&f.instr("plain"))).isShown());
    }

    void addressesOfOneAccessAreFolded()
    {
        const Analysed f("%wide = sext i32 %t to i64\n"
                         "%once = getelementptr i32, ptr %data, i64 %wide\n%a = load i32, ptr %once\n"
                         "%twice = getelementptr i32, ptr %data, i32 %t\n"
                         "store i32 %a, ptr %twice\n%b = load i32, ptr %twice\n"
                         "%given = getelementptr i32, ptr %data, i32 %t\ncall void @other(ptr %given)\n"
                         "ret void\n");
        QVERIFY(f.isValid());
        for (const char* folded : {"wide", "once"})
            QVERIFY2(f->isFoldedAddress(f.instr(folded)) && f->isFolded(f.instr(folded)), folded);
        for (const char* kept : {"twice", "given", "a"})
            QVERIFY2(!f->isFolded(f.instr(kept)), kept);
    }

    /// Of one varying thing: made again where it is used, it needs no register.
    void addressesForOtherBlocksAreFoldedWhenTheyAreSimple()
    {
        const Analysed f("%simple = getelementptr i32, ptr %data, i32 %t\n"
                         "%row = getelementptr i32, ptr %data, i32 %t\n"
                         "%both = getelementptr i32, ptr %row, i32 %t\n"
                         "br label %next\nnext:\n"
                         "%a = load i32, ptr %simple\n%b = load i32, ptr %both\n"
                         "ret void\n");
        QVERIFY(f.isValid());
        QVERIFY(f->isFolded(f.instr("simple")));
        QVERIFY(!f->isFoldedAddress(f.instr("simple")));
        QVERIFY(!f->isFolded(f.instr("both")));
    }

    /// Where nobody records, what makes a row is folded: a pointer for all lanes, sums that do not wrap around.
    void rowsAreFolded()
    {
        const std::string body = "%y = mul i32 %n, 7\n%wide.y = sext i32 %y to i64\n"
                                 "%row = getelementptr i32, ptr %data, i64 %wide.y\n"
                                 "%wide.t = zext nneg i32 %t to i64\n"
                                 "%at = getelementptr i32, ptr %row, i64 %wide.t\n"
                                 "%next = getelementptr i8, ptr %at, i64 4\n"
                                 "%a = load i32, ptr %at\n%b = load i32, ptr %next\n"
                                 "%sum = add nsw i32 %y, %t\n%wide.sum = sext i32 %sum to i64\n"
                                 "%out = getelementptr i32, ptr %data, i64 %wide.sum\nstore i32 %a, ptr %out\n"
                                 "%wraps = add i32 %y, %t\n%wide.wraps = sext i32 %wraps to i64\n"
                                 "%kept = getelementptr i32, ptr %data, i64 %wide.wraps\nstore i32 %b, ptr %kept\n"
                                 "ret void\n";
        const Analysed f(body, {});
        QVERIFY(f.isValid());
        for (const char* folded : {"row", "wide.t", "at", "next", "sum", "wide.sum", "out"})
            QVERIFY2(f->isFolded(f.instr(folded)), folded);
        for (const char* kept : {"y", "wide.y", "wraps"})
            QVERIFY2(!f->isFolded(f.instr(kept)), kept);
        QStringList summands;
        f->forSummands(f.instr("wide.sum"), 4, [&](const llvm::Value& value, int64_t scale) {
            summands << QString("%1 x %2").arg(value.getName().str().c_str()).arg(scale);
        });
        QCOMPARE(summands, QStringList({"y x 4", "t x 4"}));
        // What is recorded has registers, so that variables of the source can be shown.
        const Analysed recorded(body);
        for (const char* kept : {"row", "wide.t", "at", "sum"})
            QVERIFY2(!recorded->isFolded(recorded.instr(kept)), kept);
    }

    void valuesAreNeededToTheirLastUse()
    {
        const Analysed f("%a = add i32 %t, 1\n%b = add i32 %a, 2\n%c = add i32 %a, %b\n"
                         "%unused = add i32 %c, 1\n"
                         "%elsewhere = add i32 %c, 2\n"
                         "br label %next\nnext:\n"
                         "%d = add i32 %elsewhere, 1\n"
                         "ret void\n");
        QVERIFY(f.isValid());
        QCOMPARE(f.lastUse("a"), QString("c"));
        QCOMPARE(f.lastUse("b"), QString("c"));
        QCOMPARE(f.lastUse("unused"), QString("unused"));
        QCOMPARE(f.lastUse("elsewhere"), QString());
        QVERIFY(f->isBefore(f.instr("a"), f.instr("c")));
        QVERIFY(!f->isBefore(f.instr("c"), f.instr("a")));
    }

    /// What is folded into an access works where the access stands.
    void foldedAddressesNeedTheirOperandsLonger()
    {
        const Analysed f("%index = add i32 %t, 1\n"
                         "%at = getelementptr i32, ptr %data, i32 %index\n"
                         "%between = add i32 %t, 2\n"
                         "%loaded = load i32, ptr %at\n"
                         "ret void\n");
        QVERIFY(f.isValid());
        QCOMPARE(f.lastUse("index"), QString("loaded"));
    }

    void lanesMeetBehindBranchesThatMayPartThem()
    {
        const Analysed f("br i1 %some, label %one, label %other\n"
                         "one:\nbr label %together\nother:\nbr label %together\n"
                         "together:\nbr i1 %all, label %third, label %end\n"
                         "third:\nbr label %end\nend:\nret void\n");
        QVERIFY(f.isValid());
        QCOMPARE(f->joinBehind(f.block("begin")), &f.block("together"));
        QVERIFY(f->isJoin(f.block("together")));
        QCOMPARE(f->joinBehind(f.block("together")), &f.block("end"));
        QVERIFY2(!f->isJoin(f.block("end")), "all lanes go the same way there");
        QCOMPARE(f->joinBehind(f.block("end")), nullptr);
    }

    void lanesThatReturnByThemselvesDoNotMeet()
    {
        const Analysed f("br i1 %some, label %one, label %other\none:\nret void\nother:\nret void\n");
        QVERIFY(f.isValid());
        QCOMPARE(f->joinBehind(f.block("begin")), nullptr);
    }

    void placesBehindConditionalBarriersAreMarked()
    {
        const Analysed f("br i1 %some, label %barrier, label %behind\n"
                         "barrier:\ncall void @llvm.nvvm.barrier0()\nbr label %behind\n"
                         "behind:\nstore i32 %t, ptr %data\nret void\n");
        QVERIFY(f.isValid());
        QCOMPARE(f.markCount(), 1u);
        QCOMPARE(f.marks().ofBarriersIn(f.block("barrier")), 1u);
        QCOMPARE(f.marks().at(f.block("behind")), 1u);
        QCOMPARE(f.marks().at(f.block("barrier")), 0u);
    }

    /// Whoever leaves them out has returned.
    void barriersAtTheEndNeedNoMark()
    {
        const Analysed f("br i1 %some, label %barrier, label %behind\n"
                         "barrier:\ncall void @llvm.nvvm.barrier0()\nbr label %behind\n"
                         "behind:\nret void\n");
        QVERIFY(f.isValid());
        QCOMPARE(f.markCount(), 0u);
    }

    void barriersThatAllReachNeedNoMark()
    {
        const Analysed f("call void @llvm.nvvm.barrier0()\nbr label %next\n"
                         "next:\nstore i32 %t, ptr %data\nret void\n");
        QVERIFY(f.isValid());
        QCOMPARE(f.markCount(), 0u);
    }

    /// A loop's condition lies before the barrier as well as behind it.
    void barriersInLoopsAreMarkedBehindTheLoop()
    {
        const Analysed f("br label %condition\n"
                         "condition:\n%i = phi i32 [ 0, %begin ], [ %next, %barrier ]\n"
                         "%more = icmp slt i32 %i, %t\nbr i1 %more, label %barrier, label %behind\n"
                         "barrier:\ncall void @llvm.nvvm.barrier0()\n%next = add i32 %i, 1\nbr label %condition\n"
                         "behind:\nstore i32 %t, ptr %data\nret void\n");
        QVERIFY(f.isValid());
        QCOMPARE(f.marks().at(f.block("condition")), 0u);
        QCOMPARE(f.marks().at(f.block("behind")), f.marks().ofBarriersIn(f.block("barrier")));
        QCOMPARE(f.markCount(), 1u);
    }
};

QTEST_APPLESS_MAIN(TestFunctionAnalysis)
#include "tst_function_analysis.moc"
