// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Blocks that do what another did, elsewhere, come back as they were, whatever else blocks do in between; and their
// tallies are those of recorders that compare nothing.
#include <map>
#include <numeric>

#include "core/trace/chunk_decoder.h"
#include "core/trace/logging_recorder.h"
#include "tests/support/random_events.h"

using namespace lanescope;
using namespace lanescope::trace;
using namespace lanescope::test;

namespace {

constexpr uint32_t kThreads = kWarps * kWarpSize;
/// However slow the machine is.
constexpr std::chrono::hours kAnHour{1};

/// What a block does to the events of a body.
struct Change {
    uint32_t place = 0;     ///< bytes: how far on accesses are
    uint64_t value = 0;     ///< is added to values
    bool isNoisy = false;   ///< values are others altogether
    size_t skipped = 1000;  ///< which event does not come
    size_t odd = 1000;      ///< which event has other lanes
};

void showValue(const Change& change, std::ostream& to)
{
    to << fmt::format("{{place {} value {} {}skipped {} odd {}}}", change.place, change.value,
                      change.isNoisy ? "noisy " : "", change.skipped, change.odd);
}

rc::Gen<Change> changes()
{
    using namespace rc;
    return gen::build<Change>(gen::set(&Change::place, gen::element<uint32_t>(0, 64, 4096, 0xfffffffc, 12345)),
                              gen::set(&Change::value, gen::element<uint64_t>(0, 0, 1, 256, UINT64_MAX, 1ULL << 32)),
                              gen::set(&Change::isNoisy, gen::map(gen::inRange(0, 3), [](int i) { return i == 0; })),
                              gen::set(&Change::skipped, gen::element<size_t>(1000, 1000, 1000, 1000, 1000, 3)),
                              gen::set(&Change::odd, gen::element<size_t>(1000, 1000, 1000, 1000, 1000, 0)));
}

/// Each site but one moves; that one stays, as what all blocks read.
Event changed(Event event, const Change& change, size_t number, uint64_t salt)
{
    if (number == change.odd)
        event.mask ^= 2;
    const bool stays = event.site.value % 5 == 0;
    for (size_t lane = 0; lane < kWarpSize; ++lane) {
        if (event.isAccess() && event.laneBuffer.empty() && !stays)
            event.offset[lane] = static_cast<uint32_t>(event.offset[lane] + change.place);
        if (event.valueBytes == 0)
            continue;
        uint64_t words[2] = {0, 0};
        std::memcpy(words, event.value[lane].data(), 16);
        words[0] = change.isNoisy ? noise(words[0] + salt) : words[0] + change.value;
        std::memcpy(event.value[lane].data(), words, event.valueBytes);
    }
    if (event.kind == SiteKind::Branch)
        event.taken &= event.mask;
    return event;
}

/// As a producer hands it over.
template <typename Recorder>
void record(const Event& event, const Part& part, Recorder& to)
{
    const void* const values = event.valueBytes == 0 ? nullptr : event.value.data();
    std::array<uint32_t, kWarpSize> offsets{};
    std::copy(event.offset.begin(), event.offset.end(), offsets.begin());
    const bool isEven = part.places == Lanes::Even && event.mask == kAllLanes;
    const bool isUniform =
        part.values == Lanes::Uniform && event.valueBytes <= 8 &&
        std::ranges::all_of(event.value, [&](const auto& lane) { return lane == event.value.front(); });
    if (!event.laneBuffer.empty())
        to.accessMixed(event.site, event.warp, event.mask, event.laneBuffer.data(), event.offset.data(), values,
                       event.valueBytes, 16);
    else if (event.isAccess() && isEven)
        to.accessEven(event.site, event.warp, event.buffer, {{offsets[0], offsets[16]}, {part.step, part.step}}, values,
                      event.valueBytes, 16);
    else if (event.isAccess())
        to.access(event.site, event.warp, event.mask, event.buffer, offsets.data(), values, event.valueBytes, 16);
    else if (event.kind == SiteKind::VariableWrite && isUniform && values != nullptr)
        to.variableWriteUniform(event.site, event.warp, event.mask, values, event.valueBytes);
    else if (event.kind == SiteKind::VariableWrite)
        to.variableWrite(event.site, event.warp, event.mask, values, event.valueBytes, 16);
    else if (event.kind == SiteKind::Branch)
        to.branch(event.site, event.warp, event.mask, event.taken);
    else if (event.kind == SiteKind::Barrier)
        to.barrier(event.site, event.warp, event.mask);
    else
        to.mark(event.site, event.warp, event.mask);
}

/// What a recorder has handed over.
struct Handed {
    std::vector<PackedChunk> chunks;
    std::vector<std::vector<uint8_t>> tallies;

    ChunkRecorder::ChunkSink chunkSink()
    {
        return [this](PackedChunk chunk) { chunks.push_back(std::move(chunk)); };
    }
    ChunkRecorder::TallySink tallySink()
    {
        return [this](LaunchId, const ByteColumn& raw) { tallies.emplace_back(raw.data(), raw.data() + raw.size()); };
    }
    [[nodiscard]] std::map<uint64_t, BlockTally> tallyOf(uint32_t buffers) const
    {
        std::map<uint64_t, BlockTally> all;
        for (const std::vector<uint8_t>& raw : tallies) {
            TallyDecoder decoder(raw, TallyDecoder::Form::Advancing, kSites, buffers, kWarps);
            BlockTally tally;
            while (decoder.next(tally))
                all[tally.block.value] = tally;
            RC_ASSERT(decoder.failure() == "");
        }
        return all;
    }
};

void putTables(RecordingTables& tables, uint32_t buffers)
{
    tables.addSites(sites());
    for (uint32_t i = 0; i < buffers; ++i) {
        Buffer buffer;
        buffer.id = BufferId{i};
        buffer.space = std::array{Space::Global, Space::Shared, Space::Local, Space::Shared}[i];
        tables.putBuffer(buffer);
    }
}

/// The block's events as they stand in \p chunks' events or, cut out, their writes.
std::vector<Event> eventsOf(const Handed& handed, uint64_t block, bool writes, uint32_t buffers, size_t& moved)
{
    static const std::vector<Site> all = sites();
    std::vector<Event> events;
    Decompressor decompressor;
    for (const PackedChunk& chunk : handed.chunks) {
        const std::vector<uint8_t>& blob = writes ? chunk.writes : chunk.data;
        if (blob.empty())
            continue;
        UnpackedChunk unpacked, apart;
        const auto unpack = [&](UnpackedChunk& to, const std::vector<uint8_t>& from, bool areWrites) {
            const auto count =
                std::accumulate(chunk.parts.begin(), chunk.parts.end(), 0U, [&](uint32_t sum, const ChunkPart& part) {
                    return sum + (areWrites ? part.writeEvents : part.events);
                });
            const Result<void> done =
                to.unpack(decompressor, from, static_cast<uint32_t>(chunk.parts.size()), count, Detail::Everything);
            RC_ASSERT((done.ok() ? std::string() : done.error().message) == "");
        };
        unpack(unpacked, blob, writes);
        if (!chunk.writes.empty())
            unpack(apart, chunk.writes, true);
        for (size_t i = 0; i < chunk.parts.size(); ++i) {
            if (chunk.parts[i].block.value != block)
                continue;
            moved += unpacked.part(i).movedFrom ? 1 : 0;
            ChunkDecoder decoder;
            decoder.begin(unpacked, i, {all, buffers, kWarps}, Detail::Everything,
                          writes || chunk.writes.empty() ? nullptr : &apart);
            Event event;
            while (decoder.next(event))
                events.push_back(event);
            RC_ASSERT(decoder.failure() == "");
        }
    }
    return events;
}

}  // namespace

class TestMovedParts : public QObject {
    Q_OBJECT

    size_t m_moved = 0;

private slots:
    static void initTestCase() { test::useFixedInputs(120); }

    void blocksComeBack()
    {
        QVERIFY(rc::check([&] {
            auto body = *rc::gen::container<std::vector<Part>>(parts());
            // Mostly as a kernel's: each site always has the same.
            if (*rc::gen::inRange(0, 5) != 0) {
                for (size_t i = 0; i < body.size(); ++i) {
                    body[i].site = static_cast<uint32_t>(i % kSites);
                    body[i].isMixed = false;
                }
                body.resize(std::min<size_t>(body.size(), kSites));
            }
            const auto turns = *rc::gen::inRange<uint64_t>(0, 7);
            const auto blocks = *rc::gen::container<std::vector<Change>>(changes());
            RecordingTables tables;
            putTables(tables, kBuffers);
            Handed handed, plain;
            LoggingRecorder recorder(tables, handed.chunkSink(), handed.tallySink(), kAnHour);
            ChunkRecorder comparesNothing(tables, plain.chunkSink(), plain.tallySink());
            std::vector<std::vector<Event>> given(blocks.size());
            for (size_t block = 0; block < blocks.size(); ++block) {
                recorder.start(LaunchId{0}, BlockIndex{block}, kThreads, {});
                comparesNothing.start(LaunchId{0}, BlockIndex{block}, kThreads);
                for (uint64_t turn = 0; turn < turns; ++turn)
                    for (const Part& part : body) {
                        const size_t number = given[block].size();
                        if (number == blocks[block].skipped && turn == 0)
                            continue;
                        const Event event = changed(eventOf(part, turn), blocks[block], number, block);
                        record(event, part, recorder);
                        record(event, part, comparesNothing);
                        given[block].push_back(event);
                        RC_ASSERT(recorder.steps() == given[block].size());
                    }
                recorder.finish();
                comparesNothing.finish();
            }
            recorder.chunks().handOverAll();
            comparesNothing.handOverAll();
            for (size_t block = 0; block < blocks.size(); ++block) {
                const std::vector<Event> found = eventsOf(handed, block, false, kBuffers, m_moved);
                RC_ASSERT(found.size() == given[block].size());
                for (size_t i = 0; i < found.size(); ++i)
                    compare(found[i], given[block][i], Detail::Everything);
                const std::vector<Event> writes = eventsOf(handed, block, true, kBuffers, m_moved);
                const std::vector<Event> expected = eventsOf(plain, block, true, kBuffers, m_moved);
                RC_ASSERT(writes.size() == expected.size());
                for (size_t i = 0; i < writes.size(); ++i)
                    compare(writes[i], expected[i], Detail::Everything);
            }
            RC_ASSERT(handed.tallyOf(kBuffers) == plain.tallyOf(kBuffers));
        }));
        QVERIFY2(m_moved > 100, qPrintable(QString::number(m_moved)));
    }

    /// A block longer than a part is moved part by part, and so is one that takes shared memory apart.
    void longBlocksAndDividedBuffersComeBack()
    {
        constexpr uint32_t kParts = 4;
        const std::vector<DividedBuffer> divided{{BufferId{1}, {{BufferId{1}, 0}, {BufferId{3}, 4096}}}};
        RecordingTables tables;
        putTables(tables, kParts);
        Handed handed, plain;
        LoggingRecorder recorder(tables, handed.chunkSink(), handed.tallySink(), kAnHour);
        ChunkRecorder comparesNothing(tables, plain.chunkSink(), plain.tallySink());
        DividingRecorder dividing(comparesNothing, divided);
        const EventRun run{{{SiteId{0}, EventRun::Kind::Access, 0, 0, 0, 0},
                            {SiteId{9}, EventRun::Kind::Access, 1, 0, 16, 0},
                            {SiteId{3}, EventRun::Kind::DerivedWrite, 0, 0, 0, 0}},
                           {0, 1}};
        constexpr uint64_t kBlocks = 6;
        const auto steps = [](auto& to, uint32_t block) {
            std::array<float, kWarpSize> values;
            for (uint32_t turn = 0; turn < 9000; ++turn) {
                for (size_t lane = 0; lane < kWarpSize; ++lane)
                    values[lane] = static_cast<float>(noise(lane + turn + 7919 * block) % 1000);
                const uint32_t at = block * 65536 + turn * 8;
                to.accessEven(SiteId{0}, 0, BufferId{0}, {{at, at + 64}, {4, 4}}, nullptr, 0, 0);
                to.accessEven(SiteId{1}, 1, BufferId{1}, {{turn % 1024 * 4, turn % 1024 * 4 + 64}, {4, 4}},
                              turn % 16 == 0 ? values.data() : nullptr, 4, 4);
                if (turn % 100 == 0)
                    to.accessEven(SiteId{10}, 2, BufferId{0}, {{at, at + 64}, {4, 4}}, values.data(), 4, 4);
            }
        };
        for (uint32_t block = 0; block < kBlocks; ++block) {
            const EventRun::Place a{BufferId{0}, {{block * 65536, block * 65536 + 64}, {4, 4}}};
            const EventRun::Place b{BufferId{2}, {{512, 576}, {4, 4}}};
            recorder.start(LaunchId{0}, BlockIndex{block}, kThreads, divided);
            comparesNothing.start(LaunchId{0}, BlockIndex{block}, kThreads);
            steps(recorder, block);
            steps(dividing, block);
            if (block != 3) {
                recorder.run(run, 3, {a, b});
                dividing.run(run, 3, {a, b});
            }
            QCOMPARE(recorder.steps(), comparesNothing.steps());
            recorder.finish();
            comparesNothing.finish();
        }
        recorder.chunks().handOverAll();
        comparesNothing.handOverAll();
        size_t moved = 0, movedWrites = 0, none = 0;
        for (uint64_t block = 0; block < kBlocks; ++block)
            for (const bool writes : {false, true}) {
                const auto found = eventsOf(handed, block, writes, kParts, writes ? movedWrites : moved);
                const auto expected = eventsOf(plain, block, writes, kParts, none);
                QCOMPARE(found.size(), expected.size());
                for (size_t i = 0; i < found.size(); ++i)
                    compare(found[i], expected[i], Detail::Everything);
            }
        QVERIFY2(moved >= 3 && movedWrites >= 3, qPrintable(QString::number(moved)));
        QVERIFY(handed.tallyOf(kParts) == plain.tallyOf(kParts));
    }
};

QTEST_GUILESS_MAIN(TestMovedParts)
#include "tst_moved_parts.moc"
