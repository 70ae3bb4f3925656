// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Lanes and registers of matrix elements, against the PTX ISA's tables and against what the tables must have in common.
#include <QTest>

#include <set>
#include <tuple>

#include "core/analysis/fragments.h"

using namespace lanescope::analysis;

class TestFragments : public QObject {
    Q_OBJECT

    static QString text(const Fragment& fragment, uint32_t row, uint32_t col)
    {
        const FragmentElement& element = fragment.at(row, col);
        return QString("T%1 R%2.%3").arg(element.lane).arg(element.reg).arg(element.part);
    }

private slots:
    void elementsLieAsThePtxIsaSays_data()
    {
        QTest::addColumn<QString>("instruction");
        QTest::addColumn<int>("fragment");
        QTest::addColumn<int>("row");
        QTest::addColumn<int>("col");
        QTest::addColumn<QString>("expected");
        const char* const half = "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32";
        QTest::newRow("A first") << half << 0 << 0 << 0 << "T0 R0.0";
        QTest::newRow("A right half") << half << 0 << 1 << 10 << "T5 R2.0";
        QTest::newRow("A lower half") << half << 0 << 9 << 3 << "T5 R1.1";
        QTest::newRow("A last") << half << 0 << 15 << 15 << "T31 R3.1";
        QTest::newRow("B") << half << 1 << 9 << 3 << "T12 R1.1";
        QTest::newRow("D") << half << 2 << 8 << 3 << "T1 R3.0";
        const char* const bytes = "mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32";
        QTest::newRow("A of bytes") << bytes << 0 << 0 << 17 << "T0 R2.1";
        QTest::newRow("B of bytes") << bytes << 1 << 20 << 1 << "T5 R1.0";
        const char* const group = "wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16";
        QTest::newRow("sums of a warpgroup") << group << 1 << 8 << 17 << "T0 R11.0";
        QTest::newRow("ldmatrix") << "ldmatrix.sync.aligned.m8n8.x4.shared.b16" << 2 << 1 << 3 << "T5 R2.1";
        QTest::newRow("ldmatrix.trans") << "ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16" << 1 << 3 << 1 << "T5 R1.1";
    }
    void elementsLieAsThePtxIsaSays()
    {
        QFETCH(QString, instruction);
        QFETCH(int, fragment);
        QFETCH(int, row);
        QFETCH(int, col);
        const MatrixInstruction matrices = fragmentsOf(instruction.toStdString());
        QVERIFY(static_cast<size_t>(fragment) < matrices.fragments.size());
        QTEST(text(matrices.fragments[static_cast<size_t>(fragment)], static_cast<uint32_t>(row),
                   static_cast<uint32_t>(col)),
              "expected");
    }

    void eachElementHasItsOwnPlace()
    {
        for (const char* instruction :
             {"mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32", "mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16",
              "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32", "mma.sync.aligned.m16n8k32.row.col.s32.u8.s8.s32",
              "mma.sync.aligned.m16n8k64.row.col.s32.s4.s4.s32", "mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64",
              "mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32", "wgmma.mma_async.sync.aligned.m64n256k16.f32.bf16.bf16",
              "wgmma.mma_async.sync.aligned.m64n8k32.f16.e4m3.e5m2", "stmatrix.sync.aligned.m8n8.x4.shared.b16"}) {
            const MatrixInstruction matrices = fragmentsOf(instruction);
            QVERIFY2(!matrices.fragments.empty(), instruction);
            for (const Fragment& fragment : matrices.fragments) {
                std::set<std::tuple<int, int, int>> places;
                for (const FragmentElement& element : fragment.elements)
                    places.emplace(element.lane, element.reg, element.part);
                QVERIFY2(places.size() == fragment.elements.size(), instruction);
            }
        }
    }

    void othersHaveNone()
    {
        for (const char* instruction : {"", "mbarrier.init.shared::cta.b64", "wgmma.fence.sync.aligned",
                                        "mma.sp.sync.aligned.m16n8k32.row.col.f32.f16.f16.f32",
                                        "mma.sync.aligned.m8n8k4.row.col.f32.f16.f16.f32"})
            QVERIFY2(fragmentsOf(instruction).fragments.empty(), instruction);
    }
};

QTEST_GUILESS_MAIN(TestFragments)
#include "tst_fragments.moc"
