// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What `lanescope report` counts in the gallery's transposes and matrix products: what an H200's counters say.
#include <QTest>

#include <map>
#include <set>

#include "command.h"

using namespace lanescope::test;

class TestGalleryNumbers : public QObject {
    Q_OBJECT

    /// Of one kernel, over its source lines.
    struct Counts {
        uint64_t loadRequests = 0;  ///< of global memory, as all sectors
        uint64_t loadSectors = 0;
        uint64_t storeRequests = 0;
        uint64_t storeSectors = 0;
        uint64_t storeConflicts = 0;  ///< of shared memory
        int maxDegree = 0;
        uint64_t flops = 0;
    };

    static Counts countsOf(const QStringList& options, const QString& program, const QStringList& arguments)
    {
        Command command;
        const CommandResult record = command.run(QStringList{"record", "-q", "-o", "t.lanes"} + options +
                                                 QStringList{Command::kernel(program), "--"} + arguments);
        if (record.code != 0)
            qFatal("%s", qPrintable(record.errors));
        Counts counts;
        const nlohmann::json report = command.json({"report", "t.lanes"});
        counts.flops = report["launches"][0]["flops"];
        for (const nlohmann::json& line : report["launches"][0]["lines"]) {
            const bool global = line["space"] == "global";
            const bool reads = line["access"] == "read";
            if (global) {
                (reads ? counts.loadRequests : counts.storeRequests) += line["requests"].get<uint64_t>();
                (reads ? counts.loadSectors : counts.storeSectors) += line["sectors"].get<uint64_t>();
            } else if (!reads) {
                counts.storeConflicts += line["conflicts"].get<uint64_t>();
            }
            counts.maxDegree = std::max(counts.maxDegree, line["maxDegree"].get<int>());
        }
        return counts;
    }

private slots:
    void transposesMoveSectorsAndMeetBanks_data()
    {
        QTest::addColumn<QString>("program");
        QTest::addColumn<int>("sectorsPerStore");
        QTest::addColumn<int>("degree");
        QTest::newRow("naive") << "17_transpose_naive.cu" << 32 << 0;  // it has no shared memory
        QTest::newRow("shared") << "17_transpose_shared.cu" << 4 << 32;
        QTest::newRow("padded") << "17_transpose_padded.cu" << 4 << 1;
        QTest::newRow("swizzled") << "17_transpose_swizzled.cu" << 4 << 1;
    }
    void transposesMoveSectorsAndMeetBanks()
    {
        QFETCH(QString, program);
        QFETCH(int, sectorsPerStore);
        QFETCH(int, degree);
        for (const QStringList& options : {QStringList{}, QStringList{"--as-compiled"}}) {
            const Counts counts = countsOf(options, program, {"64"});
            QCOMPARE(counts.loadRequests, uint64_t{128});  // 64 x 64 floats
            QCOMPARE(counts.loadSectors, uint64_t{128 * 4});
            QCOMPARE(counts.storeRequests, uint64_t{128});
            QCOMPARE(counts.storeSectors, 128 * static_cast<uint64_t>(sectorsPerStore));
            QCOMPARE(counts.maxDegree, degree);
        }
    }

    /// 16,384 elements, 8 blocks of 8 warps: each warp adds 8 values, then halves five times; the first of each block
    /// halves once more. Unoptimised or not, a lane's sums and shuffles are as many.
    void shufflesAndSumsAreCounted()
    {
        for (const QStringList& options : {QStringList{}, QStringList{"--as-compiled"}}) {
            Command command;
            QCOMPARE(command
                         .run(QStringList{"record", "-q", "-o", "t.lanes"} + options +
                              QStringList{Command::kernel("21_reduce_shuffle.cu")})
                         .code,
                     0);
            std::map<std::string, std::pair<uint64_t, uint64_t>> sums;
            std::set<int> shuffleLines;
            const nlohmann::json report = command.json({"report", "t.lanes"});
            for (const nlohmann::json& line : report["launches"][0]["operations"]) {
                auto& [executions, lanes] = sums[line["kind"].get<std::string>()];
                executions += line["executions"].get<uint64_t>();
                lanes += line["lanes"].get<uint64_t>();
                if (line["kind"] == "shuffle")
                    shuffleLines.insert(line["line"].get<int>());
            }
            const std::pair<uint64_t, uint64_t> shuffles{5 * (64 + 8), uint64_t{32} * 5 * (64 + 8)};
            QCOMPARE(sums["shuffle"], shuffles);
            QCOMPARE(shuffleLines, std::set<int>{14});
            const uint64_t sumsOfWarps = 512 + 5 * (64 + 8);
            QCOMPARE(sums["float"].first, sumsOfWarps);
            // A compiler may leave the last sum to the lane that needs it.
            const uint64_t leftOut = options.isEmpty() ? 0 : uint64_t{31} * (64 + 8);
            QCOMPARE(sums["float"].second, 32 * sumsOfWarps - leftOut);
            QVERIFY(sums["integer"].first > 0);
        }
    }

    /// Swizzled tiles and ldmatrix: no bank meets twice. A product of n x n matrices is 2 n^3 operations, on tensor
    /// cores too. An H200 counted no conflicts and 1024 store sectors.
    void tensorCoresMultiplyWithoutConflicts()
    {
        for (const QStringList& options : {QStringList{}, QStringList{"--as-compiled"}}) {
            const Counts counts = countsOf(options, "16_gemm_mma.cu", {"64"});
            QCOMPARE(counts.maxDegree, 1);
            QCOMPARE(counts.flops, uint64_t{2 * 64 * 64 * 64});
        }
        QCOMPARE(countsOf({"--as-compiled"}, "16_gemm_mma.cu", {"64"}).storeSectors, uint64_t{1024});
    }

    /// 32x32 tiles. At 512 an H200 counted 262,144 requests, 1,048,576 sectors and 8,388,608, and 8.13 million store
    /// conflicts.
    void matmulCountsWhatHardwareCounts_data()
    {
        QTest::addColumn<int>("size");
        QTest::newRow("128") << 128;
        if (!qEnvironmentVariableIsSet("LANESCOPE_SAMPLE"))  // 10^8 accesses take long under the sanitizers
            QTest::newRow("512") << 512;
    }
    void matmulCountsWhatHardwareCounts()
    {
        QFETCH(int, size);
        const uint64_t tiles = static_cast<uint64_t>(size) / 32;
        const uint64_t requests = 2 * tiles * tiles * tiles * 32;
        const Counts good = countsOf({"--as-compiled"}, "14_matmul_tiled_32.cu", {QString::number(size)});
        QCOMPARE(good.loadRequests, requests);
        QCOMPARE(good.loadSectors, 4 * requests);
        QCOMPARE(good.maxDegree, 1);
        QCOMPARE(good.flops, 2 * static_cast<uint64_t>(size) * size * size);
        QCOMPARE(good.storeConflicts, uint64_t{0});
        const Counts bad =
            countsOf({"--as-compiled"}, "as_published/matmul_row_is_threadIdx_x.cu", {QString::number(size)});
        QCOMPARE(bad.loadRequests, requests);
        QCOMPARE(bad.loadSectors, 32 * requests);
        QCOMPARE(bad.maxDegree, 32);
        QCOMPARE(bad.storeConflicts, 31 * requests);
        if (size != 512)
            return;
        QCOMPARE(good.loadSectors, uint64_t{1'048'576});
        QCOMPARE(bad.loadSectors, uint64_t{8'388'608});
        constexpr double kCounted = 8'131'976;
        QVERIFY(std::abs(static_cast<double>(bad.storeConflicts) - kCounted) < 0.01 * kCounted);
    }
};

QTEST_GUILESS_MAIN(TestGalleryNumbers)
#include "tst_gallery_numbers.moc"
