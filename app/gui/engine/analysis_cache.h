// SPDX-License-Identifier: GPL-3.0-or-later
// Analyses of the open trace, each computed once per launch or block. Lives on one thread.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <utility>

#include "app/gui/engine/launch_strips.h"
#include "core/analysis/analysis.h"
#include "core/analysis/bank_layout.h"
#include "core/analysis/cluster.h"
#include "core/analysis/flow.h"
#include "core/analysis/footprint.h"
#include "core/analysis/padding.h"
#include "core/analysis/ring.h"
#include "core/analysis/sweep.h"
#include "core/analysis/tensor_copy.h"
#include "core/analysis/tile_map.h"
#include "core/analysis/variable_history.h"
#include "core/findings/findings_of.h"

namespace lanescope::gui {

class SnapshotBuilder;

/// Who touches what: of a launch's blocks and of one block's threads.
struct KnownUses {
    LaunchId launch;
    BlockIndex block;
    std::shared_ptr<const analysis::Footprint> ofLaunch;
    std::shared_ptr<const analysis::Footprint> ofBlock;
    std::shared_ptr<const analysis::Padding> padding;
};

class AnalysisCache {
public:
    explicit AnalysisCache(replay::Session& session) : m_session(session) {}

    [[nodiscard]] replay::Session& session() { return m_session; }
    Result<std::shared_ptr<const analysis::LaunchMetrics>> metrics(LaunchId launch);
    Result<std::shared_ptr<const analysis::SharedRequests>> sharedRequests(LaunchId launch);
    /// Of the steps that the user selected last.
    Result<std::shared_ptr<const analysis::LaunchMetrics>> metrics(const analysis::StepsOfBlock& steps);
    Result<std::shared_ptr<const analysis::SharedRequests>> sharedRequests(const analysis::StepsOfBlock& steps);
    /// Of all warps, or of those that were asked for last.
    Result<std::shared_ptr<const LaunchStrips>> strips(LaunchId launch, const analysis::WarpNumbers& warps = {});
    Result<std::shared_ptr<const analysis::Footprint>> footprint(LaunchId launch);
    Result<std::shared_ptr<const analysis::Footprint>> footprint(LaunchId launch, BlockIndex block);
    Result<std::shared_ptr<const analysis::Sweep>> sweep(LaunchId launch, BlockIndex block,
                                                         std::optional<BufferId> buffer);
    Result<std::shared_ptr<const analysis::Ring>> ring(LaunchId launch, BlockIndex block);
    /// Of the cluster that the block is in.
    Result<std::shared_ptr<const analysis::Cluster>> cluster(LaunchId launch, BlockIndex block);
    Result<std::shared_ptr<const std::vector<analysis::TensorCopy>>> tensorCopies(LaunchId launch, BlockIndex block);
    /// Of what all warps write, or some.
    Result<std::shared_ptr<const analysis::TileMap>> tileMap(LaunchId launch, std::optional<BufferId> buffer,
                                                             const analysis::WarpNumbers& warps = {});
    Result<std::shared_ptr<const analysis::Flow>> flow(LaunchId launch, BlockIndex block);
    Result<std::shared_ptr<const analysis::Padding>> padding(LaunchId launch, BlockIndex block);
    /// Of a linear thread index of the block.
    Result<std::shared_ptr<const analysis::VariableHistory>> variable(LaunchId launch, BlockIndex block,
                                                                      uint64_t thread, VariableId variable);
    /// Computes one more of what views of the launch and of the block may ask for, where the trace has tallies, so that
    /// none takes long; false: there is nothing left.
    bool anticipate(LaunchId launch, BlockIndex block);
    /// What anticipate() found of uses, once: another thread's cache of the same trace shows it.
    std::optional<KnownUses> takeUses();
    /// Of another cache of the same trace.
    void adopt(const KnownUses& uses);
    /// All that is to be said about the trace; advice once the recording has ended.
    Result<std::shared_ptr<const findings::Findings>> findings();
    /// Another trace, to compare with; opened when it is first asked for.
    Result<std::shared_ptr<SnapshotBuilder>> compared(const std::string& path);
    /// A growing trace has more.
    void forget();

private:
    /// Of what may be asked for.
    enum class Part : uint8_t { Metrics, Strips, Requests, Findings, Tiles, Footprint, Sweep, Uses };
    /// False: it was known.
    bool computeAhead(Part part, LaunchId launch, BlockIndex block);
    Result<KnownUses> uses(LaunchId launch, BlockIndex block);

    template <typename T>
    using ByLaunch = std::map<LaunchId, std::shared_ptr<const T>>;
    template <typename T>
    struct OfBlock {
        LaunchId launch;
        BlockIndex block;
        std::optional<BufferId> buffer;
        std::shared_ptr<const T> value;
    };

    template <typename T>
    struct OfSteps {
        analysis::StepsOfBlock steps;
        std::shared_ptr<const T> value;
    };

    template <typename T>
    struct OfWarps {
        LaunchId launch;
        std::optional<BufferId> buffer;
        analysis::WarpNumbers warps;
        std::shared_ptr<const T> value;
    };

    replay::Session& m_session;
    ByLaunch<analysis::LaunchMetrics> m_metrics;
    ByLaunch<analysis::SharedRequests> m_requests;
    ByLaunch<LaunchStrips> m_strips;
    ByLaunch<analysis::Footprint> m_footprints;
    OfSteps<analysis::LaunchMetrics> m_stepsMetrics;
    OfSteps<analysis::SharedRequests> m_stepsRequests;
    OfBlock<analysis::Footprint> m_blockFootprint;  ///< of the block looked at last
    OfBlock<analysis::Sweep> m_sweep;
    OfBlock<analysis::Ring> m_ring;
    OfBlock<analysis::Cluster> m_cluster;
    OfBlock<std::vector<analysis::TensorCopy>> m_tensorCopies;
    OfWarps<LaunchStrips> m_warpStrips;  ///< of some warps
    OfWarps<analysis::TileMap> m_tileMap;
    OfBlock<analysis::Flow> m_flow;
    OfBlock<analysis::Padding> m_padding;
    std::map<std::pair<uint64_t, VariableId>, OfBlock<analysis::VariableHistory>> m_variables;  ///< by thread
    std::shared_ptr<const findings::Findings> m_findings;
    std::optional<KnownUses> m_uses;                    ///< not taken yet
    std::set<std::pair<LaunchId, Part>> m_anticipated;  ///< tried, with a result or without
    std::string m_comparedPath;
    std::shared_ptr<SnapshotBuilder> m_compared;
};

}  // namespace lanescope::gui
