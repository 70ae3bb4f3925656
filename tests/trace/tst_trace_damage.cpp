// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Files that are not what they should be give errors that say so; never a crash, never endless memory.
#include <fstream>
#include <random>

#include <fmt/format.h>

#include <QFile>
#include <QIODevice>
#include <QRegularExpression>
#include <QTemporaryDir>
#include <QTest>

#include "core/trace/reader.h"
#include "tests/support/read_everything.h"
#include "tests/support/run_sql.h"
#include "tests/support/synthetic_trace.h"

using namespace lanescope;
using namespace lanescope::trace;

class TestTraceDamage : public QObject {
    Q_OBJECT

    std::string path(const char* name) { return m_folder.filePath(name).toStdString(); }
    void write(const std::string& to, const QByteArray& bytes)
    {
        QFile file(QString::fromStdString(to));
        QVERIFY(file.open(QIODevice::WriteOnly));
        QCOMPARE(file.write(bytes), bytes.size());
    }
    static QString errorOf(const std::string& file)
    {
        const auto reader = TraceReader::open(file);
        return reader.ok() ? QString() : QString::fromStdString(reader.error().text());
    }
    /// A copy of the valid trace with \p sql run on it.
    std::string changed(const char* sql)
    {
        const std::string copy = path("changed.lanes");
        write(copy, m_valid);
        test::runSql(copy, sql);
        return copy;
    }

    QTemporaryDir m_folder;
    QByteArray m_valid;

private slots:
    void initTestCase()
    {
        const std::string valid = path("valid.lanes");
        QVERIFY(test::writeSyntheticTrace(valid).ok());
        QFile file(QString::fromStdString(valid));
        QVERIFY(file.open(QIODevice::ReadOnly));
        m_valid = file.readAll();
    }

    void filesThatAreNoTraces()
    {
        QCOMPARE(errorOf(path("missing.lanes")), QString::fromStdString(path("missing.lanes") + ": no such file"));
        QVERIFY(errorOf(m_folder.path().toStdString()).endsWith(": a folder, expected a lanescope trace"));
        const std::string file = path("other.lanes");
        for (const QByteArray& bytes : {QByteArray(), QByteArray("hello"), QByteArray(100000, 'x'),
                                        QByteArray("SQLite format 3\0", 16) + QByteArray(5000, '\xff')}) {
            write(file, bytes);
            QCOMPARE(errorOf(file), QString::fromStdString(file + ": not a lanescope trace"));
        }
    }

    void anotherProgramsDatabaseIsNoTrace()
    {
        const std::string file = changed("PRAGMA application_id = 7");
        QCOMPARE(errorOf(file), QString::fromStdString(file + ": not a lanescope trace"));
    }

    void aNewerSchemaSaysWhich()
    {
        const std::string file = changed("PRAGMA user_version = 99");
        QCOMPARE(errorOf(file),
                 QString::fromStdString(fmt::format("{}: schema 99, expected at most {}: written by a newer lanescope",
                                                    file, trace::kSchemaVersion)));
    }

    void damagedTablesAreNamed_data()
    {
        QTest::addColumn<QString>("sql");
        QTest::addColumn<QString>("message");
        const auto row = [](const char* name, const char* sql, const char* message) {
            QTest::newRow(name) << sql << message;
        };
        row("missing table", "DROP TABLE sites", "table sites is missing");
        row("site kind", "UPDATE sites SET kind = 'jump' WHERE id = 4",
            "table sites: row 5: kind: found \"jump\", expected a known name");
        row("derivation", "UPDATE sites SET derivation = 'v0 add' WHERE id = 4",
            "table sites: row 5: derivation: found \"v0 add\", expected a postfix expression");
        row("derivation's variable", "UPDATE sites SET derivation = 'v999' WHERE id = 4",
            "table sites: row 4: variable 999, expected one of 8");
        row("registers", "UPDATE sites SET registers = 'a1 b2' WHERE id = 4",
            "table sites: row 5: registers: found \"a1 b2\", expected places of registers");
        row("register's site", "UPDATE sites SET registers = 'v1 - a999+4' WHERE id = 4",
            "table sites: row 4: site 999, expected one of 24");
        row("gap", "DELETE FROM sites WHERE id = 4", "table sites: row 5: id: found 5, expected 4");
        row("variable", "UPDATE sites SET variable = 77 WHERE id = 2",
            "table sites: row 2: variable 77, expected one of 8");
        row("text", "UPDATE buffers SET bytes = 'many' WHERE id = 1",
            "table buffers: row 2: bytes: found no number, expected one");
        row("negative", "UPDATE buffers SET bytes = -1 WHERE id = 1",
            "table buffers: row 2: bytes: found -1, expected 0 to 281474976710656");
        row("grid", "UPDATE launches SET grid_x = 0", "table launches: row 1: grid: found 0, expected at least 1");
        row("block", "UPDATE launches SET block_x = 4000",
            "table launches: row 1: block: found 12000 threads, expected at most 1024");
        row("arguments", "UPDATE launches SET arguments = '[{'",
            "table launches: row 1: arguments: found damaged JSON, expected an array");
        row("chunk of no launch", "UPDATE chunks SET launch = 5",
            "table chunks: row 1: launch: found 5, expected 0 to 0");
        row("chunk events", "UPDATE chunks SET events = 2000000",
            "table chunks: row 1: events: found 2000000, expected 0 to 1048576");
        row("events of no part", "UPDATE chunks SET events = 7",
            "table chunks: row 1: parts: found 45 damaged bytes, expected blocks of 7 events");
        // One part: block, number, first step, 774 events, and that the block ends.
        row("part of no block", "UPDATE chunks SET write_events = 0, parts = x'120000860601'",
            "table chunks: row 1: block: found 9, expected one of 9");
        row("part number", "UPDATE chunks SET write_events = 0, parts = x'000200860601'",
            "table chunks: row 1: number: found 2, expected 0");
        row("part's first step", "UPDATE chunks SET write_events = 0, parts = x'000005860601'",
            "table chunks: row 1: first_step: found 5, expected 0");
        row("part behind the end", "UPDATE chunks SET write_events = 0, parts = x'0000006401000164a20501'",
            "table chunks: row 1: parts: found more of block 0, expected its end before");
        // Three numbers of flops.
        row("flops of other warps", "UPDATE chunks SET write_events = 0, parts = x'00000086060303010203'",
            "table chunks: row 1: parts: found 3 numbers of flops, expected one for each of 1 warps");
        row("block events", "INSERT INTO blocks VALUES (1, 0, 2, 1, 7)",
            "table blocks: row 1: events: found 7 in 1 chunks, expected 86 in 1");
        row("a view", "DROP TABLE blocks; CREATE VIEW blocks AS SELECT 1",
            "table blocks: \"CREATE VIEW blocks AS SELECT 1\", expected \"CREATE TABLE blocks(id INTEGER PRIMARY KEY, "
            "launch INTEGER, block INTEGER, chunks INTEGER, events INTEGER\"");
    }
    void damagedTablesAreNamed()
    {
        QFETCH(QString, sql);
        QFETCH(QString, message);
        const std::string file = changed(sql.toUtf8().constData());
        QCOMPARE(errorOf(file), QString::fromStdString(file) + ": " + message);
    }

    void damagedChunksAreNamed_data()
    {
        QTest::addColumn<QString>("sql");
        QTest::addColumn<QString>("message");
        QTest::newRow("missing") << "DELETE FROM chunk_data"
                                 << "launch 0: block 4: chunk 0: its data is missing";
        QTest::newRow("checksum") << "UPDATE chunks SET checksum = 17"
                                  << "launch 0: block 4: chunk 0: checksum * bytes, expected 11";
        QTest::newRow("other chunk") << "UPDATE chunk_data SET events = writes"
                                     << "launch 0: block 4: chunk 0: checksum *";
    }
    void damagedChunksAreNamed()
    {
        QFETCH(QString, sql);
        QFETCH(QString, message);
        const std::string file = changed(sql.toUtf8().constData());
        const auto reader = TraceReader::open(file);
        QVERIFY(reader.ok());
        const auto chunk = reader.value()->chunkAt(LaunchId{0}, BlockIndex{4}, 0);
        QVERIFY(!chunk.ok());
        const QString found = QString::fromStdString(chunk.error().text());
        QString pattern = QRegularExpression::escape(QString::fromStdString(file) + ": " + message);
        pattern.replace("\\*", ".*");
        const QRegularExpression expected(QRegularExpression::anchoredPattern(pattern));
        QVERIFY2(expected.match(found).hasMatch(), qPrintable(found));
    }

    void everyTruncationIsSurvived()
    {
        const std::string file = path("truncated.lanes");
        for (qsizetype length = 0; length < m_valid.size(); length += length < 200 ? 7 : 1021) {
            write(file, m_valid.left(length));
            test::readEverything(file);
        }
    }

    void flippedBytesAreSurvived()
    {
        std::mt19937 random(3);
        const std::string file = path("flipped.lanes");
        for (int round = 0; round < 400; ++round) {
            QByteArray bytes = m_valid;
            const int flips = 1 + round % 5;
            for (int i = 0; i < flips; ++i)
                bytes[static_cast<qsizetype>(random() % static_cast<unsigned>(bytes.size()))] =
                    static_cast<char>(random());
            write(file, bytes);
            test::readEverything(file);
        }
    }
};

QTEST_GUILESS_MAIN(TestTraceDamage)
#include "tst_trace_damage.moc"
