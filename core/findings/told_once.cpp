// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/findings/told_once.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace lanescope::findings {
namespace {

using Line = std::pair<uint32_t, uint32_t>;  ///< source, line

Line lineOf(const trace::FindingAccess& access)
{
    return {access.where.source.value, access.where.line};
}

/// Whether one synchronisation could order both.
bool isOneGap(const trace::Finding& a, const trace::Finding& b)
{
    if (a.kind != b.kind || a.severity != b.severity || a.kernel != b.kernel)
        return false;
    const auto [firstA, lastA] = std::minmax({lineOf(a.accesses[0]), lineOf(a.accesses[1])});
    const auto [firstB, lastB] = std::minmax({lineOf(b.accesses[0]), lineOf(b.accesses[1])});
    const bool inOneSource = firstA.first == lastA.first && firstB.first == lastB.first && firstA.first == firstB.first;
    if (inOneSource)
        return firstA <= lastB && firstB <= lastA;
    return firstA == firstB || firstA == lastB || lastA == firstB || lastA == lastB;
}

bool isRaceOfKernel(const trace::Finding& finding)
{
    return familyOf(finding.kind) == Family::Race && !finding.kernel.empty() && finding.accesses.size() == 2;
}

/// Makes \p into tell \p other, too.
void join(ToldFinding& into, ToldFinding&& other)
{
    if (into.pairs.empty())
        into.pairs.push_back(static_cast<const trace::Finding&>(into));
    if (other.pairs.empty())
        into.pairs.push_back(static_cast<const trace::Finding&>(other));
    std::ranges::move(other.pairs, std::back_inserter(into.pairs));
    into.count += other.count;
}

}  // namespace

std::vector<ToldFinding> toldOnce(const std::vector<trace::Finding>& findings)
{
    std::vector<ToldFinding> result;
    for (const trace::Finding& finding : findings) {
        const auto touches = [&](const ToldFinding& other) {
            const auto isNear = [&](const trace::Finding& pair) { return isOneGap(finding, pair); };
            return isRaceOfKernel(other) && (isNear(other) || std::ranges::any_of(other.pairs, isNear));
        };
        const auto first = isRaceOfKernel(finding) ? std::find_if(result.begin(), result.end(), touches) : result.end();
        if (first == result.end()) {
            result.push_back({finding, {}});
            continue;
        }
        // It can close the gap between several that were told apart before it.
        for (auto other = std::next(first); other != result.end();) {
            if (touches(*other)) {
                join(*first, std::move(*other));
                other = result.erase(other);
            } else {
                ++other;
            }
        }
        join(*first, {finding, {}});
    }
    return result;
}

}  // namespace lanescope::findings
