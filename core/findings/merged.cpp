// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/findings/merged.h"

#include <algorithm>
#include <map>
#include <string>

namespace lanescope::findings {
namespace {

/// Two findings of one mistake have a key in common.
std::string keyOf(const trace::Catalog& catalog, const trace::Finding& finding)
{
    std::vector<std::string> places;
    for (const trace::FindingAccess& access : finding.accesses)
        places.push_back(pathOf(catalog, access.where.source) + ':' + std::to_string(access.where.line) + ':' +
                         std::to_string(access.where.column) + ' ' + access.access);
    // Which side of a race came first is a matter of luck.
    std::ranges::sort(places);
    std::string key = nameOf(finding.kind) + ('\n' + finding.kernel);
    for (const std::string& place : places)
        key += '\n' + place;
    return places.empty() ? key + '\n' + finding.message : key;
}

std::vector<std::string> keysOf(const trace::Catalog& catalog, const ToldFinding& told)
{
    std::vector<std::string> keys{keyOf(catalog, told)};
    for (const trace::Finding& one : told.together)
        keys.push_back(keyOf(catalog, one));
    return keys;
}

}  // namespace

std::vector<MergedFinding> merge(const std::vector<RunFindings>& runs, Counts counts)
{
    std::vector<MergedFinding> merged;
    std::map<std::string, size_t> known;
    for (size_t run = 0; run < runs.size(); ++run)
        for (const ToldFinding& told : runs[run].told) {
            const std::vector<std::string> keys = keysOf(*runs[run].catalog, told);
            const auto same = std::ranges::find_if(keys, [&](const std::string& key) { return known.contains(key); });
            const size_t place = same != keys.end() ? known[*same] : merged.size();
            for (const std::string& key : keys)
                known.try_emplace(key, place);
            if (place == merged.size()) {
                merged.push_back({told, {run}});
                continue;
            }
            MergedFinding& into = merged[place];
            uint64_t& count = into.finding.count;
            count = counts == Counts::Added ? count + told.count : std::max(count, told.count);
            if (into.runs.back() != run)
                into.runs.push_back(run);
        }
    return merged;
}

}  // namespace lanescope::findings
