// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The fuzzer's corpus, and a fixed number of mutations, as a normal test: nothing may crash or hang.
#include <random>

#include <sqlite3.h>

#include <QDir>
#include <QDirIterator>
#include <QFile>
#include <QFileInfo>
#include <QIODevice>
#include <QTemporaryDir>
#include <QTest>

#include "core/analysis/analysis.h"
#include "core/analysis/bank_layout.h"
#include "core/analysis/footprint.h"
#include "core/analysis/origin.h"
#include "core/analysis/sweep.h"
#include "core/replay/replay.h"
#include "core/trace/reader.h"
#include "tests/support/read_everything.h"
#include "tests/support/run_sql.h"
#include "tests/support/synthetic_trace.h"

using namespace lanescope;

namespace {

QByteArray contents(const QString& path)
{
    QFile file(path);
    if (!file.open(QIODevice::ReadOnly))
        qFatal("%s", qPrintable(path));
    return file.readAll();
}

void put(const QString& path, const QByteArray& bytes)
{
    QFile file(path);
    if (!file.open(QIODevice::WriteOnly) || file.write(bytes) != bytes.size())
        qFatal("%s", qPrintable(path));
}

/// The packed chunks of a trace, straight from its table.
std::vector<QByteArray> chunksOf(const QString& path)
{
    std::vector<QByteArray> chunks;
    sqlite3* database = nullptr;
    sqlite3_stmt* rows = nullptr;
    sqlite3_open(path.toUtf8().constData(), &database);
    for (const char* column : {"SELECT events FROM chunk_data", "SELECT writes FROM chunk_data"}) {
        sqlite3_prepare_v2(database, column, -1, &rows, nullptr);
        while (sqlite3_step(rows) == SQLITE_ROW)
            chunks.emplace_back(static_cast<const char*>(sqlite3_column_blob(rows, 0)), sqlite3_column_bytes(rows, 0));
        sqlite3_finalize(rows);
    }
    sqlite3_close(database);
    return chunks;
}

void analyseEverything(replay::Session& session, LaunchId launch, BlockIndex block)
{
    const auto buffers = session.buffersOf(launch);
    if (!buffers.ok())
        return;
    static_cast<void>(analysis::traceSweep(session, launch, block, {}));
    if (const auto flow = analysis::Flow::of(session, launch, block); flow.ok())
        for (const trace::Buffer& buffer : buffers.value())
            static_cast<void>(analysis::traceOrigin(flow.value(), buffer.id, 0, UINT64_MAX, 200));
    if (const auto requests = analysis::collectSharedRequests(session.reader(), launch); requests.ok())
        static_cast<void>(analysis::scoreShared(requests.value(), buffers.value(), {3, analysis::Swizzle::XorRow}));
    static_cast<void>(analysis::launchFootprint(session.reader(), launch, buffers.value()));
    static_cast<void>(analysis::blockFootprint(session.reader(), launch, block, buffers.value()));
}

/// Everything that the layers above the reader do with a file.
void replayEverything(const std::string& path)
{
    const auto session = replay::Session::open(path);
    if (!session.ok())
        return;
    static_cast<void>(session.value()->openingFocus());
    for (const trace::Launch& launch : session.value()->catalog().launches) {
        static_cast<void>(session.value()->buffersOf(launch.id));
        static_cast<void>(analysis::measureLaunch(session.value()->reader(), launch.id));
        const auto blocks = session.value()->reader().blocks(launch.id);
        if (!blocks.ok() || blocks.value().empty())
            continue;
        const auto cursor = session.value()->cursor(launch.id, blocks.value().front());
        if (!cursor.ok() || !cursor.value()->seek(cursor.value()->stepCount()).ok())
            continue;
        static_cast<void>(cursor.value()->stateHash());
        static_cast<void>(cursor.value()->stepBackward());
        for (const trace::Buffer& buffer : session.value()->catalog().buffers)
            static_cast<void>(cursor.value()->buffer(buffer.id));
        static_cast<void>(cursor.value()->history(BufferId{0}, 0, 4, 100));
        analyseEverything(*session.value(), launch.id, blocks.value().front());
    }
}

}  // namespace

class TestTraceCorpus : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;

    QString copyOfFixture(const QString& name)
    {
        const QString copy = m_folder.filePath("copy.lanes");
        put(copy, contents(QString("%1/%2.lanes").arg(LANESCOPE_CORPUS, name)));
        return copy;
    }

private slots:
    void everyFileOfTheCorpusIsSurvived_data()
    {
        QTest::addColumn<QString>("file");
        QDirIterator files(LANESCOPE_CORPUS, QDir::Files);
        while (files.hasNext()) {
            const QString file = files.next();
            QTest::newRow(qPrintable(QFileInfo(file).fileName())) << file;
        }
    }
    void everyFileOfTheCorpusIsSurvived()
    {
        QFETCH(QString, file);
        const QString copy = m_folder.filePath("copy.lanes");
        put(copy, contents(file));
        test::readEverything(copy.toStdString());
        replayEverything(copy.toStdString());
        const QByteArray bytes = contents(file);
        test::decodeAsChunk({reinterpret_cast<const uint8_t*>(bytes.constData()), static_cast<size_t>(bytes.size())});
    }

    void tracesOfEverySchemaAreRead_data()
    {
        QTest::addColumn<unsigned long>("events");
        const unsigned long events[] = {35, 41, 268, 570, 256, 324, 684, 63, 12};
        static_assert(std::size(events) == trace::kSchemaVersion, "a fixture for each schema");
        for (size_t i = 0; i < std::size(events); ++i)
            QTest::addRow("schema-%zu", i + 1) << events[i];
    }
    void tracesOfEverySchemaAreRead()
    {
        QFETCH(unsigned long, events);
        const QString copy = copyOfFixture(QTest::currentDataTag());
        // Once in each of two details.
        QCOMPARE(test::readEverything(copy.toStdString()), 2 * events);
    }

    void damagedChunksOfEverySchemaAreNoticed_data() { tracesOfEverySchemaAreRead_data(); }
    void damagedChunksOfEverySchemaAreNoticed()
    {
        const QString copy = copyOfFixture(QTest::currentDataTag());
        test::runSql(copy.toStdString(),
                     "UPDATE chunk_data SET events = CAST(substr(events, 1, length(events) - 1) || x'5a' AS BLOB)");
        const auto reader = trace::TraceReader::open(copy.toStdString());
        QVERIFY(reader.ok());
        const auto chunk = reader.value()->chunkAt(LaunchId{0}, BlockIndex{0}, 0);
        QVERIFY(!chunk.ok());
        QVERIFY2(chunk.error().message.starts_with("launch 0: block 0: chunk 0: checksum "),
                 chunk.error().message.c_str());
    }

    void mutatedChunksAreSurvived()
    {
        const QString path = m_folder.filePath("valid.lanes");
        QVERIFY(test::writeSyntheticTrace(path.toStdString(), {.size = 64, .tile = 16, .onlyBlock = 3}).ok());
        const std::vector<QByteArray> chunks = chunksOf(path);
        QVERIFY(!chunks.empty());
        std::mt19937 random(5);
        size_t accepted = 0;
        for (int round = 0; round < 3000; ++round) {
            QByteArray bytes = chunks[random() % chunks.size()];
            if (bytes.isEmpty())
                continue;
            for (int flips = 1 + round % 4; flips > 0; --flips) {
                // Most of the structure is at the beginning.
                const auto range = round % 2 == 0 ? static_cast<unsigned>(bytes.size()) : 64U;
                bytes[static_cast<qsizetype>(random() % std::min(range, static_cast<unsigned>(bytes.size())))] =
                    static_cast<char>(random());
            }
            if (round % 7 == 0)
                bytes.truncate(static_cast<qsizetype>(random() % static_cast<unsigned>(bytes.size())));
            accepted += test::decodeAsChunk(
                {reinterpret_cast<const uint8_t*>(bytes.constData()), static_cast<size_t>(bytes.size())});
        }
        QVERIFY(accepted > 0);
    }

    void mutatedFilesAreSurvivedByReplay_data()
    {
        QTest::addColumn<QString>("file");
        QTest::newRow("schema 1") << "/schema-1.lanes";
        QTest::newRow("schema 2, with values to compute") << "/schema-2.lanes";
        QTest::newRow("schema 3, of several warps") << "/schema-3.lanes";
        QTest::newRow("schema 4, of several blocks and launches") << "/schema-4.lanes";
        QTest::newRow("schema 5, with several blocks in a chunk") << "/schema-5.lanes";
    }
    void mutatedFilesAreSurvivedByReplay()
    {
        QFETCH(QString, file);
        const QByteArray valid = contents(QString(LANESCOPE_CORPUS) + file);
        const QString copy = m_folder.filePath("mutated.lanes");
        std::mt19937 random(6);
        for (int round = 0; round < 200; ++round) {
            QByteArray bytes = valid;
            for (int flips = 1 + round % 3; flips > 0; --flips)
                bytes[static_cast<qsizetype>(random() % static_cast<unsigned>(bytes.size()))] =
                    static_cast<char>(random());
            put(copy, bytes);
            replayEverything(copy.toStdString());
        }
    }
};

QTEST_GUILESS_MAIN(TestTraceCorpus)
#include "tst_trace_corpus.moc"
