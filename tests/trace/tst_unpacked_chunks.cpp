// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which unpacked chunks stay, whatever their size.
#include <QTest>

#include "core/trace/chunk_encoder.h"
#include "core/trace/unpacked_chunks.h"

using namespace lanescope;
using namespace lanescope::trace;

class TestUnpackedChunks : public QObject {
    Q_OBJECT

    /// One part of \p events events, each with 128 bytes that nothing predicts.
    static std::vector<uint8_t> chunkOf(uint32_t events)
    {
        ChunkEncoder encoder;
        encoder.begin(1);
        uint32_t noise = events;
        for (uint32_t i = 0; i < events; ++i) {
            std::array<uint32_t, kWarpSize> values;
            for (uint32_t& value : values)
                value = noise = noise * 1664525 + 1013904223;
            encoder.variableWrite(SiteId{0}, 0, kAllLanes, {values.data(), 4, 4});
        }
        ChunkPacker packer;
        packer.add(encoder.columns());
        return packer.finish();
    }

    void add(UnpackedChunks& chunks, int64_t id, const std::vector<uint8_t>& blob, uint32_t events)
    {
        const Result<void> done = chunks.add(id).unpack(m_decompressor, blob, 1, events, Detail::Everything);
        QVERIFY2(done.ok(), done.ok() ? "" : done.error().message.c_str());
    }

    Decompressor m_decompressor;

private slots:
    void whatWasUsedLastStays()
    {
        constexpr uint32_t kEvents = 8192;  // a megabyte
        constexpr int64_t kMost = UnpackedChunks::kMostBytes / (kEvents * 128);
        const std::vector<uint8_t> blob = chunkOf(kEvents);
        UnpackedChunks chunks;
        for (int64_t id = 0; id < 3 * kMost; ++id) {
            add(chunks, id, blob, kEvents);
            QVERIFY2(chunks.find(0, Detail::Everything), qPrintable(QString::number(id)));
            QVERIFY(chunks.find(id, Detail::Everything));
        }
        QVERIFY(!chunks.find(1, Detail::Everything));
        QVERIFY(chunks.find(3 * kMost - 2, Detail::Everything));
    }

    void smallOnesAreAllThere()
    {
        constexpr int64_t kMany = 20'000;
        const std::vector<uint8_t> blob = chunkOf(1);
        UnpackedChunks chunks;
        for (int64_t id = 0; id < kMany; ++id)
            add(chunks, id, blob, 1);
        for (int64_t id = 0; id < kMany; ++id)
            QVERIFY2(chunks.find(id, Detail::Headers), qPrintable(QString::number(id)));
        chunks.clear();
        QVERIFY(!chunks.find(0, Detail::Headers));
    }

    void aDroppedOneIsGone()
    {
        const std::vector<uint8_t> blob = chunkOf(2);
        UnpackedChunks chunks;
        add(chunks, 7, blob, 2);
        QVERIFY(!chunks.add(8).unpack(m_decompressor, std::span(blob).first(3), 1, 2, Detail::Everything).ok());
        chunks.drop();
        QVERIFY(!chunks.find(8, Detail::Headers));
        QVERIFY(chunks.find(7, Detail::Everything));
        add(chunks, 8, blob, 2);
        add(chunks, 8, blob, 2);
        QVERIFY(chunks.find(8, Detail::Everything));
    }
};

QTEST_GUILESS_MAIN(TestUnpackedChunks)
#include "tst_unpacked_chunks.moc"
