// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Whatever events go into a chunk come out of it: loops over random bodies of events, as the predictor expects them and
// as it does not.
#include "core/trace/chunk_decoder.h"
#include "core/trace/chunk_encoder.h"
#include "tests/support/random_events.h"

using namespace lanescope;
using namespace lanescope::trace;
using namespace lanescope::test;

namespace {

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
