// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Boxes of tensors and tiles of outputs, as recorded programs of the gallery show them.
#include <QFile>
#include <QIODevice>
#include <QTemporaryDir>
#include <QTest>

#include "core/analysis/matrix_reads.h"
#include "core/analysis/tensor_copy.h"
#include "core/analysis/tile_map.h"
#include "tests/support/process.h"

using namespace lanescope;
using namespace lanescope::analysis;

class TestTensorCopy : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;
    int m_traces = 0;

    std::unique_ptr<replay::Session> record(const QString& program, bool isRight = true)
    {
        const QString trace = m_folder.filePath(QString("%1.lanes").arg(m_traces++));
        const test::ProcessResult recorded = test::runProcess(LANESCOPE_EXE, {"record", program, "-o", trace});
        auto session = replay::Session::open(trace.toStdString());
        if ((recorded.code != 0 && isRight) || !session.ok())
            qFatal("%s", qPrintable(recorded.errors));
        return std::move(session).value();
    }
    static QString kernel(const char* name) { return QString(KERNELS "/%1.cu").arg(name); }

    static std::vector<TensorCopy> copiesOf(replay::Session& session, BlockIndex block)
    {
        auto copies = traceTensorCopies(session, LaunchId{0}, block);
        if (!copies.ok())
            qFatal("%s", copies.error().text().c_str());
        return std::move(copies).value();
    }

private slots:
    void boxHasTheMapsCorner()
    {
        const auto session = record(kernel("24_matmul_ring"));
        const Dim3 grid = session->catalog().launches[0].grid;
        const std::vector<TensorCopy> copies = copiesOf(*session, BlockIndex{linearIndex({1, 2, 0}, grid)});
        QCOMPARE(copies.size(), size_t(8));
        for (size_t i = 0; i < copies.size(); ++i) {
            const TensorCopy& copy = copies[i];
            QVERIFY(copy.way == TensorCopy::Way::Load);
            QVERIFY(copy.map.has_value());
            QVERIFY(copy.isCornerKnown);
            // Tiles of a are of the block's rows, those of b of its columns.
            const auto step = static_cast<int64_t>(i / 2 * 16);
            QCOMPARE(copy.corner[0], i % 2 == 0 ? step : int64_t{16});
            QCOMPARE(copy.corner[1], i % 2 == 0 ? int64_t{32} : step);
            QCOMPARE(copy.pieces.size(), size_t(16 * 16 * 4 / 16));
            QVERIFY(copy.targets.empty());
        }
    }

    void swizzledChunksAreWhereTheyAre()
    {
        const auto session = record(kernel("26_gemm_wgmma"));
        const std::vector<TensorCopy> copies = copiesOf(*session, BlockIndex{0});
        QVERIFY(!copies.empty());
        const TensorCopy& copy = copies.front();
        QVERIFY(copy.map.has_value());
        QVERIFY(copy.map->swizzle == device::TensorMap::Swizzle::Bytes128);
        QCOMPARE(copy.pieces.size(), size_t(64 * 8));
        for (uint64_t row = 0; row < 64; ++row)
            for (uint64_t chunk = 0; chunk < 8; ++chunk)
                QCOMPARE(*copy.pieces[8 * row + chunk].shared - *copy.pieces[0].shared,
                         128 * row + 16 * (chunk ^ row % 8));
    }

    /// What the first warp that multiplies reads at its last product.
    static std::vector<MatrixRead> lastReadsOf(replay::Session& session)
    {
        const std::string instruction = "wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16";
        auto reads = traceMatrixReads(session, LaunchId{0}, BlockIndex{0}, 1, UINT64_MAX, instruction);
        if (!reads.ok())
            qFatal("%s", reads.error().text().c_str());
        return std::move(reads).value();
    }

    void descriptorsReadInTheCopiesOrder()
    {
        const auto session = record(kernel("26_gemm_wgmma"));
        const std::vector<MatrixRead> reads = lastReadsOf(*session);
        QCOMPARE(reads.size(), size_t(2));
        const auto bufferNamed = [&](const char* name) {
            return std::ranges::find(session->catalog().buffers, name, &trace::Buffer::name)->id;
        };
        for (const MatrixRead& read : reads) {
            QCOMPARE(read.lines, read.name == "A" ? 16u : 64u);
            QCOMPARE(read.pieces, 2u);
            QCOMPARE(read.differing() + read.unwritten(), uint64_t(0));
            for (uint32_t line = 0; line < read.lines; ++line) {
                // The last 16 of 256 columns; the first block's first rows, of A those of the warp.
                const uint64_t row = line + (read.name == "A" ? 16 * (1 % 4) : 0);
                QVERIFY(read.at(line, 1).source ==
                        (MatrixChunk::Place{bufferNamed(read.name == "A" ? "a" : "b"), 2 * (256 * row + 240 + 8)}));
            }
        }
    }

    void wrongSwizzleIsToldByTheOrder()
    {
        QFile right(kernel("26_gemm_wgmma")), wrong(m_folder.filePath("wrong.cu"));
        QVERIFY(right.open(QIODevice::ReadOnly) && wrong.open(QIODevice::WriteOnly));
        wrong.write(right.readAll().replace("uint64_t{1} << 62", "uint64_t{2} << 62"));
        wrong.close();
        const auto session = record(wrong.fileName(), false);
        for (const MatrixRead& read : lastReadsOf(*session))
            QVERIFY(read.differing() > read.chunks.size() / 2);
    }

    void multicastKnowsItsTargets()
    {
        const auto session = record(QString(PROGRAMS "/multicast.cu"));
        const std::vector<std::vector<uint32_t>> others{{1, 2, 3}, {3}, {0, 1, 3}, {1}};
        for (uint64_t rank = 0; rank < others.size(); ++rank) {
            const std::vector<TensorCopy> copies = copiesOf(*session, BlockIndex{rank});
            QCOMPARE(copies.size(), size_t(1));
            QVERIFY(copies.front().isCornerKnown);
            QCOMPARE(copies.front().corner[1], static_cast<int64_t>(8 * rank));
            QCOMPARE(copies.front().targets, others[rank]);
        }
    }

    void partOutsideIsNotOfTheTensor()
    {
        const auto session = record(QString(PROGRAMS "/box_outside.cu"));
        const std::vector<TensorCopy> copies = copiesOf(*session, BlockIndex{0});
        QCOMPARE(copies.size(), size_t(1));
        const TensorCopy& copy = copies.front();
        QVERIFY(copy.isCornerKnown);
        QCOMPARE(copy.corner[0], int64_t{-4});
        QCOMPARE(copy.corner[1], int64_t{6});
        // Two rows of the tensor's eight are left, without their first chunk; then there is none.
        for (size_t i = 0; i < copy.pieces.size(); ++i) {
            QVERIFY(copy.pieces[i].shared.has_value());
            QCOMPARE(copy.pieces[i].global.has_value(), i / 2 < 2 && i % 2 == 1);
        }
    }

    /// Two maps of one tensor: the instruction says which is meant.
    void slicesOfAnInterleavedTensor()
    {
        const auto session = record(QString(PROGRAMS "/interleaved.cu"));
        const std::vector<TensorCopy> copies = copiesOf(*session, BlockIndex{0});
        QCOMPARE(copies.size(), size_t(2));
        QCOMPARE(QString::fromStdString(copies[0].parameter), QString("map (parameter)"));
        QVERIFY(copies[0].isCornerKnown);
        const std::array<int64_t, device::TensorMap::kMostDimensions> corner{6, 1, 1, 0, 0};
        QVERIFY(copies[0].corner == corner);
        QCOMPARE(copies[0].pieces.size(), size_t(16));
        QCOMPARE(std::ranges::count_if(copies[0].pieces, [](const TensorPiece& piece) { return piece.bytes == 16; }),
                 4);
        QCOMPARE(QString::fromStdString(copies[1].parameter), QString("columns"));
        QCOMPARE(copies[1].pieces.size(), size_t(8));
        QCOMPARE(copies[1].pixels.size(), size_t(8));
        QVERIFY(!copies[1].pixels.front().has_value());
        const std::array<int64_t, device::TensorMap::kMostDimensions> second{0, 3, 1, 0, 0};
        QVERIFY(copies[1].pixels[1] == second);
    }

    void blocksTakeTilesInTurns()
    {
        const auto session = record(kernel("28_gemm_stream_k"));
        auto made = traceTileMap(*session, LaunchId{0}, std::nullopt);
        QVERIFY(made.ok());
        const TileMap& map = made.value();
        QCOMPARE(QString::fromStdString(session->catalog().buffers[map.buffer->value].name), QString("out"));
        QCOMPARE(map.tiles.size(), size_t(9));
        QCOMPARE(map.blocks.size(), size_t(5));
        QCOMPARE(map.places, 5u);
        for (const TileWrite& tile : map.tiles) {
            QVERIFY(tile.isWhole());
            QCOMPARE(tile.cells, uint64_t{16 * 16});
        }
        for (const BlockWork& block : map.blocks) {
            QVERIFY(!block.tiles.empty() && block.tiles.size() <= 2);
            QCOMPARE(block.start, uint64_t{0});
        }
        QVERIFY(map.idle > 0 && map.idle < map.length * map.places);
        QVERIFY(std::ranges::find(map.picture, 0u) == map.picture.end());
    }

    /// Warp 3 writes rows 6 and 7 of each tile, warp 4 the two below it: blocks hold 8 warps of 2 rows.
    void tilesOfSomeWarpsAreWhatTheseWrite()
    {
        const auto session = record(kernel("28_gemm_stream_k"));
        auto made = traceTileMap(*session, LaunchId{0}, std::nullopt, {3, 4});
        QVERIFY(made.ok());
        QCOMPARE(made.value().tiles.size(), size_t(9));
        for (const TileWrite& tile : made.value().tiles) {
            QCOMPARE(tile.cells, uint64_t{4 * 16});
            QCOMPARE(tile.firstRow % 16, uint64_t{6});
            QCOMPARE(tile.endRow % 16, uint64_t{10});
        }
        auto none = traceTileMap(*session, LaunchId{0}, std::nullopt, {8});
        QVERIFY(none.ok());
        QVERIFY(!none.value().buffer.has_value());
    }

    void aLaunchOfManyBlocksHasATileEach()
    {
        const auto session = record(kernel("14_matmul_tiled"));
        auto made = traceTileMap(*session, LaunchId{0}, std::nullopt);
        QVERIFY(made.ok());
        QCOMPARE(made.value().tiles.size(), size_t(9));
        for (const BlockWork& block : made.value().blocks)
            QCOMPARE(block.tiles.size(), size_t(1));
    }
};

QTEST_GUILESS_MAIN(TestTensorCopy)
#include "tst_tensor_copy.moc"
