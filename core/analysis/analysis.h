// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a trace says about performance: shared-memory banks, global-memory sectors, metrics per launch and source
// line. Read this header first. Everything here is computed from recorded addresses, not measured.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/trace/reader.h"

namespace lanescope::analysis {

inline constexpr uint32_t kBanks = 32;
inline constexpr uint32_t kBankBytes = 4;
inline constexpr uint32_t kSectorBytes = 32;

/// One pass of a shared-memory request: a whole warp for accesses of up to 4 bytes per lane, a half warp for 8, a
/// quarter warp for 16 (CUDA C++ Programming Guide, "Shared Memory": 64-bit and 128-bit accesses).
struct BankPhase {
    LaneMask lanes = 0;                      ///< active lanes served in this pass
    std::array<uint8_t, kBanks> words{};     ///< distinct words wanted from each bank
    uint32_t degree = 0;                     ///< the most of them: how often the pass is repeated
    std::array<LaneMask, kBanks> wanting{};  ///< lanes that want something from each bank
};

/// What one shared-memory access of one warp costs.
struct BankCost {
    std::array<BankPhase, 4> phases;
    uint32_t phaseCount = 0;  ///< passes with any active lane: the ideal number of wavefronts
    uint32_t wavefronts = 0;  ///< sum of the passes' degrees
    uint32_t maxDegree = 0;   ///< 1: no conflict; 0: no active lane

    [[nodiscard]] uint32_t conflicts() const { return wavefronts - phaseCount; }
};

/// \p address: byte addresses in the block's shared memory, by lane. \p bytes: per lane, 1 to 16. Lanes that want the
/// same word share it (broadcast).
BankCost bankCost(LaneMask mask, const std::array<uint64_t, kWarpSize>& address, uint32_t bytes);

/// What one global-memory access of one warp moves.
struct SectorCost {
    uint32_t sectors = 0;       ///< distinct 32-byte sectors touched
    uint32_t idealSectors = 0;  ///< that the same number of distinct bytes would need at best
    uint32_t distinctBytes = 0;
};

/// \p address: global byte addresses by lane (only the low 5 bits' alignment matters besides equality).
SectorCost sectorCost(LaneMask mask, const std::array<uint64_t, kWarpSize>& address, uint32_t bytes);

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
    uint64_t accesses = 0;          ///< loads, stores and atomics
    uint64_t laneAccesses = 0;
    uint64_t globalBytes = 0;  ///< asked for by lanes, read and written
    uint64_t sharedBytes = 0;
    uint64_t barriers = 0;              ///< arrivals of warps
    uint64_t divergentBranches = 0;     ///< executions in which the lanes went both ways
    std::vector<LineMetrics> lines;     ///< accesses by file, line, column; a site that uses two spaces has two entries
    std::vector<LineMetrics> branches;  ///< by file, line, column
};

/// Some of one block's steps: [first, last).
struct StepsOfBlock {
    LaunchId launch;
    BlockIndex block;
    StepIndex first = 0;
    StepIndex last = 0;

    [[nodiscard]] bool contains(StepIndex step) const { return step >= first && step < last; }
    friend bool operator==(const StepsOfBlock&, const StepsOfBlock&) = default;
};

/// What hardware counted of the launch, where it was asked. Predictions hold for launches of which every block was
/// recorded or counted.
std::vector<HardwareMetric> compareWithHardware(const trace::Catalog& catalog, const LaunchMetrics& metrics);

/// Streams over the launch's chunks: about 0.3 µs per access, memory independent of the trace's size.
Result<LaunchMetrics> measureLaunch(trace::TraceReader& reader, LaunchId launch);
/// The same of some steps of one block; warpInstructions and flops are 0, since a trace has them by launch only.
Result<LaunchMetrics> measureSteps(trace::TraceReader& reader, const StepsOfBlock& steps);

}  // namespace lanescope::analysis
