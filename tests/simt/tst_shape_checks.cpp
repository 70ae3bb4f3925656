// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which subscripts are held against declared extents.
#include <string>

#include <QTest>

#ifndef Q_MOC_RUN  // which does not understand LLVM
#include "core/simt/lower/shape_checks.h"
#include "ir_text.h"
#endif

using namespace lanescope;
using namespace lanescope::simt;

namespace {

constexpr const char* kDebugInfo = R"(
!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!2}
!0 = distinct !DICompileUnit(language: DW_LANG_C_plus_plus_14, file: !1, isOptimized: OPTIMIZED, emissionKind: FullDebug)
!1 = !DIFile(filename: "program.cu", directory: "/")
!2 = !{i32 2, !"Debug Info Version", i32 3}
!4 = distinct !DISubprogram(name: "f", file: !1, line: 1, type: !5, unit: !0, spFlags: DISPFlagDefinition)
!5 = !DISubroutineType(types: !6)
!6 = !{null}
)";

enum class Code { AsWritten, Optimised };

/// The checks of the function "f", with the parameters %i and %j in registers 0 and 1.
class Checked {
public:
    explicit Checked(const std::string& body, Code as = Code::AsWritten)
    {
        std::string debug = kDebugInfo;
        debug.replace(debug.find("OPTIMIZED"), 9, as == Code::Optimised ? "true" : "false");
        m_module = test::moduleOf(m_context, "%open = type { i32, [1 x float] }\n"
                                             "@grid = addrspace(3) global [3 x [5 x i32]] undef\n"
                                             "define void @f(i64 %i, i64 %j, ptr %p) !dbg !4 {\n" +
                                                 body + "ret void\n}\n" + debug);
        if (!m_module || !test::verifierProblem(*m_module).empty())
            return;
        m_function = m_module->getFunction("f");
        m_checks.emplace(*m_function, m_program, m_code, bestHandlers());
        m_checks->beginAddress();
        for (unsigned i = 0; i < 2; ++i)
            m_checks->noteSubscript(*m_function->getArg(i), {{i, Form::Vector}, true, 1});
    }

    [[nodiscard]] bool isValid() const { return m_checks.has_value(); }
    ShapeChecks& checks() { return *m_checks; }
    /// The load of that name is checked.
    void access(const char* load, uint32_t staticSite)
    {
        const auto& instr = *llvm::cast<llvm::LoadInst>(test::instructionNamed(*m_function, load));
        m_checks->checkAccess(instr, *instr.getPointerOperand(), staticSite, false);
    }
    const llvm::GetElementPtrInst& address(const char* name)
    {
        return *llvm::cast<llvm::GetElementPtrInst>(test::instructionNamed(*m_function, name));
    }
    [[nodiscard]] const std::deque<ShapeCheck>& shapes() const { return m_program.shapes; }
    [[nodiscard]] size_t instructions() const { return m_code.size(); }

private:
    llvm::LLVMContext m_context;
    std::unique_ptr<llvm::Module> m_module;
    llvm::Function* m_function = nullptr;
    Program m_program;
    CodeWriter m_code{m_program};
    std::optional<ShapeChecks> m_checks;
};

std::string gridAt(const std::string& row, const std::string& column)
{
    return "%at = getelementptr [3 x [5 x i32]], ptr addrspace(3) @grid, i64 0, i64 " + row + ", i64 " + column +
           "\n%v = load i32, ptr addrspace(3) %at\n";
}

}  // namespace

class TestShapeChecks : public QObject {
    Q_OBJECT

private Q_SLOTS:
    /// The outermost one is the object's bounds, which every access is held against.
    void innerSubscriptsAreChecked()
    {
        Checked f(gridAt("%i", "%j"));
        QVERIFY(f.isValid());
        f.access("v", 17);
        QCOMPARE(f.instructions(), size_t{1});
        QCOMPARE(f.shapes().size(), size_t{1});
        const ShapeCheck& shape = f.shapes().front();
        QCOMPARE(shape.staticSite, 17u);
        QVERIFY(!shape.isWrite);
        QCOMPARE(shape.dims.size(), size_t{2});
        QCOMPARE(shape.dims[0].extent, uint64_t{3});
        QVERIFY(!shape.dims[0].limited);
        QCOMPARE(shape.dims[1].extent, uint64_t{5});
        QVERIFY(shape.dims[1].limited);
        QCOMPARE(shape.dims[1].value, ShapeDim::Value::Register);
        QCOMPARE(shape.dims[1].index.operand.reg, 1u);
    }

    void constantsAreCheckedWhenTheyAreOutside()
    {
        Checked inside(gridAt("%i", "4"));
        QVERIFY(inside.isValid());
        inside.access("v", 1);
        QCOMPARE(inside.instructions(), size_t{0});
        Checked outside(gridAt("%i", "5"));
        QVERIFY(outside.isValid());
        outside.access("v", 1);
        QCOMPARE(outside.instructions(), size_t{1});
        QCOMPARE(outside.shapes().front().dims[1].constant, int64_t{5});
    }

    void optimisedCodeIsNotChecked()
    {
        Checked f(gridAt("%i", "%j"), Code::Optimised);
        QVERIFY(f.isValid());
        f.access("v", 1);
        QCOMPARE(f.instructions(), size_t{0});
        QVERIFY(f.shapes().empty());
    }

    void plainPointersHaveNoExtents()
    {
        Checked f("%at = getelementptr i32, ptr %p, i64 %i\n%v = load i32, ptr %at\n");
        QVERIFY(f.isValid());
        f.access("v", 1);
        QCOMPARE(f.instructions(), size_t{0});
    }

    /// `struct { int n; float data[1]; }` stands for as many as were allocated.
    void lastMembersOfOneElementAreOpen()
    {
        Checked f("%at = getelementptr %open, ptr %p, i64 0, i32 1, i64 %i\n%v = load float, ptr %at\n");
        QVERIFY(f.isValid());
        f.access("v", 1);
        QCOMPARE(f.instructions(), size_t{0});
    }

    /// Registers of an earlier address say nothing about this one.
    void subscriptsAreOfTheAddressLoweredLast()
    {
        Checked f(gridAt("%i", "%j"));
        QVERIFY(f.isValid());
        f.checks().beginAddress();
        f.access("v", 1);
        QCOMPARE(f.instructions(), size_t{0});
    }

    void keptAddressesAreNamedByTheirFirstAccess()
    {
        Checked f(gridAt("%i", "%j") + "store i32 %v, ptr addrspace(3) %at\n");
        QVERIFY(f.isValid());
        f.checks().checkKept(f.address("at"));
        QCOMPARE(f.instructions(), size_t{1});
        f.checks().nameKept(f.address("at"), 8, true);
        f.checks().nameKept(f.address("at"), 9, false);
        QCOMPARE(f.shapes().front().staticSite, 8u);
        QVERIFY(f.shapes().front().isWrite);
    }

    void addressesThatNobodyAccessesAreNotKept()
    {
        Checked f("%at = getelementptr [3 x [5 x i32]], ptr addrspace(3) @grid, i64 0, i64 %i, i64 %j\n"
                  "%number = ptrtoint ptr addrspace(3) %at to i64\n");
        QVERIFY(f.isValid());
        f.checks().checkKept(f.address("at"));
        QCOMPARE(f.instructions(), size_t{0});
    }
};

QTEST_APPLESS_MAIN(TestShapeChecks)
#include "tst_shape_checks.moc"
