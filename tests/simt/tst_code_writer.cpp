// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Instructions of one function, where its jumps go, and what is said about its code.
#include <QTest>

#ifndef Q_MOC_RUN  // which does not understand LLVM
#include "core/simt/lower/code_writer.h"
#include "core/simt/lower/leaves.h"
#endif

using namespace lanescope::simt;

namespace {

// Never run: they tell instructions apart.
const Instr* jump(const Instr* instr, Warp&)
{
    return instr;
}

const Instr* work(const Instr* instr, Warp&)
{
    return instr + 1;
}

Flow flowOf(FlowKind kind)
{
    Flow flow;
    flow.assigns.push_back({kind, {}, false, {}});
    return flow;
}

uint64_t addressOf(const Instr& instr)
{
    return reinterpret_cast<uint64_t>(&instr);
}

}  // namespace

class TestCodeWriter : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void jumpsGoToWhereTheirLabelsArePlaced()
    {
        Program program;
        CodeWriter code(program);
        const CodeWriter::Label begin = code.newLabel(), end = code.newLabel();
        code.place(begin);
        code.emitJump(jump, end, nullptr).a = 7;
        for (int i = 0; i < 100; ++i)  // more than there is room for without moving
            code.emit(work, nullptr);
        code.emitJump(jump, begin, nullptr);
        code.place(end);
        code.emit(work, nullptr);
        QCOMPARE(code.size(), size_t{103});
        const Instr* entry = code.finish(begin);
        const std::vector<Instr>& written = program.code.back();
        QCOMPARE(entry, written.data());
        QCOMPARE(written.size(), size_t{103});
        QCOMPARE(written[0].imm, addressOf(written[102]));
        QCOMPARE(written[0].a, 7u);
        QCOMPARE(written[101].imm, addressOf(written[0]));
    }

    void branchesGoBothWaysAndMeetAgain()
    {
        Program program;
        CodeWriter code(program);
        const CodeWriter::Label one = code.newLabel(), other = code.newLabel(), join = code.newLabel();
        BranchInfo together, apart;
        code.connect(together, one, other, std::nullopt);
        code.connect(apart, other, one, join);
        for (const CodeWriter::Label label : {one, other, join}) {
            code.place(label);
            code.emit(work, nullptr);
        }
        const Instr* first = code.finish(one);
        QCOMPARE(together.ifTrue, first);
        QCOMPARE(together.ifFalse, first + 1);
        QCOMPARE(together.reconverge, nullptr);
        QCOMPARE(apart.ifTrue, first + 1);
        QCOMPARE(apart.ifFalse, first);
        QCOMPARE(apart.reconverge, first + 2);
    }

    void switchesGoToTheirCases()
    {
        Program program;
        CodeWriter code(program);
        const CodeWriter::Label one = code.newLabel(), other = code.newLabel();
        SwitchInfo info;
        info.cases = {{5, nullptr}, {9, nullptr}, {5000, nullptr}};
        code.connect(info, {other, one, other}, one, other);
        code.place(one);
        code.emit(work, nullptr);
        code.place(other);
        code.emit(work, nullptr);
        const Instr* first = code.finish(one);
        QCOMPARE(info.cases[0].second, first + 1);
        QCOMPARE(info.cases[1].second, first);
        QCOMPARE(info.cases[2].second, first + 1);
        QCOMPARE(info.cases[2].first, uint64_t{5000});
        QCOMPARE(info.fallback, first);
        QCOMPARE(info.reconverge, first + 1);
    }

    void eachFunctionHasCodeOfItsOwn()
    {
        Program program;
        for (int i = 0; i < 2; ++i) {
            CodeWriter code(program);
            const CodeWriter::Label begin = code.newLabel();
            code.place(begin);
            code.emit(work, nullptr);
            const Instr* entry = code.finish(begin);
            QCOMPARE(entry, program.code.back().data());
        }
        QCOMPARE(program.code.size(), size_t{2});
        QCOMPARE(program.flowSlots.size(), size_t{2});
    }

    /// What one LLVM instruction became, and a copy within it.
    void flowsAreOfTheInstructionsThatTheyWereSaidOf()
    {
        Program program;
        CodeWriter code(program);
        const CodeWriter::Label begin = code.newLabel();
        code.place(begin);
        code.emit(work, nullptr);
        code.emit(work, nullptr);
        code.emit(work, nullptr);
        code.describeLast(flowOf(FlowKind::Move));
        code.emit(work, nullptr);
        code.describeFrom(1, flowOf(FlowKind::Combine));
        code.finish(begin);
        const std::vector<FlowSlots>& slots = program.flowSlots.back();
        QCOMPARE(slots.size(), size_t{4});
        for (const size_t none : {0, 3})
            QVERIFY(slots[none].outer == 0 && slots[none].inner == 0);
        QCOMPARE(slots[2].outer, 0u);
        QCOMPARE(program.flows[slots[2].inner - 1].assigns.front().kind, FlowKind::Move);
        QCOMPARE(program.flows[slots[2].inner - 1].length, 1u);
        QCOMPARE(slots[1].inner, 0u);
        QCOMPARE(program.flows[slots[1].outer - 1].assigns.front().kind, FlowKind::Combine);
        QCOMPARE(program.flows[slots[1].outer - 1].length, 3u);
    }

    void countsAreOfTheBlock()
    {
        Program program;
        CodeWriter code(program);
        code.beginBlock();
        code.count(2);
        code.count(0);
        code.count(1);
        QCOMPARE(code.blockInstructions(), 3u);
        QCOMPARE(code.blockFlops(), 3u);
        code.beginBlock();
        QCOMPARE(code.blockInstructions(), 0u);
        QCOMPARE(code.blockFlops(), 0u);
    }

    void whatNoHandlerDoesIsRefused()
    {
        Program program;
        CodeWriter code(program);
        QVERIFY_THROWS_EXCEPTION(Unsupported, code.emit(nullptr, nullptr));
        QCOMPARE(code.size(), size_t{0});
    }
};

QTEST_APPLESS_MAIN(TestCodeWriter)
#include "tst_code_writer.moc"
