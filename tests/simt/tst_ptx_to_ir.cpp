// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// PTX modules as IR: which addresses become pointers, what registers and arrays are taken for, and what debug
// information says.
#include <QTest>

#ifndef Q_MOC_RUN  // which does not understand LLVM
#include <llvm/ADT/StringExtras.h>
#include <llvm/IR/DebugInfo.h>
#include <llvm/IR/DebugProgramInstruction.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>

#include "core/simt/ptx/mojo_types.h"
#include "core/simt/ptx/parameter_names.h"
#include "core/simt/ptx/ptx_module_to_ir.h"
#include "ir_text.h"
#endif

using namespace lanescope;

namespace {

const std::string kHead = ".version 9.0\n.target sm_90\n.address_size 64\n";

/// Of a kernel with two pointers and a number.
std::string kernelOf(const QString& body)
{
    return kHead +
           ".visible .entry k(.param .u64 a, .param .u64 b, .param .u64 n) {\n"
           ".reg .pred %p<4>; .reg .b32 %r<16>; .reg .b64 %rd<16>; .shared .align 16 .b8 tile[256];\n"
           "ld.param.u64 %rd1, [a]; ld.param.u64 %rd2, [b]; ld.param.u64 %rd3, [n]; mov.u32 %r1, %tid.x;\n" +
           body.toStdString() + "\nret;\n}\n";
}

}  // namespace

class TestPtxToIr : public QObject {
    Q_OBJECT

private Q_SLOTS:
    /// Parameters that are pointers, and numbers that are still made into pointers.
    void addressesBecomePointers_data()
    {
        QTest::addColumn<QString>("body");
        QTest::addColumn<QString>("pointers");
        QTest::addColumn<int>("numbers");
        const auto row = [](const char* name, const char* body, const char* pointers, int numbers) {
            QTest::newRow(name) << QString(body) << QString(pointers) << numbers;
        };
        row("a parameter with an offset",
            "cvta.to.global.u64 %rd4, %rd1; mul.wide.s32 %rd5, %r1, 4; add.s64 %rd6, %rd4, %rd5; "
            "ld.global.u32 %r2, [%rd6+8]; st.global.u32 [%rd6], %r2;",
            "a", 0);
        row("without a hint", "mul.wide.s32 %rd5, %r1, 4; add.s64 %rd6, %rd2, %rd5; st.global.u32 [%rd6], %r1;", "b",
            0);
        row("through a loop",
            "mov.u64 %rd6, %rd1; mov.u32 %r2, 0;\n$again: st.global.u32 [%rd6], %r2; add.s64 %rd6, %rd6, 4;\n"
            "add.u32 %r2, %r2, 1; setp.lt.u32 %p1, %r2, 9; @%p1 bra $again;",
            "a", 0);
        row("one of two",
            "setp.eq.u32 %p1, %r1, 0; selp.b64 %rd6, %rd1, %rd2, %p1; cvta.to.global.u64 %rd4, %rd1; "
            "cvta.to.global.u64 %rd5, %rd2; st.global.u32 [%rd6], %r1;",
            "a b", 0);
        row("a number that is none",
            "add.s64 %rd4, %rd3, 1; cvta.to.global.u64 %rd5, %rd1; st.global.u64 [%rd5], %rd4;", "a", 0);
        row("shared memory",
            "shl.b32 %r2, %r1, 2; mov.u32 %r3, tile; add.s32 %r4, %r3, %r2; st.shared.u32 [%r4+4], %r1;", "", 0);
        row("shared memory by a swizzle",
            "shl.b32 %r2, %r1, 2; mov.u32 %r3, tile; add.s32 %r4, %r3, %r2; xor.b32 %r5, %r4, 16; "
            "st.shared.u32 [%r5], %r1;",
            "", 1);
    }
    void addressesBecomePointers()
    {
        QFETCH(QString, body);
        QFETCH(QString, pointers);
        QFETCH(int, numbers);
        const auto module = read(kernelOf(body));
        QVERIFY(module);
        const llvm::Function& kernel = *module->getFunction("k");
        QStringList found;
        for (const llvm::Argument& argument : kernel.args())
            if (argument.getType()->isPointerTy())
                found << QString::fromStdString(argument.getName().str());
        QCOMPARE(found.join(' '), pointers);
        int left = 0;
        for (const llvm::Instruction& instr : llvm::instructions(kernel))
            left += llvm::isa<llvm::IntToPtrInst>(instr);
        QCOMPARE(left, numbers);
        QVERIFY(!module->getFunction("__ls_to_window") || module->getFunction("__ls_to_window")->use_empty());
    }

    /// LLVM's PTX has .b32 for everything: a copy into a tile whose floats are summed is one of floats.
    void untypedValuesAreWhatTheyAreUsedAs()
    {
        const auto module =
            read(kernelOf("cvta.to.global.u64 %rd4, %rd1; ld.global.b32 %r2, [%rd4]; st.shared.b32 [tile], %r2;\n"
                          "st.shared.b32 [tile+4], 0; bar.sync 0; ld.shared.b32 %r3, [tile]; add.f32 %r4, %r3, %r3;\n"
                          "cvta.to.global.u64 %rd5, %rd2; st.global.b32 [%rd5], %r4;"));
        QVERIFY(module);
        for (const llvm::Instruction& instr : llvm::instructions(*module->getFunction("k"))) {
            if (const auto* load = llvm::dyn_cast<llvm::LoadInst>(&instr))
                QVERIFY(load->getType()->isFloatTy());
            if (const auto* store = llvm::dyn_cast<llvm::StoreInst>(&instr))
                QVERIFY(store->getValueOperand()->getType()->isFloatTy());
        }
        llvm::SmallVector<llvm::DIGlobalVariableExpression*, 1> debug;
        module->getGlobalVariable("tile", true)->getDebugInfo(debug);
        QCOMPARE(debug.size(), size_t{1});
        QCOMPARE(debug[0]->getVariable()->getType()->getSizeInBits(), uint64_t{256 * 8});
    }

    /// Registers that hold variables of the source, as nvcc's and Mojo's debug information says: "int sum" in %r5.
    void variablesInRegistersAreRecorded()
    {
        const std::string sections = ".file 1 \"k.cu\"\n"
                                     ".section .debug_abbrev { .b8 1,17,1,0,0 .b8 2,46,1,3,8,58,11,59,11,0,0\n"
                                     ".b8 3,52,0,3,8,58,11,59,11,73,19,2,10,0,0 .b8 4,36,0,3,8,62,11,11,11,0,0,0 }\n"
                                     ".section .debug_info { .b32 39 .b8 2,0 .b32 .debug_abbrev .b8 8,1\n"
                                     ".b8 4,105,110,116,0,5,4 .b8 2,107,0,1,7 .b8 3,115,117,109,0,1,8 .b32 12\n"
                                     ".b8 5,144,181,228,149,1,0,0 }\n";
        const auto module = read(kernelOf("mov.b32 %r5, 1; add.s32 %r5, %r5, %r1; cvta.to.global.u64 %rd4, %rd1;\n"
                                          "st.global.u32 [%rd4], %r5;") +
                                 sections);
        QVERIFY(module);
        llvm::Function& kernel = *module->getFunction("k");
        QCOMPARE(kernel.getSubprogram()->getLine(), 7u);
        QStringList written;
        for (llvm::Instruction& instr : llvm::instructions(kernel))
            for (llvm::DbgVariableRecord& record : llvm::filterDbgVars(instr.getDbgRecordRange()))
                written << QString::fromStdString(record.getVariable()->getName().str());
        QCOMPARE(written.join(' '), "sum sum");
    }

    void namesComeFromDefinitions_data()
    {
        QTest::addColumn<QString>("definition");
        QTest::addColumn<QString>("names");
        QTest::newRow("python") << "def add(x, y, out):\n    pass" << "x y out";
        QTest::newRow("triton") << "def f(x_ptr,  # comment, (\n      n, BLOCK: tl.constexpr):" << "x_ptr n";
        QTest::newRow("defaults") << "def f(a, b=(1, 2), *args, c: int = 3):" << "a b c";
        QTest::newRow("mojo") << "fn f[T: DType, //](mut out: Pointer[Scalar[T], _], a: Span[T, 3], size: Int) raises:"
                              << "out a size";
        QTest::newRow("C++") << "f(float* __restrict__ out, const T (*a)[3], int n = 3)" << "out a n";
        QTest::newRow("none") << "def f():" << "";
        QTest::newRow("unfinished") << "def f(a, b[" << "";
    }
    void namesComeFromDefinitions()
    {
        QFETCH(QString, definition);
        QFETCH(QString, names);
        QStringList found;
        for (const std::string& name : simt::namesInDefinition(definition.toStdString()))
            found << QString::fromStdString(name);
        QCOMPARE(found.join(' '), names);
    }

    /// As Mojo's compiler spells the types of tensors, less what is not read.
    void mojosExtentsAreThoseInMemory_data()
    {
        QTest::addColumn<QString>("layout");
        QTest::addColumn<QString>("extents");
        const auto lists = [](const char* extents, const char* strides) {
            const auto list = [](const QString& numbers) {
                QStringList items;
                for (const QString& each : numbers.split(' '))
                    items << "@ComptimeInt<{:scalar<index> " + each + "}>";
                return "<t> [" + items.join(", ") + "]";
            };
            return "@tile_layout::@Layout<" + list(extents) + ", " + list(strides) + ">";
        };
        const QString call = "@Layout::@\"%1[O](SIMD)\"<store_to_mem([store_to_mem(<{:scalar<index> 6}>), "
                             "store_to_mem(<{:scalar<index> 10}>)])>";
        QTest::newRow("row after row") << lists("6 10", "10 1") << "6 10";
        QTest::newRow("column after column") << lists("6 10", "1 6") << "10 6";
        QTest::newRow("three dimensions") << lists("2 3 4", "1 8 2") << "3 4 2";
        QTest::newRow("with gaps") << lists("6 10", "11 1") << "";
        QTest::newRow("overlapping") << lists("6 10", "1 1") << "";
        QTest::newRow("an older tensor, row after row") << call.arg("row_major") << "6 10";
        QTest::newRow("an older tensor, column after column") << call.arg("col_major") << "10 6";
        QTest::newRow("an older tensor, otherwise") << call.arg("make") << "";
    }
    void mojosExtentsAreThoseInMemory()
    {
        QFETCH(QString, layout);
        QFETCH(QString, extents);
        const QString type = "m::struct LayoutTensor[a]<b,c,`{:dtype f32}`,`" + layout + "`>";
        const auto tensor = simt::mojoTensor(type.toStdString());
        QVERIFY(tensor);
        QStringList found;
        for (const uint64_t extent : tensor->extents)
            found << QString::number(extent);
        QCOMPARE(found.join(' '), extents);
    }

    void numbasArraysComeInParts()
    {
        const std::vector<std::string> found =
            simt::namesOfParts({"a", "n"}, "m::f[abi:v1](Array<float, 1, C, mutable, aligned>, int)");
        QCOMPARE(QString::fromStdString(llvm::join(found, " ")),
                 "a.meminfo a.parent a.nitems a.itemsize a a.shape[0] a.strides[0] n");
        QVERIFY(simt::namesOfParts({"a"}, "f(int, int)").empty());
    }

    /// Inline assembly has one place; what compilers write inside counts its lines.
    void placesInsideInlineAssemblyAreTheStatements()
    {
        const auto module =
            read(kernelOf("cvta.to.global.u64 %rd4, %rd1;\n.loc 1 5 2\n// begin inline asm\n.loc 1 5 2\n"
                          "mov.u32 %r2, 0;\n.loc 1 6 2\nst.global.u32 [%rd4], %r2;\n// end inline asm\n") +
                 ".file 1 \"k.py\"\n");
        QVERIFY(module);
        for (const llvm::Instruction& instr : llvm::instructions(*module->getFunction("k")))
            if (llvm::isa<llvm::StoreInst>(instr))
                QCOMPARE(instr.getDebugLoc().getLine(), 5u);
    }

private:
    std::unique_ptr<llvm::Module> read(const std::string& text)
    {
        auto module = simt::readPtxModule(text, "module.ptx", m_context);
        if (!module) {
            qWarning("%s", module.error().text().c_str());
            return nullptr;
        }
        const auto problem = test::verifierProblem(*module.value());
        if (!problem.empty()) {
            qWarning("%s", std::string(problem).c_str());
            return nullptr;
        }
        return std::move(module).value();
    }

    llvm::LLVMContext m_context;
};

QTEST_APPLESS_MAIN(TestPtxToIr)
#include "tst_ptx_to_ir.moc"
