// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the registers of products held, found in a recording: the sums are those of the operands.
#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <cmath>

#include "core/analysis/register_values.h"
#include "tests/support/process.h"

using namespace lanescope;
using namespace lanescope::analysis;

class TestRegisterValues : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;
    std::unique_ptr<replay::Session> m_session;

    void open(const QStringList& more)
    {
        const QString trace = m_folder.filePath("products.lanes");
        const test::ProcessResult recorded =
            test::runProcess(LANESCOPE_EXE, QStringList{"record", "-q", PROGRAMS "/products.cu", "-o", trace} + more);
        QCOMPARE(recorded.code, 0);
        auto session = replay::Session::open(trace.toStdString());
        QVERIFY(session.ok());
        m_session = std::move(session).value();
    }

    [[nodiscard]] std::string instructionOf(const QString& kernel) const
    {
        for (const trace::Site& site : m_session->catalog().sites)
            if (site.function == kernel.toStdString() && !site.registers.empty())
                return site.instruction;
        return {};
    }

    [[nodiscard]] LaunchId launchOf(const QString& kernel) const
    {
        return std::ranges::find(m_session->catalog().launches, kernel.toStdString(), &trace::Launch::kernel)->id;
    }

    RegisterValues valuesOf(const QString& kernel, StepIndex step)
    {
        auto values = traceRegisterValues(*m_session, launchOf(kernel), BlockIndex{0}, 1, step, instructionOf(kernel));
        if (!values.ok())
            qFatal("%s", values.error().text().c_str());
        return std::move(values).value();
    }

    /// NaN where it is not known.
    static double number(const MatrixInstruction& matrices, const RegisterValues& values, size_t fragment, uint32_t row,
                         uint32_t col)
    {
        const auto bits = values.bitsOf(matrices, fragment, matrices.fragments[fragment].at(row, col));
        return bits ? std::stod(elementText(matrices.fragments[fragment].type, *bits)) : std::nan("");
    }

private slots:
    void sumsAreThoseOfTheOperands_data()
    {
        QTest::addColumn<QString>("kernel");
        QTest::addColumn<int>("times");  ///< that the product is added to its own sums
        QTest::newRow("two halves in a register, in local arrays") << "halves" << 2;
        QTest::newRow("four bytes, in variables") << "bytes" << 1;
        QTest::newRow("a double in two registers") << "doubles" << 1;
    }
    void sumsAreThoseOfTheOperands()
    {
        QFETCH(QString, kernel);
        QFETCH(int, times);
        if (!m_session)
            open({});
        const MatrixInstruction matrices = fragmentsOf(instructionOf(kernel));
        QCOMPARE(matrices.fragments.size(), size_t(3));
        const auto steps = m_session->reader().stepCount(launchOf(kernel), BlockIndex{0});
        QVERIFY(steps.ok());
        const RegisterValues values = valuesOf(kernel, steps.value());
        QVERIFY(values.step.has_value());
        const Fragment &a = matrices.fragments[0], &d = matrices.fragments[2];
        for (uint32_t row = 0; row < d.rows; ++row)
            for (uint32_t col = 0; col < d.cols; ++col) {
                double sum = 0;
                for (uint32_t k = 0; k < a.cols; ++k)
                    sum += number(matrices, values, 0, row, k) * number(matrices, values, 1, k, col);
                // Halves and bytes are exact; of doubles a text has nine digits.
                const double found = number(matrices, values, 2, row, col);
                QVERIFY2(
                    std::abs(found - times * sum) <= 1e-7 * std::abs(sum),
                    qPrintable(QString("[%1][%2]: %3, expected %4").arg(row).arg(col).arg(found).arg(times * sum)));
            }
    }

    /// While the second product has not been, the sums are those of the first.
    void valuesAreThoseOfTheStep()
    {
        if (!m_session)
            open({});
        const MatrixInstruction matrices = fragmentsOf(instructionOf("halves"));
        const auto steps = m_session->reader().stepCount(launchOf("halves"), BlockIndex{0});
        const RegisterValues last = valuesOf("halves", steps.value());
        const RegisterValues first = valuesOf("halves", *last.step - 3);
        QVERIFY(first.step.has_value() && *first.step < *last.step);
        // A text has nine digits.
        const double expected = number(matrices, last, 2, 5, 3);
        QVERIFY(std::abs(2 * number(matrices, first, 2, 5, 3) - expected) <= 1e-7 * std::abs(expected));
        QVERIFY(!valuesOf("halves", 1).step.has_value());
    }

    void elementsHaveTheirTypesText()
    {
        QCOMPARE(elementText("f16", 0x3e00), std::string("1.5"));
        QCOMPARE(elementText("bf16", 0xbfc0), std::string("-1.5"));
        QCOMPARE(elementText("tf32", 0x3fc00000), std::string("1.5"));
        QCOMPARE(elementText("e4m3", 0x3c), std::string("1.5"));
        QCOMPARE(elementText("e4m3", 0x7e), std::string("448"));
        QCOMPARE(elementText("e4m3", 0x01), std::string("0.001953125"));
        QCOMPARE(elementText("e5m2", 0xbe), std::string("-1.5"));
        QCOMPARE(elementText("e5m2", 0x7c), std::string("inf"));
        QCOMPARE(elementText("s8", 0xff), std::string("-1"));
        QCOMPARE(elementText("u8", 0xff), std::string("255"));
        QCOMPARE(elementText("s4", 0x8), std::string("-8"));
        QCOMPARE(elementText("b16", 0x8), std::string());
    }
};

QTEST_GUILESS_MAIN(TestRegisterValues)
#include "tst_register_values.moc"
