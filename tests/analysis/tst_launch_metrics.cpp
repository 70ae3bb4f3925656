// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <QTemporaryDir>
#include <QTest>

#include "core/analysis/analysis.h"
#include "core/trace/writer.h"
#include "tests/support/synthetic_trace.h"

using namespace lanescope;
using namespace lanescope::analysis;
using lanescope::test::SyntheticMatmul;

class TestLaunchMetrics : public QObject {
    Q_OBJECT

    LaunchMetrics measure(const test::SyntheticOptions& options)
    {
        const std::string path = m_folder.filePath("t.lanes").toStdString();
        const Result<void> written = test::writeSyntheticTrace(path, options);
        if (!written.ok())
            qFatal("%s", written.error().text().c_str());
        const auto reader = trace::TraceReader::open(path);
        if (!reader.ok())
            qFatal("%s", reader.error().text().c_str());
        Result<LaunchMetrics> metrics = measureLaunch(*reader.value(), LaunchId{0});
        if (!metrics.ok())
            qFatal("%s", metrics.error().text().c_str());
        return std::move(metrics).value();
    }

    QTemporaryDir m_folder;

private slots:
    void totalsOfATiledMatmul()
    {
        const LaunchMetrics m = measure({.size = 64, .tile = 16});
        const uint64_t blocks = 16;
        const uint64_t warps = 8;
        const uint64_t tiles = 4;
        QCOMPARE(m.kernel, std::string("matmul_tiled"));
        QCOMPARE(m.accesses, blocks * warps * (tiles * (4 + 2 * 16) + 1));
        QCOMPARE(m.laneAccesses, 32 * m.accesses);
        QCOMPARE(m.globalBytes, blocks * warps * 32 * 4 * (tiles * 2 + 1));
        QCOMPARE(m.sharedBytes, blocks * warps * 32 * 4 * tiles * (2 + 2 * 16));
        QCOMPARE(m.barriers, blocks * warps * tiles * 2);
        QCOMPARE(m.divergentBranches, uint64_t{0});
        QVERIFY(m.warpInstructions > 0);
    }

    void linesOfATiledMatmul()
    {
        const LaunchMetrics m = measure({.size = 64, .tile = 16});
        QCOMPARE(m.lines.size(), size_t{7});
        QVERIFY(std::is_sorted(m.lines.begin(), m.lines.end(), [](const LineMetrics& a, const LineMetrics& b) {
            return std::pair(a.where.line, a.where.column) < std::pair(b.where.line, b.where.column);
        }));
        const auto line = [&](SyntheticMatmul::At site) {
            return *std::find_if(m.lines.begin(), m.lines.end(),
                                 [&](const LineMetrics& l) { return l.site == SiteId{site}; });
        };
        const LineMetrics loadA = line(SyntheticMatmul::AtLoadA);
        QCOMPARE(loadA.file, std::string("matmul_tiled.cu"));
        QCOMPARE(loadA.where.line, 17U);
        QCOMPARE(loadA.expression, std::string("a[row * size + tile * TPB + local_col]"));
        QCOMPARE(loadA.requests, uint64_t{16 * 8 * 4});
        // Two rows of 16 floats: 2 x 64 bytes, aligned.
        QCOMPARE(loadA.sectors, 4 * loadA.requests);
        QCOMPARE(loadA.idealSectors, 4 * loadA.requests);
        QCOMPARE(loadA.wavefronts, uint64_t{0});
        const LineMetrics sharedA = line(SyntheticMatmul::AtLoadSharedA);
        QCOMPARE(sharedA.space, trace::Space::Shared);
        QCOMPARE(sharedA.requests, uint64_t{16 * 8 * 4 * 16});
        QCOMPARE(sharedA.wavefronts, sharedA.requests);
        QCOMPARE(sharedA.conflicts, uint64_t{0});
        QCOMPARE(sharedA.maxDegree, 1U);
        QCOMPARE(sharedA.sectors, uint64_t{0});
    }

    /// Of steps that are all of the block's, flops are those of the warps that count; of others nobody knows them.
    void flopsAreThoseOfTheWarps()
    {
        const std::string path = m_folder.filePath("flops.lanes").toStdString();
        {
            auto writer = trace::TraceWriter::create(path, {}, {});
            QVERIFY(writer.ok());
            trace::TraceWriter& w = *writer.value();
            trace::Site site;
            site.kind = trace::SiteKind::Exit;
            w.addSites({&site, 1});
            trace::Launch launch;
            launch.grid = {3, 1, 1};
            launch.block = {96, 1, 1};
            w.beginLaunch(launch);
            const std::vector<uint64_t> ofWarps[] = {{7, 0, 500}, {4, 4, 4}, {}};
            for (uint64_t block = 0; block < 3; ++block) {
                auto recorder = w.beginBlock(LaunchId{0}, BlockIndex{block});
                for (uint16_t warp = 0; warp < 3; ++warp)
                    recorder->mark(SiteId{0}, warp, ~LaneMask{0});
                if (!ofWarps[block].empty())
                    recorder->flops(ofWarps[block]);
                w.endBlock(std::move(recorder));
            }
            launch.complete = true;
            w.endLaunch(launch);
            QVERIFY(w.finish(trace::ProgramEnd::exited(0), {}).ok());
        }
        const auto reader = trace::TraceReader::open(path);
        QVERIFY2(reader.ok(), reader.ok() ? "" : reader.error().text().c_str());
        const auto flops = [&](uint64_t block, StepIndex last, std::vector<uint16_t> warps) {
            const auto metrics = measureSteps(*reader.value(), {LaunchId{0}, BlockIndex{block}, 0, last, warps, {}});
            return metrics.ok() && metrics.value().flopsAreKnown ? std::optional(metrics.value().flops) : std::nullopt;
        };
        QCOMPARE(flops(0, 3, {}), std::optional<uint64_t>(507));
        QCOMPARE(flops(0, 3, {0, 1}), std::optional<uint64_t>(7));
        QCOMPARE(flops(1, 3, {2}), std::optional<uint64_t>(4));
        QCOMPARE(flops(1, 3, {}), std::optional<uint64_t>(12));
        QVERIFY(!flops(0, 2, {}).has_value());
        QVERIFY(!flops(2, 3, {}).has_value());
    }

    void whatADeviceCountedStandsForItsEvents()
    {
        const std::string path = m_folder.filePath("counted.lanes").toStdString();
        trace::SiteCounts counts{.launch = LaunchId{0},
                                 .site = SiteId{0},
                                 .space = trace::Space::Shared,
                                 .bytes = 4,
                                 .requests = 10,
                                 .laneAccesses = 320,
                                 .wavefronts = 40,
                                 .idealWavefronts = 10,
                                 .degrees = {0, 0, 0, 10}};
        const trace::LineOperations operations{
            LaunchId{0}, {SourceId{0}, 5, 7}, "sum", trace::OperationKind::Shuffle, 20, 640};
        {
            auto writer = trace::TraceWriter::create(path, {}, {});
            QVERIFY(writer.ok());
            trace::TraceWriter& w = *writer.value();
            const SourceId source = w.addSource("k.cu", "text");
            trace::Site site;
            site.where = {source, 3, 4};
            site.expression = "s[i]";
            w.addSites({&site, 1});
            trace::Launch launch;
            launch.kernel = "k";
            w.beginLaunch(launch);
            w.addCounts({&counts, 1});
            const trace::Measurement measured[] = {{LaunchId{0}, "kernel time", 1234},
                                                   {LaunchId{0}, "shared load conflicts", 31}};
            w.addMeasurements(measured);
            w.addOperations({&operations, 1});
            launch.complete = true;
            w.endLaunch(launch);
            QVERIFY(w.finish(trace::ProgramEnd::exited(0), {}).ok());
        }
        const auto reader = trace::TraceReader::open(path);
        QVERIFY2(reader.ok(), reader.ok() ? "" : reader.error().text().c_str());
        const trace::Catalog& catalog = reader.value()->catalog();
        QCOMPARE(catalog.counts.size(), size_t{1});
        QCOMPARE(catalog.counts[0].degrees, counts.degrees);
        const Result<LaunchMetrics> metrics = measureLaunch(*reader.value(), LaunchId{0});
        QVERIFY(metrics.ok());
        QCOMPARE(catalog.operations.size(), size_t{1});
        QVERIFY(catalog.operations[0] == operations);
        QCOMPARE(metrics.value().operations.size(), size_t{1});
        QCOMPARE(metrics.value().operations[0].file, std::string("k.cu"));
        QCOMPARE(metrics.value().operations[0].requests, uint64_t{20});
        QCOMPARE(metrics.value().operations[0].laneAccesses, uint64_t{640});
        QCOMPARE(metrics.value().operations[0].operation, std::optional(trace::OperationKind::Shuffle));
        QCOMPARE(metrics.value().sharedBytes, uint64_t{1280});
        QCOMPARE(metrics.value().lines.size(), size_t{1});
        const LineMetrics& line = metrics.value().lines[0];
        QCOMPARE(line.requests, uint64_t{10});
        QCOMPARE(line.conflicts, uint64_t{30});
        QCOMPARE(line.maxDegree, 4U);
        const std::vector<HardwareMetric> hardware = compareWithHardware(catalog, metrics.value());
        QCOMPARE(hardware.size(), size_t{2});
        QVERIFY(!hardware[0].predicted);
        QCOMPARE(hardware[1].measured, uint64_t{31});
        QCOMPARE(hardware[1].predicted, std::optional<uint64_t>(30));
    }

    void launchesThatAreNotThereAreErrors()
    {
        const std::string path = m_folder.filePath("u.lanes").toStdString();
        QVERIFY(test::writeSyntheticTrace(path).ok());
        const auto reader = trace::TraceReader::open(path);
        QVERIFY(reader.ok());
        QVERIFY(!measureLaunch(*reader.value(), LaunchId{5}).ok());
    }
};

QTEST_APPLESS_MAIN(TestLaunchMetrics)
#include "tst_launch_metrics.moc"
