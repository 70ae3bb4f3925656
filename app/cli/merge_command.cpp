// SPDX-License-Identifier: GPL-3.0-or-later
// lanescope merge: one report of the parts of a campaign.
#include <fmt/format.h>

#include <fstream>
#include <iterator>

#include "app/cli/check_report.h"
#include "app/cli/commands.h"

namespace lanescope::cli {

namespace {

struct MergeOptions {
    std::vector<std::string> documents;
    ReportOptions report;
};

Result<std::vector<CheckedRun>> runsOfFile(const std::string& path)
{
    std::ifstream file(path, std::ios::binary);
    if (!file)
        return Error{Error::Code::NotFound, "no such file", path};
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    const Json document = Json::parse(text, nullptr, false);
    if (!document.is_object())
        return Error{Error::Code::BadInput, "no JSON document, expected one of lanescope check -o FILE.json", path};
    Result<std::vector<CheckedRun>> runs = runsOf(document);
    if (!runs)
        return Error{runs.error().code, runs.error().message, path};
    return runs;
}

/// Whether reports are of one campaign: of the same program, and of as many parts.
Result<void> areOfOne(const CheckedRun& first, const CheckedRun& other, const std::string& path)
{
    const std::string& expected = first.catalog().session.program;
    const std::string& found = other.catalog().session.program;
    if (found != expected)
        return Error{Error::Code::BadInput, fmt::format("is of {}, the first report of {}", found, expected), path};
    if (first.blockPart.has_value() != other.blockPart.has_value() ||
        (first.blockPart && !first.blockPart->isOfSameLaunch(*other.blockPart)))
        return Error{Error::Code::BadInput,
                     "is not of the launch, the blocks and the number of parts of the first report", path};
    const auto shardsOf = [](const CheckedRun& run) { return run.explored ? run.explored->shards : 1; };
    if (shardsOf(first) != shardsOf(other))
        return Error{Error::Code::BadInput,
                     fmt::format("is one of {} parts, the first report one of {}", shardsOf(other), shardsOf(first)),
                     path};
    return {};
}

/// Parts of a launch are right together if none touches what another one writes.
void holdPartsTogether(std::vector<CheckedRun>& runs)
{
    for (size_t i = 0; i < runs.size(); ++i)
        for (size_t j = i + 1; runs[i].blockPart && j < runs.size(); ++j)
            if (const std::optional<std::string> why = dependence(*runs[i].blockPart, runs[i].numbers.at("shard"),
                                                                  *runs[j].blockPart, runs[j].numbers.at("shard"))) {
                runs.front().result.unsupported.push_back(
                    fmt::format("launch {} cannot be checked in parts, its blocks depend on each other: {}",
                                runs[i].blockPart->launch, *why));
                return;
            }
}

int mergeReports(MergeOptions options)
{
    options.report.chooseFormat();
    std::vector<CheckedRun> runs;
    for (const std::string& path : options.documents) {
        Result<std::vector<CheckedRun>> more = runsOfFile(path);
        if (!more)
            return fail(more.error());
        if (!runs.empty())
            if (const Result<void> one = areOfOne(runs.front(), more.value().front(), path); !one)
                return fail(one.error());
        for (CheckedRun& run : more.value()) {
            for (const CheckedRun& known : runs)
                if (!run.numbers.empty() && known.numbers == run.numbers)
                    return fail(Error{Error::Code::BadInput, "another report is of the same part", path});
            runs.push_back(std::move(run));
        }
    }
    holdPartsTogether(runs);
    return report(runs, options.report);
}

}  // namespace

void addMergeCommand(CLI::App& app, Context& context)
{
    auto options = std::make_shared<MergeOptions>();
    CLI::App* command = app.add_subcommand("merge", "one report of the parts of a campaign (check --shard)");
    command->add_option("reports", options->documents, "what lanescope check --shard I/K -o OUT.json has written")
        ->required()
        ->type_name("OUT.json");
    addReportOptions(*command, options->report);
    command->callback([options, &context] { context.run = [options] { return mergeReports(*options); }; });
}

}  // namespace lanescope::cli
