// SPDX-License-Identifier: GPL-3.0-or-later
// lanescope check: the findings of a trace, or of a program that is recorded for it.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <filesystem>

#include "app/cli/child_program.h"
#include "app/cli/commands.h"
#include "app/cli/explore.h"
#include "app/cli/finding_text.h"
#include "app/cli/foreign_program.h"
#include "app/cli/json_text.h"
#include "app/cli/program_options.h"
#include "app/cli/sarif.h"
#include "core/analysis/advice.h"
#include "core/base/temporary_folder.h"
#include "core/findings/explanations.h"
#include "core/findings/findings_of.h"
#include "core/trace/reader.h"

namespace lanescope::cli {

namespace fs = std::filesystem;

namespace {

/// Findings need no more than this of the events.
constexpr const char* kTraceBudget = "256M";

struct CheckOptions {
    ProgramOptions program;
    std::string format = "text";
    bool strict = false;
    std::string suppressions;                   ///< file; empty: none
    std::vector<std::string> adviceThresholds;  ///< "KIND=N"
    unsigned explore = 0;                       ///< other schedules to run
    std::string explain;                        ///< kind of finding; empty: none
};

bool isTrace(const std::string& path)
{
    const std::string extension = fs::path(path).extension().string();
    return extension != ".cu" && extension != ".cpp" && extension != ".cc" && extension != ".c";
}

Result<analysis::AdviceThresholds> thresholdsOf(const CheckOptions& options)
{
    analysis::AdviceThresholds thresholds;
    for (const std::string& text : options.adviceThresholds) {
        const size_t sign = text.find('=');
        char* end = nullptr;
        const double value = sign == std::string::npos ? 0 : std::strtod(text.c_str() + sign + 1, &end);
        if (sign == std::string::npos || end == text.c_str() + sign + 1 || *end != '\0')
            return Error{Error::Code::BadInput, fmt::format("found '{}', expected KIND=N", text), "--advice-threshold"};
        if (Result<void> set = setThreshold(thresholds, text.substr(0, sign), value); !set)
            return Error{set.error().code, set.error().message, "--advice-threshold"};
    }
    return thresholds;
}

/// \p more: findings that the trace does not have.
Result<findings::Findings> resultOf(trace::TraceReader& reader, const CheckOptions& options,
                                    const std::vector<trace::Finding>& more)
{
    const Result<analysis::AdviceThresholds> thresholds = thresholdsOf(options);
    if (!thresholds)
        return thresholds.error();
    findings::FindingsOptions asked;
    asked.thresholds = thresholds.value();
    asked.suppressions = options.suppressions;
    asked.more = more;
    return findings::findingsOf(reader, asked);
}

/// The findings of one process.
struct Checked {
    std::unique_ptr<trace::TraceReader> reader;  ///< null: it wrote no trace
    findings::Findings result;

    [[nodiscard]] const trace::Catalog& catalog() const
    {
        static const trace::Catalog kNone;
        return reader ? reader->catalog() : kNone;
    }
};

/// How a process ended, and whether all of it was looked at.
Json processJson(const Checked& process)
{
    const trace::SessionInfo& session = process.catalog().session;
    return {{"program", session.program},
            {"device", session.device},
            {"programExit", exitJson(session.programEnd)},
            {"programEnd", toJson(session.programEnd)},
            {"complete", process.result.complete()},
            {"notChecked", process.result.notChecked}};
}

/// The first process's, as it is where there are no others; then what the others have to add: their findings say which
/// of "processes" they are of.
Json documentOf(const std::vector<Checked>& processes)
{
    Json json = {{"schema", kJsonSchema}};
    json.update(processJson(processes.front()));
    for (const char* list : {"findings", "unsupported", "unusedSuppressions"})
        json[list] = Json::array();
    size_t dropped = 0, suppressed = 0;
    for (size_t i = 0; i < processes.size(); ++i) {
        const findings::Findings& result = processes[i].result;
        for (const findings::ToldFinding& finding : result.told()) {
            json["findings"].push_back(toJson(processes[i].catalog(), finding));
            if (processes.size() > 1)
                json["findings"].back()["process"] = i;
        }
        for (const std::string& reason : result.unsupported)
            json["unsupported"].push_back(reason);
        for (const findings::UnusedSuppression& unused : result.unusedSuppressions)
            json["unusedSuppressions"].push_back({{"where", unused.where}, {"text", unused.text}});
        dropped += result.droppedBlocks;
        suppressed += result.suppressed.size();
        if (processes.size() > 1)
            json["processes"].push_back(processJson(processes[i]));
        for (size_t k = 0; i > 0 && k < result.notChecked.size(); ++k)
            json["notChecked"].push_back(fmt::format("process {}: {}", i, result.notChecked[k]));
    }
    json["complete"] = json["notChecked"].empty();
    json["dropped"] = dropped;
    json["suppressed"] = suppressed;
    return json;
}

Json sarifOf(const std::vector<Checked>& processes)
{
    Json runs = Json::array();
    for (const Checked& process : processes)
        runs.push_back(sarifRun(process.catalog(), process.result));
    return sarifDocument(std::move(runs));
}

int exitCodeOf(const findings::Findings& result, bool strict)
{
    for (const trace::Finding& finding : result.findings)
        if (strict || finding.severity != Severity::Advice)
            return kFindings;
    return result.unsupported.empty() ? kOk : kCouldNotRun;
}

int exitCodeOf(const std::vector<Checked>& processes, bool strict)
{
    int code = kOk;
    for (const Checked& process : processes)
        code = std::max(code, exitCodeOf(process.result, strict));
    return code;
}

int report(const std::vector<Checked>& processes, const CheckOptions& options)
{
    if (options.format == "json")
        printJson(documentOf(processes));
    else if (options.format == "sarif")
        printJson(sarifOf(processes));
    else
        for (const Checked& process : processes)
            fmt::print("{}", findingsText(process.catalog(), process.result, coloursOfStdout()));
    return exitCodeOf(processes, options.strict);
}

/// The traces of all of a command's processes, \p paths: each as a text of its own, or all in one document. The exit
/// code is that of all. \p more: findings that the first trace does not have. \p status: of the command as a whole.
int reportTraces(const std::vector<std::string>& paths, const CheckOptions& options,
                 const std::vector<trace::Finding>& more = {}, int status = 0)
{
    std::vector<Checked> processes;
    for (const std::string& path : paths) {
        Result<std::unique_ptr<trace::TraceReader>> reader = trace::TraceReader::open(path);
        if (!reader)
            return fail(reader.error());
        Result<findings::Findings> result =
            resultOf(*reader.value(), options, processes.empty() ? more : std::vector<trace::Finding>{});
        if (!result)
            return fail(result.error());
        processes.push_back({std::move(reader).value(), std::move(result).value()});
    }
    const auto isComplete = [](const Checked& process) { return process.result.complete(); };
    if (status != 0 && exitCodeOf(processes, options.strict) == kOk && std::ranges::all_of(processes, isComplete))
        processes.front().result.notChecked.push_back(
            fmt::format("what the command would have done had it not ended with exit status {}", status));
    return report(processes, options);
}

/// The first of the command's traces comes first.
std::vector<std::string> tracesOf(const ProgramRun& run, const std::string& first)
{
    std::vector<std::string> paths{first};
    for (const ProgramRun::Trace& other : run.traces)
        if (other.path != first)
            paths.push_back(other.path);
    return paths;
}

/// Of a program without a trace. One that only asks for the device's properties has nothing wrong with it.
int reportNoLaunch(const ProgramRun& run, const CheckOptions& options)
{
    if (run.code != 0)
        return fail("the program launched no kernel; nothing was checked");
    if (options.format == "text") {
        fmt::print("no findings: the program launched no kernel\n");
        return kOk;
    }
    std::vector<Checked> nothing;
    nothing.emplace_back();
    return report(nothing, options);
}

/// What is to be started; nothing when it could not be made, which has been said.
std::optional<ProgramRunRequest> requestOf(const CheckOptions& options, const Context& context)
{
    if (isForeign(options.program, context)) {
        const Result<std::string> settings = foreignOptions(options.program, context, FindingsAtExit::Silent);
        Result<ProgramRunRequest> request = foreignProgram(options.program, context);
        if (!settings || !request) {
            fail(settings ? request.error() : settings.error());
            return std::nullopt;
        }
        request.value().options = settings.value();
        return std::move(request).value();
    }
    const Result<std::string> settings = runtimeOptions(options.program, context.commandLine, FindingsAtExit::Silent);
    if (!settings) {
        fail(settings.error());
        return std::nullopt;
    }
    const std::optional<compiler::CompiledProgram> program = compileProgram(options.program, "");
    if (!program)
        return std::nullopt;
    return ProgramRunRequest{
        program->path, programName(options.program.source), options.program.arguments, settings.value(), "", false};
}

int recordAndReport(CheckOptions options, const Context& context)
{
    if (options.program.maxBytes.empty())
        options.program.maxBytes = kTraceBudget;
    std::optional<ProgramRunRequest> wanted = requestOf(options, context);
    if (!wanted) {
        reportNotStarted(options.program.progressFd);
        return kCouldNotRun;
    }
    const TemporaryFolder folder("check");
    if (!folder.good())
        return fail("no folder for a temporary trace can be made in " + fs::temp_directory_path().string());
    const std::string trace = folder.file("check.lanes");
    ProgramRunRequest& request = *wanted;
    request.trace = trace;
    request.stdoutToStderr = options.format != "text";
    request.progressFd = options.program.progressFd;
    const Result<ProgramRun> run = runProgram(request);
    if (!run)
        return fail(run.error());
    if (run.value().status && !run.value().status->traceError.empty())
        return kCouldNotRun;
    if (!fs::exists(trace)) {
        if (run.value().signal != 0)
            return fail(
                fmt::format("the program was ended by signal {} before it launched a kernel", run.value().signal));
        return reportNoLaunch(run.value(), options);
    }
    std::vector<trace::Finding> explored;
    if (options.explore > 0) {
        Result<std::vector<trace::Finding>> found =
            explore({request.executable, request.name, request.arguments, request.environment, request.options, trace,
                     folder.path(), options.explore});
        if (!found)
            return fail(found.error());
        explored = std::move(found).value();
    }
    const int code = reportTraces(tracesOf(run.value(), trace), options, explored, run.value().code);
    // What it would still have done was not checked.
    if (code != kOk || run.value().code == 0)
        return code;
    return fail(run.value().signal != 0
                    ? fmt::format("the program was ended by signal {} ({}), and no finding says why",
                                  run.value().signal, strsignal(run.value().signal))
                    : fmt::format("the program ended with exit status {}, and no finding says why", run.value().code));
}

int explain(const std::string& name)
{
    if (const std::optional<FindingKind> kind = kindNamed(name)) {
        fmt::print("{}\n", findings::explanationOf(*kind));
        return kOk;
    }
    std::string names;
    for (size_t i = 0; i < static_cast<size_t>(FindingKind::Unknown); ++i)
        names += (i > 0 ? ", " : "") + std::string(nameOf(static_cast<FindingKind>(i)));
    return fail(fmt::format("--explain: found '{}', expected one of {}", name, names));
}

}  // namespace

void addCheckCommand(CLI::App& app, Context& context)
{
    auto options = std::make_shared<CheckOptions>();
    CLI::App* command = app.add_subcommand("check", "findings of a CUDA program or of a trace");
    command
        ->add_option("input", options->program.source,
                     "a .cu, .py or .mojo file, or a trace; or, after --, any command")
        ->type_name("PROG|TRACE");
    command
        ->add_option(
            "--explain", options->explain,
            "say what a kind of finding means, what it does not see, an example, the repair; then nothing is checked")
        ->type_name("KIND");
    command->add_option("--format", options->format, "text, json or sarif")
        ->check(CLI::IsMember({"text", "json", "sarif"}))
        ->capture_default_str();
    command
        ->add_option("--suppressions", options->suppressions, "findings to allow: lines KIND [FILE[:LINE] | in KERNEL]")
        ->type_name("FILE");
    command
        ->add_option(
            "--advice-threshold", options->adviceThresholds,
            "when to give advice: bank-conflict (mean wavefronts per ideal one, default 2), uncoalesced (sectors "
            "per sector needed, 4), divergent-branch (% of lane slots, 25), unused-shared (% of an array, 50), "
            "redundant-store (% of a line's stores, 90)")
        ->allow_extra_args(false)
        ->type_name("KIND=N");
    command->add_flag("--strict", options->strict, "advice counts too for the exit status");
    command
        ->add_option("--explore", options->explore,
                     "run the program under N other legal schedules too, and compare what its kernels leave in memory")
        ->type_name("N")
        ->check(CLI::Range(1, 1000));
    addCompileOptions(*command, options->program);
    addRecordOptions(*command, options->program);
    addRunOptions(*command, options->program);
    command->callback([options, &context] {
        if (options->program.source.empty() && options->explain.empty())
            throw CLI::RequiredError("input");
        context.run = [options, &context] {
            if (!options->explain.empty())
                return explain(options->explain);
            if (isForeign(options->program, context) || !isTrace(options->program.source))
                return recordAndReport(*options, context);
            if (options->explore != 0)
                return fail("--explore runs the program again: give the .cu file, not a trace");
            return reportTraces({options->program.source}, *options);
        };
    });
}

}  // namespace lanescope::cli
