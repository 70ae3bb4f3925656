// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Whatever events go into a chunk come out of it: loops over random bodies of events, as the predictor expects them and
// as it does not.
#include <bit>
#include <cstring>

#include <fmt/format.h>

#include "core/trace/chunk_decoder.h"
#include "core/trace/chunk_encoder.h"
#include "tests/support/properties.h"

using namespace lanescope;
using namespace lanescope::trace;

namespace {

constexpr uint32_t kBuffers = 3, kWarps = 4, kSites = 18;

enum class Lanes : uint8_t { Uniform, Even, TwoHalves, Noise };

/// One event of a loop's body.
struct Part {
    uint32_t site = 0;
    uint16_t warp = 0;
    LaneMask mask = kAllLanes;
    LaneMask taken = 0;
    bool isMixed = false;
    uint32_t buffer = 0;
    Lanes places = Lanes::Even;
    uint32_t base = 0;
    uint32_t step = 4;
    uint8_t valueBytes = 0;  ///< 0: none
    Lanes values = Lanes::Even;
    uint64_t value = 0;
    uint64_t perTurn = 0;  ///< added to places and values at each turn of the loop
};

void showValue(const Part& part, std::ostream& to)
{
    to << fmt::format("{{site {} warp {} mask {:x} taken {:x} {}buffer {} places {} base {} step {} values {} of {} "
                      "bytes from {} per turn {}}}",
                      part.site, part.warp, part.mask, part.taken, part.isMixed ? "mixed " : "", part.buffer,
                      static_cast<int>(part.places), part.base, part.step, static_cast<int>(part.values),
                      part.valueBytes, part.value, part.perTurn);
}

rc::Gen<Part> parts()
{
    using namespace rc;
    const auto lanes = gen::element(Lanes::Uniform, Lanes::Even, Lanes::TwoHalves, Lanes::Noise);
    return gen::build<Part>(
        gen::set(&Part::site, gen::inRange<uint32_t>(0, kSites)),
        gen::set(&Part::warp, gen::inRange<uint16_t>(0, kWarps)),
        gen::set(&Part::mask, gen::weightedOneOf<LaneMask>({{4, gen::just(kAllLanes)},
                                                            {2, gen::arbitrary<LaneMask>()},
                                                            {1, gen::element<LaneMask>(0, 1, 0xffff, 0x80000000)}})),
        gen::set(&Part::taken, gen::arbitrary<LaneMask>()),
        gen::set(&Part::isMixed, gen::map(gen::inRange(0, 6), [](int i) { return i == 5; })),
        gen::set(&Part::buffer, gen::inRange<uint32_t>(0, kBuffers)), gen::set(&Part::places, lanes),
        gen::set(&Part::base, gen::inRange<uint32_t>(0, 1 << 20)),
        gen::set(&Part::step, gen::element<uint32_t>(0, 1, 4, 8, 1024, 4096)),
        gen::set(&Part::valueBytes, gen::element<uint8_t>(0, 1, 2, 4, 4, 8, 16)), gen::set(&Part::values, lanes),
        gen::set(&Part::value, gen::arbitrary<uint64_t>()),
        gen::set(&Part::perTurn, gen::element<uint64_t>(0, 4, 64, UINT64_MAX)));
}

/// Mixes the bits of a number: what stands for noise.
uint64_t noise(uint64_t of)
{
    of = (of ^ (of >> 30)) * 0xbf58476d1ce4e5b9ULL;
    return (of ^ (of >> 27)) * 0x94d049bb133111ebULL;
}

uint64_t laneNumber(Lanes form, uint64_t base, uint64_t step, size_t lane)
{
    switch (form) {
    case Lanes::Uniform:
        return base;
    case Lanes::Even:
        return base + step * lane;
    case Lanes::TwoHalves:
        return base + step * (lane % 16) + (lane / 16) * 4096;
    case Lanes::Noise:
        return noise(base + lane);
    }
    return 0;
}

SiteKind kindOf(uint32_t site)
{
    return static_cast<SiteKind>(site % 9);
}

/// What the part is at a turn of its loop.
Event eventOf(const Part& part, uint64_t turn)
{
    Event event;
    event.site = SiteId{part.site};
    event.kind = kindOf(part.site);
    event.warp = part.warp;
    event.mask = part.mask;
    event.buffer = BufferId{part.buffer};
    event.taken = event.kind == SiteKind::Branch ? part.taken & part.mask : 0;
    if (event.isAccess() || event.kind == SiteKind::VariableWrite)
        event.valueBytes = part.valueBytes;
    if (event.isAccess() && part.isMixed)
        event.laneBuffer.resize(kWarpSize);
    for (size_t lane = 0; lane < kWarpSize; ++lane) {
        const uint64_t place = laneNumber(part.places, part.base + turn * part.perTurn, part.step, lane);
        event.offset[lane] = part.isMixed ? place : static_cast<uint32_t>(place);
        if (!event.laneBuffer.empty())
            event.laneBuffer[lane] = lane % 5 == 0 ? kNoBuffer : BufferId{static_cast<uint32_t>(lane) % kBuffers};
        const uint64_t words[2] = {laneNumber(part.values, part.value + turn * part.perTurn, part.step, lane),
                                   noise(lane)};
        std::memcpy(event.value[lane].data(), words, event.valueBytes);
    }
    return event;
}

void encode(const Event& event, const Part& part, ChunkEncoder& encoder)
{
    const LaneValues values =
        event.valueBytes == 0 ? LaneValues{} : LaneValues{event.value.data(), event.valueBytes, 16};
    std::array<uint32_t, kWarpSize> offsets{};
    std::copy(event.offset.begin(), event.offset.end(), offsets.begin());
    const bool isEven = part.places == Lanes::Even && event.mask == kAllLanes;
    if (!event.laneBuffer.empty())
        encoder.accessMixed(event.site, event.warp, event.mask, event.laneBuffer.data(), event.offset.data(), values);
    else if (event.isAccess() && isEven)
        encoder.accessEven(event.site, event.warp, event.buffer, {{offsets[0], offsets[16]}, {part.step, part.step}},
                           values);
    else if (event.isAccess())
        encoder.access(event.site, event.warp, event.mask, event.buffer, offsets.data(), values);
    else if (event.kind == SiteKind::VariableWrite && event.valueBytes == 0)
        encoder.variableWriteDerived(event.site, event.warp, event.mask);
    else if (event.kind == SiteKind::VariableWrite && part.values == Lanes::Uniform && event.valueBytes <= 8)
        encoder.variableWriteUniform(event.site, event.warp, event.mask, event.value[0].data(), event.valueBytes);
    else if (event.kind == SiteKind::VariableWrite)
        encoder.variableWrite(event.site, event.warp, event.mask, values);
    else if (event.kind == SiteKind::Branch)
        encoder.branch(event.site, event.warp, event.mask, event.taken);
    else
        encoder.mark(event.site, event.warp, event.mask);
}

std::vector<Site> sites()
{
    std::vector<Site> all(kSites);
    for (uint32_t i = 0; i < kSites; ++i) {
        all[i].id = SiteId{i};
        all[i].kind = kindOf(i);
    }
    return all;
}

void compareLanes(const Event& found, const Event& expected, Detail detail)
{
    const bool values = expected.valueBytes != 0 && detail == Detail::Everything;
    for (LaneMask rest = expected.mask; rest != 0; rest &= rest - 1) {
        const int lane = std::countr_zero(rest);
        const auto at = static_cast<size_t>(lane);
        if (expected.isAccess()) {
            RC_ASSERT(found.bufferOf(lane) == expected.bufferOf(lane));
            RC_ASSERT(found.offset[at] == expected.offset[at]);
        }
        RC_ASSERT(!values || std::memcmp(found.value[at].data(), expected.value[at].data(), expected.valueBytes) == 0);
    }
}

void compare(const Event& found, const Event& expected, Detail detail)
{
    RC_ASSERT(found.site == expected.site);
    RC_ASSERT(found.kind == expected.kind);
    RC_ASSERT(found.warp == expected.warp);
    RC_ASSERT(found.mask == expected.mask);
    RC_ASSERT(found.taken == expected.taken);
    if (expected.mask == 0)
        return;
    RC_ASSERT(found.valueBytes == expected.valueBytes);
    RC_ASSERT(found.valuesKnown == (expected.valueBytes != 0 && detail == Detail::Everything));
    if (detail != Detail::Headers)
        compareLanes(found, expected, detail);
}

}  // namespace

class TestChunkProperties : public QObject {
    Q_OBJECT

private slots:
    static void initTestCase() { test::useFixedInputs(); }

    static void eventsComeBack()
    {
        const std::vector<Site> all = sites();
        // One of each for all chunks: what is left of one must not show in the next.
        ChunkEncoder encoder;
        ChunkPacker packer;
        Decompressor decompressor;
        UnpackedChunk chunk;
        ChunkDecoder decoder;
        QVERIFY(rc::check([&] {
            const auto blocks = *rc::gen::inRange<size_t>(1, 4);
            std::vector<std::vector<Event>> events(blocks);
            uint32_t count = 0;
            for (std::vector<Event>& block : events) {
                const auto body = *rc::gen::container<std::vector<Part>>(parts());
                const auto turns = *rc::gen::inRange<uint64_t>(0, 7);
                encoder.begin(kWarps);
                for (uint64_t turn = 0; turn < turns; ++turn)
                    for (const Part& part : body) {
                        block.push_back(eventOf(part, turn));
                        encode(block.back(), part, encoder);
                    }
                RC_ASSERT(encoder.events() == block.size());
                count += encoder.events();
                packer.add(encoder.columns());
            }
            const std::vector<uint8_t> packed = packer.finish();
            for (const Detail detail : {Detail::Headers, Detail::Places, Detail::Everything}) {
                RC_ASSERT(chunk.unpack(decompressor, packed, static_cast<uint32_t>(blocks), count, detail).ok());
                // Each on its own, here from the last to the first.
                for (size_t block = blocks; block-- > 0;) {
                    decoder.begin(chunk, block, {all, kBuffers, kWarps}, detail);
                    RC_ASSERT(decoder.events() == events[block].size());
                    Event found;
                    for (const Event& expected : events[block]) {
                        RC_ASSERT(decoder.next(found));
                        compare(found, expected, detail);
                    }
                    RC_ASSERT(!decoder.next(found));
                    RC_ASSERT(decoder.failure() == "");
                }
            }
        }));
    }

    static void stepsOfCutOutEventsComeBack()
    {
        const std::vector<Site> all = sites();
        QVERIFY(rc::check([&](const std::vector<uint8_t>& gaps) {
            ChunkEncoder encoder;
            encoder.begin(kWarps);
            uint64_t step = 0;
            for (const uint8_t gap : gaps) {
                step += gap;
                encoder.putStep(step);
                encoder.mark(SiteId{5}, 0, kAllLanes);
                ++step;
            }
            ChunkPacker packer;
            packer.add(encoder.columns());
            Decompressor decompressor;
            UnpackedChunk chunk;
            RC_ASSERT(
                chunk.unpack(decompressor, packer.finish(), 1, static_cast<uint32_t>(gaps.size()), Detail::Everything)
                    .ok());
            ChunkDecoder decoder;
            decoder.begin(chunk, 0, {all, kBuffers, kWarps}, Detail::Everything);
            Event event;
            step = 0;
            for (const uint8_t gap : gaps) {
                step += gap;
                RC_ASSERT(decoder.next(event));
                RC_ASSERT(decoder.nextStep() == step);
                ++step;
            }
        }));
    }
};

QTEST_GUILESS_MAIN(TestChunkProperties)
#include "tst_chunk_properties.moc"
