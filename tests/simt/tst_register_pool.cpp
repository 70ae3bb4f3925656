// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which registers of a function are given out again, and when.
#include <set>

#include <QTest>

#ifndef Q_MOC_RUN  // which does not understand LLVM
#include "core/simt/lower/register_pool.h"
#include "ir_text.h"
#endif

using namespace lanescope;
using namespace lanescope::simt;

class TestRegisterPool : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase()
    {
        m_module = test::moduleOf(m_context, "define void @f(i32 %n) {\n"
                                             "%first = add i32 %n, 1\n"
                                             "%second = add i32 %n, 2\n"
                                             "ret void\n}\n");
        QVERIFY(m_module);
    }

    void newRegistersOverlapNoOthers()
    {
        Program program;
        RegisterFile file(program);
        RegisterPool pool(file, nullptr);
        const uint32_t narrow = pool.newVector(LaneType::I32), wide = pool.newVector(LaneType::F64);
        const uint32_t last = pool.newVector(LaneType::F32);
        QVERIFY(narrow >= kFirstFreeReg);
        QCOMPARE(wide - narrow, 32u * 4);
        QCOMPARE(last - wide, 32u * 8);
        QCOMPARE(program.registerBytes, last + 32 * 4);
        QVERIFY(pool.newScalar() >= kFirstFreeScalar);
    }

    void registersComeBackBehindTheirLastUse()
    {
        Program program;
        RegisterFile file(program);
        RegisterPool pool(file, nullptr);
        const Operand held = pool.shortLived(LaneType::I32, Form::Vector);
        pool.own(held, LaneType::I32, instr("second"));
        pool.release(instr("first"));
        QVERIFY(pool.shortLived(LaneType::I32, Form::Vector).reg != held.reg);
        pool.release(instr("second"));
        QCOMPARE(pool.shortLived(LaneType::F32, Form::Vector).reg, held.reg);
        QVERIFY(pool.shortLived(LaneType::F32, Form::Vector).reg != held.reg);
    }

    void narrowAndWideAreKeptApart()
    {
        Program program;
        RegisterFile file(program);
        RegisterPool pool(file, nullptr);
        const Operand narrow = pool.shortLived(LaneType::I32, Form::Vector);
        const Operand wide = pool.shortLived(LaneType::I64, Form::Vector);
        pool.own(narrow, LaneType::I32, instr("first"));
        pool.own(wide, LaneType::I64, instr("first"));
        pool.release(instr("first"));
        QCOMPARE(pool.shortLived(LaneType::F64, Form::Vector).reg, wide.reg);
        QCOMPARE(pool.shortLived(LaneType::I32, Form::Vector).reg, narrow.reg);
    }

    void temporariesLastForOneInstruction()
    {
        Program program;
        RegisterFile file(program);
        RegisterPool pool(file, nullptr);
        const uint32_t one = pool.temporary(LaneType::I32), other = pool.temporary(LaneType::I32);
        QVERIFY(one != other);
        pool.release(instr("first"));
        const std::set<uint32_t> again{pool.temporary(LaneType::I32), pool.temporary(LaneType::I32)};
        QVERIFY(again == (std::set<uint32_t>{one, other}));
        QVERIFY(!again.contains(pool.temporary(LaneType::I32)));
    }

    /// Those that values keep for good are nobody else's, whatever is free.
    void lastingRegistersAreNew()
    {
        Program program;
        RegisterFile file(program);
        RegisterPool pool(file, nullptr);
        const uint32_t freed = pool.temporary(LaneType::I32);
        pool.release(instr("first"));
        QVERIFY(pool.newOperand(LaneType::I32, Form::Vector).reg != freed);
        QVERIFY(pool.newVector(LaneType::I32) != freed);
    }

    void scalarsAreNotUsedAgain()
    {
        Program program;
        RegisterFile file(program);
        RegisterPool pool(file, nullptr);
        const Operand scalar = pool.shortLived(LaneType::I32, Form::Scalar);
        QCOMPARE(scalar.form, Form::Scalar);
        pool.own(scalar, LaneType::I32, instr("first"));
        pool.release(instr("first"));
        QVERIFY(pool.shortLived(LaneType::I32, Form::Scalar).reg != scalar.reg);
        // A vector may have the same number.
        QCOMPARE(pool.shortLived(LaneType::I32, Form::Vector).reg, kFirstFreeReg);
    }

    void functionsShareTheirConstants()
    {
        Program program;
        RegisterFile file(program);
        RegisterPool one(file, nullptr), other(file, nullptr);
        const Operand five = one.constant(5);
        QCOMPARE(five.form, Form::Scalar);
        QCOMPARE(other.constant(5).reg, five.reg);
        QVERIFY(other.constant(6).reg != five.reg);
        QCOMPARE(program.scalars[five.reg], uint64_t{5});
    }

    void whatMayCallItselfSpillsEachVectorOnce()
    {
        Program program;
        RegisterFile file(program);
        SpillList spills;
        RegisterPool pool(file, &spills);
        const uint32_t narrow = pool.temporary(LaneType::I32);
        pool.release(instr("first"));
        QCOMPARE(pool.temporary(LaneType::F32), narrow);
        const uint32_t wide = pool.newVector(LaneType::I64);
        pool.newScalar();
        QCOMPARE(pool.spills(), &spills);
        QVERIFY(spills.registers == (std::vector<std::pair<uint32_t, bool>>{{narrow, false}, {wide, true}}));
    }

private:
    [[nodiscard]] const llvm::Instruction& instr(const char* name)
    {
        return *test::instructionNamed(*m_module->getFunction("f"), name);
    }

    llvm::LLVMContext m_context;
    std::unique_ptr<llvm::Module> m_module;
};

QTEST_APPLESS_MAIN(TestRegisterPool)
#include "tst_register_pool.moc"
