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
    const auto [firstA, lastA] = std::minmax({lineOf(a.accesses[0]), lineOf(a.accesses[1])});
    const auto [firstB, lastB] = std::minmax({lineOf(b.accesses[0]), lineOf(b.accesses[1])});
    const bool inOneSource = firstA.first == lastA.first && firstB.first == lastB.first && firstA.first == firstB.first;
    if (inOneSource)
        return firstA <= lastB && firstB <= lastA;
    return firstA == firstB || firstA == lastB || lastA == firstB || lastA == lastB;
}

/// Whether both come of one expression, or of one free.
bool isOneAccess(const trace::Finding& a, const trace::Finding& b)
{
    if (a.buffer != b.buffer)
        return false;
    return (a.kind == FindingKind::UseAfterFree && !a.buffer.empty()) || a.accesses[0].where == b.accesses[0].where;
}

bool isOfKernel(const trace::Finding& finding, Family family, size_t accesses)
{
    return familyOf(finding.kind) == family && !finding.kernel.empty() && finding.accesses.size() == accesses;
}

bool isOneMistake(const trace::Finding& a, const trace::Finding& b)
{
    if (a.kind != b.kind || a.severity != b.severity || a.kernel != b.kernel)
        return false;
    const auto both = [&](Family family, size_t accesses) {
        return isOfKernel(a, family, accesses) && isOfKernel(b, family, accesses);
    };
    return (both(Family::Race, 2) && isOneGap(a, b)) || (both(Family::Bounds, 1) && isOneAccess(a, b));
}

/// Makes \p into tell \p other, too.
void join(ToldFinding& into, ToldFinding&& other)
{
    if (into.together.empty())
        into.together.push_back(static_cast<const trace::Finding&>(into));
    if (other.together.empty())
        into.together.push_back(static_cast<const trace::Finding&>(other));
    std::ranges::move(other.together, std::back_inserter(into.together));
    into.count += other.count;
}

}  // namespace

std::vector<ToldFinding> toldOnce(const std::vector<trace::Finding>& findings)
{
    std::vector<ToldFinding> result;
    for (const trace::Finding& finding : findings) {
        const auto touches = [&](const ToldFinding& other) {
            const auto isSame = [&](const trace::Finding& one) { return isOneMistake(finding, one); };
            return isSame(other) || std::ranges::any_of(other.together, isSame);
        };
        const auto first = std::find_if(result.begin(), result.end(), touches);
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
