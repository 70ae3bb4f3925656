// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Records the gallery's programs as Mojo's compiler writes their kernels: buffers have the names and shapes of the
// source, and every stop of a program's tour is found.
#include <sys/wait.h>
#include <unistd.h>

#include <QDir>
#include <QFileInfo>
#include <QTemporaryDir>
#include <QTest>

#include "core/tour/tour.h"
#include "core/trace/reader.h"
#include "ptx_cases.h"

using namespace lanescope;
using test::PtxCase;

namespace {

/// "a[9][9]"
std::string textOf(const trace::Buffer& buffer)
{
    std::string text = buffer.element.name + " " + buffer.name;
    for (const uint64_t extent : buffer.dims)
        text += "[" + std::to_string(extent) + "]";
    return text;
}

}  // namespace

class TestPtxTours : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { QVERIFY(QDir::setCurrent(SOURCE_DIR)); }  // sources are named from there

    void buffersHaveNamesAndShapes_data()
    {
        QTest::addColumn<QString>("program");
        QTest::addColumn<QStringList>("expected");
        QTest::newRow("tiles") << "14_matmul_tiled"
                               << QStringList{"float output[9][9]", "float a[9][9]", "float b[9][9]",
                                              "float a_shared[3][3]", "float b_shared[3][3]"};
        QTest::newRow("a buffer that is larger than its tensor")
            << "12_prefix_sum_block_boundary" << QStringList{"float output[17]", "float a[15]", "float shared[8]"};
        QTest::newRow("two rows") << "12_prefix_sum_hillis_steele"
                                  << QStringList{"float output[8]", "float a[8]", "float shared[2][8]"};
        QTest::newRow("tiles of two sizes")
            << "11_conv_2d_halo"
            << QStringList{"float output[12][16]", "float a[12][16]", "float b[3][3]", "float tile[10][10]"};
    }
    void buffersHaveNamesAndShapes()
    {
        QFETCH(QString, program);
        QFETCH(QStringList, expected);
        record(program.toStdString());
        const auto session = replay::Session::open(path());
        QVERIFY2(session.ok(), session ? "" : session.error().text().c_str());
        const auto buffers = session.value()->buffersOf(LaunchId{0});
        QVERIFY(buffers.ok());
        QStringList found;
        for (const trace::Buffer& buffer : buffers.value())
            found << QString::fromStdString(textOf(buffer));
        found.sort();
        expected.sort();
        QCOMPARE(found, expected);
    }

    void everyStopIsFound_data()
    {
        QTest::addColumn<QString>("program");
        for (const QFileInfo& file : QDir("resources/tours/mojo").entryInfoList({"*.tour"}))
            QTest::newRow(qPrintable(file.completeBaseName())) << file.completeBaseName();
    }
    void everyStopIsFound()
    {
        QFETCH(QString, program);
        const std::string name = program.toStdString();
        const std::string file = "resources/tours/mojo/" + name + ".tour";
        const auto tour = tour::parse(test::textOf(file), file);
        QVERIFY2(tour.ok(), tour ? "" : tour.error().text().c_str());
        QCOMPARE(tour.value().program, "mojo/" + name + ".mojo");
        record(name);
        const auto session = replay::Session::open(path());
        QVERIFY2(session.ok(), session ? "" : session.error().text().c_str());
        for (const tour::Stop& stop : tour.value().stops) {
            const auto place = tour::placeOf(*session.value(), stop);
            QVERIFY2(place.ok(), place ? "" : place.error().text().c_str());
        }
    }

private:
    [[nodiscard]] std::string path() const { return m_folder.filePath("t.lanes").toStdString(); }

    /// In a process of its own, as a process writes one trace.
    void record(const std::string& program)
    {
        const auto wanted = std::ranges::find(m_cases, program, &PtxCase::program);
        QVERIFY(wanted != m_cases.end());
        const pid_t child = fork();
        QVERIFY(child >= 0);
        if (child == 0)
            _exit(recordHere(*wanted) ? 0 : 1);
        int status = -1;
        QCOMPARE(waitpid(child, &status, 0), child);
        QCOMPARE(status, 0);
    }

    bool recordHere(const PtxCase& wanted)
    {
        trace::SessionInfo session;
        session.program = "kernels/mojo/" + wanted.program + ".mojo";
        session.variablesRecorded = true;
        const auto writer = trace::TraceWriter::create(path(), session, {});
        if (!writer)
            return false;
        test::PtxRun run(wanted, writer.value().get());
        for (const std::string& line : wanted.launches)
            if (!run.launch(line).empty())
                return false;
        (void)run.found();
        return writer.value()->finish({}, {}).ok();
    }

    QTemporaryDir m_folder;
    std::vector<PtxCase> m_cases = test::readCases();
};

QTEST_APPLESS_MAIN(TestPtxTours)
#include "tst_ptx_tours.moc"
