// SPDX-License-Identifier: GPL-3.0-or-later
// lanescope report: numbers per launch and per source line.
#include <fmt/format.h>

#include <algorithm>

#include "app/cli/commands.h"
#include "app/cli/json_text.h"
#include "app/cli/report_tally.h"

namespace lanescope::cli {

namespace {

const char* accessName(trace::SiteKind kind)
{
    return kind == trace::SiteKind::Load ? "read" : kind == trace::SiteKind::Store ? "write" : "atomic";
}

Json lineJson(const trace::Catalog& catalog, const trace::Site& site, const SiteTally& numbers)
{
    return {{"file", pathOf(catalog, site.where.source)},
            {"line", site.where.line},
            {"column", site.where.column},
            {"expression", site.expression},
            {"space", spaceName(site.space)},
            {"access", accessName(site.kind)},
            {"accesses", numbers.accesses},
            {"requests", numbers.requests},
            {"sectors", numbers.sectors},
            {"idealSectors", numbers.idealSectors},
            {"wavefronts", numbers.wavefronts},
            {"conflicts", numbers.conflicts},
            {"maxDegree", numbers.maxDegree}};
}

/// Sites in the order of the source.
std::vector<SiteId> inSourceOrder(const trace::Catalog& catalog, const LaunchTally& numbers)
{
    std::vector<SiteId> sites;
    for (const auto& [id, ignored] : numbers.sites)
        sites.push_back(id);
    std::sort(sites.begin(), sites.end(), [&](SiteId a, SiteId b) {
        const trace::SourceLocation& x = catalog.sites[a.value].where;
        const trace::SourceLocation& y = catalog.sites[b.value].where;
        return std::tuple(x.source, x.line, x.column, a) < std::tuple(y.source, y.line, y.column, b);
    });
    return sites;
}

Json launchJson(const trace::Catalog& catalog, const trace::Launch& launch, const LaunchTally& numbers)
{
    Json lines = Json::array();
    for (const SiteId id : inSourceOrder(catalog, numbers))
        lines.push_back(lineJson(catalog, catalog.sites[id.value], numbers.sites.at(id)));
    return {{"launch", launch.id.value},
            {"kernel", launch.kernel},
            {"grid", toJson(launch.grid)},
            {"block", toJson(launch.block)},
            {"warpInstructions", launch.warpInstructions},
            {"accesses", numbers.accesses},
            {"globalBytes", numbers.globalBytes},
            {"sharedBytes", numbers.sharedBytes},
            {"barriers", numbers.barriers},
            {"divergentBranches", numbers.divergentBranches},
            {"blocksDropped", launch.blocksDropped},
            {"lines", lines}};
}

void printLaunch(const Json& launch)
{
    fmt::print(
        "launch {} {}: {} warp instructions, {} accesses, {} global bytes, {} shared bytes, {} barrier arrivals, "
        "{} divergent branches\n",
        launch["launch"].get<uint32_t>(), launch["kernel"].get<std::string>(),
        launch["warpInstructions"].get<uint64_t>(), launch["accesses"].get<uint64_t>(),
        launch["globalBytes"].get<uint64_t>(), launch["sharedBytes"].get<uint64_t>(),
        launch["barriers"].get<uint64_t>(), launch["divergentBranches"].get<uint64_t>());
    fmt::print("  {:>9} {:8} {:6} {:>10} {:>10} {:>9} {:>9} {:>10} {:>9}  {}\n", "line:col", "space", "access",
               "accesses", "requests", "sectors", "ideal", "wavefronts", "conflicts", "expression");
    for (const Json& line : launch["lines"])
        fmt::print("  {:>5}:{:<3} {:8} {:6} {:>10} {:>10} {:>9} {:>9} {:>10} {:>9}  {}\n", line["line"].get<uint32_t>(),
                   line["column"].get<uint32_t>(), line["space"].get<std::string>(), line["access"].get<std::string>(),
                   line["accesses"].get<uint64_t>(), line["requests"].get<uint64_t>(), line["sectors"].get<uint64_t>(),
                   line["idealSectors"].get<uint64_t>(), line["wavefronts"].get<uint64_t>(),
                   line["conflicts"].get<uint64_t>(), line["expression"].get<std::string>());
}

int report(const std::string& path, const std::string& format)
{
    Result<std::unique_ptr<trace::TraceReader>> reader = trace::TraceReader::open(path);
    if (!reader)
        return fail(reader.error());
    const trace::Catalog& catalog = reader.value()->catalog();
    Json document = {{"schema", kJsonSchema}, {"program", catalog.session.program}, {"launches", Json::array()}};
    for (const trace::Launch& launch : catalog.launches) {
        const Result<LaunchTally> numbers = tally(*reader.value(), launch.id);
        if (!numbers)
            return fail(numbers.error());
        document["launches"].push_back(launchJson(catalog, launch, numbers.value()));
    }
    if (format == "json")
        printJson(document);
    else
        for (const Json& launch : document["launches"])
            printLaunch(launch);
    return kOk;
}

}  // namespace

void addReportCommand(CLI::App& app, Context& context)
{
    auto trace = std::make_shared<std::string>();
    auto format = std::make_shared<std::string>("text");
    CLI::App* command = app.add_subcommand("report", "numbers per launch and per source line");
    command->add_option("trace", *trace, "the trace")->required()->type_name("TRACE");
    command->add_option("--format", *format, "text or json")
        ->check(CLI::IsMember({"text", "json"}))
        ->capture_default_str();
    command->callback([trace, format, &context] { context.run = [trace, format] { return report(*trace, *format); }; });
}

}  // namespace lanescope::cli
