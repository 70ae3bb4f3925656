// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/simt/launch/block_reports.h"

#include <algorithm>
#include <map>
#include <string>
#include <tuple>

namespace lanescope::simt {

void addReports(const Block& block, device::DeviceOutcome& outcome)
{
    const BlockChecks& checks = *block.checks;
    const auto append = [&](auto& to, const auto& from) {
        for (const auto& report : from)
            to.emplace_back(block.index, report);
    };
    outcome.programFaults.insert(outcome.programFaults.end(), checks.programFaults.begin(), checks.programFaults.end());
    outcome.faults.insert(outcome.faults.end(), checks.faults.begin(), checks.faults.end());
    append(outcome.races, checks.races);
    append(outcome.uninitialised, checks.uninitialised);
    append(outcome.undefinedCopies, checks.undefinedCopies);
    append(outcome.barriers, checks.barriers);
}

void sortReports(device::DeviceOutcome& outcome)
{
    const auto byBlock = [](const auto& a, const auto& b) {
        if constexpr (requires { a.first; })
            return a.first < b.first;
        else
            return a.block < b.block;
    };
    const auto sort = [&](auto& reports) { std::stable_sort(reports.begin(), reports.end(), byBlock); };
    sort(outcome.faults);
    sort(outcome.undefinedCopies);
    sort(outcome.uninitialised);
    sort(outcome.barriers);
    sort(outcome.races);
    sort(outcome.programFaults);
}

size_t countReports(const device::DeviceOutcome& outcome)
{
    return outcome.faults.size() + outcome.uninitialised.size() + outcome.barriers.size() + outcome.races.size() +
           outcome.programFaults.size();
}

bool hasReports(const BlockChecks& checks)
{
    return !checks.programFaults.empty() || !checks.faults.empty() || !checks.races.empty() ||
           !checks.uninitialised.empty() || !checks.undefinedCopies.empty() || !checks.barriers.empty();
}

std::vector<trace::LineOperations> operationsOf(const LaunchPlan& plan, const std::vector<RunCount>& runs)
{
    using Place = std::tuple<uint32_t, uint32_t, uint32_t, trace::OperationKind, std::string>;
    std::map<Place, RunCount> sums;
    for (size_t i = 0; i < runs.size(); ++i) {
        if (runs[i].warps == 0)
            continue;
        for (const CountedOperations& counted : plan.program.operations[i]) {
            const trace::SourceLocation& at = counted.where;
            RunCount& sum = sums[{at.source.value, at.line, at.column, counted.kind, counted.function}];
            sum.warps += counted.count * runs[i].warps;
            sum.lanes += counted.count * runs[i].lanes;
        }
    }
    std::vector<trace::LineOperations> operations;
    for (const auto& [place, sum] : sums) {
        const auto& [source, line, column, kind, function] = place;
        operations.push_back({plan.launch.id, {SourceId{source}, line, column}, function, kind, sum.warps, sum.lanes});
    }
    return operations;
}

}  // namespace lanescope::simt
