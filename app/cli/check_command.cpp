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

Json documentOf(const trace::Catalog& catalog, const findings::Findings& result)
{
    Json json = {{"schema", kJsonSchema}, {"program", catalog.session.program}, {"device", catalog.session.device}};
    json["programExit"] = exitJson(catalog.session.programEnd);
    json["programEnd"] = toJson(catalog.session.programEnd);
    json["complete"] = result.complete();
    json["notChecked"] = result.notChecked;
    json["findings"] = Json::array();
    for (const findings::ToldFinding& finding : result.told())
        json["findings"].push_back(toJson(catalog, finding));
    json["unsupported"] = result.unsupported;
    json["dropped"] = result.droppedBlocks;
    json["suppressed"] = result.suppressed.size();
    json["unusedSuppressions"] = Json::array();
    for (const findings::UnusedSuppression& unused : result.unusedSuppressions)
        json["unusedSuppressions"].push_back({{"where", unused.where}, {"text", unused.text}});
    return json;
}

int exitCodeOf(const findings::Findings& result, bool strict)
{
    for (const trace::Finding& finding : result.findings)
        if (strict || finding.severity != Severity::Advice)
            return kFindings;
    return result.unsupported.empty() ? kOk : kCouldNotRun;
}

/// What a report of one trace leaves to others.
struct Beside {
    std::vector<trace::Finding> more;     ///< findings that the trace does not have
    std::vector<std::string> notChecked;  ///< what the command did that the trace does not tell
    bool isPrinted = true;                ///< otherwise only the exit code is wanted
};

int reportTrace(const std::string& path, const CheckOptions& options, const Beside& beside)
{
    Result<std::unique_ptr<trace::TraceReader>> reader = trace::TraceReader::open(path);
    if (!reader)
        return fail(reader.error());
    const trace::Catalog& catalog = reader.value()->catalog();
    Result<findings::Findings> result = resultOf(*reader.value(), options, beside.more);
    if (!result)
        return fail(result.error());
    std::vector<std::string>& notChecked = result.value().notChecked;
    notChecked.insert(notChecked.end(), beside.notChecked.begin(), beside.notChecked.end());
    if (!beside.isPrinted)
        return exitCodeOf(result.value(), options.strict);
    if (options.format == "json")
        printJson(documentOf(catalog, result.value()));
    else if (options.format == "sarif")
        printJson(sarifDocument(catalog, result.value()));
    else
        fmt::print("{}", findingsText(catalog, result.value(), coloursOfStdout()));
    return exitCodeOf(result.value(), options.strict);
}

/// The traces of all of a command's processes: each as a text of its own; of documents there can be one only, which
/// says that the others are not in it. The exit code is that of all.
int reportAll(const ProgramRun& run, const std::string& trace, const CheckOptions& options,
              std::vector<trace::Finding> more)
{
    const bool isText = options.format == "text";
    Beside first{std::move(more), {}, true};
    std::vector<std::string> others;
    for (const ProgramRun::Trace& other : run.traces)
        if (other.path != trace)
            others.push_back(other.path);
    if (!isText && !others.empty())
        first.notChecked.push_back(
            fmt::format("{} of the command launched kernels, too, and {} not in this document: "
                        "`record` keeps a trace of each, and the text tells all",
                        others.size() == 1 ? "another process" : fmt::format("{} other processes", others.size()),
                        others.size() == 1 ? "is" : "are"));
    int code = reportTrace(trace, options, first);
    for (const std::string& other : others)
        code = std::max(code, reportTrace(other, options, {{}, {}, isText}));
    return code;
}

/// Of a program without a trace. One that only asks for the device's properties has nothing wrong with it.
int reportNoLaunch(const ProgramRun& run, const CheckOptions& options)
{
    if (run.code != 0)
        return fail("the program launched no kernel; nothing was checked");
    const findings::Findings nothing;
    if (options.format == "json")
        printJson(documentOf({}, nothing));
    else if (options.format == "sarif")
        printJson(sarifDocument({}, nothing));
    else
        fmt::print("no findings: the program launched no kernel\n");
    return exitCodeOf(nothing, options.strict);
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
    const int code = reportAll(run.value(), trace, options, std::move(explored));
    // What it would still have done was not checked.
    if (code == 0 && run.value().signal != 0)
        return fail(fmt::format("the program was ended by signal {} ({}), and no finding says why", run.value().signal,
                                strsignal(run.value().signal)));
    return code;
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
            return reportTrace(options->program.source, *options, {});
        };
    });
}

}  // namespace lanescope::cli
