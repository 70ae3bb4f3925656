// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which registers' patterns are noted, and for which addresses.
#include <optional>
#include <string>

#include <QTest>

#ifndef Q_MOC_RUN  // which does not understand LLVM
#include "core/simt/lower/lane_patterns.h"
#include "ir_text.h"
#endif

using namespace lanescope;
using namespace lanescope::simt;

namespace {

/// The patterns of the function "f" of a module; values are asked for by name.
class Found {
public:
    explicit Found(const std::string& body, bool isRecursive = false, bool wholeRows = false)
    {
        m_module = test::moduleOf(m_context, "declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()\n"
                                             "define void @f(ptr %in, ptr %out, i32 %n) {\n"
                                             "%t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()\n" +
                                                 body + "}\n");
        if (!m_module || !test::verifierProblem(*m_module).empty())
            return;
        m_function = m_module->getFunction("f");
        m_program.wholeRows = wholeRows;
        m_analysis.emplace(*m_function, /*isKernel=*/true, isRecursive,
                           FunctionAnalysis::Purpose{.wholeRows = wholeRows, .records = true});
        m_patterns.emplace(*m_analysis, m_module->getDataLayout(), m_program);
    }

    [[nodiscard]] bool isValid() const { return m_patterns.has_value(); }
    /// The number of the value's pattern times \p scale; 0: it has none.
    [[nodiscard]] uint32_t pattern(const char* name, int64_t scale) const
    {
        const LanePatterns::ByScale* patterns = m_patterns->of(value(name));
        return patterns && patterns->contains(scale) ? patterns->at(scale) : 0;
    }
    [[nodiscard]] size_t count() const { return m_program.patterns - kUniformPattern - 1; }
    [[nodiscard]] std::optional<int32_t> rowStepOf(const char* name) const
    {
        return m_patterns->rowStepOf(value(name));
    }
    [[nodiscard]] size_t countOfVariables() const { return m_program.variablePatterns.size(); }
    /// What alone makes the address differ: its name; empty: nothing.
    [[nodiscard]] std::string onlyPartOf(const char* pointer) const
    {
        const LanePatterns::Part part = m_patterns->onlyPartOf(value(pointer));
        return part.value ? part.value->getName().str() : std::string();
    }

private:
    [[nodiscard]] const llvm::Value& value(const char* name) const
    {
        return *test::instructionNamed(*m_function, name);
    }

    llvm::LLVMContext m_context;
    std::unique_ptr<llvm::Module> m_module;
    llvm::Function* m_function = nullptr;
    Program m_program;
    std::optional<FunctionAnalysis> m_analysis;
    std::optional<LanePatterns> m_patterns;
};

/// An access of \p array at the value \p index, which must be narrow.
std::string access(const std::string& array, const std::string& index, const std::string& name)
{
    return "%wide." + name + " = sext i32 %" + index + " to i64\n%at." + name + " = getelementptr float, ptr %" +
           array + ", i64 %wide." + name + "\n%loaded." + name + " = load float, ptr %at." + name + "\n";
}

const std::string kTwoOfThread = access("in", "t", "a") + access("out", "t", "b") + "ret void\n";

}  // namespace

class TestLanePatterns : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void indexOfSeveralAccessesIsNotedOnce()
    {
        const Found found(kTwoOfThread);
        QVERIFY(found.isValid());
        QCOMPARE(found.count(), size_t{1});
        QCOMPARE(found.pattern("t", 4), kUniformPattern + 1);
        QCOMPARE(found.pattern("t", 1), 0u);
        QCOMPARE(QString::fromStdString(found.onlyPartOf("at.a")), QString("t"));
    }

    void indexOfOneAccessIsNot()
    {
        const Found found(access("in", "t", "a") + "ret void\n");
        QVERIFY(found.isValid());
        QCOMPARE(found.count(), size_t{0});
    }

    void whatIsKnownOfRowsIsNotedForOne()
    {
        const Found found(access("in", "t", "a") + "ret void\n", /*isRecursive=*/false, /*wholeRows=*/true);
        QVERIFY(found.isValid());
        QCOMPARE(found.count(), size_t{1});
        QCOMPARE(found.rowStepOf("t"), std::optional(1));
    }

    /// Structs of 28 bytes, side by side; and what more than one thing makes differ, which is not known.
    void addressesHaveTheStepsOfTheirIndexes()
    {
        const Found found(
            "%times = mul i32 %t, 7\n%wide = sext i32 %times to i64\n"
            "%struct = getelementptr float, ptr %out, i64 %wide\n"
            "%field = getelementptr i8, ptr %struct, i64 12\n"
            "%both = getelementptr float, ptr %struct, i64 %wide\n"
            "%back = sub i32 %n, %t\n%before = getelementptr i16, ptr %in, i32 %back\n"
            "store float 0.0, ptr %field\nstore float 0.0, ptr %both\nstore i16 0, ptr %before\nret void\n",
            /*isRecursive=*/false, /*wholeRows=*/true);
        QVERIFY(found.isValid());
        QCOMPARE(found.rowStepOf("struct"), std::optional(28));
        QCOMPARE(found.rowStepOf("field"), std::optional(28));
        QCOMPARE(found.rowStepOf("both"), std::optional<int32_t>());
        QCOMPARE(found.rowStepOf("before"), std::optional(-2));
    }

    void eachScaleHasAPatternOfItsOwn()
    {
        const std::string bytes = "%wide.c = sext i32 %t to i64\n%at.c = getelementptr i8, ptr %in, i64 %wide.c\n"
                                  "%loaded.c = load i8, ptr %at.c\n"
                                  "%wide.d = sext i32 %t to i64\n%at.d = getelementptr i8, ptr %in, i64 %wide.d\n"
                                  "%loaded.d = load i8, ptr %at.d\n";
        const Found found(bytes + kTwoOfThread);
        QVERIFY(found.isValid());
        QCOMPARE(found.count(), size_t{2});
        QCOMPARE(found.pattern("t", 1), kUniformPattern + 1);
        QCOMPARE(found.pattern("t", 4), kUniformPattern + 2);
    }

    /// Noted once before the loop, it is used in every round.
    void indexOfOneAccessInADeeperLoopIsNoted()
    {
        const std::string loop = "br label %loop\nloop:\n"
                                 "%i = phi i32 [ 0, %0 ], [ %next, %loop ]\n" +
                                 access("in", "t", "a") +
                                 "%next = add i32 %i, 1\n%more = icmp slt i32 %next, %n\n"
                                 "br i1 %more, label %loop, label %end\nend:\nret void\n";
        const Found found(loop);
        QVERIFY(found.isValid());
        QCOMPARE(found.count(), size_t{1});
        QVERIFY(found.pattern("t", 4) != 0);
    }

    void whatIsTheSameInAllLanesNeedsNone()
    {
        const Found found(access("in", "n", "a") + access("out", "n", "b") + "ret void\n");
        QVERIFY(found.isValid());
        QCOMPARE(found.count(), size_t{0});
        QCOMPARE(QString::fromStdString(found.onlyPartOf("at.a")), QString());
    }

    void sumsOfTwoVaryingThingsHaveNone()
    {
        const std::string two = "%row = getelementptr float, ptr %in, i32 %t\n"
                                "%v0 = load float, ptr %row\n"
                                "%at = getelementptr float, ptr %row, i32 %t\n"
                                "%v1 = load float, ptr %at\n";
        const Found found(two + "ret void\n");
        QVERIFY(found.isValid());
        QCOMPARE(QString::fromStdString(found.onlyPartOf("at")), QString());
        QCOMPARE(QString::fromStdString(found.onlyPartOf("row")), QString("row"));
    }

    void variablesAreNotedWhereTheyAreStored()
    {
        const auto body = [](const char* between) {
            return "%i = alloca i32\nstore i32 %t, ptr %i\n%i1 = load i32, ptr %i\n" + access("in", "i1", "a") +
                   between + "%i2 = load i32, ptr %i\n" + access("out", "i2", "b") + "ret void\n";
        };
        const Found found(body(""));
        QVERIFY(found.isValid());
        QCOMPARE(QString::fromStdString(found.onlyPartOf("at.a")), QString("i"));
        QCOMPARE(found.count(), size_t{1});
        QCOMPARE(found.countOfVariables(), size_t{1});
        QVERIFY(found.pattern("i", 4) != 0);
    }

    /// Their registers change without a word while other calls of the function run.
    void functionsThatCallThemselvesHaveNone()
    {
        const Found found(kTwoOfThread, /*isRecursive=*/true);
        QVERIFY(found.isValid());
        QCOMPARE(found.count(), size_t{0});
    }
};

QTEST_APPLESS_MAIN(TestLanePatterns)
#include "tst_lane_patterns.moc"
