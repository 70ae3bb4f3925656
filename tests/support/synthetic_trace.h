// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Writes the trace that a tiled matrix multiplication would leave, without compiling or simulating anything.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/trace/writer.h"

namespace lanescope::test {

struct SyntheticOptions {
    uint32_t size = 9;  ///< rows and columns of a, b and out
    uint32_t tile = 3;  ///< rows and columns of a thread block and of the shared tiles
    bool variables = true;
    /// a, b and out are declared with rows and columns; else as a cudaMalloc leaves them, so many elements.
    bool matrices = false;
    /// Loads from shared memory carry their values, although replay could derive them.
    bool valuesOfSharedLoads = false;
    uint64_t maxBytes = 0;
    uint32_t launches = 1;
    std::optional<uint64_t> onlyBlock = std::nullopt;  ///< records just this one
};

/// The kernel, event by event, through a TraceWriter's public interface.
class SyntheticMatmul {
public:
    SyntheticMatmul(trace::TraceWriter& writer, const SyntheticOptions& options);

    /// Source, sites, variables, global buffers.
    void declare();
    void beginLaunch(LaunchId launch);
    /// Records one block; nothing when the writer has no budget left.
    void recordBlock(LaunchId launch, BlockIndex block);
    void endLaunch(LaunchId launch);

    /// All of the above, for all blocks of all launches that the options name.
    void record();

    /// What out holds in the end, row-major.
    [[nodiscard]] const std::vector<float>& out() const { return m_out; }
    [[nodiscard]] static float elementA(uint64_t index);
    [[nodiscard]] static float elementB(uint64_t index);
    [[nodiscard]] uint64_t laneAccesses() const { return m_laneAccesses; }
    [[nodiscard]] uint64_t events() const { return m_events; }
    [[nodiscard]] trace::Launch launchOf(LaunchId launch) const;

    /// Ids of what declare() declares.
    static constexpr BufferId kA{0}, kB{1}, kOut{2};
    /// Shared tiles of a launch.
    static constexpr BufferId sharedA(LaunchId launch) { return BufferId{3 + 2 * launch.value}; }
    static constexpr BufferId sharedB(LaunchId launch) { return BufferId{4 + 2 * launch.value}; }
    enum Var : uint32_t { VarSize, VarRow, VarCol, VarLocalRow, VarLocalCol, VarAcc, VarTile, VarK, VarCount };
    enum At : uint32_t {
        AtSize,
        AtRow,
        AtCol,
        AtLocalRow,
        AtLocalCol,
        AtAccInit,
        AtTileInit,
        AtTileBranch,
        AtLoadA,
        AtStoreA,
        AtLoadB,
        AtStoreB,
        AtBarrierIn,
        AtKInit,
        AtKBranch,
        AtLoadSharedA,
        AtLoadSharedB,
        AtAcc,
        AtKNext,
        AtBarrierOut,
        AtTileNext,
        AtGuard,
        AtStoreOut,
        AtExit,
        AtCount
    };
    static std::string sourceText(const SyntheticOptions& options);

private:
    struct BlockRun;

    [[nodiscard]] uint32_t blocksAcross() const { return (m_options.size + m_options.tile - 1) / m_options.tile; }

    trace::TraceWriter& m_writer;
    SyntheticOptions m_options;
    uint32_t m_threads;
    uint32_t m_warps;
    std::vector<float> m_out;
    uint64_t m_laneAccesses = 0;
    uint64_t m_events = 0;
};

/// Writes a finished trace: all blocks of all launches.
Result<void> writeSyntheticTrace(const std::string& path, const SyntheticOptions& options = {});

trace::SessionInfo syntheticSession();

}  // namespace lanescope::test
