// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The cursor behind Session::cursor: moves a BlockState along a block's chunks.
//
// Keyframes are copies of the state at chunk starts. Within the current chunk every event applied leaves its undo
// on a tape, so that a step back is as cheap as a step forward; a step back over a chunk's start goes to the
// keyframe before and runs that chunk again (some ten milliseconds).
#pragma once

#include <functional>
#include <list>
#include <map>
#include <memory>

#include "core/replay/block_state.h"
#include "core/replay/block_timeline.h"
#include "core/replay/global_state.h"

namespace lanescope::replay {

/// Memory of cursors that have gone, for those to come: going from block to block then costs no page faults.
struct CursorPool {
    std::map<LaunchId, std::vector<std::unique_ptr<GlobalState>>> globals;
    std::vector<std::unique_ptr<trace::Chunk>> chunks;
};

class ChunkedBlockCursor final : public BlockCursor {
public:
    using WritesSource = std::function<Result<std::shared_ptr<const LaunchWrites>>()>;

    /// \p writes gives the launch's global writes as known now. \p reader must outlive the cursor.
    static Result<std::unique_ptr<BlockCursor>> create(trace::TraceReader& reader, LaunchId launch, BlockIndex block,
                                                       WritesSource writes, std::shared_ptr<CursorPool> pool);
    ~ChunkedBlockCursor() override;

    [[nodiscard]] LaunchId launch() const override { return m_launch; }
    [[nodiscard]] BlockIndex block() const override { return m_block; }
    [[nodiscard]] StepIndex step() const override { return m_step; }
    [[nodiscard]] StepIndex stepCount() const override { return m_steps; }
    [[nodiscard]] StepIndex recordedSteps() const override { return m_recorded; }
    Result<void> seek(StepIndex step) override;
    Result<void> stepForward() override;
    Result<void> stepBackward() override;
    Result<trace::Event> event(StepIndex step) override;
    const BufferImage& buffer(BufferId buffer) override;
    const BufferImage& localBuffer(BufferId buffer, uint32_t thread) override;
    std::vector<StepIndex> lastWrites(BufferId buffer, uint32_t thread, uint64_t element) override;
    const VariableImage& variable(VariableId variable, uint32_t warp) override;
    WarpImage warp(uint32_t warp) override;
    uint64_t stateHash() override;
    std::optional<StepIndex> nextLine(uint32_t warp) override;
    std::optional<StepIndex> previousLine(uint32_t warp) override;
    std::optional<StepIndex> nextAccess(uint32_t warp) override;
    std::optional<StepIndex> previousAccess(uint32_t warp) override;
    std::optional<StepIndex> nextEpoch() override;
    std::optional<StepIndex> previousEpoch() override;
    Result<std::shared_ptr<const std::vector<StepSummary>>> summary() override;
    Result<std::vector<CellAccess>> history(BufferId buffer, uint64_t byteOffset, uint64_t bytes,
                                            size_t limit) override;

private:
    ChunkedBlockCursor(trace::TraceReader& reader, LaunchId launch, BlockIndex block, WritesSource writes,
                       std::shared_ptr<CursorPool> pool);

    [[nodiscard]] size_t chunkOf(StepIndex step) const;
    [[nodiscard]] StepIndex chunkEnd(size_t chunk) const;
    /// Valid until the next call.
    Result<const trace::Chunk*> chunk(size_t number);
    std::unique_ptr<trace::Chunk> spareChunk();
    /// Moves within the current chunk.
    Result<void> walkTo(StepIndex step);
    /// Moves to the start of \p chunk by way of the nearest keyframe.
    Result<void> goToChunk(size_t chunk);
    Result<void> runWholeChunk();
    void enterChunk(size_t chunk);
    void backToStart();
    void keepKeyframe(size_t chunk);
    void deriveValues(trace::Event& event);
    void deriveWritten(trace::Event& event, StepIndex step);
    Result<void> ensureTimeline();
    GlobalState& globals();

    trace::TraceReader& m_reader;
    const trace::Catalog& m_catalog;
    LaunchId m_launch;
    BlockIndex m_block;
    WritesSource m_writes;
    StepIndex m_steps = 0;
    StepIndex m_recorded = 0;
    std::vector<StepIndex> m_chunkStarts;
    std::list<std::pair<size_t, std::unique_ptr<trace::Chunk>>> m_decoded;  ///< most recently used first

    BlockState::Unwritten m_unwritten;
    BlockState m_state;
    StepIndex m_step = 0;
    size_t m_chunk = 0;                        ///< m_step is in [its start, its end]
    UndoTape m_tape;                           ///< undo of the events from the chunk's start to m_step
    std::map<size_t, BlockState> m_keyframes;  ///< by chunk, the state at its start
    size_t m_keyframeMemory = 0;
    size_t m_keyframeSpacing = 1;  ///< in chunks; doubles when the budget is spent

    std::shared_ptr<CursorPool> m_pool;
    std::unique_ptr<GlobalState> m_globals;
    std::shared_ptr<const BlockTimeline> m_timeline;
};

}  // namespace lanescope::replay
