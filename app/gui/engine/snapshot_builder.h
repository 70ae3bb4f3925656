// SPDX-License-Identifier: GPL-3.0-or-later
// Turns a focus into a snapshot. Owns the cursor; lives on the engine thread (or in `render`).
#pragma once

#include "app/gui/engine/analysis_cache.h"
#include "app/gui/engine/footprint_builder.h"
#include "app/gui/engine/snapshot.h"
#include "app/gui/engine/statement_map.h"

namespace lanescope::gui {

class SnapshotBuilder {
public:
    explicit SnapshotBuilder(std::unique_ptr<replay::Session> session);

    /// \p focus may lie past the end or outside the grid; it is moved to the nearest that there is.
    Result<SnapshotPointer> build(replay::Focus focus, const SnapshotOptions& options);
    /// The cursor at \p focus, for step targets. Valid until the next call.
    Result<replay::BlockCursor*> cursorAt(const replay::Focus& focus);
    /// Reads what a growing trace has gained; true when something is new.
    Result<bool> refresh();

    [[nodiscard]] replay::Session& session() { return *m_session; }
    [[nodiscard]] CatalogPointer catalog() const { return m_catalog; }
    [[nodiscard]] AnalysisCache& analyses() { return m_analyses; }

private:
    /// Width of a buffer's widest text, and the contents for which it was found.
    struct TextColumns {
        int columns = 0;
        std::shared_ptr<const BufferState> seen;
    };

    /// Accesses to one cell, which hold for the whole block.
    struct CellHistory {
        BufferId buffer;
        uint64_t element = 0;
        CellAccesses accesses;
    };

    Result<replay::Focus> nearest(replay::Focus focus);
    Result<const std::vector<BlockIndex>*> blocksOf(LaunchId launch);
    /// What is remembered of the block that was looked at.
    void leaveBlock(bool leavesLaunch);
    Result<void> fillBuffers(Snapshot& snapshot, const SnapshotOptions& options);
    Result<void> fillUses(Snapshot& snapshot, const SnapshotOptions& options);
    std::shared_ptr<const BufferState> stateOf(const trace::Buffer& buffer, const replay::BufferImage& image,
                                               uint32_t thread, bool age);
    std::shared_ptr<const BufferState> newState(const trace::Buffer& buffer, const replay::BufferImage& image,
                                                uint32_t thread, bool age);
    void noteTextColumns(BufferView& view);
    Result<void> fillStatement(Snapshot& snapshot);
    Result<std::vector<StepIndex>> statementSteps(const Snapshot& snapshot);
    void deriveLoad(const Snapshot& snapshot, StatementEvent& event);
    Result<void> fillExchanges(Snapshot& snapshot);
    [[nodiscard]] std::string statementText(const Snapshot& snapshot);
    void fillVariables(Snapshot& snapshot);
    void chooseShown(Snapshot& snapshot, const SnapshotOptions& options);
    std::optional<VariableId> likelyVariable(const Snapshot& snapshot);
    Result<void> fillCell(Snapshot& snapshot);
    Result<void> fillWatches(Snapshot& snapshot, const std::vector<std::string>& watches);
    Result<void> fillVariableHistory(Snapshot& snapshot);
    const StatementMap& statements(SourceId source);

    struct KnownState {
        std::shared_ptr<const BufferState> state;
        uint64_t version = 0;  ///< of the image that holds it
    };

    std::unique_ptr<replay::Session> m_session;
    CatalogPointer m_catalog;
    std::unique_ptr<replay::BlockCursor> m_cursor;
    std::shared_ptr<const BlockOverview> m_overview;      ///< of the block; null: not known yet
    std::shared_ptr<const BlockOverview> m_lastOverview;  ///< of the block before, else the same
    std::optional<CellHistory> m_history;                 ///< of the cell looked at last, in the cursor's block
    std::map<std::string, ShapeChoice> m_shapes;          ///< with which the footprints were made
    FootprintBuilder m_footprints;
    AnalysisCache m_analyses;
    std::optional<std::pair<LaunchId, std::vector<BlockIndex>>> m_blocks;  ///< of a launch
    std::map<uint32_t, std::array<KnownState, 2>> m_states;                ///< by buffer, the latest first
    std::map<uint32_t, TextColumns> m_textColumns;                         ///< by buffer
    std::map<uint32_t, StatementMap> m_statements;                         ///< by source
};

}  // namespace lanescope::gui
