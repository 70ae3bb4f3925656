// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a trace says about performance: metrics per launch and source line. Read this header first. Everything here is
// computed from recorded addresses, not measured.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/cost/access_cost.h"
#include "core/trace/reader.h"

namespace lanescope::analysis {

using cost::BankCost;
using cost::bankCost;
using cost::BankPhase;
using cost::kBankBytes;
using cost::kBanks;
using cost::kSectorBytes;
using cost::SectorCost;
using cost::sectorCost;

/// Sums over all recorded executions of one site.
struct LineMetrics {
    SiteId site;
    trace::SourceLocation where;
    std::string file;
    std::string expression;
    trace::Space space = trace::Space::Global;
    trace::SiteKind access = trace::SiteKind::Load;  ///< Load, Store, Atomic or Branch
    uint64_t requests = 0;                           ///< executions by a warp with at least one active lane
    uint64_t laneAccesses = 0;                       ///< active lanes of them
    uint64_t sectors = 0;                            ///< Global only, as are idealSectors
    uint64_t idealSectors = 0;
    uint64_t wavefronts = 0;  ///< Shared only, as are conflicts and maxDegree
    uint64_t conflicts = 0;   ///< wavefronts beyond the ideal
    uint32_t maxDegree = 0;
    uint64_t divergent = 0;  ///< Branch only: executions in which the lanes went both ways
    std::string function;    ///< that it is in
    /// Of no access or branch, but operations: `site` is kNoSite then.
    std::optional<trace::OperationKind> operation = std::nullopt;
};

/// A number of the GPU's own beside what the trace's accesses come to.
struct HardwareMetric {
    std::string name;
    uint64_t measured = 0;
    std::optional<uint64_t> predicted;  ///< none: nothing in a trace says it (a time)
};

/// Sums over the recorded blocks of one launch. Warp-level counts: a warp that does something counts once.
struct LaunchMetrics {
    LaunchId launch;
    std::string kernel;
    Dim3 grid;
    Dim3 block;
    uint64_t warpInstructions = 0;  ///< as the producer counted them, in all blocks
    uint64_t flops = 0;             ///< likewise
    bool flopsAreKnown = true;      ///< false: of some steps or warps of which the trace does not tell the flops
    uint64_t accesses = 0;          ///< loads, stores and atomics
    uint64_t laneAccesses = 0;
    uint64_t globalBytes = 0;  ///< asked for by lanes, read and written
    uint64_t sharedBytes = 0;
    uint64_t barriers = 0;              ///< arrivals of warps
    uint64_t divergentBranches = 0;     ///< executions in which the lanes went both ways
    std::vector<LineMetrics> lines;     ///< accesses by file, line, column; a site that uses two spaces has two entries
    std::vector<LineMetrics> branches;  ///< by file, line, column
    /// Arithmetic, shuffles, votes … by file, line, column; empty where the trace does not tell.
    std::vector<LineMetrics> operations;
};

/// Numbers of warps in a block, ascending; empty: all.
using WarpNumbers = std::vector<uint16_t>;

inline bool isAmong(const WarpNumbers& warps, uint16_t warp)
{
    return warps.empty() || std::binary_search(warps.begin(), warps.end(), warp);
}

/// Some of one block's steps: [first, last), of all of its warps or of some.
struct StepsOfBlock {
    LaunchId launch;
    BlockIndex block;
    StepIndex first = 0;
    StepIndex last = 0;
    WarpNumbers warps;
    std::string role;  ///< what these warps are called; empty where they are all

    [[nodiscard]] bool contains(StepIndex step) const { return step >= first && step < last; }
    [[nodiscard]] bool takes(uint16_t warp) const { return isAmong(warps, warp); }
    friend bool operator==(const StepsOfBlock&, const StepsOfBlock&) = default;
};

/// What hardware counted of the launch, where it was asked. Predictions hold for launches of which every block was
/// recorded or counted.
std::vector<HardwareMetric> compareWithHardware(const trace::Catalog& catalog, const LaunchMetrics& metrics);

/// From the trace's tallies, some microseconds per block; of blocks without one, from their events, about 0.3 µs per
/// access. Memory independent of the trace's size.
Result<LaunchMetrics> measureLaunch(trace::TraceReader& reader, LaunchId launch);
/// The same of some steps of one block. warpInstructions are 0, since a trace has them by launch only; flops are known
/// where the steps are all of the block's, since a trace has them by warp (TraceReader::flopsOfWarps).
Result<LaunchMetrics> measureSteps(trace::TraceReader& reader, const StepsOfBlock& steps);

}  // namespace lanescope::analysis
