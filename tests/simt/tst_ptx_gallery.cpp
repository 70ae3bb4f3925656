// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs the gallery's programs as Mojo's compiler writes their kernels (tests/ptx/mojo/cases.txt): results as expected,
// and the findings, at the lines of the Mojo source.
#include <QTest>

#include "ptx_cases.h"

using namespace lanescope;
using test::PtxCase;

namespace {

std::string joined(const std::set<std::string>& lines)
{
    std::string text;
    for (const std::string& line : lines)
        text += line + "\n";
    return text;
}

}  // namespace

class TestPtxGallery : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void runsAsInCuda_data()
    {
        QTest::addColumn<int>("index");
        for (size_t i = 0; i < m_cases.size(); ++i)
            QTest::addRow("%s", m_cases[i].program.c_str()) << static_cast<int>(i);
    }

    void runsAsInCuda()
    {
        QFETCH(int, index);
        const PtxCase& wanted = m_cases[static_cast<size_t>(index)];
        test::PtxRun run(wanted);
        for (const std::string& line : wanted.launches)
            QCOMPARE(run.launch(line), std::string());
        QCOMPARE(run.output(wanted.expected.size()), wanted.expected);
        QCOMPARE(QString::fromStdString(joined(run.found())), QString::fromStdString(joined(wanted.findings)));
    }

private:
    std::vector<PtxCase> m_cases = test::readCases();
};

QTEST_APPLESS_MAIN(TestPtxGallery)
#include "tst_ptx_gallery.moc"
