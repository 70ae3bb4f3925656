// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What buffers hold when launches begin comes back as it was, however it is told, and takes what differs.
#include <algorithm>
#include <cstring>
#include <random>
#include <vector>

#include <QTemporaryDir>
#include <QTest>

#include "core/trace/reader.h"
#include "core/trace/writer.h"
#include "tests/support/run_sql.h"

using namespace lanescope;
using namespace lanescope::trace;

namespace {

struct Content {
    std::vector<uint8_t> bytes;
    std::vector<uint8_t> initialised;
};

/// A trace with a launch for each of \p contents, of which buffer i % \p buffers holds the i-th.
std::string writeTrace(const QTemporaryDir& folder, const std::vector<Content>& contents, uint32_t buffers)
{
    const std::string path = folder.filePath("contents.lanes").toStdString();
    QFile::remove(QString::fromStdString(path));
    const auto writer = TraceWriter::create(path, {}, {});
    if (!writer.ok())
        return {};
    for (uint32_t i = 0; i < buffers; ++i) {
        Buffer buffer;
        buffer.id = BufferId{i};
        buffer.bytes = contents[i].bytes.size();
        writer.value()->putBuffer(buffer);
    }
    for (uint32_t i = 0; i < contents.size(); ++i) {
        Launch launch;
        launch.id = LaunchId{i};
        launch.grid = launch.block = {1, 1, 1};
        writer.value()->beginLaunch(launch);
        writer.value()->bufferContents(launch.id, BufferId{i % buffers}, std::as_bytes(std::span(contents[i].bytes)),
                                       contents[i].initialised);
        writer.value()->endLaunch(launch);
    }
    return writer.value()->finish({}, {}).ok() ? path : std::string();
}

std::vector<uint8_t> randomBytes(std::mt19937& random, size_t count)
{
    std::vector<uint8_t> bytes(count);
    std::ranges::generate(bytes, [&] { return static_cast<uint8_t>(random()); });
    return bytes;
}

}  // namespace

class TestKeptContents : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;

    /// Reads all of them.
    void areKept(const std::vector<Content>& contents, uint32_t buffers, uint64_t mostBytes)
    {
        const std::string path = writeTrace(m_folder, contents, buffers);
        const auto reader = TraceReader::open(path);
        QVERIFY(reader.ok());
        for (uint32_t i = 0; i < contents.size(); ++i) {
            const auto found = reader.value()->initialContents(LaunchId{i}, BufferId{i % buffers});
            QVERIFY2(found.ok(), found.ok() ? "" : found.error().text().c_str());
            QVERIFY(std::ranges::equal(found.value().bytes, std::as_bytes(std::span(contents[i].bytes))));
            QVERIFY(found.value().initialised == contents[i].initialised);
        }
        QVERIFY2(reader.value()->fileBytes() < mostBytes, qPrintable(QString::number(reader.value()->fileBytes())));
    }

private slots:
    void fewBytesThatDifferAreFewBytes()
    {
        std::mt19937 random(1);
        constexpr size_t kBytes = 300'001;
        Content now{randomBytes(random, kBytes), randomBytes(random, (kBytes + 7) / 8)};
        std::vector<Content> contents;
        for (int i = 0; i < 400; ++i) {
            contents.push_back(now);
            ++now.bytes[i % 7 == 0 ? kBytes - 1 : random() % kBytes];
            if (i % 5 == 0)
                now.initialised[random() % now.initialised.size()] ^= 1;
        }
        // All of them would be 135 MB; each has one or two pages of its own, and some are whole.
        areKept(contents, 1, 400 * 9'000 + 12 * 340'000);
    }

    void buffersHaveTheirOwn()
    {
        std::mt19937 random(2);
        std::vector<Content> now{{randomBytes(random, 100'000), {}}, {randomBytes(random, 100'000), {}}, {{}, {}}};
        std::vector<Content> contents;
        for (int i = 0; i < 90; ++i) {
            Content& one = now[static_cast<size_t>(i % 3)];
            contents.push_back(one);
            if (!one.bytes.empty())
                one.bytes[random() % one.bytes.size()] = static_cast<uint8_t>(random());
            if (i % 20 == 10)
                now[1] = now[0];
        }
        areKept(contents, 3, 2'000'000);
    }

    void whatComesAgainIsThere()
    {
        std::mt19937 random(3);
        const std::vector<Content> both{{randomBytes(random, 500'000), {}}, {randomBytes(random, 500'000), {}}};
        std::vector<Content> contents;
        for (size_t i = 0; i < 40; ++i)
            contents.push_back(both[i / 3 % 2]);
        areKept(contents, 1, 1'200'000);
    }

    void basesThatCannotBeAreNoticed_data()
    {
        QTest::addColumn<QString>("change");
        QTest::addColumn<QString>("message");
        QTest::newRow("itself") << "UPDATE contents SET base = id WHERE id = 2"
                                << "contents 2: its base is 2, expected earlier contents as large";
        QTest::newRow("a later one") << "UPDATE contents SET base = 3 WHERE id = 2"
                                     << "contents 2: its base is 3, expected earlier contents as large";
        QTest::newRow("none") << "DELETE FROM contents WHERE id = 1"
                              << "contents 2: its base is 1, expected earlier contents as large";
        QTest::newRow("of another size") << "UPDATE contents SET bytes = 5 WHERE id = 1"
                                         << "contents 2: its base is 1, expected earlier contents as large";
        QTest::newRow("a piece behind the end") << "UPDATE content_pieces SET at = 99000 WHERE content = 2"
                                                << "contents 2: bytes: a piece of 4096 bytes from 99000 on, expected "
                                                   "it within 100000 and behind what is there";
        QTest::newRow("a hole")
            << "UPDATE content_pieces SET at = 4096 WHERE content = 1"
            << "contents 1: bytes: a piece of 100000 bytes from 4096 on, expected it within 100000 and "
               "behind what is there";
    }
    void basesThatCannotBeAreNoticed()
    {
        QFETCH(QString, change);
        QFETCH(QString, message);
        std::mt19937 random(4);
        Content now{randomBytes(random, 100'000), {}};
        std::vector<Content> contents;
        for (int i = 0; i < 3; ++i) {
            contents.push_back(now);
            ++now.bytes[static_cast<size_t>(i) * 5000];
        }
        const std::string path = writeTrace(m_folder, contents, 1);
        test::runSql(path, qPrintable(change));
        const auto reader = TraceReader::open(path);
        QVERIFY(reader.ok());
        const auto found = reader.value()->initialContents(LaunchId{1}, BufferId{0});
        QVERIFY(!found.ok());
        QCOMPARE(QString::fromStdString(found.error().message), message);
    }
};

QTEST_GUILESS_MAIN(TestKeptContents)
#include "tst_kept_contents.moc"
