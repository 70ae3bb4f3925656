// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/support/read_everything.h"

#include "core/trace/chunk_decoder.h"
#include "core/trace/reader.h"

namespace lanescope::test {

using namespace trace;

unsigned long readEverything(const std::string& path)
{
    unsigned long events = 0;
    const Result<std::unique_ptr<TraceReader>> opened = TraceReader::open(path);
    if (!opened.ok())
        return 0;
    TraceReader& reader = *opened.value();
    for (const Launch& launch : reader.catalog().launches) {
        const auto blocks = reader.blocks(launch.id);
        if (!blocks.ok())
            continue;
        for (const BlockIndex block : blocks.value()) {
            for (const Detail detail : {Detail::Headers, Detail::Everything})
                static_cast<void>(reader.visit(launch.id, block, 0, UINT64_MAX, detail, [&](StepIndex, const Event&) {
                    ++events;
                    return true;
                }));
            const auto steps = reader.stepCount(launch.id, block);
            if (steps.ok() && steps.value() > 0)
                static_cast<void>(reader.chunkAt(launch.id, block, steps.value() - 1));
        }
        static_cast<void>(reader.visitGlobalWrites(launch.id, [](BlockIndex, StepIndex, const Event&) {}));
        static_cast<void>(reader.touchedBuffers(launch.id));
        static_cast<void>(reader.visitTallies(launch.id, [](const BlockTally&) {}));
        for (const Buffer& buffer : reader.catalog().buffers)
            static_cast<void>(reader.initialContents(launch.id, buffer.id));
    }
    static_cast<void>(reader.refresh());
    return events;
}

unsigned long decodeAsChunk(std::span<const uint8_t> bytes)
{
    static const std::vector<Site> sites = [] {
        std::vector<Site> all(27);
        for (uint32_t i = 0; i < all.size(); ++i) {
            all[i].id = SiteId{i};
            all[i].kind = static_cast<SiteKind>(i % 9);
        }
        return all;
    }();
    // Formats 1 and 2 are of one part, and say how many events it has.
    ByteReader head(bytes);
    const auto parts = static_cast<uint32_t>(head.byte() < 3 ? 1 : std::min<uint64_t>(head.varint(), 1 << 16));
    const auto count = static_cast<uint32_t>(std::min<uint64_t>(head.varint(), UINT32_MAX));
    unsigned long events = 0;
    Decompressor decompressor;
    UnpackedChunk chunk;
    for (const Detail detail : {Detail::Headers, Detail::Places, Detail::Everything}) {
        if (!chunk.unpack(decompressor, bytes, parts, count, detail).ok())
            continue;
        for (size_t part = 0; part < parts; ++part) {
            ChunkDecoder decoder;
            decoder.begin(chunk, part, {sites, 8, 32}, detail);
            Event event;
            while (decoder.next(event)) {
                decoder.nextStep();
                ++events;
            }
        }
    }
    return events;
}

unsigned long decodeAsTallies(std::span<const uint8_t> bytes)
{
    constexpr size_t kSites = 27;
    constexpr size_t kBuffers = 8;
    unsigned long runs = 0;
    for (const TallyDecoder::Form form :
         {TallyDecoder::Form::Alone, TallyDecoder::Form::Moved, TallyDecoder::Form::Advancing}) {
        TallyDecoder decoder(bytes, form, kSites, kBuffers, 32);
        BlockTally tally;
        while (decoder.next(tally))
            for (const SiteTally& site : tally.sites)
                runs += site.runs.size();
    }
    return runs;
}

}  // namespace lanescope::test
