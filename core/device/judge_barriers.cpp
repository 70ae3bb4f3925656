// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Barriers that not all threads reach, as findings.

#include <algorithm>

#include <fmt/format.h>

#include "core/device/judge.h"
#include "core/device/judge_text.h"
#include "core/device/reports.h"

namespace lanescope::device {
namespace {

struct MergedBarrier {
    uint64_t block;
    BarrierReport report;
    const trace::Site* sites[2];
};

FindingKind kindOf(BarrierReport::Kind kind)
{
    switch (kind) {
    case BarrierReport::Kind::Deadlock:
    case BarrierReport::Kind::BlocksEnded:
        return FindingKind::BarrierDeadlock;
    case BarrierReport::Kind::NotCooperative:
        return FindingKind::WarpSyncMisuse;
    default:
        return FindingKind::DivergentBarrier;
    }
}

std::string threadText(uint32_t thread, const JudgeContext& context)
{
    Dim3 position = positionOf(thread, context.launch.block);
    return fmt::format("thread ({},{},{})", position.x, position.y, position.z);
}

std::string message(const MergedBarrier& merged, const JudgeContext& context)
{
    std::string waits = threadText(merged.report.threads[0], context);
    std::string other = threadText(merged.report.threads[1], context);
    switch (merged.report.kind) {
    case BarrierReport::Kind::WaitsElsewhere:
        return fmt::format("threads of one block wait at different barriers: {} here, {} at line {}; every thread must "
                           "reach the same __syncthreads",
                           waits, other, merged.sites[1]->where.line);
    case BarrierReport::Kind::RanPast:
        return fmt::format("{} waits at this barrier, but {} of its block ran past it without waiting", waits, other);
    case BarrierReport::Kind::Deadlock:
        return merged.sites[1] ? fmt::format("threads wait for each other for ever: {} here, {} at line {}", waits,
                                             other, merged.sites[1]->where.line)
                               : fmt::format("{} waits here for ever: nobody is left to come", waits);
    case BarrierReport::Kind::BlocksEnded:
        return fmt::format("{} waits here for ever: other blocks have ended without coming to the grid's barrier",
                           waits);
    case BarrierReport::Kind::NotCooperative:
        return "the grid's barrier needs a cooperative launch (cudaLaunchCooperativeKernel): a GPU stops here";
    default:
        return fmt::format("{} waits at this barrier, but {} of its block had returned before it; tolerated by GPUs "
                           "since Volta, undefined by the language",
                           waits, other);
    }
}

}  // namespace

std::vector<trace::Finding> findingsOf(const std::vector<std::pair<uint64_t, BarrierReport>>& barriers,
                                       const JudgeContext& context)
{
    auto siteOf = [&](SiteId id) {
        return id == kNoSite ? nullptr : &context.sites[id.value - context.sites.front().id.value];
    };
    std::vector<MergedBarrier> merged;
    for (const auto& [block, report] : barriers) {
        MergedBarrier entry{block, report, {siteOf(report.sites[0]), siteOf(report.sites[1])}};
        // Copies of one barrier that optimisation made.
        if (entry.report.kind != BarrierReport::Kind::Deadlock && entry.sites[1] &&
            sameLine(*entry.sites[0], *entry.sites[1]) && entry.sites[0]->where.column == entry.sites[1]->where.column)
            continue;
        auto known = std::find_if(merged.begin(), merged.end(), [&](const MergedBarrier& other) {
            return other.report.kind == entry.report.kind && sameLine(*other.sites[0], *entry.sites[0]) &&
                   (!entry.sites[1] || sameLine(*other.sites[1], *entry.sites[1]));
        });
        if (known == merged.end())
            merged.push_back(entry);
        else
            known->report.count += report.count;
    }
    std::vector<trace::Finding> findings;
    for (const MergedBarrier& entry : merged) {
        trace::Finding finding;
        finding.kind = kindOf(entry.report.kind);
        finding.severity = entry.report.kind == BarrierReport::Kind::Exited ? Severity::Warning : Severity::Error;
        finding.message = message(entry, context);
        finding.count = entry.report.count;
        finding.kernel = context.launch.kernel;
        finding.launch = context.launch.id;
        for (int side = 0; side < 2 && entry.sites[side]; ++side) {
            trace::FindingAccess access;
            access.where = entry.sites[side]->where;
            access.expression = entry.sites[side]->expression;
            access.access = "barrier";
            access.block = positionOf(entry.block, context.launch.grid);
            access.thread = positionOf(entry.report.threads[side], context.launch.block);
            access.epoch = entry.report.epoch;
            access.step = entry.report.step;
            finding.accesses.push_back(std::move(access));
        }
        findings.push_back(std::move(finding));
    }
    return findings;
}

}  // namespace lanescope::device
