// SPDX-License-Identifier: GPL-3.0-or-later
// lanescope info: what a trace holds.
#include <fmt/format.h>

#include <algorithm>

#include "app/cli/commands.h"
#include "app/cli/json_text.h"
#include "core/trace/reader.h"

namespace lanescope::cli {

namespace {

std::string dimsText(const std::vector<uint64_t>& dims)
{
    std::string text;
    for (const uint64_t dim : dims)
        text += fmt::format("[{}]", dim);
    return text;
}

Json sessionJson(const trace::SessionInfo& session)
{
    Json document = {{"program", session.program},     {"commandLine", session.commandLine},
                     {"device", session.device},       {"mode", session.mode},
                     {"schedule", session.schedule},   {"producer", session.producer},
                     {"libraries", session.libraries}, {"variables", session.variablesRecorded},
                     {"finished", session.finished},   {"stopReason", session.stopReason.text()}};
    if (session.rank)
        document["rank"] = {{"rank", session.rank->rank}, {"of", session.rank->of}};
    document["programExit"] = exitJson(session.programEnd);
    document["programEnd"] = toJson(session.programEnd);
    if (const trace::DeviceProperties& gpu = session.properties; gpu != trace::DeviceProperties{})
        document["deviceProperties"] = {{"capability", gpu.capability},
                                        {"multiprocessors", gpu.multiprocessors},
                                        {"clockKilohertz", gpu.clockKilohertz},
                                        {"memoryClockKilohertz", gpu.memoryClockKilohertz},
                                        {"memoryBusBits", gpu.memoryBusBits}};
    return document;
}

Json launchJson(const trace::Catalog& catalog, const trace::Launch& launch, uint64_t bytes)
{
    Json arguments = Json::array();
    for (const trace::LaunchArgument& argument : launch.arguments)
        arguments.push_back({{"name", argument.name}, {"type", argument.type}, {"value", argument.text}});
    return {{"launch", launch.id.value},
            {"kernel", launch.kernel},
            {"file", pathOf(catalog, launch.where.source)},
            {"line", launch.where.line},
            {"grid", toJson(launch.grid)},
            {"block", toJson(launch.block)},
            {"blockWord", launch.blockWord},
            {"device", launch.device},
            {"dynamicSharedBytes", launch.dynamicSharedBytes},
            {"arguments", arguments},
            {"blocksRecorded", launch.blocksRecorded},
            {"blocksDropped", launch.blocksDropped},
            {"eventsDropped", launch.eventsDropped},
            {"warpInstructions", launch.warpInstructions},
            {"complete", launch.complete},
            {"bytes", bytes}};
}

Json bufferJson(const trace::Buffer& buffer)
{
    Json document = {{"name", buffer.name},         {"space", spaceName(buffer.space)},
                     {"type", buffer.element.name}, {"dims", buffer.dims},
                     {"bytes", buffer.bytes},       {"allocatedAt", buffer.allocatedAt}};
    if (!buffer.launch)
        document["device"] = buffer.device;
    if (buffer.launch)
        document["launch"] = buffer.launch->value;
    return document;
}

Json infoJson(trace::TraceReader& reader)
{
    const trace::Catalog& catalog = reader.catalog();
    Json document = {{"schema", kJsonSchema}, {"session", sessionJson(catalog.session)}};
    document["sources"] = Json::array();
    for (const trace::Source& source : catalog.sources)
        document["sources"].push_back({{"path", source.path}, {"bytes", source.text.size()}});
    document["launches"] = Json::array();
    for (const trace::Launch& launch : catalog.launches)
        document["launches"].push_back(launchJson(catalog, launch, reader.chunkBytes(launch.id)));
    document["buffers"] = Json::array();
    for (const trace::Buffer& buffer : catalog.buffers)
        document["buffers"].push_back(bufferJson(buffer));
    document["sites"] = catalog.sites.size();
    document["variables"] = catalog.variables.size();
    document["findings"] = catalog.findings.size();
    document["fileBytes"] = reader.fileBytes();
    return document;
}

void printSession(const trace::SessionInfo& session)
{
    fmt::print("program    {} ({}, {}, {})\n", session.program, session.device, session.mode, session.schedule);
    if (const trace::DeviceProperties& gpu = session.properties; gpu.multiprocessors != 0)
        fmt::print("device     {} multiprocessors of {} MHz, memory of {} bits at {} MHz\n", gpu.multiprocessors,
                   gpu.clockKilohertz / 1000, gpu.memoryBusBits, gpu.memoryClockKilohertz / 1000);
    if (!session.commandLine.empty())
        fmt::print("command    {}\n", session.commandLine);
    if (!session.libraries.empty())
        fmt::print("libraries  {}\n", session.libraries);
    if (session.programEnd.status)
        fmt::print("exit       {}\n", *session.programEnd.status);
    if (!session.programEnd.signal.empty())
        fmt::print("ended by   {}{}\n", session.programEnd.signal,
                   session.programEnd.isCrash() ? "" : " (interrupted)");
    if (!session.finished)
        fmt::print("unfinished: the recording has not ended in order; this is what was written\n");
    if (!session.stopReason.empty())
        fmt::print("stopped    {}\n", session.stopReason.text());
}

/// Told where there is more than one.
bool hasSeveralDevices(const trace::Catalog& catalog)
{
    const auto isFurther = [](const auto& one) { return one.device > 0; };
    return std::ranges::any_of(catalog.launches, isFurther) || std::ranges::any_of(catalog.buffers, isFurther);
}

void printLaunch(const trace::Launch& launch, uint64_t bytes, bool severalDevices)
{
    std::string arguments;
    for (const trace::LaunchArgument& argument : launch.arguments)
        arguments += fmt::format("{}{}={}", arguments.empty() ? "" : ", ", argument.name, argument.text);
    fmt::print("launch {}   {}({}) grid {}x{}x{} block {}x{}x{}: {} blocks, {} warp instructions, {} bytes{}{}\n",
               launch.id.value, launch.kernel, arguments, launch.grid.x, launch.grid.y, launch.grid.z, launch.block.x,
               launch.block.y, launch.block.z, launch.blocksRecorded, launch.warpInstructions, bytes,
               severalDevices ? fmt::format(", device {}", launch.device) : "", launch.complete ? "" : " (incomplete)");
    if (launch.blocksDropped || launch.eventsDropped)
        fmt::print("           dropped: {} blocks, {} events\n", launch.blocksDropped, launch.eventsDropped);
}

void printInfo(trace::TraceReader& reader)
{
    const trace::Catalog& catalog = reader.catalog();
    printSession(catalog.session);
    const bool severalDevices = hasSeveralDevices(catalog);
    for (const trace::Source& source : catalog.sources)
        fmt::print("source     {} ({} bytes)\n", source.path, source.text.size());
    for (const trace::Launch& launch : catalog.launches)
        printLaunch(launch, reader.chunkBytes(launch.id), severalDevices);
    for (const trace::Buffer& buffer : catalog.buffers)
        fmt::print("buffer     {} {}{} {}, {} bytes{}{}{}\n", buffer.element.name, buffer.name, dimsText(buffer.dims),
                   spaceName(buffer.space), buffer.bytes, buffer.allocatedAt.empty() ? "" : ", ", buffer.allocatedAt,
                   severalDevices && !buffer.launch ? fmt::format(", device {}", buffer.device) : "");
    fmt::print("{} sites, {} variables, {} findings, {} bytes\n", catalog.sites.size(), catalog.variables.size(),
               catalog.findings.size(), reader.fileBytes());
}

int info(const std::string& path, const std::string& format)
{
    Result<std::unique_ptr<trace::TraceReader>> reader = trace::TraceReader::open(path);
    if (!reader)
        return fail(reader.error());
    if (format == "json")
        printJson(infoJson(*reader.value()));
    else
        printInfo(*reader.value());
    return kOk;
}

}  // namespace

void addInfoCommand(CLI::App& app, Context& context)
{
    auto trace = std::make_shared<std::string>();
    auto format = std::make_shared<std::string>("text");
    CLI::App* command = app.add_subcommand("info", "session, sources, launches, buffers and sizes of a trace");
    command->add_option("trace", *trace, "the trace")->required()->type_name("TRACE");
    command->add_option("--format", *format, "text or json")
        ->check(CLI::IsMember({"text", "json"}))
        ->capture_default_str();
    command->callback([trace, format, &context] { context.run = [trace, format] { return info(*trace, *format); }; });
}

}  // namespace lanescope::cli
