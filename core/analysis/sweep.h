// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a block's threads read and then wrote in one buffer, epoch by epoch: scans, tree reductions and the like draw
// their textbook diagrams from it. Derived from the accesses alone.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "core/analysis/analysis.h"
#include "core/base/result.h"
#include "core/replay/replay.h"

namespace lanescope::analysis {

struct SweepCell {
    bool known = false;    ///< holds a value
    bool written = false;  ///< in this row
    uint32_t thread = 0;   ///< who wrote it in this row
    std::array<uint8_t, 16> value{};
};

/// The buffer after one round of writes: an epoch, or a part of one when a value that was written in it is read in it.
struct SweepRow {
    uint32_t epoch = 0;
    StepIndex step = 0;  ///< the first write's event
    SiteId site;         ///< of the first write
    std::vector<SweepCell> cells;
};

/// A thread read column `from`, as it was in the row above, before it wrote column `to` of row `row`.
struct SweepArc {
    uint32_t row = 0;
    uint32_t from = 0;
    uint32_t to = 0;
    uint32_t thread = 0;  ///< linear, in the block
};

struct Sweep {
    std::vector<BufferId> buffers;   ///< one; more when a scan goes back and forth between several of one size
    uint64_t columns = 0;            ///< elements of one of them (of one half, for [2][n] that is used in turns)
    std::vector<uint64_t> elements;  ///< [column]; empty: the column is the element. Of large buffers those written
    std::vector<SweepRow> rows;
    std::vector<SweepArc> arcs;      ///< by row
    std::vector<uint64_t> patterns;  ///< see patternsOf()
    std::vector<BufferId> choices;   ///< buffers that the block wrote, likeliest first
    bool cut = false;                ///< more rows, columns or arcs than are kept
};

/// A row that stands for others: what repeats, row by row, with the same writers and arcs is shown once.
struct SweepFold {
    size_t row = 0;    ///< that is shown
    size_t first = 0;  ///< row of those it stands for
    size_t every = 1;  ///< rows from one of them to the next
    size_t count = 1;  ///< of them, itself included

    friend bool operator==(const SweepFold&, const SweepFold&) = default;
};

/// [row] a number for what the row does: which threads write which cells, having read which. Linear in arcs and cells.
std::vector<uint64_t> patternsOf(const Sweep& sweep);

/// In time order; rows of patterns that come at least three times in turn are folded, the turn that has row \p shown in
/// it (else the first) stands for all.
std::vector<SweepFold> foldRows(const std::vector<uint64_t>& patterns, std::optional<size_t> shown);

class Flow;

/// Of \p buffer, or of the one with the most epochs of reading and writing; an empty Sweep when the block writes no
/// shared or global buffer.
Sweep sweepOf(const Flow& flow, std::optional<BufferId> buffer);
/// The same. Cost: decodes the block once.
Result<Sweep> traceSweep(replay::Session& session, LaunchId launch, BlockIndex block, std::optional<BufferId> buffer);

/// \p sweep as \p steps have it: only what their warps write in them is written, and only their reads are joined to it.
/// Values stay, whoever wrote them. The rows are the same, so that pictures of several warps can be laid side by side.
Sweep sweepOf(Sweep sweep, const StepsOfBlock& steps);

}  // namespace lanescope::analysis
