// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/sarif.h"

#include <set>

namespace lanescope::cli {

namespace {

const char* levelOf(const std::string& severity)
{
    return severity == "error" ? "error" : severity == "warning" ? "warning" : "note";
}

Json locationOf(const trace::Catalog& catalog, const trace::FindingAccess& access)
{
    Json region = {{"startLine", access.where.line}};
    if (access.where.column > 0)
        region["startColumn"] = access.where.column;
    return {{"physicalLocation",
             {{"artifactLocation", {{"uri", pathOf(catalog, access.where.source)}}}, {"region", region}}},
            {"message", {{"text", access.access + " of " + access.expression}}}};
}

Json resultOf(const trace::Catalog& catalog, const trace::Finding& finding)
{
    Json result = {{"ruleId", finding.kind},
                   {"level", levelOf(finding.severity)},
                   {"message", {{"text", finding.message}}},
                   {"occurrenceCount", finding.count}};
    Json locations = Json::array();
    for (const trace::FindingAccess& access : finding.accesses)
        if (access.where.line > 0)
            locations.push_back(locationOf(catalog, access));
    if (!locations.empty())
        result["locations"] = Json::array({locations[0]});
    if (locations.size() > 1)
        result["relatedLocations"] = Json(locations.begin() + 1, locations.end());
    return result;
}

}  // namespace

Json sarifDocument(const trace::Catalog& catalog, const std::vector<trace::Finding>& findings)
{
    Json results = Json::array();
    std::set<std::string> kinds;
    for (const trace::Finding& finding : findings) {
        results.push_back(resultOf(catalog, finding));
        kinds.insert(finding.kind);
    }
    Json rules = Json::array();
    for (const std::string& kind : kinds)
        rules.push_back({{"id", kind}});
    const Json driver = {{"name", "lanescope"}, {"version", "0.1.0"}, {"rules", rules}};
    return {{"$schema", "https://json.schemastore.org/sarif-2.1.0.json"},
            {"version", "2.1.0"},
            {"runs", Json::array({{{"tool", {{"driver", driver}}}, {"results", results}}})}};
}

}  // namespace lanescope::cli
