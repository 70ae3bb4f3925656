// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Uses of values that nobody has set, as findings: one per read and per line of use.

#include <algorithm>

#include <fmt/format.h>

#include "core/device/judge.h"
#include "core/device/judge_text.h"
#include "core/device/reports.h"

namespace lanescope::device {
namespace {

bool sameUse(const UninitialisedUse& a, const UninitialisedUse& b)
{
    auto line = [](const trace::SourceLocation& x, const trace::SourceLocation& y) {
        return x.source == y.source && x.line == y.line;
    };
    return (a.site == b.site && a.variable == b.variable) || line(a.usedAt, b.usedAt) || line(a.readAt, b.readAt);
}

const char* useText(UninitialisedUse::How how)
{
    switch (how) {
    case UninitialisedUse::Branch:
        return "a branch depends on it";
    case UninitialisedUse::Address:
        return "an address depends on it";
    case UninitialisedUse::Atomic:
        return "an atomic updates it";
    case UninitialisedUse::CopiedOut:
        return "it is copied to global memory and from there to the host";
    default:
        return "what is computed from it is stored";
    }
}

const char* useAccess(UninitialisedUse::How how)
{
    switch (how) {
    case UninitialisedUse::Branch:
        return "branch";
    case UninitialisedUse::Address:
        return "address";
    default:
        return "write";
    }
}

/// " (line 10)", where a local variable is declared.
std::string declarationText(const trace::Buffer& variable)
{
    const size_t colon = variable.allocatedAt.rfind(':');
    return colon == std::string::npos ? "" : fmt::format(" (line {})", variable.allocatedAt.substr(colon + 1));
}

/// Memory that has no value, and what to do.
void describeMemory(trace::Finding& finding, const UninitialisedUse& use, const trace::Buffer* buffer, uint32_t index)
{
    const std::string cell = buffer ? cellText(*buffer, index) : "memory";
    if (!use.ended || !buffer) {
        finding.message = fmt::format("read of {}, which nobody has written; {}", cell, useText(use.how));
        return;
    }
    finding.message =
        fmt::format("read of {} after the end of the scope that declares {}{}: nothing is there any more; {}", cell,
                    buffer->name, declarationText(*buffer), useText(use.how));
    finding.help = fmt::format("declare {} in a scope that ends after the last use of pointers to it", buffer->name);
}

trace::Finding findingOf(uint64_t block, const UninitialisedUse& use, const JudgeContext& context)
{
    trace::Finding finding;
    finding.kind = FindingKind::UninitialisedRead;
    finding.severity = Severity::Error;
    finding.count = use.count;
    finding.kernel = context.launch.kernel;
    finding.launch = context.launch.id;
    trace::FindingAccess read;
    read.where = use.readAt;
    read.access = use.how == UninitialisedUse::Atomic ? "atomic" : "read";
    read.block = positionOf(block, context.launch.grid);
    read.thread = positionOf(use.thread, context.launch.block);
    read.epoch = use.epoch;
    read.step = use.step;
    if (use.variable) {
        read.expression = use.variable->name;
        finding.message = fmt::format("read of the variable {} (declared at line {}), which has no value yet; {}",
                                      use.variable->name, use.variable->where.line, useText(use.how));
    } else if (context.sites[use.site].kind == trace::SiteKind::Call) {
        // A shuffle. Where the mask leaves the lane out, GPUs give 0, and reductions in use rely on it.
        finding.kind = FindingKind::WarpSyncMisuse;
        finding.severity = use.named ? Severity::Error : Severity::Warning;
        read.expression = context.sites[use.site].expression;
        finding.message =
            fmt::format("{} reads lane {}, which {}: the value is undefined; {}", read.expression, use.address,
                        use.named ? "is not there" : "its mask does not name", useText(use.how));
    } else {
        read.expression = context.sites[use.site].expression;
        const JudgeContext::Place place = context.placeOf(use.address);
        const trace::Buffer* buffer = place.buffer;
        uint32_t element = buffer ? std::max<uint32_t>(buffer->element.totalBytes(), 1) : 1;
        auto index = static_cast<uint32_t>(place.within(use.address)) / element;
        finding.buffer = buffer ? buffer->name : "";
        finding.cell = {static_cast<int64_t>(index)};
        describeMemory(finding, use, buffer, index);
    }
    finding.accesses.push_back(read);
    bool elsewhere = use.usedAt.line != use.readAt.line || use.usedAt.source != use.readAt.source;
    if (elsewhere && use.usedAt.line) {
        trace::FindingAccess used = read;
        used.where = use.usedAt;
        used.expression = use.useSite < context.sites.size() ? context.sites[use.useSite].expression : "";
        used.access = useAccess(use.how);
        finding.accesses.push_back(used);
    }
    const JudgeContext::Place place = use.variable ? JudgeContext::Place() : context.placeOf(use.address);
    addInstances(finding, use.instances, cellsOf(place), false, context);
    return finding;
}

}  // namespace

RacingReads::RacingReads(const std::vector<std::pair<uint64_t, RaceReport>>& races)
{
    for (const auto& [block, race] : races)
        for (int side = 0; side < 2; ++side)
            if (!race.writes[side] && race.writes[1 - side])
                m_reads.emplace(race.sites[side], race.address >> 32);
}

bool RacingReads::contain(const UninitialisedUse& use) const
{
    return m_reads.contains({use.site, use.address >> 32});
}

std::vector<trace::Finding> findingsOf(const std::vector<std::pair<uint64_t, UninitialisedUse>>& uses,
                                       const JudgeContext& context)
{
    std::vector<std::pair<uint64_t, UninitialisedUse>> merged;
    for (const auto& entry : uses) {
        auto known = std::find_if(merged.begin(), merged.end(),
                                  [&](const auto& other) { return sameUse(entry.second, other.second); });
        if (known == merged.end()) {
            merged.push_back(entry);
        } else {
            known->second.count += entry.second.count;
            known->second.instances.merge(entry.second.instances, false);
        }
    }
    std::vector<trace::Finding> findings;
    for (const auto& [block, use] : merged)
        findings.push_back(findingOf(block, use, context));
    return findings;
}

}  // namespace lanescope::device
