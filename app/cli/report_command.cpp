// SPDX-License-Identifier: GPL-3.0-or-later
// lanescope report: numbers per launch and per source line.
#include <fmt/format.h>

#include "app/cli/commands.h"
#include "app/cli/json_text.h"
#include "core/analysis/analysis.h"
#include "core/trace/names.h"

namespace lanescope::cli {

namespace {

const char* accessName(trace::SiteKind kind)
{
    return kind == trace::SiteKind::Load ? "read" : kind == trace::SiteKind::Store ? "write" : "atomic";
}

Json lineJson(const analysis::LineMetrics& line)
{
    return {{"file", line.file},
            {"line", line.where.line},
            {"column", line.where.column},
            {"expression", line.expression},
            {"space", spaceName(line.space)},
            {"access", accessName(line.access)},
            {"accesses", line.laneAccesses},
            {"requests", line.requests},
            {"sectors", line.sectors},
            {"idealSectors", line.idealSectors},
            {"wavefronts", line.wavefronts},
            {"conflicts", line.conflicts},
            {"maxDegree", line.maxDegree}};
}

Json branchJson(const analysis::LineMetrics& branch)
{
    return {{"file", branch.file},           {"line", branch.where.line},
            {"column", branch.where.column}, {"expression", branch.expression},
            {"lanes", branch.laneAccesses},  {"requests", branch.requests},
            {"divergent", branch.divergent}};
}

Json operationJson(const analysis::LineMetrics& line)
{
    return {{"file", line.file},
            {"line", line.where.line},
            {"column", line.where.column},
            {"function", line.function},
            {"kind", trace::nameOf(*line.operation)},
            {"executions", line.requests},
            {"lanes", line.laneAccesses}};
}

/// What the GPU itself counted, what the accesses come to, and how far the two are apart.
Json hardwareJson(const analysis::HardwareMetric& metric)
{
    Json json = {{"name", metric.name}, {"measured", metric.measured}};
    if (metric.predicted) {
        json["predicted"] = *metric.predicted;
        json["difference"] = static_cast<int64_t>(metric.measured - *metric.predicted);
    }
    return json;
}

Json footprintJson(const trace::SiteCounts& counts, const trace::Catalog& catalog)
{
    const trace::Site& site = catalog.sites[counts.site.value];
    Json json = {{"line", site.where.line}, {"column", site.where.column}, {"space", spaceName(counts.space)}};
    if (counts.buffer != kNoBuffer)
        json["footprint"] = {{"buffer", catalog.buffers[counts.buffer.value].name},
                             {"firstByte", counts.firstByte},
                             {"endByte", counts.endByte}};
    if (!counts.degrees.empty())
        json["degrees"] = counts.degrees;
    return json;
}

Json launchJson(const trace::Catalog& catalog, const trace::Launch& launch, const analysis::LaunchMetrics& metrics)
{
    Json lines = Json::array();
    for (const analysis::LineMetrics& line : metrics.lines)
        lines.push_back(lineJson(line));
    Json branches = Json::array();
    for (const analysis::LineMetrics& branch : metrics.branches)
        branches.push_back(branchJson(branch));
    Json operations = Json::array();
    for (const analysis::LineMetrics& line : metrics.operations)
        operations.push_back(operationJson(line));
    Json hardware = Json::array(), counted = Json::array();
    for (const analysis::HardwareMetric& metric : analysis::compareWithHardware(catalog, metrics))
        hardware.push_back(hardwareJson(metric));
    for (const trace::SiteCounts& counts : catalog.counts)
        if (counts.launch == launch.id && (counts.buffer != kNoBuffer || !counts.degrees.empty()))
            counted.push_back(footprintJson(counts, catalog));
    return {{"launch", launch.id.value},
            {"kernel", launch.kernel},
            {"grid", toJson(launch.grid)},
            {"block", toJson(launch.block)},
            {"warpInstructions", metrics.warpInstructions},
            {"accesses", metrics.laneAccesses},
            {"globalBytes", metrics.globalBytes},
            {"sharedBytes", metrics.sharedBytes},
            {"flops", metrics.flops},
            {"barriers", metrics.barriers},
            {"divergentBranches", metrics.divergentBranches},
            {"blocksDropped", launch.blocksDropped},
            {"lines", lines},
            {"branches", branches},
            {"operations", operations},
            {"counted", counted},
            {"hardware", hardware}};
}

void printHardware(const Json& metrics)
{
    if (metrics.empty())
        return;
    fmt::print("  {:26} {:>14} {:>14} {:>12}\n", "hardware's own counters", "measured", "predicted", "difference");
    for (const Json& metric : metrics)
        if (metric.contains("predicted"))
            fmt::print("  {:26} {:>14} {:>14} {:>+12}\n", metric["name"].get<std::string>(),
                       metric["measured"].get<uint64_t>(), metric["predicted"].get<uint64_t>(),
                       metric["difference"].get<int64_t>());
        else
            fmt::print("  {:26} {:>14}{}\n", metric["name"].get<std::string>(), metric["measured"].get<uint64_t>(),
                       metric["name"] == "kernel time" ? " ns" : "");
}

void printLaunch(const Json& launch)
{
    fmt::print(
        "launch {} {}: {} warp instructions, {} accesses, {} global bytes, {} shared bytes, {} barrier arrivals, "
        "{} flops, {} divergent branches\n",
        launch["launch"].get<uint32_t>(), launch["kernel"].get<std::string>(),
        launch["warpInstructions"].get<uint64_t>(), launch["accesses"].get<uint64_t>(),
        launch["globalBytes"].get<uint64_t>(), launch["sharedBytes"].get<uint64_t>(),
        launch["barriers"].get<uint64_t>(), launch["flops"].get<uint64_t>(),
        launch["divergentBranches"].get<uint64_t>());
    fmt::print("  {:>9} {:8} {:6} {:>10} {:>10} {:>9} {:>9} {:>10} {:>9}  {}\n", "line:col", "space", "access",
               "accesses", "requests", "sectors", "ideal", "wavefronts", "conflicts", "expression");
    for (const Json& line : launch["lines"])
        fmt::print("  {:>5}:{:<3} {:8} {:6} {:>10} {:>10} {:>9} {:>9} {:>10} {:>9}  {}\n", line["line"].get<uint32_t>(),
                   line["column"].get<uint32_t>(), line["space"].get<std::string>(), line["access"].get<std::string>(),
                   line["accesses"].get<uint64_t>(), line["requests"].get<uint64_t>(), line["sectors"].get<uint64_t>(),
                   line["idealSectors"].get<uint64_t>(), line["wavefronts"].get<uint64_t>(),
                   line["conflicts"].get<uint64_t>(), line["expression"].get<std::string>());
    if (!launch["operations"].empty())
        fmt::print("  {:>9} {:10} {:>12} {:>12}  {}\n", "line:col", "operation", "executions", "lanes", "function");
    for (const Json& line : launch["operations"])
        fmt::print("  {:>5}:{:<3} {:10} {:>12} {:>12}  {}\n", line["line"].get<uint32_t>(),
                   line["column"].get<uint32_t>(), line["kind"].get<std::string>(), line["executions"].get<uint64_t>(),
                   line["lanes"].get<uint64_t>(), line["function"].get<std::string>());
    printHardware(launch["hardware"]);
}

int report(const std::string& path, const std::string& format)
{
    Result<std::unique_ptr<trace::TraceReader>> reader = trace::TraceReader::open(path);
    if (!reader)
        return fail(reader.error());
    const trace::Catalog& catalog = reader.value()->catalog();
    Json document = {{"schema", kJsonSchema}, {"program", catalog.session.program}, {"launches", Json::array()}};
    for (const trace::Launch& launch : catalog.launches) {
        const Result<analysis::LaunchMetrics> numbers = analysis::measureLaunch(*reader.value(), launch.id);
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
