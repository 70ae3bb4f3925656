// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What goes in through TraceWriter comes out of TraceReader.
#include <bit>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <random>

#include <QTemporaryDir>
#include <QTest>

#include "core/trace/predictor.h"
#include "core/trace/reader.h"
#include "tests/support/synthetic_trace.h"

using namespace lanescope;
using namespace lanescope::trace;
using lanescope::test::SyntheticMatmul;

namespace {

constexpr uint32_t kBuffers = 3;  // global, shared, local
constexpr uint32_t kWarps = 4;

/// One event as handed to a recorder, kept to compare with what is read.
struct Given {
    Event event;
    bool mixed = false;
};

/// Makes events of every kind, width, mask and address pattern.
class EventMaker {
public:
    explicit EventMaker(uint64_t seed) : m_random(seed) {}

    static std::vector<Site> sites()
    {
        std::vector<Site> sites;
        for (const SiteKind kind : {SiteKind::Load, SiteKind::Store, SiteKind::Atomic, SiteKind::VariableWrite,
                                    SiteKind::Branch, SiteKind::Barrier, SiteKind::Exit, SiteKind::Call,
                                    SiteKind::Return, SiteKind::Load, SiteKind::Store, SiteKind::VariableWrite}) {
            Site site;
            site.id = SiteId{static_cast<uint32_t>(sites.size())};
            site.kind = kind;
            if (kind == SiteKind::VariableWrite)
                site.variable = VariableId{0};
            sites.push_back(site);
        }
        return sites;
    }

    Given next(BlockRecorder& recorder)
    {
        static const std::vector<Site> all = sites();
        Given given;
        Event& e = given.event;
        // Runs of the same site are usual, and what the predictor is for.
        if (pick(4) == 0)
            m_site = pick(static_cast<uint32_t>(all.size()));
        e.site = SiteId{m_site};
        e.kind = all[m_site].kind;
        e.warp = static_cast<uint16_t>(pick(kWarps));
        e.mask = pick(3) == 0 ? static_cast<LaneMask>(m_random()) : pick(20) == 0 ? 0 : m_mask;
        if (pick(50) == 0)
            m_mask = static_cast<LaneMask>(m_random());
        switch (e.kind) {
        case SiteKind::Load:
        case SiteKind::Store:
        case SiteKind::Atomic:
            giveAccess(given, recorder);
            break;
        case SiteKind::VariableWrite:
            giveVariable(e, recorder);
            break;
        case SiteKind::Branch:
            e.taken = pick(3) == 0 ? static_cast<LaneMask>(m_random()) & e.mask : pick(2) == 0 ? e.mask : 0;
            recorder.branch(e.site, e.warp, e.mask, e.taken);
            break;
        case SiteKind::Barrier:
            recorder.barrier(e.site, e.warp, e.mask);
            break;
        default:
            recorder.mark(e.site, e.warp, e.mask);
        }
        return given;
    }

private:
    uint32_t pick(uint32_t below) { return static_cast<uint32_t>(m_random() % below); }

    /// Lanes' values; \p stride bytes apart in m_memory.
    const void* giveValues(Event& e, uint8_t& stride)
    {
        constexpr uint8_t kWidths[] = {1, 2, 4, 4, 4, 8, 16};
        e.valueBytes = kWidths[pick(sizeof kWidths)];
        e.valuesKnown = true;
        stride = pick(2) == 0 ? e.valueBytes : uint8_t{16};
        const uint32_t pattern = pick(6);
        const uint64_t base = m_random();
        const uint64_t step = pattern == 1 ? 1 : pattern == 2 ? m_random() % 1000 : m_random();
        for (size_t lane = 0; lane < 32; ++lane) {
            uint64_t words[2] = {0, 0};
            words[0] = pattern == 0 ? base : pattern < 4 ? base + step * (pick(40) == 0 ? lane + 1 : lane) : m_random();
            words[1] = e.valueBytes == 16 ? m_random() : 0;
            if (pattern == 5 && lane > 0 && e.valueBytes <= 8)
                words[0] = static_cast<uint64_t>(lane / 8) * 3;
            std::memcpy(e.value[lane].data(), words, e.valueBytes);
            std::memcpy(m_memory + lane * stride, words, e.valueBytes);
        }
        if (pick(5) == 0) {
            e.value = m_lastValues[e.warp].value;
            e.valueBytes = m_lastValues[e.warp].valueBytes;
            if (e.valueBytes == 0)
                e.valueBytes = 4;
            stride = 16;
            for (size_t lane = 0; lane < 32; ++lane)
                std::memcpy(m_memory + lane * stride, e.value[lane].data(), e.valueBytes);
        }
        m_lastValues[e.warp].value = e.value;
        m_lastValues[e.warp].valueBytes = e.valueBytes;
        return m_memory;
    }

    void giveAccess(Given& given, BlockRecorder& recorder)
    {
        Event& e = given.event;
        uint8_t stride = 0;
        const void* values = pick(3) == 0 ? nullptr : giveValues(e, stride);
        const uint32_t pattern = pick(8);
        given.mixed = pattern == 7;
        e.buffer = BufferId{pick(kBuffers)};
        const uint64_t base = pick(1 << 20);
        const uint32_t step = pick(3) == 0 ? pick(4096) : 4;
        uint32_t offsets[32];
        BufferId buffers[32];
        uint64_t wide[32];
        for (uint32_t lane = 0; lane < 32; ++lane) {
            e.offset[lane] = static_cast<uint32_t>(pattern == 6 ? m_random() : base + uint64_t{step} * lane);
            if (pattern == 5)
                e.offset[lane] = static_cast<uint32_t>(base + lane / 16 * 256);
            buffers[lane] = pick(4) == 0 ? kNoBuffer : BufferId{pick(kBuffers)};
            if (given.mixed && buffers[lane] == kNoBuffer)
                e.offset[lane] = m_random();
            offsets[lane] = static_cast<uint32_t>(e.offset[lane]);
            wide[lane] = e.offset[lane];
        }
        if (pattern == 4) {
            giveEven(e, recorder, values, stride);
        } else if (given.mixed) {
            e.laneBuffer.assign(buffers, buffers + 32);
            recorder.accessMixed(e.site, e.warp, e.mask, buffers, wide, values, e.valueBytes, stride);
        } else {
            recorder.access(e.site, e.warp, e.mask, e.buffer, offsets, values, e.valueBytes, stride);
        }
        if (values == nullptr)
            e.valueBytes = 0;
    }

    /// At the same distances most of the time, and often where the site's last access would have gone on.
    void giveEven(Event& e, BlockRecorder& recorder, const void* values, uint8_t stride)
    {
        if (pick(4) == 0)
            m_even = {{pick(1 << 20), pick(1 << 20)}, {4 * pick(3), pick(4096)}};
        else if (pick(2) == 0)
            m_even.first = {m_even.first[0] + 64, m_even.first[1] + 64};
        e.mask = kAllLanes;
        for (uint32_t lane = 0; lane < 32; ++lane)
            e.offset[lane] = m_even.first[lane / 16] + m_even.step[lane / 16] * (lane % 16);
        recorder.accessEven(e.site, e.warp, e.buffer, m_even, values, e.valueBytes, stride);
    }

    void giveVariable(Event& e, BlockRecorder& recorder)
    {
        uint8_t stride = 0;
        const void* values = giveValues(e, stride);
        if (pick(2) == 0) {
            for (auto& value : e.value)
                value = e.value[0];
            recorder.variableWriteUniform(e.site, e.warp, e.mask, values, e.valueBytes);
        } else {
            recorder.variableWrite(e.site, e.warp, e.mask, values, e.valueBytes, stride);
        }
    }

    std::mt19937_64 m_random;
    uint32_t m_site = 0;
    LaneMask m_mask = kAllLanes;
    EvenOffsets m_even;
    alignas(16) uint8_t m_memory[32 * 16] = {};
    Event m_lastValues[kWarps];
};

bool sameLanes(const Event& found, const Event& given, bool values)
{
    for (LaneMask rest = given.mask; rest != 0; rest &= rest - 1) {
        const int lane = std::countr_zero(rest);
        const auto at = static_cast<size_t>(lane);
        if (given.isAccess() && (found.bufferOf(lane) != given.bufferOf(lane) || found.offset[at] != given.offset[at]))
            return false;
        if (values && std::memcmp(found.value[at].data(), given.value[at].data(), given.valueBytes) != 0)
            return false;
    }
    return true;
}

/// Empty when they are the same.
QString difference(const Event& found, const Event& given, Detail detail)
{
    if (found.site != given.site || found.warp != given.warp || found.kind != given.kind)
        return QString("site %1, expected %2").arg(found.site.value).arg(given.site.value);
    if (found.mask != given.mask || found.taken != given.taken)
        return QString("mask %1, expected %2").arg(found.mask, 0, 16).arg(given.mask, 0, 16);
    const bool values = given.valuesKnown && given.mask != 0;
    if (values && (found.valueBytes != given.valueBytes || found.valuesKnown != (detail == Detail::Everything)))
        return QString("%1 value bytes, expected %2").arg(found.valueBytes).arg(given.valueBytes);
    if (!values && found.valuesKnown)
        return "values, expected none";
    if (detail != Detail::Headers && !sameLanes(found, given, values && detail == Detail::Everything))
        return "other lanes";
    return {};
}

}  // namespace

class TestTraceWriter : public QObject {
    Q_OBJECT

    std::string newPath() { return m_folder.filePath(QString("%1.lanes").arg(m_files++)).toStdString(); }
    static std::unique_ptr<TraceReader> read(const std::string& path)
    {
        auto reader = TraceReader::open(path);
        if (!reader.ok())
            qFatal("%s", reader.error().text().c_str());
        return std::move(reader).value();
    }

    static void putBuffers(TraceWriter& writer)
    {
        for (uint32_t i = 0; i < kBuffers; ++i) {
            Buffer buffer;
            buffer.id = BufferId{i};
            buffer.space = std::array{Space::Global, Space::Shared, Space::Local}[i];
            buffer.bytes = 1 << 20;
            writer.putBuffer(buffer);
        }
    }

    QTemporaryDir m_folder;
    int m_files = 0;

private slots:
    void everyKindOfEventReadsBack_data()
    {
        QTest::addColumn<int>("events");
        QTest::addColumn<int>("seed");
        QTest::newRow("none") << 0 << 1;
        QTest::newRow("one") << 1 << 2;
        QTest::newRow("a few") << 100 << 3;
        QTest::newRow("a full chunk") << int(kChunkEvents) << 4;
        QTest::newRow("many chunks") << 5 * int(kChunkEvents) << 5;
    }
    void everyKindOfEventReadsBack()
    {
        QFETCH(int, events);
        QFETCH(int, seed);
        const std::string path = newPath();
        std::vector<Given> given;
        {
            auto writer = TraceWriter::create(path, {}, {});
            QVERIFY(writer.ok());
            TraceWriter& w = *writer.value();
            w.addSites(EventMaker::sites());
            const Variable variable{VariableId{0}, "v", "f", {}, {}, 0, 0, false};
            w.addVariables({&variable, 1});
            putBuffers(w);
            Launch launch;
            launch.block = {128, 1, 1};
            w.beginLaunch(launch);
            auto recorder = w.beginBlock(LaunchId{0}, BlockIndex{0});
            EventMaker maker(static_cast<uint64_t>(seed));
            for (int i = 0; i < events; ++i) {
                QCOMPARE(recorder->steps(), static_cast<StepIndex>(i));
                given.push_back(maker.next(*recorder));
            }
            w.endBlock(std::move(recorder));
            launch.complete = true;
            w.endLaunch(launch);
            const Result<void> done = w.finish(ProgramEnd::exited(0), {});
            QVERIFY2(done.ok(), done.ok() ? "" : done.error().text().c_str());
        }
        const auto reader = read(path);
        QCOMPARE(reader->stepCount(LaunchId{0}, BlockIndex{0}).value(), given.size());
        QVERIFY(reader->blockComplete(LaunchId{0}, BlockIndex{0}).value());
        for (StepIndex step = 0; step < given.size();) {
            const auto chunk = reader->chunkAt(LaunchId{0}, BlockIndex{0}, step);
            QVERIFY2(chunk.ok(), chunk.ok() ? "" : chunk.error().text().c_str());
            QCOMPARE(chunk.value().firstStep, step);
            for (const Event& event : chunk.value().events) {
                const QString wrong = difference(event, given[step].event, Detail::Everything);
                QVERIFY2(wrong.isEmpty(), qPrintable(QString("step %1: %2").arg(step).arg(wrong)));
                ++step;
            }
        }
        for (const Detail detail : {Detail::Headers, Detail::Places, Detail::Everything}) {
            StepIndex expected = given.size() / 3;
            const auto visited = reader->visit(LaunchId{0}, BlockIndex{0}, expected, UINT64_MAX, detail,
                                               [&](StepIndex step, const Event& event) {
                                                   if (step != expected)
                                                       return false;
                                                   const QString wrong = difference(event, given[step].event, detail);
                                                   if (!wrong.isEmpty())
                                                       qWarning() << step << wrong;
                                                   expected += wrong.isEmpty() ? 1 : 0;
                                                   return wrong.isEmpty();
                                               });
            QVERIFY(visited.ok());
            QCOMPARE(expected, given.size());
        }
        compareGlobalWrites(*reader, given);
    }

    /// What a producer knows as one buffer reads back as accesses of its parts.
    void dividedBuffersReadBackAsTheirParts()
    {
        const std::string path = newPath();
        auto writer = TraceWriter::create(path, {}, {});
        QVERIFY(writer.ok());
        TraceWriter& w = *writer.value();
        Site store, load;
        store.kind = SiteKind::Store;
        store.instruction = "cp.async.bulk";
        load.id = SiteId{1};
        load.kind = SiteKind::Load;
        w.addSites(std::array{store, load});
        std::array<Buffer, 2> parts;
        for (uint32_t i = 0; i < 2; ++i) {
            parts[i].id = BufferId{i};
            parts[i].space = Space::Shared;
            parts[i].launch = LaunchId{0};
            parts[i].bytes = 64;
            parts[i].sharedOffset = 256 + 64 * i;
            w.putBuffer(parts[i]);
        }
        Launch launch;
        launch.block = {32, 1, 1};
        w.beginLaunch(launch);
        w.divide(BufferId{0}, parts);
        auto recorder = w.beginBlock(LaunchId{0}, BlockIndex{0});
        std::array<uint32_t, kWarpSize> offsets{}, values{};
        for (uint32_t lane = 0; lane < kWarpSize; ++lane) {
            offsets[lane] = lane * 4;
            values[lane] = 100 + lane;
        }
        recorder->access(SiteId{0}, 0, kAllLanes, BufferId{0}, offsets.data(), values.data(), 4, 4);
        recorder->accessEven(SiteId{1}, 0, BufferId{0}, {{64, 64}, {0, 0}}, nullptr, 0, 0);
        // Eight bytes over the end of the first part: four in each.
        offsets[0] = 60;
        const uint64_t wide = 0x2222222211111111;
        recorder->access(SiteId{0}, 0, 1, BufferId{0}, offsets.data(), &wide, 8, 8);
        w.endBlock(std::move(recorder));
        w.endLaunch(launch);
        QVERIFY(w.finish(ProgramEnd::exited(0), {}).ok());

        const auto reader = read(path);
        QCOMPARE(reader->catalog().sites[0].instruction, std::string("cp.async.bulk"));
        const Chunk chunk = reader->chunkAt(LaunchId{0}, BlockIndex{0}, 0).value();
        QCOMPARE(chunk.events.size(), size_t{4});
        for (int lane = 0; lane < 32; ++lane) {
            QCOMPARE(chunk.events[0].bufferOf(lane), BufferId{lane < 16 ? 0U : 1U});
            QCOMPARE(chunk.events[0].offset[static_cast<size_t>(lane)], static_cast<uint64_t>(lane % 16 * 4));
        }
        QCOMPARE(chunk.events[1].buffer, BufferId{1});
        QCOMPARE(chunk.events[1].offset[31], uint64_t{0});
        for (uint32_t half = 0; half < 2; ++half) {
            const Event& event = chunk.events[2 + half];
            QCOMPARE(event.bufferOf(0), BufferId{half});
            QCOMPARE(event.offset[0], half == 0 ? uint64_t{60} : uint64_t{0});
            QCOMPARE(event.valueBytes, uint8_t{4});
            QCOMPARE(event.value[0][0], half == 0 ? uint8_t{0x11} : uint8_t{0x22});
        }
    }

    void runsReadBackAsTheirEvents()
    {
        using Kind = EventRun::Kind;
        EventRun run;
        std::vector<Site> sites;
        const auto add = [&](SiteKind kind, EventRun::Event event) {
            event.site = SiteId{static_cast<uint32_t>(sites.size())};
            Site site;
            site.id = event.site;
            site.kind = kind;
            site.type = {ScalarKind::Float, 4, 1, "float"};
            if (kind == SiteKind::VariableWrite)
                site.variable = VariableId{0};
            sites.push_back(site);
            run.events.push_back(event);
        };
        for (uint32_t i = 0; i < 5; ++i) {
            add(SiteKind::Load, {.place = 0, .offset = 4 * i});
            add(SiteKind::Load, {.place = 1, .offset = 64 * i});
            add(SiteKind::VariableWrite, {.kind = Kind::DerivedWrite});
            add(SiteKind::VariableWrite, {.kind = Kind::ConstantWrite, .valueBytes = 4, .value = i + 1});
        }
        run.firstFrom = {0, 1};

        const std::string path = newPath();
        std::vector<Event> given;
        {
            auto writer = TraceWriter::create(path, {}, {});
            QVERIFY(writer.ok());
            TraceWriter& w = *writer.value();
            w.addSites(sites);
            const Variable variable{VariableId{0}, "v", "f", {}, {}, 0, 0, false};
            w.addVariables({&variable, 1});
            putBuffers(w);
            Launch launch;
            launch.block = {128, 1, 1};
            w.beginLaunch(launch);
            auto recorder = w.beginBlock(LaunchId{0}, BlockIndex{0});
            std::mt19937 random(9);
            const auto often = [&](unsigned n) { return random() % n != 0; };
            EventRun::Places places{{{BufferId{1}, {{0, 64}, {0, 0}}}, {BufferId{2}, {{0, 0}, {4, 4}}}}};
            std::array<uint32_t, kWarps> column{};
            while (given.size() < 3 * size_t{kChunkEvents}) {
                const auto warp = static_cast<uint16_t>(random() % kWarps);
                EventRun::Places now = places;
                if (!often(6))
                    column[warp] += 4;
                now[0].offsets.first[0] += 128 * warp + column[warp];
                now[0].offsets.first[1] += 128 * warp + column[warp];
                if (!often(10))
                    now[1].buffer = BufferId{0};
                if (!often(20))
                    places[1].offsets.step = {static_cast<uint32_t>(random() % 8), 4};
                // Somebody runs a part of it otherwise, now and then: the last events, with fewer lanes.
                const bool isPart = !often(8);
                const LaneMask mask = isPart && !often(2) ? 0xffff : kAllLanes;
                for (size_t i = isPart ? random() % run.events.size() : 0; i < run.events.size(); ++i) {
                    const EventRun::Event& of = run.events[i];
                    Event e;
                    e.site = of.site;
                    e.kind = sites[of.site.value].kind;
                    e.warp = warp;
                    e.mask = mask;
                    uint32_t offsets[kWarpSize] = {};
                    if (of.kind == Kind::Access) {
                        const EvenOffsets& even = now[of.place].offsets;
                        e.buffer = now[of.place].buffer;
                        for (uint32_t lane = 0; lane < kWarpSize; ++lane)
                            e.offset[lane] = offsets[lane] =
                                even.first[lane / 16] + even.step[lane / 16] * (lane % 16) + of.offset;
                        if (isPart)
                            recorder->access(of.site, warp, mask, e.buffer, offsets, nullptr, 4, 4);
                    } else if (of.kind == Kind::ConstantWrite) {
                        e.valueBytes = 4;
                        e.valuesKnown = true;
                        for (auto& value : e.value)
                            std::memcpy(value.data(), &of.value, 4);
                        if (isPart)
                            recorder->variableWriteUniform(of.site, warp, mask, &of.value, 4);
                    } else if (isPart) {
                        recorder->variableWrite(of.site, warp, mask, nullptr, 0, 0);
                    }
                    given.push_back(e);
                }
                if (!isPart)
                    recorder->run(run, warp, now);
                QCOMPARE(recorder->steps(), given.size());
            }
            w.endBlock(std::move(recorder));
            launch.complete = true;
            w.endLaunch(launch);
            QVERIFY(w.finish(ProgramEnd::exited(0), {}).ok());
        }
        const auto reader = read(path);
        StepIndex step = 0;
        const auto visited = reader->visit(LaunchId{0}, BlockIndex{0}, 0, UINT64_MAX, Detail::Everything,
                                           [&](StepIndex, const Event& event) {
                                               const QString wrong = difference(event, given[step], Detail::Everything);
                                               if (!wrong.isEmpty())
                                                   qWarning() << step << wrong;
                                               ++step;
                                               return wrong.isEmpty();
                                           });
        QVERIFY(visited.ok());
        QCOMPARE(step, given.size());
    }

    void compareGlobalWrites(TraceReader& reader, const std::vector<Given>& given)
    {
        StepIndex at = 0;
        const auto nextWrite = [&] {
            const auto writesBuffer = [](const Event& e) {
                for (LaneMask rest = e.mask; rest != 0; rest &= rest - 1)
                    if (e.bufferOf(std::countr_zero(rest)) == BufferId{0})
                        return true;
                return false;
            };
            for (; at < given.size(); ++at) {
                const Event& e = given[at].event;
                if ((e.kind == SiteKind::Store || e.kind == SiteKind::Atomic) && e.valuesKnown && writesBuffer(e))
                    return;
            }
        };
        nextWrite();
        const auto visited =
            reader.visitGlobalWrites(LaunchId{0}, [&](BlockIndex block, StepIndex step, const Event& found) {
                QCOMPARE(block, BlockIndex{0});
                QVERIFY(at < given.size());
                QCOMPARE(step, at);
                const Event& e = given[at].event;
                for (LaneMask rest = e.mask; rest != 0; rest &= rest - 1) {
                    const int lane = std::countr_zero(rest);
                    if (e.bufferOf(lane) != BufferId{0})
                        continue;
                    const auto i = static_cast<size_t>(lane);
                    QVERIFY((found.mask >> lane) & 1);
                    QCOMPARE(found.bufferOf(lane), BufferId{0});
                    QCOMPARE(found.offset[i], e.offset[i]);
                    QCOMPARE(found.valueBytes, e.valueBytes);
                    QVERIFY(std::memcmp(found.value[i].data(), e.value[i].data(), e.valueBytes) == 0);
                }
                ++at;
                nextWrite();
            });
        QVERIFY(visited.ok());
        QCOMPARE(at, StepIndex{given.size()});
    }

    void aSourceIsStoredOnce()
    {
        const std::string path = newPath();
        auto writer = TraceWriter::create(path, test::syntheticSession(), {});
        QVERIFY(writer.ok());
        const SourceId first = writer.value()->addSource("k.cu", "text");
        QCOMPARE(writer.value()->addSource("k.cu", "text"), first);
        QVERIFY(writer.value()->addSource("k.cu", "changed since") != first);
        QVERIFY(writer.value()->finish(ProgramEnd::exited(0), {}).ok());
        const auto reader = TraceReader::open(path);
        QVERIFY(reader.ok());
        QCOMPARE(reader.value()->catalog().sources.size(), size_t{2});
    }

    void tablesReadBack()
    {
        const std::string path = newPath();
        SessionInfo session = test::syntheticSession();
        session.mode = "as-compiled";
        session.schedule = "random:7";
        session.device = "NVIDIA H200";
        session.properties = {90, 132, 1'980'000, 3'201'000, 6144};
        Launch launch;
        Buffer buffer;
        Finding finding;
        {
            auto writer = TraceWriter::create(path, session, {});
            QVERIFY(writer.ok());
            TraceWriter& w = *writer.value();
            const SourceId source = w.addSource("a dir/k.cu", "line 1\nl\xedne 2\n");
            Variable variable{VariableId{0},  "x", "f<int>", {ScalarKind::Float, 4, 4, "float4"},
                              {source, 3, 4}, 2,   9,        true};
            w.addVariables({&variable, 1});
            Site site{SiteId{0},
                      SiteKind::Atomic,
                      {source, 5, 6},
                      "s[i]",
                      "f",
                      Space::Shared,
                      {ScalarKind::Unsigned, 8, 1, "unsigned long"},
                      VariableId{0},
                      {{DerivationStep::Op::Variable, 32, 0},
                       {DerivationStep::Op::Constant, 32, 7},
                       {DerivationStep::Op::Add, 32}}};
            w.addSites({&site, 1});
            launch.kernel = "f";
            launch.where = {source, 1, 2};
            launch.grid = {5, 6, 7};
            launch.block = {8, 4, 2};
            launch.dynamicSharedBytes = 99;
            launch.arguments = {{"p", "float *", "\"quoted\" \xff", BufferId{0}}, {"n", "int", "9", {}}};
            w.beginLaunch(launch);
            buffer.name = "p";
            buffer.element = {ScalarKind::Signed, 2, 1, "short"};
            buffer.dims = {3, 4, 5};
            buffer.bytes = 120;
            buffer.deviceAddress = 0xffff800000001000ULL;
            buffer.allocatedAt = "cudaMalloc #1";
            w.putBuffer(buffer);
            buffer.name = "renamed";
            w.putBuffer(buffer);
            launch.complete = true;
            launch.warpInstructions = 12345;
            w.endLaunch(launch);
            finding = {FindingKind::SharedRace,
                       Severity::Error,
                       "m",
                       1,
                       "f",
                       LaunchId{0},
                       "s",
                       {1, -2},
                       {{{source, 5, 6}, "s[i]", "read", {1, 2, 3}, {4, 5, 6}, 7, 8}},
                       {{"smallest", {3}, {{{source, 5, 6}, "s[i]", "read", {0, 0, 0}, {1, 0, 0}, 7, 9}}},
                        {"typical", {4}, {{{source, 5, 6}, "s[i]", "read", {0, 0, 0}, {2, 0, 0}, 7, 10}}}},
                       {{{source, 9, 2}, "sum(s)", "call", {1, 2, 3}, {4, 5, 6}, 7, 8}},
                       "help of its own",
                       {{"degree", 32}}};
            w.putFinding(0, finding);
            finding.count = 12;
            w.putFinding(0, finding);
            w.addOutput(false, "hello ");
            w.addOutput(true, "world\n");
            QVERIFY(w.finish(ProgramEnd::exited(3), StopReason::of("step-limit: 100")).ok());
            QVERIFY(w.finish(ProgramEnd::exited(4), StopReason::of("again")).ok());
        }
        QVERIFY(!std::filesystem::exists(path + "-journal") && !std::filesystem::exists(path + "-wal"));
        const auto reader = read(path);
        const Catalog& c = reader->catalog();
        QCOMPARE(c.session.schedule, std::string("random:7"));
        QCOMPARE(c.session.mode, std::string("as-compiled"));
        QVERIFY(c.session.finished);
        QVERIFY(c.session.programEnd == ProgramEnd::exited(3));
        QCOMPARE(c.session.stopReason.text(), std::string("step-limit: 100"));
        QCOMPARE(c.sources[0].text, std::string("line 1\nl\xedne 2\n"));
        QCOMPARE(c.variables[0].type.components, 4U);
        QCOMPARE(c.variables[0].declared.column, 4U);
        QVERIFY(c.variables[0].isParameter);
        QCOMPARE(c.sites[0].kind, SiteKind::Atomic);
        QCOMPARE(c.sites[0].space, Space::Shared);
        QCOMPARE(c.sites[0].type.name, std::string("unsigned long"));
        QCOMPARE(c.sites[0].variable, std::optional<VariableId>(VariableId{0}));
        QCOMPARE(c.sites[0].derivation.size(), size_t(3));
        QCOMPARE(c.sites[0].derivation[1].operand, uint64_t(7));
        QCOMPARE(c.launches[0].grid, (Dim3{5, 6, 7}));
        QCOMPARE(c.launches[0].block, (Dim3{8, 4, 2}));
        QCOMPARE(c.launches[0].arguments.size(), size_t{2});
        QCOMPARE(c.launches[0].arguments[0].text, std::string("\"quoted\" \xef\xbf\xbd"));
        QCOMPARE(c.launches[0].arguments[0].buffer, std::optional<BufferId>(BufferId{0}));
        QVERIFY(!c.launches[0].arguments[1].buffer.has_value());
        QCOMPARE(c.launches[0].warpInstructions, uint64_t{12345});
        QCOMPARE(c.launches[0].blocksDropped, uint64_t{210});
        QCOMPARE(c.buffers.size(), size_t{1});
        QCOMPARE(c.buffers[0].name, std::string("renamed"));
        QCOMPARE(c.buffers[0].dims, buffer.dims);
        QCOMPARE(c.buffers[0].deviceAddress, buffer.deviceAddress);
        QCOMPARE(c.findings.size(), size_t{1});
        QCOMPARE(c.findings[0].count, uint64_t{12});
        QCOMPARE(c.findings[0].cell, finding.cell);
        QVERIFY(c.findings[0].numbers == finding.numbers);
        QCOMPARE(c.findings[0].help, finding.help);
        QCOMPARE(c.findings[0].calls.size(), size_t{1});
        QCOMPARE(c.findings[0].calls[0].access, std::string("call"));
        QCOMPARE(c.findings[0].calls[0].where.line, 9U);
        QCOMPARE(c.findings[0].accesses[0].thread, (Dim3{4, 5, 6}));
        QCOMPARE(c.findings[0].accesses[0].step, StepIndex{8});
        QCOMPARE(c.findings[0].instances.size(), size_t{2});
        QCOMPARE(c.findings[0].instances[0].which, std::string("smallest"));
        QCOMPARE(c.findings[0].instances[1].cell, std::vector<int64_t>{4});
        QCOMPARE(c.findings[0].instances[1].accesses[0].thread, (Dim3{2, 0, 0}));
        QCOMPARE(reader->output(), std::string("hello world\n"));
    }

    void contentsAreStoredOnce()
    {
        const std::string once = newPath();
        const std::string thrice = newPath();
        QVERIFY(test::writeSyntheticTrace(once, {.size = 256, .tile = 16, .launches = 1, .onlyBlock = 0}).ok());
        QVERIFY(test::writeSyntheticTrace(thrice, {.size = 256, .tile = 16, .launches = 3, .onlyBlock = 0}).ok());
        const auto reader = read(thrice);
        for (uint32_t launch = 0; launch < 3; ++launch) {
            const auto a = reader->initialContents(LaunchId{launch}, SyntheticMatmul::kA);
            QVERIFY(a.ok());
            QCOMPARE(a.value().bytes.size(), size_t{256 * 256 * 4});
            float value = 0;
            std::memcpy(&value, a.value().bytes.data() + 4 * 1000, 4);
            QCOMPARE(value, SyntheticMatmul::elementA(1000));
            QVERIFY(a.value().initialised.empty());
            QCOMPARE(reader->initialContents(LaunchId{launch}, SyntheticMatmul::kOut).value().initialised.size(),
                     size_t{256 * 256 * 4 / 8});
        }
        QCOMPARE(reader->initialContents(LaunchId{0}, BufferId{3}).error().code, Error::Code::NotFound);
        const uint64_t oneLaunch = read(once)->chunkBytes(LaunchId{0});
        QVERIFY(reader->fileBytes() < read(once)->fileBytes() + 3 * oneLaunch + 100000);
    }

    void blocksOverTheBudgetAreDroppedAndCounted()
    {
        const std::string path = newPath();
        QVERIFY(test::writeSyntheticTrace(path, {.size = 256, .tile = 16, .maxBytes = 60000}).ok());
        const auto reader = read(path);
        const Launch& launch = reader->catalog().launches[0];
        QVERIFY(launch.blocksRecorded > 0 && launch.blocksDropped > 0);
        QCOMPARE(launch.blocksRecorded + launch.blocksDropped, launch.grid.count());
        const auto blocks = reader->blocks(LaunchId{0});
        QVERIFY(blocks.ok());
        QCOMPARE(blocks.value().size(), launch.blocksRecorded);
        for (const BlockIndex block : blocks.value())
            QVERIFY(reader->blockComplete(LaunchId{0}, block).value());
        const auto missing = reader->stepCount(LaunchId{0}, BlockIndex{255});
        QVERIFY(!missing.ok());
        QVERIFY(missing.error().message.find("block (15,15,0) was not recorded") != std::string::npos);
    }

    void aTiledMatmulIsSmall()
    {
        for (const bool variables : {false, true}) {
            const std::string path = newPath();
            QVERIFY(test::writeSyntheticTrace(path, {.size = 128, .tile = 16, .variables = variables}).ok());
            const double laneAccesses = 128.0 * 128 * 128 * 2 + 128.0 * 128 * 8 * 4;
            const double perAccess = static_cast<double>(read(path)->fileBytes()) / laneAccesses;
            QVERIFY2(perAccess < (variables ? 3.0 : 0.5), qPrintable(QString::number(perAccess)));
        }
    }

    void blocksFromSeveralThreadsAreAllThere()
    {
        const std::string path = newPath();
        auto writer = TraceWriter::create(path, {}, {});
        QVERIFY(writer.ok());
        TraceWriter& w = *writer.value();
        w.addSites(EventMaker::sites());
        const Variable variable{VariableId{0}, "v", "f", {}, {}, 0, 0, false};
        w.addVariables({&variable, 1});
        for (uint32_t i = 0; i < kBuffers; ++i) {
            Buffer buffer;
            buffer.id = BufferId{i};
            w.putBuffer(buffer);
        }
        Launch launch;
        launch.grid = {64, 1, 1};
        launch.block = {128, 1, 1};
        w.beginLaunch(launch);
        std::atomic<uint64_t> next = 0;
        std::vector<std::thread> threads;
        for (int t = 0; t < 4; ++t)
            threads.emplace_back([&] {
                for (uint64_t block = next++; block < 64; block = next++) {
                    auto recorder = w.beginBlock(LaunchId{0}, BlockIndex{block});
                    EventMaker maker(block);
                    for (uint64_t i = 0; i < 100 * block; ++i)
                        maker.next(*recorder);
                    w.endBlock(std::move(recorder));
                }
            });
        for (std::thread& thread : threads)
            thread.join();
        w.endLaunch(launch);
        QVERIFY(w.finish({}, {}).ok());
        const auto reader = read(path);
        QVERIFY(reader->catalog().session.programEnd == ProgramEnd());
        QVERIFY(noteProgramEnd(path, ProgramEnd::ofSignal(SIGKILL)).ok());
        QVERIFY(read(path)->catalog().session.programEnd == ProgramEnd::ofSignal(SIGKILL));
        for (uint64_t block = 0; block < 64; ++block)
            QCOMPARE(reader->stepCount(LaunchId{0}, BlockIndex{block}).value(), StepIndex{100 * block});
    }

    void programEndsHaveATextEach()
    {
        using How = ProgramEnd::How;
        for (const ProgramEnd& end :
             {ProgramEnd::exited(0), ProgramEnd::exited(3), ProgramEnd::ofSignal(SIGSEGV), ProgramEnd::ofSignal(SIGINT),
              ProgramEnd{How::Limit, 1, {}}, ProgramEnd{How::NotStarted, {}, {}}, ProgramEnd()})
            QVERIFY2(ProgramEnd::of(end.text()) == end, end.text().c_str());
        QCOMPARE(ProgramEnd::ofSignal(SIGSEGV).text(), std::string("signal SIGSEGV"));
        QCOMPARE(ProgramEnd::ofSignal(SIGINT).text(), std::string("interrupted SIGINT"));
        // Of a damaged trace, or a newer one.
        for (const char* text : {"", " ", "exited", "exploded 3", "exited 99999999999999"})
            QVERIFY(ProgramEnd::of(text).status.value_or(0) == 0);
    }

    void whatIsKeptCanBeReadAtOnce()
    {
        const std::string path = newPath();
        const auto created = TraceWriter::create(path, {}, {});
        QVERIFY(created.ok());
        TraceWriter& w = *created.value();
        Finding finding;
        finding.kind = FindingKind::OutOfBounds;
        for (size_t i = 0; i < 3; ++i)
            w.putFinding(i, finding);
        QVERIFY(w.keep(std::chrono::seconds(60)));
        QCOMPARE(read(path)->catalog().findings.size(), size_t{3});
        w.removeFindings(1);
        QVERIFY(w.keep(std::chrono::seconds(60)));
        QCOMPARE(read(path)->catalog().findings.size(), size_t{1});
        // Nothing new is safe already.
        QVERIFY(w.keep(std::chrono::milliseconds(60'000)));
        QVERIFY(w.finish(ProgramEnd::exited(0), {}).ok());
    }
};

QTEST_GUILESS_MAIN(TestTraceWriter)
#include "tst_trace_writer.moc"
