// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/device/judge.h"

#include <algorithm>
#include <iterator>

namespace lanescope::device {

std::vector<trace::Finding> judge(DeviceOutcome& outcome, const JudgeContext& context)
{
    const RacingReads racing(outcome.races);
    std::erase_if(outcome.uninitialised, [&](const auto& use) { return racing.contain(use.second); });
    std::erase_if(outcome.undefinedCopies, [&](const auto& copy) { return racing.contain(copy.second.second); });
    std::vector<trace::Finding> findings = findingsOf(outcome.faults, context);
    const auto add = [&](std::vector<trace::Finding> more) { std::ranges::move(more, std::back_inserter(findings)); };
    add(findingsOf(outcome.uninitialised, context));
    add(findingsOf(outcome.barriers, context));
    add(findingsOf(outcome.races, context));
    add(findingsOf(outcome.programFaults, context));
    return findings;
}

}  // namespace lanescope::device
