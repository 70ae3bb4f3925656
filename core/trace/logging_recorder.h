// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The recorder that producers are given: keeps what comes of a block in a log until there is a part of it, and then
// says of it that it is another part, moved, or hands it on to be encoded.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "core/trace/block_recorder.h"
#include "core/trace/chunk_recorder.h"
#include "core/trace/dividing_recorder.h"
#include "core/trace/event_log.h"
#include "core/trace/told_part.h"

namespace lanescope::trace {

/// A part that those which follow are compared with.
struct KnownPart {
    std::shared_ptr<ToldPart> part;
    uint64_t chunk = 0;   ///< of ChunkRecorder: only there others can refer to it,
    size_t place = 0;     ///< where it stands there
    uint64_t block = 0;   ///< counts blocks
    uint32_t number = 0;  ///< in its block
    bool isLast = false;  ///< of its block
    /// By how many bytes its sites' accesses are on from the tally of this number (TallyCollector::reference()), by
    /// slot; 0: that is not known.
    uint64_t tally = 0;
    std::vector<uint32_t> moves;
    std::vector<uint8_t> kinds;  ///< of its block's steps, where it is the last part: TallyCollector::latestKinds()
};

/// Reused from block to block.
class LoggingRecorder final : public BlockRecorder {
public:
    LoggingRecorder(const RecordingTables& tables, ChunkRecorder::ChunkSink chunks, ChunkRecorder::TallySink tallies,
                    std::chrono::milliseconds freshFor = ChunkRecorder::kFreshFor)
        : m_chunks(tables, std::move(chunks), std::move(tallies), freshFor)
    {
    }

    /// \p threads: of a block. \p divided outlives its recording.
    void start(LaunchId launch, BlockIndex block, uint32_t threads, std::span<const DividedBuffer> divided);
    /// The block is over.
    void finish();
    /// What it has of blocks that ended.
    [[nodiscard]] ChunkRecorder& chunks() { return m_chunks; }

    void keepFresh() override;
    void flops(std::span<const uint64_t> ofWarps) override { m_chunks.flops(ofWarps); }
    [[nodiscard]] StepIndex steps() const override { return m_chunks.steps() + m_log.steps(); }

private:
    /// Of the block under way.
    struct Part {
        std::shared_ptr<KnownPart> known;
        std::vector<SiteMove> moves;  ///< empty: it is `known` itself
    };

    void settle() override;
    std::shared_ptr<KnownPart> find();
    void encode();
    void keep(size_t place);
    void forget(size_t from);
    void forgetOtherChunks();
    void tally(const Part& part);
    [[nodiscard]] bool isOneBlock() const;
    bool findTallyMoves();
    void noteTally();
    [[nodiscard]] EventSink& inner() { return m_dividing ? static_cast<EventSink&>(*m_dividing) : m_chunks; }

    ChunkRecorder m_chunks;
    std::span<const DividedBuffer> m_divided;
    std::optional<DividingRecorder> m_dividing;
    std::vector<EventLog> m_spare;                    ///< logs of parts that nobody knows any more
    std::vector<std::shared_ptr<KnownPart>> m_known;  ///< of one chunk; what was used last comes first
    size_t m_misses = 0;                              ///< parts that were none of them, since one was
    std::vector<Part> m_parts;                        ///< of the block
    size_t m_tallied = 0;                             ///< of them, how many are in its tally; a known one is at once
    bool m_isTold = true;                             ///< all of its parts are in m_parts
    std::vector<SiteMove> m_moves;
    std::vector<std::optional<uint32_t>> m_tallyMoves;  ///< by site
    uint64_t m_block = 0;
};

}  // namespace lanescope::trace
