// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The cursor behind Session::cursor: moves a BlockState along a block's chunks.
//
// Keyframes are copies of the state at chunk starts. The events around the position are there decoded, and those of
// them that have run left their undo on a tape, so that a step back is as cheap as a step forward; a step out of what
// is decoded goes to the keyframe before and runs on from there (a few milliseconds).
#pragma once

#include <functional>
#include <map>
#include <memory>

#include "core/replay/block_state.h"
#include "core/replay/block_timeline.h"
#include "core/replay/global_state.h"

namespace lanescope::replay {

/// What cursors that have gone leave to those to come.
class CursorPool {
public:
    /// That of the last block it was asked for, where both do the same: most blocks of a launch do.
    Result<std::shared_ptr<const BlockTimeline>> timelineOf(trace::TraceReader& reader, LaunchId launch,
                                                            BlockIndex block, StepIndex steps);

    /// Their memory: going from block to block then costs no page faults.
    std::map<LaunchId, std::vector<std::unique_ptr<GlobalState>>> globals;

private:
    std::shared_ptr<const BlockTimeline> m_last;
    LaunchId m_lastLaunch;
    uint64_t m_lastHeaders = 0;  ///< TraceReader::headersHash
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
    /// Moves to a step that the tape or what is decoded does not reach.
    Result<void> runTo(StepIndex step);
    /// Begins what is decoded around \p step, of its chunk alone, and gives the step that it ends before.
    StepIndex beginWindow(trace::Chunk& window, StepIndex step) const;
    /// The state is that at the start of \p chunk.
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
    trace::Chunk m_window;     ///< decoded events around m_step
    trace::Chunk m_elsewhere;  ///< what event() looked at last that is not there

    BlockState::Unwritten m_unwritten;
    BlockState m_state;
    StepIndex m_step = 0;
    StepIndex m_taped = 0;  ///< the tape takes back events from here to m_step
    UndoTape m_tape;
    std::map<size_t, BlockState> m_keyframes;  ///< by chunk, the state at its start
    size_t m_keyframeMemory = 0;
    size_t m_keyframeSpacing = 1;  ///< in chunks; doubles when the budget is spent

    std::shared_ptr<CursorPool> m_pool;
    std::unique_ptr<GlobalState> m_globals;
    std::shared_ptr<const BlockTimeline> m_timeline;
};

}  // namespace lanescope::replay
