// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/check_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <set>

#include "app/cli/commands.h"
#include "app/cli/finding_text.h"
#include "app/cli/sarif.h"
#include "core/findings/merged.h"

namespace lanescope::cli {

namespace {

/// Runs of which each has a number of the same kind do the same work or parts of it; a command's other processes are
/// told one by one.
bool areToldTogether(const std::vector<CheckedRun>& runs)
{
    return runs.size() > 1 && std::ranges::all_of(runs, [](const CheckedRun& run) { return !run.numbers.empty(); });
}

std::vector<findings::MergedFinding> mergedOf(const std::vector<CheckedRun>& runs)
{
    std::vector<findings::RunFindings> all;
    for (const CheckedRun& run : runs)
        all.push_back({&run.catalog(), run.told});
    // All parts of a campaign have run the program as it is.
    const bool areShards = std::ranges::all_of(
        runs, [](const CheckedRun& run) { return run.numbers.contains("shard") && !run.blockPart; });
    return merge(all, areShards ? findings::Counts::Largest : findings::Counts::Added);
}

/// "rank 3", "shard 2"
std::string nameOf(const CheckedRun& run)
{
    std::string name;
    for (const auto& [kind, number] : run.numbers)
        name += fmt::format("{}{} {}", name.empty() ? "" : ", ", kind, number);
    return name;
}

using Numbers = std::set<uint32_t>;

/// By kind: the numbers of \p chosen.
std::map<std::string, Numbers> numbersOf(const std::vector<CheckedRun>& runs, const std::vector<size_t>& chosen)
{
    std::map<std::string, Numbers> numbers;
    for (const size_t run : chosen)
        for (const auto& [kind, number] : runs[run].numbers)
            numbers[kind].insert(number);
    return numbers;
}

std::vector<size_t> allOf(const std::vector<CheckedRun>& runs)
{
    std::vector<size_t> all;
    for (size_t i = 0; i < runs.size(); ++i)
        all.push_back(i);
    return all;
}

/// "0-2, 5"
std::string rangesText(const Numbers& numbers)
{
    std::string text;
    for (auto first = numbers.begin(); first != numbers.end();) {
        auto last = first;
        while (std::next(last) != numbers.end() && *std::next(last) == *last + 1)
            ++last;
        text += (text.empty() ? "" : ", ") + std::to_string(*first);
        if (last != first)
            text += fmt::format("{}{}", *last == *first + 1 ? ", " : "-", *last);
        first = std::next(last);
    }
    return text;
}

/// "in ranks 0, 2 of 4", "in all 4 ranks"; empty where there is nothing to tell apart.
std::string whereText(const std::vector<CheckedRun>& runs, const std::vector<size_t>& chosen)
{
    const std::map<std::string, Numbers> all = numbersOf(runs, allOf(runs));
    std::string text;
    for (const auto& [kind, numbers] : numbersOf(runs, chosen)) {
        const Numbers& known = all.at(kind);
        // What all parts of a campaign have seen has nothing to do with the schedules that they tried.
        if (known.size() < 2 || (kind == "shard" && numbers == known))
            continue;
        text += text.empty() ? "in " : ", ";
        text += numbers == known ? fmt::format("all {} {}s", known.size(), kind)
                                 : fmt::format("{}{} {} of {}", kind, numbers.size() > 1 ? "s" : "",
                                               rangesText(numbers), known.size());
    }
    return text;
}

/// Parts of a campaign whose reports are not there.
std::vector<uint32_t> missingShards(const std::vector<CheckedRun>& runs)
{
    Numbers present;
    unsigned shards = 0;
    for (const CheckedRun& run : runs) {
        if (const auto number = run.numbers.find("shard"); number != run.numbers.end())
            present.insert(number->second);
        if (run.explored)
            shards = std::max(shards, run.explored->shards);
        if (run.blockPart)
            shards = std::max(shards, run.blockPart->parts);
    }
    std::vector<uint32_t> missing;
    for (uint32_t shard = 1; shard <= shards && !present.empty(); ++shard)
        if (!present.contains(shard))
            missing.push_back(shard);
    return missing;
}

/// Of all runs, told once what they have in common.
findings::Findings totalOf(const std::vector<CheckedRun>& runs)
{
    findings::Findings total;
    std::map<std::pair<std::string, std::string>, size_t> unused;
    const auto addOnce = [](std::vector<std::string>& list, const std::string& text) {
        if (std::ranges::find(list, text) == list.end())
            list.push_back(text);
    };
    for (const CheckedRun& run : runs) {
        for (const std::string& what : run.result.notChecked)
            if (run.blockPart)  // none of the parts went on behind the launch
                addOnce(total.notChecked, what);
            else
                total.notChecked.push_back(nameOf(run) + ": " + what);
        for (const std::string& reason : run.result.unsupported)
            addOnce(total.unsupported, reason);
        for (const findings::UnusedSuppression& one : run.result.unusedSuppressions)
            ++unused[{one.where, one.text}];
        for (const findings::SuppressedFinding& one : run.result.suppressed)
            total.suppressed.push_back(one);
        total.droppedBlocks += run.result.droppedBlocks;
    }
    for (const auto& [suppression, count] : unused)
        if (count == runs.size())
            total.unusedSuppressions.push_back({suppression.first, suppression.second});
    for (const uint32_t shard : missingShards(runs))
        total.notChecked.push_back(fmt::format("shard {}: its report is not there", shard));
    return total;
}

/// How a process ended, and whether all of it was looked at.
Json processJson(const CheckedRun& run)
{
    const trace::SessionInfo& session = run.catalog().session;
    return {{"program", session.program},
            {"device", session.device},
            {"programExit", exitJson(session.programEnd)},
            {"programEnd", toJson(session.programEnd)},
            {"complete", run.result.complete()},
            {"notChecked", run.result.notChecked}};
}

void addResult(const findings::Findings& result, Json& json)
{
    for (const std::string& reason : result.unsupported)
        json["unsupported"].push_back(reason);
    for (const findings::UnusedSuppression& unused : result.unusedSuppressions)
        json["unusedSuppressions"].push_back({{"where", unused.where}, {"text", unused.text}});
    json["dropped"] = json["dropped"].get<uint64_t>() + result.droppedBlocks;
    json["suppressed"] = json["suppressed"].get<uint64_t>() + result.suppressed.size();
}

void addTogether(const std::vector<CheckedRun>& runs, Json& json)
{
    for (const findings::MergedFinding& one : mergedOf(runs)) {
        json["findings"].push_back(toJson(runs[one.runs.front()].catalog(), one.finding));
        for (const auto& [kind, numbers] : numbersOf(runs, one.runs))
            json["findings"].back()[kind + "s"] = numbers;
    }
    const findings::Findings total = totalOf(runs);
    addResult(total, json);
    json["notChecked"] = total.notChecked;
}

void addOneByOne(const std::vector<CheckedRun>& runs, Json& json)
{
    for (size_t i = 0; i < runs.size(); ++i) {
        for (const findings::ToldFinding& finding : runs[i].told) {
            json["findings"].push_back(toJson(runs[i].catalog(), finding));
            if (runs.size() > 1)
                json["findings"].back()["process"] = i;
        }
        addResult(runs[i].result, json);
        for (size_t k = 0; i > 0 && k < runs[i].result.notChecked.size(); ++k)
            json["notChecked"].push_back(fmt::format("process {}: {}", i, runs[i].result.notChecked[k]));
    }
}

Json exploredJson(const std::vector<CheckedRun>& runs)
{
    Json schedules = Json::array();
    Numbers shards;
    for (const CheckedRun& run : runs) {
        for (size_t i = 0; run.explored && i < run.explored->schedules.size(); ++i)
            schedules.push_back(run.explored->schedules[i]);
        if (const auto number = run.numbers.find("shard"); number != run.numbers.end())
            shards.insert(number->second);
    }
    const auto first = std::ranges::find_if(runs, [](const CheckedRun& run) { return run.explored.has_value(); });
    if (first == runs.end())
        return {};
    Json json = {{"asked", first->explored->asked}, {"schedules", schedules}};
    if (!shards.empty())
        json.update({{"shards", first->explored->shards}, {"shard", shards}});
    return json;
}

/// Of one part also what it touched, for merge.
Json blockPartJson(const std::vector<CheckedRun>& runs)
{
    const std::optional<BlockPart>& part = runs.front().blockPart;
    if (!part)
        return {};
    Json json = {{"launch", part->launch}, {"blocks", part->blocks}, {"parts", part->parts}};
    for (const CheckedRun& run : runs)
        json["part"].push_back(run.numbers.at("shard"));
    if (runs.size() == 1)
        json["buffers"] = toJson(part->buffers);
    return json;
}

Json sarifOf(const std::vector<CheckedRun>& runs)
{
    Json documents = Json::array();
    std::vector<std::vector<findings::ToldFinding>> told(runs.size());
    if (areToldTogether(runs))
        for (const findings::MergedFinding& one : mergedOf(runs))
            told[one.runs.front()].push_back(one.finding);
    for (size_t i = 0; i < runs.size(); ++i)
        documents.push_back(
            sarifRun(runs[i].catalog(), runs[i].result, areToldTogether(runs) ? told[i] : runs[i].told));
    return sarifDocument(std::move(documents));
}

std::string textOf(const std::vector<CheckedRun>& runs, Colours colours)
{
    std::string text;
    if (!areToldTogether(runs)) {
        for (const CheckedRun& run : runs)
            text += findingsText({{&run.catalog(), run.told}}, run.result, colours);
        return text;
    }
    std::vector<TextPart> parts;
    for (findings::MergedFinding& one : mergedOf(runs))
        parts.push_back({&runs[one.runs.front()].catalog(), {std::move(one.finding)}, whereText(runs, one.runs)});
    return findingsText(parts, totalOf(runs), colours);
}

int exitCodeOf(const findings::Findings& result, bool strict)
{
    for (const trace::Finding& finding : result.findings)
        if (strict || finding.severity != Severity::Advice)
            return kFindings;
    return result.unsupported.empty() ? kOk : kCouldNotRun;
}

bool writeFile(const std::string& text, const std::string& path)
{
    std::ofstream file(path, std::ios::binary | std::ios::trunc);
    file << text;
    return static_cast<bool>(file.flush());
}

}  // namespace

void ReportOptions::chooseFormat()
{
    if (!format.empty())
        return;
    const std::string extension = std::filesystem::path(output).extension().string();
    format = extension == ".json" || extension == ".sarif" ? extension.substr(1) : "text";
}

void addReportOptions(CLI::App& command, ReportOptions& options)
{
    command
        .add_option("--format", options.format, "text, json or sarif (default: as the file of -o is called, else text)")
        ->check(CLI::IsMember({"text", "json", "sarif"}));
    command.add_option("-o,--output", options.output, "write the report to a file, not to stdout")->type_name("FILE");
    command.add_flag("--strict", options.strict, "advice counts too for the exit status");
}

Json documentOf(const std::vector<CheckedRun>& runs)
{
    Json json = {{"schema", kJsonSchema}};
    json.update(processJson(runs.front()));
    for (const char* list : {"findings", "unsupported", "unusedSuppressions"})
        json[list] = Json::array();
    json["dropped"] = 0;
    json["suppressed"] = 0;
    if (areToldTogether(runs))
        addTogether(runs, json);
    else
        addOneByOne(runs, json);
    for (size_t i = 0; runs.size() > 1 && i < runs.size(); ++i) {
        json["processes"].push_back(processJson(runs[i]));
        json["processes"].back().update(runs[i].numbers);
    }
    if (Json explored = exploredJson(runs); !explored.is_null())
        json["explored"] = std::move(explored);
    if (Json part = blockPartJson(runs); !part.is_null())
        json["blockPart"] = std::move(part);
    json["complete"] = json["notChecked"].empty();
    return json;
}

int exitCodeOf(const std::vector<CheckedRun>& runs, bool strict)
{
    int code = kOk;
    for (const CheckedRun& run : runs)
        code = std::max(code, exitCodeOf(run.result, strict));
    return code;
}

int report(const std::vector<CheckedRun>& runs, const ReportOptions& options)
{
    std::string text;
    if (options.format == "text")
        text = textOf(runs, options.output.empty() ? coloursOfStdout() : Colours::Off);
    else
        text = jsonText(options.format == "json" ? documentOf(runs) : sarifOf(runs));
    if (options.output.empty())
        std::fwrite(text.data(), 1, text.size(), stdout);
    else if (!writeFile(text, options.output))
        return fail(Error{Error::Code::NotFound, std::strerror(errno), options.output});
    return exitCodeOf(runs, options.strict);
}

}  // namespace lanescope::cli
