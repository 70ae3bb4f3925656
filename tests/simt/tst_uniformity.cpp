// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which values of IR are the same in all lanes, and which branches may send lanes different ways.
#include <initializer_list>
#include <string>

#include <QTest>

#ifndef Q_MOC_RUN  // which does not understand LLVM
#include <llvm/IR/InstIterator.h>

#include "core/simt/ir/uniformity.h"
#include "ir_text.h"
#endif

using namespace lanescope;

namespace {

enum class As { Kernel, WholeRows, Function, Recursive };

/// The analysis of the function "f" of a module; values are asked for by name.
class Analysed {
public:
    /// \p promoted: names of variables kept in registers.
    Analysed(const std::string& body, std::initializer_list<const char*> promoted, As as)
    {
        const std::string text = "@table = addrspace(4) global [8 x i32] zeroinitializer\n"
                                 "declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()\n"
                                 "declare i32 @llvm.nvvm.read.ptx.sreg.tid.y()\n"
                                 "declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()\n"
                                 "declare i32 @llvm.nvvm.read.ptx.sreg.laneid()\n"
                                 "declare i32 @llvm.smax.i32(i32, i32)\n"
                                 "declare i32 @other(i32)\n"
                                 "define void @f(i32 %n, ptr %data, ptr byval(i32) %own) {\n" +
                                 body + "}\n";
        m_module = test::moduleOf(m_context, text);
        if (!m_module || !test::verifierProblem(*m_module).empty())
            return;
        m_function = m_module->getFunction("f");
        for (const char* name : promoted)
            m_promoted.insert(llvm::cast<llvm::AllocaInst>(test::instructionNamed(*m_function, name)));
        m_postDominators.recalculate(*m_function);
        m_result.emplace(*m_function, m_promoted, m_postDominators, as == As::Kernel || as == As::WholeRows,
                         as == As::Recursive, as == As::WholeRows);
    }

    [[nodiscard]] bool isValid() const { return m_result.has_value(); }
    [[nodiscard]] bool isUniform(const char* name)
    {
        return m_result->isUniform(test::instructionNamed(*m_function, name));
    }
    [[nodiscard]] bool isArgumentUniform() const { return m_result->isUniform(m_function->getArg(0)); }
    /// Whether the branch at the end of that block may diverge.
    [[nodiscard]] bool mayDiverge(const char* block) const
    {
        for (const llvm::BasicBlock& each : *m_function)
            if (each.getName() == block)
                return m_result->mayDiverge(each.getTerminator());
        return false;
    }
    [[nodiscard]] bool isSharedByLanes(const char* pointer)
    {
        return simt::pointsToSharedByLanes(test::instructionNamed(*m_function, pointer), m_promoted, true);
    }

private:
    llvm::LLVMContext m_context;
    std::unique_ptr<llvm::Module> m_module;
    llvm::Function* m_function = nullptr;
    llvm::DenseSet<const llvm::AllocaInst*> m_promoted;
    llvm::PostDominatorTree m_postDominators;
    std::optional<simt::Uniformity> m_result;
};

/// As a kernel, whose parameters are the same for all threads.
Analysed kernel(const std::string& body, std::initializer_list<const char*> promoted = {})
{
    return {body, promoted, As::Kernel};
}

constexpr const char* kThread = "%t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()\n";

}  // namespace

class TestUniformity : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void whatThreadIndicesGoIntoIsPerLane()
    {
        Analysed f = kernel(std::string(kThread) + "%lane = call i32 @llvm.nvvm.read.ptx.sreg.laneid()\n"
                                                   "%block = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()\n"
                                                   "%sum = add i32 %block, %n\n"
                                                   "%mixed = add i32 %sum, %t\n"
                                                   "%largest = call i32 @llvm.smax.i32(i32 %sum, i32 7)\n"
                                                   "%largestMixed = call i32 @llvm.smax.i32(i32 %sum, i32 %mixed)\n"
                                                   "%called = call i32 @other(i32 %n)\n"
                                                   "ret void\n");
        QVERIFY(f.isValid());
        for (const char* uniform : {"block", "sum", "largest"})
            QVERIFY2(f.isUniform(uniform), uniform);
        for (const char* perLane : {"t", "lane", "mixed", "largestMixed", "called"})
            QVERIFY2(!f.isUniform(perLane), perLane);
        QVERIFY(f.isArgumentUniform());
    }

    /// A row of threads that is a multiple of a warp long has no warp of two rows.
    void rowsOfThreadsAreTheSameInWarpsOfOneRow()
    {
        const std::string body = std::string(kThread) + "%y = call i32 @llvm.nvvm.read.ptx.sreg.tid.y()\n"
                                                        "%row = mul i32 %y, %n\n"
                                                        "%at = add i32 %row, %t\n"
                                                        "ret void\n";
        Analysed any(body, {}, As::Kernel), whole(body, {}, As::WholeRows);
        QVERIFY(any.isValid() && whole.isValid());
        for (const char* name : {"y", "row"}) {
            QVERIFY2(!any.isUniform(name), name);
            QVERIFY2(whole.isUniform(name), name);
        }
        for (const char* perLane : {"t", "at"})
            QVERIFY2(!whole.isUniform(perLane), perLane);
    }

    void memoryThatLanesShareGivesAllTheSame()
    {
        Analysed f = kernel(std::string(kThread) + "%one = load i32, ptr %data\n"
                                                   "%place = getelementptr i32, ptr %data, i32 %t\n"
                                                   "%each = load i32, ptr %place\n"
                                                   "%constant = load i32, ptr addrspace(4) @table\n"
                                                   "%parameter = load i32, ptr %own\n"
                                                   "%polled = load volatile i32, ptr %data\n"
                                                   "%old = atomicrmw add ptr %data, i32 1 monotonic\n"
                                                   "%anywhere = inttoptr i64 64 to ptr\n"
                                                   "%unknown = load i32, ptr %anywhere\n"
                                                   "ret void\n");
        QVERIFY(f.isValid());
        for (const char* uniform : {"one", "constant"})
            QVERIFY2(f.isUniform(uniform), uniform);
        for (const char* perLane : {"place", "each", "parameter", "polled", "old", "unknown"})
            QVERIFY2(!f.isUniform(perLane), perLane);
        QVERIFY(f.isSharedByLanes("place"));
        QVERIFY(!f.isSharedByLanes("anywhere"));
    }

    void branchesDivergeByTheirConditions()
    {
        Analysed f = kernel(std::string(kThread) + "%all = icmp eq i32 %n, 3\n"
                                                   "br i1 %all, label %same, label %next\n"
                                                   "same:\n br label %next\n"
                                                   "next:\n %some = icmp eq i32 %t, 3\n"
                                                   "br i1 %some, label %apart, label %end\n"
                                                   "apart:\n switch i32 %n, label %end [ i32 1, label %end2 ]\n"
                                                   "end2:\n br label %end\n"
                                                   "end:\n ret void\n");
        QVERIFY(f.isValid());
        QVERIFY(!f.mayDiverge(""));
        QVERIFY(f.mayDiverge("next"));
        QVERIFY(!f.mayDiverge("apart"));
    }

    /// Which value a phi has depends on which way a lane came.
    void phisBehindDivergentBranchesArePerLane()
    {
        const auto body = [](const char* condition) {
            return std::string(kThread) + "%c = icmp eq i32 " + condition +
                   ", 3\n"
                   "br i1 %c, label %yes, label %no\n"
                   "yes:\n br label %end\n"
                   "no:\n br label %end\n"
                   "end:\n %chosen = phi i32 [ 1, %yes ], [ 2, %no ]\n"
                   "%behind = add i32 %n, 1\n"
                   "ret void\n";
        };
        Analysed apart = kernel(body("%t"));
        QVERIFY(apart.isValid());
        QVERIFY(!apart.isUniform("chosen"));
        QVERIFY(apart.isUniform("behind"));
        Analysed together = kernel(body("%n"));
        QVERIFY(together.isValid());
        QVERIFY(together.isUniform("chosen"));
    }

    /// Lanes leave the loop in different rounds: what they carry out of it differs, though each round is the same for
    /// all that are in it.
    void whatIsCarriedOutOfADivergentLoopIsPerLane()
    {
        const auto body = [](const char* bound) {
            return std::string(kThread) +
                   "br label %begin\n"
                   "begin:\n br label %loop\n"
                   "loop:\n %i = phi i32 [ 0, %begin ], [ %next, %loop ]\n"
                   "%within = add i32 %n, 5\n"
                   "%only = mul i32 %n, 3\n"
                   "%next = add i32 %i, 1\n"
                   "%more = icmp slt i32 %next, " +
                   bound +
                   "\n"
                   "br i1 %more, label %loop, label %end\n"
                   "end:\n %out = add i32 %i, %within\n ret void\n";
        };
        Analysed apart = kernel(body("%t"));
        QVERIFY(apart.isValid());
        QVERIFY(apart.mayDiverge("loop"));
        for (const char* perLane : {"i", "next", "within", "out"})
            QVERIFY2(!apart.isUniform(perLane), perLane);
        QVERIFY(apart.isUniform("only"));
        Analysed together = kernel(body("%n"));
        QVERIFY(together.isValid());
        QVERIFY(!together.mayDiverge("loop"));
        for (const char* uniform : {"i", "next", "within", "out"})
            QVERIFY2(together.isUniform(uniform), uniform);
    }

    /// Each split has its own copy of what its lanes have in common: a guard makes nothing differ.
    void lanesThatStayTogetherHaveItInCommon()
    {
        const auto body = [](const char* last) {
            return std::string(kThread) +
                   "%inside = icmp slt i32 %t, %n\n"
                   "br i1 %inside, label %begin, label %end\n"
                   "begin:\n br label %loop\n"
                   "loop:\n %i = phi i32 [ 0, %begin ], [ %next, %latch ]\n"
                   "%half = udiv i32 %i, 2\n"
                   "%even = icmp eq i32 %half, %i\n"
                   "br i1 %even, label %some, label %latch\n"
                   "some:\n br label %latch\n"
                   "latch:\n %chosen = phi i32 [ 1, %loop ], [ %half, %some ]\n"
                   "%next = add i32 %i, %chosen\n"
                   "%more = icmp slt i32 %next, %n\n"
                   "br i1 %more, label %loop, label %end\n"
                   "end:\n" +
                   last + "ret void\n";
        };
        Analysed guarded = kernel(body(""));
        QVERIFY(guarded.isValid());
        QVERIFY(guarded.mayDiverge(""));
        QVERIFY(!guarded.mayDiverge("latch"));
        for (const char* uniform : {"i", "half", "chosen", "next"})
            QVERIFY2(guarded.isUniform(uniform), uniform);
        // Those that were inside meet those that were not.
        Analysed merged = kernel(body("%out = phi i32 [ %n, %0 ], [ %next, %latch ]\n"));
        QVERIFY(merged.isValid());
        QVERIFY(merged.isUniform("next"));
        QVERIFY(!merged.isUniform("out"));
    }

    /// Lanes that return early never meet the others again.
    void lanesThatHaveLeftChangeNothing()
    {
        Analysed f = kernel(std::string(kThread) + "%sum = alloca i32\nstore i32 0, ptr %sum\n"
                                                   "br label %loop\n"
                                                   "loop:\n %i = phi i32 [ 0, %0 ], [ %next, %latch ]\n"
                                                   "%done = icmp eq i32 %t, %i\n"
                                                   "br i1 %done, label %leave, label %latch\n"
                                                   "leave:\n unreachable\n"
                                                   "latch:\n %before = load i32, ptr %sum\n"
                                                   "%more = add i32 %before, 3\n"
                                                   "store i32 %more, ptr %sum\n"
                                                   "%next = add i32 %i, 1\n"
                                                   "%again = icmp slt i32 %next, %n\n"
                                                   "br i1 %again, label %loop, label %end\n"
                                                   "end:\n %after = load i32, ptr %sum\n ret void\n",
                            {"sum"});
        QVERIFY(f.isValid());
        QVERIFY(f.mayDiverge("loop"));
        for (const char* uniform : {"i", "next", "before", "more", "after"})
            QVERIFY2(f.isUniform(uniform), uniform);
    }

    /// A phi of one value that was there before lanes parted has it from everybody.
    void whatWasThereBeforeIsTheSameBehind()
    {
        Analysed f = kernel(std::string(kThread) + "%before = add i32 %n, 1\n"
                                                   "%c = icmp eq i32 %t, 3\n"
                                                   "br i1 %c, label %yes, label %end\n"
                                                   "yes:\n %within = add i32 %n, 2\n br label %end\n"
                                                   "end:\n %same = phi i32 [ %before, %0 ], [ %before, %yes ]\n"
                                                   "%other = phi i32 [ %before, %0 ], [ %within, %yes ]\n"
                                                   "ret void\n");
        QVERIFY(f.isValid());
        for (const char* uniform : {"before", "same", "within"})
            QVERIFY2(f.isUniform(uniform), uniform);
        QVERIFY(!f.isUniform("other"));
    }

    /// A variable may be what its split has in common as long as nobody reads it once lanes have met: not behind the
    /// branch, nor in the next round of a loop around it.
    void variablesOfABranchAreItsSplits()
    {
        const auto body = [](const char* begin, const char* behind, const char* end) {
            return std::string(kThread) + "%mine = alloca i32\nstore i32 0, ptr %mine\n" + begin +
                   "%c = icmp eq i32 %t, 3\n"
                   "br i1 %c, label %some, label %meet\n"
                   "some:\n"
                   "%a = load i32, ptr %mine\n"
                   "%more = add i32 %a, 1\n"
                   "store i32 %more, ptr %mine\n"
                   "br label %meet\n"
                   "meet:\n" +
                   behind + end + "ret void\n";
        };
        Analysed once = kernel(body("", "", ""), {"mine"});
        QVERIFY(once.isValid());
        QVERIFY(once.isUniform("a"));
        Analysed read = kernel(body("", "%b = load i32, ptr %mine\n", ""), {"mine"});
        QVERIFY(read.isValid());
        QVERIFY(!read.isUniform("a"));
        QVERIFY(!read.isUniform("b"));
        Analysed again = kernel(
            body("br label %loop\nloop:\n", "", "%go = icmp eq i32 %n, 9\nbr i1 %go, label %loop, label %end\nend:\n"),
            {"mine"});
        QVERIFY(again.isValid());
        QVERIFY(!again.isUniform("a"));
    }

    void promotedVariablesAreWhatIsStoredInThem()
    {
        const std::string body = std::string(kThread) +
                                 "%plain = alloca i32\n%threads = alloca i32\n%branched = alloca i32\n"
                                 "store i32 %n, ptr %plain\n"
                                 "store i32 %t, ptr %threads\n"
                                 "store i32 1, ptr %branched\n"
                                 "%c = icmp eq i32 %t, 3\n"
                                 "br i1 %c, label %some, label %end\n"
                                 "some:\n store i32 2, ptr %branched\n br label %end\n"
                                 "end:\n"
                                 "%a = load i32, ptr %plain\n"
                                 "%b = load i32, ptr %threads\n"
                                 "%d = load i32, ptr %branched\n"
                                 "ret void\n";
        Analysed f = kernel(body, {"plain", "threads", "branched"});
        QVERIFY(f.isValid());
        QVERIFY(f.isUniform("a"));
        QVERIFY(!f.isUniform("b"));
        QVERIFY(!f.isUniform("d"));
        // In memory each thread has its own.
        Analysed inMemory = kernel(body);
        QVERIFY(inMemory.isValid());
        QVERIFY(!inMemory.isUniform("a"));
        QVERIFY(inMemory.isUniform("plain"));
    }

    /// A divergent value may be stored behind where it is loaded first.
    void loopsAreFollowedToTheEnd()
    {
        Analysed f = kernel(std::string(kThread) + "%first = alloca i32\n%second = alloca i32\n"
                                                   "store i32 0, ptr %first\nstore i32 0, ptr %second\n"
                                                   "br label %loop\n"
                                                   "loop:\n"
                                                   "%a = load i32, ptr %second\n"
                                                   "%b = load i32, ptr %first\n"
                                                   "store i32 %b, ptr %second\n"
                                                   "store i32 %t, ptr %first\n"
                                                   "%more = icmp slt i32 %a, 9\n"
                                                   "br i1 %more, label %loop, label %end\n"
                                                   "end:\n ret void\n",
                            {"first", "second"});
        QVERIFY(f.isValid());
        QVERIFY(!f.isUniform("a"));
        QVERIFY(f.mayDiverge("loop"));
    }

    void pointersInVariablesAreFollowed()
    {
        const auto body = [](const char* second) {
            return std::string("%p = alloca ptr\n%local = alloca i32\n"
                               "store ptr %data, ptr %p\n") +
                   second +
                   "%q = load ptr, ptr %p\n"
                   "%value = load i32, ptr %q\n"
                   "ret void\n";
        };
        Analysed f = kernel(body(""), {"p"});
        QVERIFY(f.isValid());
        QVERIFY(f.isUniform("value"));
        Analysed own = kernel(body("store ptr %local, ptr %p\n"), {"p"});
        QVERIFY(own.isValid());
        QVERIFY(!own.isUniform("value"));
    }

    void functionsGetArgumentsByLane()
    {
        const std::string body = "%sum = add i32 %n, 1\n%fixed = add i32 1, 2\nret void\n";
        Analysed function(body, {}, As::Function);
        QVERIFY(function.isValid());
        QVERIFY(!function.isArgumentUniform());
        QVERIFY(!function.isUniform("sum"));
        QVERIFY(function.isUniform("fixed"));
        Analysed recursive(body, {}, As::Recursive);
        QVERIFY(recursive.isValid());
        QVERIFY(!recursive.isUniform("fixed"));
    }
};

QTEST_APPLESS_MAIN(TestUniformity)
#include "tst_uniformity.moc"
