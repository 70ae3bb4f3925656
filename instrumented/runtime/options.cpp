// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "instrumented/runtime/options.h"

#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <sstream>

#include "core/trace/process_rank.h"

namespace lanescope::runtime {

namespace {

std::string environment(const char* name)
{
    const char* value = std::getenv(name);
    return value ? value : "";
}

/// A process that no job has given a rank has the first.
std::string tracePathOf(const std::string& wanted)
{
    return trace::pathOfRank(wanted, trace::processRank().value_or(trace::ProcessRank{}));
}

}  // namespace

void readObjectInfo(const std::string& info, Options& options)
{
    std::istringstream lines(info);
    for (std::string line; std::getline(lines, line);) {
        const size_t space = line.find(' ');
        if (space == std::string::npos)
            continue;
        const std::string key = line.substr(0, space);
        if (key == "program")
            options.program = line.substr(space + 1);
        else if (key == "mode")
            options.mode = line.substr(space + 1);
        else if (key == "headers")
            options.headers = line.substr(space + 1);
        else if (key == "libraries")
            options.libraries.insert(line.substr(space + 1));
        else if (key == "stream")
            options.perThreadStream = true;
        else if (key == "device")
            options.useGpu = line.substr(space + 1) == "cuda";
        else if (key == "discarded")
            options.discardedCalls.insert(line.substr(space + 1));
    }
}

namespace {

/// 0: it is none.
uint32_t deviceCountOf(const std::string& text)
{
    uint32_t count = 0;
    const char* const end = text.data() + text.size();
    const auto [read, error] = std::from_chars(text.data(), end, count);
    return error == std::errc() && read == end && count <= kMostDevices ? count : 0;
}

void readSchedule(const std::string& text, Options& options)
{
    options.scheduleText = text;
    if (text == "sequential")
        options.schedule = device::Schedule::Sequential;
    else if (text == "reverse")
        options.schedule = device::Schedule::Reverse;
    else if (text.rfind("random:", 0) == 0) {
        options.schedule = device::Schedule::Random;
        options.seed = std::strtoull(text.c_str() + 7, nullptr, 10);
    } else if (text.rfind("lanes:", 0) == 0) {
        options.schedule = device::Schedule::Lanes;
        options.seed = std::strtoull(text.c_str() + 6, nullptr, 10);
    }
}

BlockRange readBlocks(const nlohmann::json& json)
{
    BlockRange range;
    const auto bound = [&](size_t axis, size_t end) { return json.at(axis).at(end).get<uint32_t>(); };
    range.first = {bound(0, 0), bound(1, 0), bound(2, 0)};
    range.last = {bound(0, 1), bound(1, 1), bound(2, 1)};
    return range;
}

void readJson(const nlohmann::json& json, Options& options)
{
    if (json.contains("device"))
        options.useGpu = json.at("device").get<std::string>() == "cuda";
    options.devices = json.value("devices", options.devices);
    options.commandLine = json.value("commandLine", options.commandLine);
    readSchedule(json.value("schedule", options.scheduleText), options);
    if (json.contains("launch"))
        options.launch = json.at("launch").get<uint32_t>();
    if (json.contains("blocks"))
        options.blocks = readBlocks(json.at("blocks"));
    if (json.contains("part"))
        options.part = {json.at("part").at(0).get<uint64_t>(), json.at("part").at(1).get<uint64_t>()};
    options.touchedPath = json.value("touched", options.touchedPath);
    options.maxBytes = json.value("maxBytes", options.maxBytes);
    options.maxSteps = json.value("maxSteps", options.maxSteps);
    options.hostThreads = json.value("hostThreads", options.hostThreads);
    options.variables = json.value("variables", options.variables);
    options.sandbox = json.value("sandbox", options.sandbox);
    options.count = json.value("count", options.count);
    options.races = json.value("races", options.races);
    options.counters = json.value("counters", options.counters);
    options.maxSeconds = json.value("maxSeconds", options.maxSeconds);
    options.checks = json.value("checks", options.checks);
    options.reportFindings = json.value("reportFindings", options.reportFindings);
    options.outputsPath = json.value("outputs", options.outputsPath);
    if (json.contains("outputsPage")) {
        const nlohmann::json& page = json.at("outputsPage");
        options.outputsPage = {page.at(0).get<uint32_t>(), page.at(1).get<uint64_t>()};
    }
    options.command = json.value("command", options.command);
    options.program = json.value("program", options.program);
    options.tellsProgress = json.value("tellsProgress", options.tellsProgress);
    options.progressFd = json.value("progressFd", options.progressFd);
}

}  // namespace

Options readOptions(const std::string& programInfo)
{
    Options options;
    options.tracePath = tracePathOf(environment("LANESCOPE_TRACE"));
    options.statusPath = environment("LANESCOPE_STATUS");
    options.program = program_invocation_name;
    readObjectInfo(programInfo, options);
    if (const std::string device = environment("LANESCOPE_DEVICE"); !device.empty())
        options.useGpu = device == "cuda";
    if (const std::string devices = environment("LANESCOPE_DEVICES"); !devices.empty())
        options.devices = deviceCountOf(devices);
    try {
        if (const std::string text = environment("LANESCOPE_OPTIONS"); !text.empty())
            readJson(nlohmann::json::parse(text), options);
    } catch (const nlohmann::json::exception&) {  // NOLINT(bugprone-empty-catch)
        // Only the command writes this variable, and it writes it whole: there is nobody to tell.
    }
    return options;
}

}  // namespace lanescope::runtime
