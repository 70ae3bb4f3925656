// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a trace's tallies say is what its events say: the same made-up launches, read with their tallies and without.
#include <map>
#include <random>

#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include "core/analysis/analysis.h"
#include "core/analysis/bank_layout.h"
#include "core/analysis/footprint.h"
#include "core/trace/tally_collector.h"
#include "core/trace/writer.h"
#include "tests/support/run_sql.h"
#include "tests/support/synthetic_trace.h"

using namespace lanescope;
using namespace lanescope::analysis;
using trace::BlockRecorder;
using trace::EvenOffsets;
using trace::EventRun;
using trace::SiteKind;
using trace::Space;

namespace {

constexpr uint32_t kThreads = 80;  // the last warp is half there
constexpr uint32_t kWarps = 3;
constexpr uint32_t kElements = 600;
constexpr uint64_t kBlocks = 6;

enum Sites : uint32_t {
    GlobalLoad,
    GlobalStore,
    SharedLoad,
    SharedStore,
    SharedAtomic,
    Wide,
    Branch,
    Barrier,
    Sum,
    Exit
};
enum Buffers : uint32_t { In, Out, Tile };

std::vector<trace::Site> sites()
{
    const trace::ValueType real{trace::ScalarKind::Float, 4, 1, "float"};
    const trace::ValueType real4{trace::ScalarKind::Float, 4, 4, "float4"};
    const std::vector<std::pair<SiteKind, Space>> kinds{
        {SiteKind::Load, Space::Global},   {SiteKind::Store, Space::Global},   {SiteKind::Load, Space::Shared},
        {SiteKind::Store, Space::Shared},  {SiteKind::Atomic, Space::Shared},  {SiteKind::Load, Space::Shared},
        {SiteKind::Branch, Space::Global}, {SiteKind::Barrier, Space::Global}, {SiteKind::Load, Space::Shared},
        {SiteKind::Exit, Space::Global}};
    std::vector<trace::Site> all;
    for (uint32_t i = 0; i < kinds.size(); ++i) {
        trace::Site site;
        site.id = SiteId{i};
        site.kind = kinds[i].first;
        site.space = kinds[i].second;
        site.where = {SourceId{0}, i + 1, 1};
        site.type = i == Wide ? real4 : real;
        all.push_back(site);
    }
    return all;
}

std::vector<trace::Buffer> buffers()
{
    const trace::ValueType real{trace::ScalarKind::Float, 4, 1, "float"};
    std::vector<trace::Buffer> all(3);
    for (uint32_t i = 0; i < all.size(); ++i) {
        all[i].id = BufferId{i};
        all[i].element = real;
        all[i].dims = {kElements};
        all[i].bytes = kElements * 4;
    }
    all[In].deviceAddress = 0x700000000004;  // not where a sector begins
    all[Out].deviceAddress = 0x700000010000;
    all[Tile].space = Space::Shared;
    all[Tile].launch = LaunchId{0};
    all[Tile].sharedOffset = 64;
    return all;
}

/// Records blocks that do all kinds of things, evenly and unevenly.
class RandomBlocks {
public:
    RandomBlocks(trace::TraceWriter& writer, uint32_t seed) : m_writer(writer), m_seed(seed), m_random(seed)
    {
        const EventRun::Event first{SiteId{Sum}, EventRun::Kind::Access, 0, 0, 0, 0};
        const EventRun::Event second{SiteId{Sum}, EventRun::Kind::Access, 1, 0, 8, 0};
        m_run.events = {first, second};
        m_run.firstFrom = {0, 1};
    }

    void record()
    {
        m_writer.addSource("made_up.cu", "");
        const std::vector<trace::Site> all = sites();
        m_writer.addSites(all);
        for (const trace::Buffer& buffer : buffers())
            m_writer.putBuffer(buffer);
        trace::Launch launch;
        launch.id = LaunchId{0};
        launch.kernel = "made_up";
        launch.grid = {kBlocks, 1, 1};
        launch.block = {kThreads, 1, 1};
        m_writer.beginLaunch(launch);
        for (uint64_t block = 0; block < kBlocks; ++block)
            recordBlock(BlockIndex{kBlocks - 1 - block});
        launch.complete = true;
        m_writer.endLaunch(launch);
    }

private:
    uint32_t upTo(uint32_t most) { return static_cast<uint32_t>(m_random() % (most + 1)); }

    static LaneMask launched(uint16_t warp) { return warp + 1U == kWarps ? 0xffff : ~LaneMask{0}; }

    void recordBlock(BlockIndex block)
    {
        auto recorder = m_writer.beginBlock(LaunchId{0}, block);
        for (int i = 0; i < 200; ++i) {
            const auto warp = static_cast<uint16_t>(upTo(kWarps - 1));
            switch (upTo(7)) {
            case 0:
                sweep(*recorder, warp);
                break;
            case 1:
                scatter(*recorder, warp);
                break;
            case 2:
                if (m_seed % 2 == 0)  // else every access is in a run
                    mixed(*recorder, warp);
                break;
            case 3:
                runs(*recorder, warp);
                break;
            case 4:
                recorder->branch(SiteId{Branch}, warp, launched(warp), launched(warp) & LaneMask(m_random()));
                break;
            case 6:
                sweepTile(*recorder, warp);
                break;
            case 5:
                recorder->barrier(SiteId{Barrier}, warp, launched(warp));
                break;
            default:
                wide(*recorder, warp);
            }
        }
        for (uint16_t warp = 0; warp < kWarps; ++warp)
            recorder->mark(SiteId{Exit}, warp, launched(warp));
        m_writer.endBlock(std::move(recorder));
    }

    /// A loop over a buffer, of all lanes or some.
    void sweep(BlockRecorder& recorder, uint16_t warp)
    {
        const bool isShared = upTo(1) == 0;
        const SiteId site{isShared ? SharedLoad : GlobalLoad};
        const BufferId buffer{isShared ? Tile : In};
        const uint32_t step = 4 * upTo(3);
        const uint32_t advance = 4 * upTo(upTo(9) == 0 ? 400 : 40);  // now and then beyond the buffer's end
        const LaneMask mask = upTo(1) == 0 ? launched(warp) : launched(warp) & LaneMask(m_random());
        for (uint32_t i = 0; i < upTo(12); ++i) {
            EvenOffsets even{{i * advance, i * advance + 16 * step}, {step, step}};
            if (mask == ~LaneMask{0} && upTo(3) != 0) {
                recorder.accessEven(site, warp, buffer, even, nullptr, 4, 4);
                continue;
            }
            std::array<uint32_t, kWarpSize> offsets{};
            for (uint32_t lane = 0; lane < kWarpSize; ++lane)
                offsets[lane] = i * advance + lane * step;
            recorder.access(site, warp, mask, buffer, offsets.data(), nullptr, 4, 4);
        }
    }

    /// Rows of a tile that are not 16 lanes long.
    void sweepTile(BlockRecorder& recorder, uint16_t warp)
    {
        const uint32_t row = 3 + upTo(8), pitch = 4 * (20 + upTo(3)), advance = 4 * (upTo(2) == 0 ? row : upTo(20));
        const uint32_t begin = 4 * upTo(2);
        const LaneMask mask = upTo(1) == 0 ? launched(warp) : launched(warp) & LaneMask(m_random());
        for (uint32_t i = 0; i < upTo(12); ++i) {
            std::array<uint32_t, kWarpSize> offsets{};
            for (uint32_t lane = 0; lane < kWarpSize; ++lane)
                offsets[lane] = begin + i * advance + lane / row * pitch + lane % row * 4;
            recorder.access(SiteId{SharedLoad}, warp, mask, BufferId{Tile}, offsets.data(), nullptr, 4, 4);
            recorder.access(SiteId{GlobalLoad}, warp, mask, BufferId{In}, offsets.data(), nullptr, 4, 4);
        }
    }

    void scatter(BlockRecorder& recorder, uint16_t warp)
    {
        static constexpr std::array<uint32_t, kWarpSize> kValues{};
        std::array<uint32_t, kWarpSize> offsets{};
        for (uint32_t& offset : offsets)
            offset = 4 * upTo(kElements - 1);
        const LaneMask mask = launched(warp) & LaneMask(m_random());
        const SiteId site{std::array{GlobalStore, SharedStore, SharedAtomic}[upTo(2)]};
        recorder.access(site, warp, mask, BufferId{site == SiteId{GlobalStore} ? Out : Tile}, offsets.data(),
                        kValues.data(), 4, 4);
    }

    void mixed(BlockRecorder& recorder, uint16_t warp)
    {
        std::array<uint64_t, kWarpSize> offsets{};
        std::array<BufferId, kWarpSize> in{};
        for (size_t lane = 0; lane < kWarpSize; ++lane) {
            offsets[lane] = 4 * upTo(kElements - 1);
            in[lane] = upTo(9) == 0 ? kNoBuffer : BufferId{upTo(2)};
        }
        recorder.accessMixed(SiteId{GlobalLoad}, warp, launched(warp) & LaneMask(m_random()), in.data(), offsets.data(),
                             nullptr, 4, 4);
    }

    void runs(BlockRecorder& recorder, uint16_t warp)
    {
        if (launched(warp) != ~LaneMask{0})
            return;
        const uint32_t advance = 4 * upTo(8);
        for (uint32_t i = 0; i < 1 + upTo(5); ++i)
            recorder.run(m_run, warp,
                         EventRun::Places{EventRun::Place{BufferId{Tile}, {{i * advance, i * advance}, {0, 0}}},
                                          EventRun::Place{BufferId{Tile}, {{64 * i, 64 * i + 64}, {4, 4}}}});
    }

    void wide(BlockRecorder& recorder, uint16_t warp)
    {
        std::array<uint32_t, kWarpSize> offsets{};
        for (uint32_t lane = 0; lane < kWarpSize; ++lane)
            offsets[lane] = 16 * ((lane * 5) % 37);
        recorder.access(SiteId{Wide}, warp, launched(warp), BufferId{Tile}, offsets.data(), nullptr, 16, 16);
    }

    trace::TraceWriter& m_writer;
    uint32_t m_seed;
    std::mt19937 m_random;
    EventRun m_run;
};

std::unique_ptr<trace::TraceReader> opened(const std::string& path)
{
    auto reader = trace::TraceReader::open(path);
    if (!reader.ok())
        qFatal("%s", reader.error().text().c_str());
    return std::move(reader).value();
}

size_t talliedBlocks(trace::TraceReader& reader)
{
    size_t blocks = 0;
    if (!reader.visitTallies(LaunchId{0}, [&](const trace::BlockTally&) { ++blocks; }).ok())
        qFatal("tallies cannot be read");
    return blocks;
}

/// All that a line's numbers are.
std::array<uint64_t, 8> numbersOf(const LineMetrics& line)
{
    return {line.requests,   line.laneAccesses, line.sectors,   line.idealSectors,
            line.wavefronts, line.conflicts,    line.maxDegree, line.divergent};
}

using Requests =
    std::map<std::tuple<uint32_t, uint32_t, LaneMask, uint32_t, std::array<uint32_t, kWarpSize>>, uint64_t>;

Requests asMap(const SharedRequests& requests)
{
    Requests all;
    for (const SharedRequest& r : requests.patterns)
        all[{r.site.value, r.buffer.value, r.mask, r.bytes, r.offset}] += r.count;
    return all;
}

}  // namespace

class TestTalliedLaunch : public QObject {
    Q_OBJECT

    std::string path(const char* name) { return m_folder.filePath(name).toStdString(); }

    /// The same trace with its tallies and without.
    void write(uint32_t seed)
    {
        for (const char* name : {"with.lanes", "without.lanes"}) {
            QFile::remove(QString::fromStdString(path(name)));
            auto writer = trace::TraceWriter::create(path(name), test::syntheticSession(), {});
            QVERIFY(writer.ok());
            RandomBlocks(*writer.value(), seed).record();
            QVERIFY(writer.value()->finish(trace::ProgramEnd::exited(0), {}).ok());
        }
        test::runSql(path("without.lanes"), "DELETE FROM tallies");
    }

    QTemporaryDir m_folder;

private slots:
    void talliesAgreeWithEvents_data()
    {
        QTest::addColumn<uint32_t>("seed");
        for (uint32_t seed = 1; seed <= 8; ++seed)
            QTest::addRow("seed %u", seed) << seed;
    }
    void talliesAgreeWithEvents()
    {
        QFETCH(uint32_t, seed);
        write(seed);
        const auto with = opened(path("with.lanes"));
        const auto without = opened(path("without.lanes"));
        QCOMPARE(talliedBlocks(*with), size_t{kBlocks});
        QCOMPARE(talliedBlocks(*without), size_t{0});

        const LaunchMetrics a = measureLaunch(*with, LaunchId{0}).value();
        const LaunchMetrics b = measureLaunch(*without, LaunchId{0}).value();
        QCOMPARE(a.accesses, b.accesses);
        QCOMPARE(a.laneAccesses, b.laneAccesses);
        QCOMPARE(a.globalBytes, b.globalBytes);
        QCOMPARE(a.sharedBytes, b.sharedBytes);
        QCOMPARE(a.barriers, b.barriers);
        QCOMPARE(a.divergentBranches, b.divergentBranches);
        QCOMPARE(a.lines.size(), b.lines.size());
        for (size_t i = 0; i < a.lines.size(); ++i) {
            QCOMPARE(a.lines[i].site, b.lines[i].site);
            QCOMPARE(a.lines[i].space, b.lines[i].space);
            QCOMPARE(numbersOf(a.lines[i]), numbersOf(b.lines[i]));
        }
        QCOMPARE(numbersOf(a.branches.at(0)), numbersOf(b.branches.at(0)));

        QVERIFY(asMap(collectSharedRequests(*with, LaunchId{0}).value()) ==
                asMap(collectSharedRequests(*without, LaunchId{0}).value()));

        const Footprint here = launchFootprint(*with, LaunchId{0}, buffers()).value();
        const Footprint there = launchFootprint(*without, LaunchId{0}, buffers()).value();
        QCOMPARE(here.size(), there.size());
        for (const trace::Buffer& buffer : buffers()) {
            if (!here.contains(buffer.id))
                continue;
            const BufferUse& use = here.at(buffer.id);
            for (uint64_t cell = 0; cell < buffer.bytes / buffer.element.totalBytes(); ++cell)
                QVERIFY(use.at(cell) == there.at(buffer.id).at(cell));
            QCOMPARE(use.mostAccesses(), there.at(buffer.id).mostAccesses());
            QCOMPARE(use.touchers, there.at(buffer.id).touchers);
        }
    }

    void tiledMatmulIsAllRuns_data()
    {
        QTest::addColumn<uint32_t>("tile");
        QTest::newRow("halves of warps are rows") << 16U;
        QTest::newRow("a warp is four rows") << 8U;
    }
    void tiledMatmulIsAllRuns()
    {
        QFETCH(uint32_t, tile);
        const std::string file = path("matmul.lanes");
        QVERIFY(test::writeSyntheticTrace(file, {.size = 64, .tile = tile}).ok());
        size_t runs = 0;
        QVERIFY(opened(file)
                    ->visitTallies(LaunchId{0},
                                   [&](const trace::BlockTally& tally) {
                                       QVERIFY(tally.hasEveryPlace(Space::Global) &&
                                               tally.hasEveryPlace(Space::Shared));
                                       for (const trace::SiteTally& site : tally.sites)
                                           runs += site.runs.size();
                                   })
                    .ok());
        // Of each warp: two loads of global memory and one store, two stores and two loads of shared memory.
        QCOMPARE(runs, size_t{64} * 64 / kWarpSize * 7);
    }

    void blocksThatDoTheSameElsewhereAreToldByTheFirst()
    {
        const std::vector<trace::SiteFacts> facts(3, {SiteKind::Load, Space::Global, 4});
        const std::vector<trace::BufferPlace> places(1, {Space::Global, 0});
        // By how much each block's accesses of the second site are on; those of the first are on twice as much, a
        // border does without the third site.
        const std::vector<std::pair<uint32_t, bool>> blocks{
            {0, false}, {128, false}, {256, false}, {384, true}, {512, false}, {640U - 4096, false}, {768, false}};
        trace::TallyCollector collector;
        trace::ByteColumn bytes;
        std::vector<size_t> sizes;
        for (size_t block = 0; block < blocks.size(); ++block) {
            const auto [move, isBorder] = blocks[block];
            const size_t before = bytes.size();
            collector.begin(64, facts, places);
            for (uint16_t warp = 0; warp < 2; ++warp)
                for (uint32_t site = 0; site < (isBorder ? 2 : 3); ++site)
                    for (uint32_t time = 0; time < 5; ++time) {
                        const uint32_t at = move * (2 - std::min(site, 1U)) + 256 * time + 4096 * warp;
                        collector.step(SiteKind::Load, warp, kAllLanes);
                        collector.accessEven(SiteId{site}, warp, BufferId{0}, {{at, at + 64}, {4, 4}}, 4);
                    }
            collector.finish(BlockIndex{block}, bytes);
            sizes.push_back(bytes.size() - before);
        }
        for (const size_t block : {1, 2, 5, 6})
            QVERIFY2(sizes[block] * 3 < sizes[0], qPrintable(QString::number(sizes[block])));
        QVERIFY(sizes[4] >= sizes[0]);  // the border came between

        trace::TallyDecoder decoder(bytes.bytes(), trace::TallyDecoder::Form::Advancing, facts.size(), 1, 2);
        trace::BlockTally tally;
        for (size_t block = 0; block < blocks.size(); ++block) {
            const auto [move, isBorder] = blocks[block];
            QVERIFY2(decoder.next(tally), decoder.failure().c_str());
            QCOMPARE(tally.block, BlockIndex{block});
            QCOMPARE(tally.sites.size(), size_t{isBorder ? 4U : 6U});
            for (const trace::SiteTally& site : tally.sites) {
                QCOMPARE(site.runs.size(), size_t{1});
                const trace::AccessRun& run = site.runs.front();
                QCOMPARE(run.count, 5U);
                QCOMPARE(run.advance, 256U);
                for (uint32_t lane = 0; lane < kWarpSize; ++lane)
                    QCOMPARE(run.offset[lane],
                             move * (2 - std::min(site.site.value, 1U)) + 4096 * site.warp + 4 * lane);
            }
        }
        QVERIFY(!decoder.next(tally));
        QCOMPARE(decoder.failure(), std::string());
    }

    void moreAccessesThanStepsAreRefused()
    {
        trace::BlockTally tally;
        tally.sites.resize(1);
        tally.sites[0].runs.resize(2);
        tally.sites[0].runs[0] = {BufferId{0}, 1, 4, {}, 4, 3, 2};
        tally.sites[0].runs[1] = {BufferId{0}, 1, 4, {}, 4, 4, 1};
        QVERIFY(tally.isOf(10));
        QVERIFY(!tally.isOf(9));
        tally.sites[0].runs[1].times = UINT64_MAX;
        QVERIFY(!tally.isOf(UINT64_MAX));
    }

    void damageIsNamed()
    {
        write(1);
        const std::string file = path("with.lanes");
        test::runSql(file, "UPDATE tallies SET data = zeroblob(20)");
        const Result<LaunchMetrics> metrics = measureLaunch(*opened(file), LaunchId{0});
        QVERIFY(!metrics.ok());
        QVERIFY(QString::fromStdString(metrics.error().text()).contains("launch 0: tallies: checksum"));
    }

    void damagedBytesAreRefusedOrHarmless()
    {
        const std::vector<trace::SiteFacts> facts(4, {SiteKind::Load, Space::Shared, 4});
        const std::vector<trace::BufferPlace> places(3, {Space::Shared, 0});
        trace::TallyCollector collector;
        trace::ByteColumn bytes;
        for (uint64_t block = 0; block < 3; ++block) {
            collector.begin(64, facts, places);
            for (uint32_t i = 0; i < 40; ++i) {
                collector.step(SiteKind::Load, 0, ~LaneMask{0});
                collector.accessEven(SiteId{i % 4}, i % 2, BufferId{i % 3}, {{4 * i, 4 * i + 64}, {4, 4}}, 4);
            }
            collector.finish(BlockIndex{block}, bytes);
        }
        const std::vector<uint8_t> whole(bytes.data(), bytes.data() + bytes.size());
        constexpr size_t kKnown = 3;
        std::mt19937 random(1);
        size_t refused = 0;
        for (int round = 0; round < 4000; ++round) {
            std::vector<uint8_t> damaged = whole;
            for (int i = 0; i < 3; ++i)
                damaged[random() % damaged.size()] = static_cast<uint8_t>(random());
            damaged.resize(round % 4 == 0 ? random() % damaged.size() : damaged.size());
            trace::TallyDecoder decoder(damaged, trace::TallyDecoder::Form::Moved, facts.size(), kKnown, 2);
            trace::BlockTally tally;
            while (decoder.next(tally))
                for (const trace::SiteTally& site : tally.sites) {
                    QVERIFY(site.site.value < facts.size());
                    QVERIFY(site.warp < 2);
                    for (const trace::AccessRun& run : site.runs)
                        QVERIFY(run.buffer.value < kKnown);
                }
            refused += decoder.failure().empty() ? 0 : 1;
        }
        QVERIFY(refused > 500);
    }
};

QTEST_APPLESS_MAIN(TestTalliedLaunch)
#include "tst_tallied_launch.moc"
