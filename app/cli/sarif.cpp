// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/sarif.h"

#include <fmt/format.h>

#include <algorithm>

#include "instrumented/compiler/cache.h"

namespace lanescope::cli {

namespace {

const char* levelOf(Severity severity)
{
    return severity == Severity::Advice ? "note" : nameOf(severity);
}

/// A path as a URI reference (RFC 3986): absolute ones with their scheme, relative ones as they are.
std::string uriOf(const std::string& path)
{
    static constexpr std::string_view kPlain = "/-._~!$&'()*+,;=@";
    std::string uri = path.starts_with('/') ? "file://" : "";
    for (const char c : path)
        if (std::isalnum(static_cast<unsigned char>(c)) || kPlain.find(c) != std::string_view::npos)
            uri += c;
        else
            uri += fmt::format("%{:02X}", static_cast<unsigned char>(c));
    return uri;
}

/// What a kind means, for tools that show it beside its results.
Json ruleOf(FindingKind kind)
{
    const FindingKindInfo& info = infoOf(kind);
    Json rule = {{"id", info.name},
                 {"shortDescription", {{"text", info.title}}},
                 {"fullDescription", {{"text", info.why}}},
                 {"defaultConfiguration", {{"level", levelOf(info.severity)}}}};
    if (*info.help)
        rule["help"] = {{"text", info.help}};
    return rule;
}

Json locationOf(const trace::Catalog& catalog, const trace::FindingAccess& access)
{
    Json region = {{"startLine", access.where.line}};
    if (access.where.column > 0)
        region["startColumn"] = access.where.column;
    return {{"physicalLocation",
             {{"artifactLocation", {{"uri", uriOf(pathOf(catalog, access.where.source))}}}, {"region", region}}}};
}

Json relatedLocationOf(const trace::Catalog& catalog, const trace::FindingAccess& access, size_t id)
{
    Json location = {{"id", id}};
    location.update(locationOf(catalog, access));
    location["message"] = {{"text", access.access + " of " + access.expression}};
    return location;
}

/// Stays the same while lines move: the kind, the kernel and the expressions.
std::string fingerprintOf(const trace::Finding& finding)
{
    std::string text = nameOf(finding.kind) + ('\n' + finding.kernel);
    for (const trace::FindingAccess& access : finding.accesses)
        text += '\n' + access.access + ' ' + access.expression;
    return compiler::contentHash(text);
}

Json propertiesOf(const trace::Finding& finding)
{
    Json properties = Json::object();
    if (!finding.kernel.empty())
        properties["kernel"] = finding.kernel;
    if (!finding.buffer.empty())
        properties["buffer"] = finding.buffer;
    for (const auto& [name, value] : finding.numbers)
        properties[name] = numberJson(value);
    return properties;
}

class SarifRun {
public:
    explicit SarifRun(const trace::Catalog& catalog) : m_catalog(catalog) {}

    /// \p together: that are told with it.
    void add(const trace::Finding& finding, const std::vector<trace::Finding>& together,
             const findings::SuppressedFinding* suppressed = nullptr);
    [[nodiscard]] Json take(const findings::Findings& result);

private:
    size_t ruleIndexOf(FindingKind kind);

    const trace::Catalog& m_catalog;
    std::vector<FindingKind> m_kinds;
    Json m_results = Json::array();
};

size_t SarifRun::ruleIndexOf(FindingKind kind)
{
    const auto known = std::find(m_kinds.begin(), m_kinds.end(), kind);
    if (known != m_kinds.end())
        return static_cast<size_t>(known - m_kinds.begin());
    m_kinds.push_back(kind);
    return m_kinds.size() - 1;
}

void SarifRun::add(const trace::Finding& finding, const std::vector<trace::Finding>& together,
                   const findings::SuppressedFinding* suppressed)
{
    Json result = {{"ruleId", nameOf(finding.kind)},
                   {"ruleIndex", ruleIndexOf(finding.kind)},
                   {"level", levelOf(finding.severity)},
                   {"message", {{"text", finding.message}}},
                   {"occurrenceCount", std::max<uint64_t>(finding.count, 1)},
                   {"partialFingerprints", {{"lanescopeFinding/v1", fingerprintOf(finding)}}}};
    Json related = Json::array();
    const auto addPlaces = [&](const std::vector<trace::FindingAccess>& accesses) {
        for (const trace::FindingAccess& access : accesses) {
            if (access.where.line == 0)
                continue;
            if (!result.contains("locations"))
                result["locations"] = Json::array({locationOf(m_catalog, access)});
            else
                related.push_back(relatedLocationOf(m_catalog, access, related.size() + 1));
        }
    };
    addPlaces(finding.accesses);
    addPlaces(finding.calls);
    for (size_t i = 1; i < together.size(); ++i)
        addPlaces(together[i].accesses);
    if (!related.empty())
        result["relatedLocations"] = related;
    if (const Json properties = propertiesOf(finding); !properties.empty())
        result["properties"] = properties;
    if (suppressed) {
        Json suppression = {{"kind", suppressed->inSource ? "inSource" : "external"}};
        if (!suppressed->reason.empty())
            suppression["justification"] = suppressed->reason;
        result["suppressions"] = Json::array({suppression});
    }
    m_results.push_back(std::move(result));
}

Json SarifRun::take(const findings::Findings& result)
{
    Json rules = Json::array();
    for (const FindingKind kind : m_kinds)
        rules.push_back(ruleOf(kind));
    Json notifications = Json::array();
    for (const std::string& reason : result.unsupported)
        notifications.push_back({{"level", "error"}, {"message", {{"text", reason}}}});
    for (const std::string& what : result.notChecked)
        notifications.push_back({{"level", "warning"}, {"message", {{"text", "not checked: " + what}}}});
    const Json invocation = {{"executionSuccessful", result.unsupported.empty()},
                             {"toolExecutionNotifications", notifications}};
    const Json driver = {{"name", "lanescope"}, {"version", "0.1.0"}, {"rules", rules}};
    return {{"tool", {{"driver", driver}}},
            {"invocations", Json::array({invocation})},
            {"columnKind", "utf16CodeUnits"},
            {"results", m_results}};
}

}  // namespace

Json sarifRun(const trace::Catalog& catalog, const findings::Findings& result,
              const std::vector<findings::ToldFinding>& told)
{
    SarifRun run(catalog);
    for (const findings::ToldFinding& finding : told)
        run.add(finding, finding.together);
    for (const findings::SuppressedFinding& suppressed : result.suppressed)
        run.add(suppressed.finding, {}, &suppressed);
    return run.take(result);
}

Json sarifDocument(Json runs)
{
    return {
        {"$schema", "https://json.schemastore.org/sarif-2.1.0.json"}, {"version", "2.1.0"}, {"runs", std::move(runs)}};
}

}  // namespace lanescope::cli
