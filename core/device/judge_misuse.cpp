// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Misuse, failed assertions and the like of all blocks, as findings: one per (kind, place).
#include <algorithm>

#include "core/device/judge.h"
#include "core/device/reports.h"

namespace lanescope::device {
namespace {

trace::Finding findingOf(const ProgramFault& fault, const JudgeContext& context)
{
    const trace::Site& site = context.sites[fault.staticSite];
    trace::FindingAccess access;
    access.where = site.where;
    access.expression = site.expression;
    access.access = site.kind == trace::SiteKind::Atomic ? "atomic"
                    : site.kind == trace::SiteKind::Load ? "read"
                                                         : "call";
    access.block = positionOf(fault.block, context.launch.grid);
    access.thread = positionOf(fault.thread, context.launch.block);
    access.epoch = fault.epoch;
    access.step = fault.step;
    trace::Finding finding;
    finding.kind = fault.kind;
    finding.severity = Severity::Error;
    finding.message = fault.message;
    finding.help = fault.help;
    finding.count = fault.count;
    finding.kernel = context.launch.kernel;
    finding.launch = context.launch.id;
    finding.accesses = {access};
    if (fault.other.where.line) {
        access.where = fault.other.where;
        access.expression.clear();
        access.access = fault.other.access;
        finding.accesses.insert(fault.other.isFirst ? finding.accesses.begin() : finding.accesses.end(), access);
    }
    return finding;
}

}  // namespace

std::vector<trace::Finding> findingsOf(const std::vector<ProgramFault>& faults, const JudgeContext& context)
{
    std::vector<ProgramFault> merged;
    for (const ProgramFault& fault : faults) {
        auto known = std::find_if(merged.begin(), merged.end(), [&](const ProgramFault& other) {
            return other.staticSite == fault.staticSite && other.kind == fault.kind;
        });
        if (known == merged.end())
            merged.push_back(fault);
        else
            known->count += fault.count;
    }
    std::vector<trace::Finding> findings;
    for (const ProgramFault& fault : merged)
        findings.push_back(findingOf(fault, context));
    return findings;
}

}  // namespace lanescope::device
