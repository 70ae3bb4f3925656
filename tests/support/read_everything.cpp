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
    unsigned long events = 0;
    ByteReader head(bytes);
    head.byte();
    const uint64_t count = head.varint();
    for (const Detail detail : {Detail::Headers, Detail::Places, Detail::Everything}) {
        ChunkDecoder decoder;
        if (!decoder.begin(bytes, {sites, 8, 32}, static_cast<uint32_t>(std::min<uint64_t>(count, UINT32_MAX)), detail)
                 .ok())
            continue;
        Event event;
        while (decoder.next(event)) {
            decoder.nextStep();
            ++events;
        }
    }
    return events;
}

unsigned long decodeAsTallies(std::span<const uint8_t> bytes)
{
    constexpr size_t kSites = 27;
    constexpr size_t kBuffers = 8;
    TallyDecoder decoder(bytes, kSites, kBuffers, 32);
    BlockTally tally;
    unsigned long runs = 0;
    while (decoder.next(tally))
        for (const SiteTally& site : tally.sites)
            runs += site.runs.size();
    return runs;
}

}  // namespace lanescope::test
