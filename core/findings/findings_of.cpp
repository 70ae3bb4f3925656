// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/findings/findings_of.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include <fmt/format.h>

#include "core/analysis/race_sides.h"

namespace lanescope::findings {
namespace {

/// What ended the run early is a finding when it is a limit of ours, or threads that cannot go on; told once.
void addStopReason(const StopReason& reason, Findings& result)
{
    if (reason.empty())
        return;
    if (!reason.kind)
        return result.unsupported.push_back(reason.text());
    const auto isTold = [&](const trace::Finding& finding) { return finding.kind == *reason.kind; };
    if (std::any_of(result.findings.begin(), result.findings.end(), isTold))
        return;
    trace::Finding finding;
    finding.kind = *reason.kind;
    finding.severity = infoOf(*reason.kind).severity;
    finding.message = reason.text();
    result.findings.push_back(std::move(finding));
}

}  // namespace

std::vector<std::string> notChecked(const trace::Catalog& catalog)
{
    using How = trace::ProgramEnd::How;
    const trace::ProgramEnd& end = catalog.session.programEnd;
    std::vector<std::string> parts;
    for (const trace::Launch& launch : catalog.launches)
        if (!launch.complete)
            parts.push_back(fmt::format("launch {}, {}: it did not come to its end", launch.id.value, launch.kernel));
    if (end.how == How::Signal)
        parts.push_back(fmt::format("what the program would have done after it was ended by {}", end.signal));
    else if (end.how == How::Interrupted)
        parts.push_back(fmt::format("what the program would have done after it was interrupted ({})", end.signal));
    else if (end.how == How::Limit || (!catalog.session.stopReason.empty() && !catalog.session.stopReason.kind))
        parts.emplace_back("what the program would have done after it was stopped");
    else if (!catalog.session.hasEnded())
        parts.emplace_back("what the program did after this was written");
    return parts;
}

namespace {

/// A program that ends by an error of its own, which no finding explains, may have had more to do.
void noteOwnError(const trace::ProgramEnd& end, Findings& result)
{
    const auto isAdvice = [](const trace::Finding& finding) { return finding.severity == Severity::Advice; };
    if (end.how == trace::ProgramEnd::How::Exited && end.status.value_or(0) != 0 &&
        std::ranges::all_of(result.findings, isAdvice))
        result.notChecked.push_back(
            fmt::format("what the program would have done had it not ended with exit status {}", *end.status));
}

}  // namespace

Result<Findings> findingsOf(trace::TraceReader& reader, const FindingsOptions& options)
{
    const trace::Catalog& catalog = reader.catalog();
    Findings result;
    result.findings = catalog.findings;
    if (options.placesSides)
        if (Result<void> placed = analysis::placeFirstSides(reader, result.findings); !placed)
            return placed.error();
    result.findings.insert(result.findings.end(), options.more.begin(), options.more.end());
    for (const trace::Launch& launch : catalog.launches)
        result.droppedBlocks += launch.blocksDropped;
    addStopReason(catalog.session.stopReason, result);
    result.notChecked = notChecked(catalog);
    if (options.withAdvice) {
        Result<std::vector<trace::Finding>> advice = analysis::adviceOn(reader, options.thresholds);
        if (!advice)
            return advice.error();
        std::ranges::move(advice.value(), std::back_inserter(result.findings));
    }
    Result<Judged> judged = applySuppressions(catalog, options.suppressions, std::move(result.findings));
    if (!judged)
        return judged.error();
    result.findings = std::move(judged.value().kept);
    result.suppressed = std::move(judged.value().suppressed);
    result.unusedSuppressions = std::move(judged.value().unused);
    noteOwnError(catalog.session.programEnd, result);
    return result;
}

}  // namespace lanescope::findings
