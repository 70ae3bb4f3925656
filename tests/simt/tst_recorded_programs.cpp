// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Records every program of the gallery and of cases/ and steps through the trace: forwards, backwards and by random
// seeks, every step has one state.
#include <QCoreApplication>
#include <QDir>
#include <QFileInfo>
#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <random>

#include "core/replay/replay.h"
#include "tests/support/process.h"
#include "tests/support/sampling.h"

using namespace lanescope;

class RecordedProgramsTest : public QObject {
    Q_OBJECT

private slots:
    void forwardThenBackwardIsTheIdentity_data() { addPrograms(); }
    void forwardThenBackwardIsTheIdentity();
    void computedValuesAreThoseThatWereRecorded_data() { addPrograms(); }
    void computedValuesAreThoseThatWereRecorded();
    void flushedSubnormalsAreNotComputed();
    void derivedValuesAreThoseOfTheRun_data();
    void derivedValuesAreThoseOfTheRun();
    void everyLineOfUniformBranchesIsVisited();
    void firstBarrierOfTiledMatmulHasBothTiles();
    void lastStepOfTiledMatmulHasTheProduct();

private:
    void addPrograms();
    QString record(const QString& program, const QStringList& options, const QString& name,
                   std::initializer_list<std::pair<QString, QString>> variables = {});
    std::unique_ptr<replay::Session> open(const QString& path);
    QTemporaryDir m_folder;
};

namespace {

/// Blocks that a test walks through: the first, one in the middle, the last.
std::vector<BlockIndex> someBlocks(const std::vector<BlockIndex>& all)
{
    if (all.size() <= 3)
        return all;
    return {all.front(), all[all.size() / 2], all.back()};
}

/// The first steps of a block, which pass every kind of event. Every step's state is hashed whole, so that there are
/// fewer of them where it is large.
StepIndex stepsToWalk(const trace::Catalog& catalog, const trace::Launch& launch, StepIndex all)
{
    uint64_t hashed = 1;
    for (const trace::Buffer& buffer : catalog.buffers) {
        constexpr uint64_t kForEachObject = 64;
        hashed += (buffer.bytes + kForEachObject) * (buffer.space == trace::Space::Local ? launch.block.count() : 1);
    }
    constexpr uint64_t kBytes = 1'000'000'000;
    return std::min<StepIndex>(all, std::clamp<uint64_t>(kBytes / hashed, 300, 3000));
}

std::vector<float> floatsOf(const replay::BufferImage& image)
{
    std::vector<float> values(image.bytes.size() / sizeof(float));
    std::memcpy(values.data(), image.bytes.data(), values.size() * sizeof(float));
    return values;
}

const trace::Buffer* bufferNamed(const std::vector<trace::Buffer>& buffers, const std::string& name)
{
    for (const trace::Buffer& buffer : buffers)
        if (buffer.name == name)
            return &buffer;
    return nullptr;
}

}  // namespace

void RecordedProgramsTest::addPrograms()
{
    QTest::addColumn<QString>("program");
    QTest::addColumn<QStringList>("options");
    for (const char* folder : {SOURCE_DIR "/kernels", SOURCE_DIR "/tests/simt/cases"})
        for (const QFileInfo& file : QDir(folder).entryInfoList({"*.cu"})) {
            if (!lanescope::test::sampled())
                continue;
            QTest::newRow(qPrintable(file.completeBaseName())) << file.filePath() << QStringList{};
            QTest::newRow(qPrintable(file.completeBaseName() + " as compiled"))
                << file.filePath() << QStringList{"--as-compiled"};
        }
}

QString RecordedProgramsTest::record(const QString& program, const QStringList& options, const QString& name,
                                     std::initializer_list<std::pair<QString, QString>> variables)
{
    QString path = m_folder.filePath(name);
    const auto ended = test::runProcess(LANESCOPE_EXE, QStringList{"record", program, "-o", path} + options,
                                        test::environmentWith(variables));
    return ended.code == 0 ? path : QString();
}

std::unique_ptr<replay::Session> RecordedProgramsTest::open(const QString& path)
{
    auto session = replay::Session::open(path.toStdString());
    if (!session) {
        qWarning("%s", session.error().text().c_str());
        return nullptr;
    }
    return std::move(session).value();
}

void RecordedProgramsTest::forwardThenBackwardIsTheIdentity()
{
    QFETCH(QString, program);
    QFETCH(QStringList, options);
    auto session = open(record(program, options, "walk.lanes"));
    QVERIFY(session);
    QVERIFY(!session->catalog().launches.empty());
    std::mt19937 random(1);
    for (const trace::Launch& launch : session->catalog().launches) {
        auto blocks = session->reader().blocks(launch.id);
        QVERIFY(blocks.ok());
        QCOMPARE(blocks.value().size(), launch.grid.count());
        for (BlockIndex block : someBlocks(blocks.value())) {
            auto opened = session->cursor(launch.id, block);
            QVERIFY(opened.ok());
            replay::BlockCursor& cursor = *opened.value();
            const StepIndex last = stepsToWalk(session->catalog(), launch, cursor.stepCount());
            std::vector<uint64_t> hashes{cursor.stateHash()};
            while (cursor.step() < last) {
                QVERIFY(cursor.stepForward().ok());
                hashes.push_back(cursor.stateHash());
            }
            while (cursor.step() > 0) {
                QVERIFY(cursor.stepBackward().ok());
                QCOMPARE(cursor.stateHash(), hashes[cursor.step()]);
            }
            for (int i = 0; i < 50; ++i) {
                StepIndex step = random() % (last + 1);
                QVERIFY(cursor.seek(step).ok());
                QCOMPARE(cursor.stateHash(), hashes[step]);
            }
        }
    }
}

/// Twice, once with every value: they are the same all along, in what is the same trace.
void RecordedProgramsTest::computedValuesAreThoseThatWereRecorded()
{
    QFETCH(QString, program);
    QFETCH(QStringList, options);
    auto first = open(record(program, options, "first.lanes"));
    auto second = open(record(program, options, "second.lanes", {{"LANESCOPE_DERIVE", "0"}}));
    QVERIFY(first && second);
    for (const trace::Launch& launch : first->catalog().launches)
        for (uint64_t block : {uint64_t{0}, launch.grid.count() - 1}) {
            auto a = first->cursor(launch.id, BlockIndex{block});
            auto b = second->cursor(launch.id, BlockIndex{block});
            QVERIFY(a.ok() && b.ok());
            const StepIndex steps = a.value()->stepCount();
            QCOMPARE(steps, b.value()->stepCount());
            // Variables are overwritten: what they hold at the end does not tell all.
            constexpr StepIndex kLooks = 16;
            for (StepIndex look = 1; look <= kLooks; ++look) {
                QVERIFY(a.value()->seek(steps * look / kLooks).ok());
                QVERIFY(b.value()->seek(steps * look / kLooks).ok());
                QCOMPARE(a.value()->stateHash(), b.value()->stateHash());
            }
        }
}

void RecordedProgramsTest::flushedSubnormalsAreNotComputed()
{
    const QString program = m_folder.filePath("shrink");
    const auto compiled = test::runProcess(
        LANESCOPE_EXE, {"nvcc", "-ftz=true", SOURCE_DIR "/tests/simt/cases/derived_subnormals.cu", "-o", program});
    QCOMPARE(compiled.errors, QString());
    const QString trace = m_folder.filePath("shrink.lanes");
    const auto ran = test::runProcess(LANESCOPE_EXE, {"record", "-q", "-o", trace, "--", program});
    QCOMPARE(ran.output, QStringLiteral("0 0\n"));
    auto session = open(trace);
    QVERIFY(session);
    auto opened = session->cursor(LaunchId{0}, BlockIndex{0});
    QVERIFY(opened.ok());
    replay::BlockCursor& cursor = *opened.value();
    QVERIFY(cursor.seek(cursor.stepCount()).ok());
    const std::vector<trace::Variable>& variables = session->catalog().variables;
    const auto value = std::ranges::find(variables, "value", &trace::Variable::name);
    QVERIFY(value != variables.end());
    float held = -1;
    std::memcpy(&held, cursor.variable(value->id, 0).value[0].data(), sizeof held);
    QCOMPARE(held, 0.0F);
}

void RecordedProgramsTest::derivedValuesAreThoseOfTheRun_data()
{
    QTest::addColumn<QString>("program");
    QTest::addColumn<QStringList>("options");
    QTest::addColumn<size_t>("derivedAtLeast");
    QTest::addColumn<size_t>("stored");
    QTest::newRow("-O0") << "derived.cu" << QStringList{} << size_t{200} << size_t{2 * 48 * 64};
    QTest::newRow("as compiled") << "derived.cu" << QStringList{"--as-compiled"} << size_t{0} << size_t{2 * 48 * 64};
    QTest::newRow("rows, -O0") << "derived_rows.cu" << QStringList{} << size_t{200} << size_t{4 * 256};
    QTest::newRow("global, -O0") << "derived_global.cu" << QStringList{} << size_t{96} << size_t{2 * 24 * 64};
    QTest::newRow("global, as compiled") << "derived_global.cu" << QStringList{"--as-compiled"} << size_t{2 * 2 * 12}
                                         << size_t{2 * 24 * 64};
    QTest::newRow("addresses, -O0") << "derived_addresses.cu" << QStringList{} << size_t{2 * 5} << size_t{6 * 64};
    QTest::newRow("rows, as compiled") << "derived_rows.cu" << QStringList{"--as-compiled"} << size_t{4 * 8 * 15}
                                       << size_t{4 * 256};
}

void RecordedProgramsTest::derivedValuesAreThoseOfTheRun()
{
    QFETCH(QString, program);
    QFETCH(size_t, derivedAtLeast);
    QFETCH(size_t, stored);
    QFETCH(QStringList, options);
    auto session = open(record(SOURCE_DIR "/tests/simt/cases/" + program, options, "derived.lanes"));
    QVERIFY(session);
    const trace::Catalog& catalog = session->catalog();
    size_t derived = 0, compared = 0;
    for (const trace::Launch& launch : catalog.launches) {
        auto opened = session->cursor(launch.id, BlockIndex{0});
        QVERIFY(opened.ok());
        replay::BlockCursor& cursor = *opened.value();
        std::optional<VariableId> sum;
        for (StepIndex step = 0; step < cursor.stepCount(); ++step) {
            QVERIFY(cursor.seek(step).ok());
            auto event = cursor.event(cursor.step());
            QVERIFY(event.ok());
            const trace::Site& site = catalog.sites[event.value().site.value];
            if (site.variable && catalog.variables[site.variable->value].name == "sum") {
                sum = site.variable;
                derived += !site.derivation.empty();
            }
            QVERIFY(event.value().kind != trace::SiteKind::VariableWrite || event.value().valuesKnown);
            if (event.value().kind != trace::SiteKind::Store || site.expression.find("history") == std::string::npos)
                continue;
            const replay::VariableImage& held = cursor.variable(*sum, event.value().warp);
            for (size_t lane = 0; lane < kWarpSize; ++lane)
                if ((event.value().mask >> lane) & 1) {
                    ++compared;
                    QCOMPARE(std::memcmp(held.value[lane].data(), event.value().value[lane].data(),
                                         event.value().valueBytes),
                             0);
                }
        }
    }
    QCOMPARE(compared, stored);
    QVERIFY(derived >= derivedAtLeast);
}

void RecordedProgramsTest::everyLineOfUniformBranchesIsVisited()
{
    auto session = open(record(SOURCE_DIR "/tests/simt/cases/uniform_branches.cu", {}, "branches.lanes"));
    QVERIFY(session);
    auto opened = session->cursor(LaunchId{0}, BlockIndex{0});
    QVERIFY(opened.ok());
    replay::BlockCursor& cursor = *opened.value();
    std::vector<uint32_t> lines{cursor.warp(0).nextLine.line};
    while (std::optional<StepIndex> next = cursor.nextLine(0)) {
        QVERIFY(cursor.seek(*next).ok());
        lines.push_back(cursor.warp(0).nextLine.line);
    }
    const std::vector<uint32_t> expected{7,  9,  10, 11, 12, 13, 12, 13, 12, 13, 12, 14, 15,
                                         14, 15, 14, 15, 14, 15, 14, 15, 14, 16, 18, 19};
    QCOMPARE(lines, expected);
}

void RecordedProgramsTest::firstBarrierOfTiledMatmulHasBothTiles()
{
    constexpr uint32_t kSize = 9, kTile = 3;
    for (const QStringList& options : {QStringList{}, QStringList{"--as-compiled"}}) {
        auto session = open(record(SOURCE_DIR "/kernels/14_matmul_tiled.cu", options, "tiled.lanes"));
        QVERIFY(session);
        auto buffers = session->buffersOf(LaunchId{0});
        QVERIFY(buffers.ok());
        const trace::Buffer* a = bufferNamed(buffers.value(), "a_shared");
        const trace::Buffer* b = bufferNamed(buffers.value(), "b_shared");
        QVERIFY(a && b);
        QCOMPARE(a->dims, (std::vector<uint64_t>{kTile, kTile}));
        for (uint32_t block = 0; block < 9; ++block) {
            auto cursor = session->cursor(LaunchId{0}, BlockIndex{block});
            QVERIFY(cursor.ok());
            auto barrier = cursor.value()->nextEpoch();
            QVERIFY(barrier.has_value());
            QVERIFY(cursor.value()->seek(*barrier).ok());
            std::vector<float> tileA = floatsOf(cursor.value()->buffer(a->id)),
                               tileB = floatsOf(cursor.value()->buffer(b->id));
            for (uint32_t row = 0; row < kTile; ++row)
                for (uint32_t col = 0; col < kTile; ++col) {
                    QCOMPARE(tileA[row * kTile + col], float((block / 3 * kTile + row) * kSize + col));
                    QCOMPARE(tileB[row * kTile + col], float(2 * (row * kSize + block % 3 * kTile + col)));
                }
        }
    }
}

void RecordedProgramsTest::lastStepOfTiledMatmulHasTheProduct()
{
    constexpr int kSize = 9;
    auto session = open(record(SOURCE_DIR "/kernels/14_matmul_tiled.cu", {}, "tiled.lanes"));
    QVERIFY(session);
    auto buffers = session->buffersOf(LaunchId{0});
    QVERIFY(buffers.ok());
    const trace::Buffer* out = bufferNamed(buffers.value(), "out");
    QVERIFY(out);
    auto cursor = session->cursor(LaunchId{0}, BlockIndex{4});
    QVERIFY(cursor.ok() && cursor.value()->seek(cursor.value()->stepCount()).ok());
    std::vector<float> product = floatsOf(cursor.value()->buffer(out->id));
    QCOMPARE(product.size(), size_t(kSize * kSize));
    for (int row = 0; row < kSize; ++row)
        for (int col = 0; col < kSize; ++col) {
            float expected = 0;
            for (int k = 0; k < kSize; ++k)
                expected += float(row * kSize + k) * float(2 * (k * kSize + col));
            QCOMPARE(product[size_t(row * kSize + col)], expected);
        }
}

QTEST_GUILESS_MAIN(RecordedProgramsTest)
#include "tst_recorded_programs.moc"
