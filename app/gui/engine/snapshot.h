// SPDX-License-Identifier: GPL-3.0-or-later
// What the views show: one immutable picture of the focused block at one step, made by the engine thread.
#pragma once

#include <array>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <vector>

#include "app/gui/engine/buffer_shape.h"
#include "app/gui/engine/lane_exchange.h"
#include "app/gui/engine/step_levels.h"
#include "core/analysis/footprint.h"
#include "core/analysis/padding.h"
#include "core/analysis/variable_history.h"
#include "core/replay/replay.h"

namespace lanescope::gui {

using CatalogPointer = std::shared_ptr<const trace::Catalog>;

struct BlockOverview;
struct BlockPhases;

/// A buffer's contents. Shared between snapshots while nothing changes, so a view may cache by address.
struct BufferState {
    replay::SharedVector<std::byte> bytes;
    replay::SharedVector<uint8_t> initialised;  ///< one bit per byte, LSB first
    double low = 0;                             ///< smallest and largest defined value, for heat images
    double high = 0;
    std::vector<uint32_t> writtenIn;  ///< by element: epoch + 1 of the last write; empty: none, or nobody asks (age)
    std::shared_ptr<const BlockOverview> agedIn;  ///< whose epochs those are

    [[nodiscard]] bool isInitialised(uint64_t byte) const
    {
        return byte / 8 < initialised.size() && ((initialised[byte / 8] >> (byte % 8)) & 1) != 0;
    }
};

struct BufferView {
    trace::Buffer buffer;
    BufferShape shape;
    std::shared_ptr<const BufferState> state;
    int textColumns = 3;  ///< characters of its widest value seen so far; only grows while a block is looked at

    [[nodiscard]] bool hasValue(uint64_t element) const;
    /// Address of the element's first byte; null when it lies outside.
    [[nodiscard]] const std::byte* at(uint64_t element) const;
};

/// One event of the statement that the focused warp ran last.
struct StatementEvent {
    StepIndex step = 0;
    trace::Event event;
};

/// The cells of one buffer that the block touched in one epoch: a bounding box, half-open; of a buffer with slices
/// the same box in each of some slices.
struct Footprint {
    uint32_t epoch = 0;
    BufferId buffer;
    Cell first;
    Cell last;  ///< one past
    uint64_t firstSlice = 0;
    uint64_t lastSlice = 1;  ///< one past
    bool reads = false;
    bool writes = false;

    /// The part of it in one slice, where \p shape has the buffer's cells.
    [[nodiscard]] std::pair<Cell, Cell> boxIn(const BufferShape& shape, uint64_t slice) const
    {
        const Cell at = shape.sliceCorner(slice);
        return {{at.row + first.row, at.column + first.column}, {at.row + last.row, at.column + last.column}};
    }
    /// One box around those in all of its slices.
    [[nodiscard]] std::pair<Cell, Cell> boxAround(const BufferShape& shape) const
    {
        const auto [from, firstEnd] = boxIn(shape, firstSlice);
        const auto [lastBegin, to] = boxIn(shape, lastSlice - 1);
        const bool isRow = lastBegin.row == from.row;
        return isRow ? std::pair{from, to} : std::pair{Cell{from.row, 0}, Cell{to.row, int64_t(shape.columns)}};
    }
};
using Footprints = std::shared_ptr<const std::vector<Footprint>>;

struct VariableView {
    VariableId id;
    replay::VariableImage image;
    LaneMask changed = 0;  ///< written by the statement just run
    bool inScope = true;   ///< at the focused warp's next line
};

/// An expression that the user watches, in every lane of the focused warp.
struct WatchView {
    std::string text;
    struct Lane {
        QString value;
        QString why;  ///< there is no value, when there is none
    };
    std::array<Lane, kWarpSize> lanes;

    [[nodiscard]] const Lane& at(int lane) const { return lanes[static_cast<size_t>(lane)]; }
};

struct TimelineRow {
    QString label;
    BlockIndex block;
    uint16_t warp = 0;
    bool focusedBlock = true;
    LaneMask launched = 0;
    std::shared_ptr<const std::vector<replay::StepSummary>> steps;
    StepLevels levels;
};

struct EpochSpan {
    uint32_t epoch = 0;
    StepIndex first = 0;
    StepIndex last = 0;  ///< one past
};

/// A place in the block that the checks name.
struct FindingFlag {
    StepIndex step = 0;
    uint16_t warp = 0;
    size_t finding = 0;  ///< into the catalog
};

struct LineCount {
    uint64_t reads = 0;  ///< lane accesses by the focused block
    uint64_t writes = 0;
};

/// What does not change while one steps within a block.
struct BlockOverview {
    LaunchId launch;
    BlockIndex block;
    StepIndex stepCount = 0;      ///< those that are shown
    StepIndex recordedSteps = 0;  ///< more, where only the first ones are
    std::vector<TimelineRow> rows;
    std::vector<EpochSpan> epochs;
    std::shared_ptr<const BlockPhases> phases;                 ///< of the block's warps; null where rows are blocks
    std::vector<FindingFlag> flags;                            ///< ascending steps
    std::map<std::pair<uint32_t, uint32_t>, LineCount> lines;  ///< by (source id, line)
    std::vector<std::pair<uint32_t, uint32_t>> ranLines;       ///< all of which something ran, likewise; ascending
    std::set<SiteId> warpOperations;  ///< of lines with a shuffle, vote, reduction or match: what they set or decide
};

/// All of one block to one cell, in step order. Shared between snapshots.
using CellAccesses = std::shared_ptr<const std::vector<replay::CellAccess>>;

/// The selected cell's story.
struct CellView {
    size_t bufferIndex = 0;  ///< into Snapshot::buffers
    uint64_t element = 0;
    CellAccesses history;
};

struct Snapshot {
    uint64_t tag = 0;  ///< of the request that it answers
    replay::Focus focus;
    CatalogPointer catalog;
    std::shared_ptr<const BlockOverview> overview;
    uint64_t blocksReadable = 0;  ///< blocks of the launch in the trace so far

    uint32_t warp = 0;  ///< the focused one
    int lane = 0;
    std::vector<replay::WarpImage> warps;
    std::vector<StatementEvent> statement;  ///< in step order; empty at the start
    std::vector<LaneArc> exchanges;         ///< what the statement's shuffles bring, by shuffle and receiving lane
    std::optional<Collective> collective;   ///< the statement's vote, reduction or match
    std::vector<BufferView> buffers;
    std::vector<VariableView> variables;              ///< of the focused warp
    std::vector<WatchView> watches;                   ///< as SnapshotOptions::watches
    std::optional<VariableId> shown;                  ///< the variable under each thread of the stage
    std::vector<replay::VariableImage> shownPerWarp;  ///< [warp]
    Footprints footprints;
    std::shared_ptr<const analysis::Footprint> gridUse;   ///< of the launch, by block; null unless asked for
    std::shared_ptr<const analysis::Footprint> blockUse;  ///< of the focused block, by thread
    std::shared_ptr<const analysis::Padding> padding;     ///< of the focused block; null unless asked for
    std::optional<CellView> cell;
    /// Of the shown variable and the focused thread; null in very long blocks.
    std::shared_ptr<const analysis::VariableHistory> variableHistory;

    [[nodiscard]] const trace::Launch& launch() const { return catalog->launches[focus.launch.value]; }
    [[nodiscard]] const replay::WarpImage& focusedWarp() const { return warps[warp]; }
    [[nodiscard]] uint32_t epoch() const { return warps.empty() ? 0 : focusedWarp().epoch; }
    [[nodiscard]] const trace::Site& site(SiteId id) const { return catalog->sites[id.value]; }
    /// Index into `buffers`, or none.
    [[nodiscard]] std::optional<size_t> indexOf(BufferId buffer) const;
};
using SnapshotPointer = std::shared_ptr<const Snapshot>;

/// What a snapshot is to hold beyond the focus, as the views ask for it.
struct SnapshotOptions {
    std::optional<VariableId> shownVariable;
    bool footprints = true;
    bool gridUse = false;  ///< decodes the whole launch, once
    bool blockUse = false;
    bool age = false;
    std::map<std::string, ShapeChoice> shapes;  ///< that the user gave, by buffer name
    bool padding = false;
    std::vector<std::string> watches;  ///< expressions, see replay::Expression
};

}  // namespace lanescope::gui
