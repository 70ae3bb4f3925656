// SPDX-License-Identifier: GPL-3.0-or-later
// lanescope check: the findings of a trace, or of a program that is recorded for it.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <set>

#include "app/cli/check_report.h"
#include "app/cli/child_program.h"
#include "app/cli/commands.h"
#include "app/cli/explore.h"
#include "app/cli/foreign_program.h"
#include "app/cli/program_options.h"
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

/// A part of a campaign.
struct Shard {
    unsigned number = 1;
    unsigned of = 1;
};

struct CheckOptions {
    ProgramOptions program;
    ReportOptions report;
    std::string suppressions;                   ///< file; empty: none
    std::vector<std::string> adviceThresholds;  ///< "KIND=N"
    unsigned explore = 0;                       ///< other schedules to run
    std::string shardText;                      ///< "3/16"; empty: all of them
    Shard shard;
    std::string explain;  ///< kind of finding; empty: none

    /// Whether a part of the blocks is run, and no others.
    [[nodiscard]] bool divides() const { return !shardText.empty() && explore == 0; }

    /// Where the input is a trace: it, and those after it.
    [[nodiscard]] std::vector<std::string> traces() const
    {
        std::vector<std::string> all{program.source};
        all.insert(all.end(), program.arguments.begin(), program.arguments.end());
        return all;
    }
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

/// What is found in the trace at \p path. \p more: findings that it does not have.
Result<CheckedRun> runOf(const std::string& path, const CheckOptions& options,
                         const std::vector<trace::Finding>& more = {})
{
    Result<std::unique_ptr<trace::TraceReader>> reader = trace::TraceReader::open(path);
    if (!reader)
        return reader.error();
    Result<findings::Findings> result = resultOf(*reader.value(), options, more);
    if (!result)
        return result.error();
    CheckedRun run;
    run.reader = std::move(reader).value();
    run.result = std::move(result).value();
    run.told = run.result.told();
    if (const std::optional<trace::ProcessRank>& rank = run.catalog().session.rank)
        run.numbers["rank"] = rank->rank;
    return run;
}

/// What is found in the traces that were given.
Result<std::vector<CheckedRun>> runsOf(const CheckOptions& options)
{
    std::vector<CheckedRun> runs;
    for (const std::string& path : options.traces()) {
        Result<CheckedRun> run = runOf(path, options);
        if (!run)
            return run.error();
        runs.push_back(std::move(run).value());
    }
    std::ranges::stable_sort(runs, {}, &CheckedRun::numbers);
    return runs;
}

/// Of the ranks that a job had, those whose traces are not there are not checked. \p runs: of \p fewest at least; one
/// trace that somebody gives is a choice.
void noteMissingRanks(std::vector<CheckedRun>& runs, size_t fewest)
{
    std::set<uint32_t> present;
    uint32_t of = 0;
    for (const CheckedRun& run : runs)
        if (const std::optional<trace::ProcessRank>& rank = run.catalog().session.rank) {
            present.insert(rank->rank);
            of = std::max(of, rank->of);
        }
    if (present.size() < fewest || present.size() >= of)
        return;
    runs.front().result.notChecked.push_back(
        fmt::format("{} of the job's {} ranks: they left no trace here", of - present.size(), of));
}

int reportTraces(const CheckOptions& options)
{
    Result<std::vector<CheckedRun>> runs = runsOf(options);
    if (!runs)
        return fail(runs.error());
    noteMissingRanks(runs.value(), 2);
    return report(runs.value(), options.report);
}

/// The traces of all of a command's processes: the first one that launched a kernel wrote \p first, the others lie
/// beside it, also those of processes that died before they could tell of theirs.
std::vector<std::string> tracesBeside(const std::string& first)
{
    std::vector<std::string> paths;
    std::error_code ignored;
    for (const fs::directory_entry& entry : fs::directory_iterator(fs::path(first).parent_path(), ignored))
        if (entry.path().extension() == ".lanes" && entry.path() != first)
            paths.push_back(entry.path().string());
    std::ranges::sort(paths);
    paths.insert(paths.begin(), first);
    return paths;
}

/// What is found in the traces of a command's processes. \p more: findings that the first one does not have. Of several
/// one that was killed (by mpirun, as another rank died) may leave nothing that can be read; the others are checked.
Result<std::vector<CheckedRun>> runsBeside(const std::string& first, const CheckOptions& options,
                                           const std::vector<trace::Finding>& more)
{
    std::vector<CheckedRun> runs;
    std::vector<std::string> notChecked;
    std::optional<Error> unreadable;
    for (const std::string& path : tracesBeside(first)) {
        if (!isBegun(path))
            continue;
        Result<CheckedRun> run = runOf(path, options, path == first ? more : std::vector<trace::Finding>{});
        if (run) {
            runs.push_back(std::move(run).value());
            continue;
        }
        if (!unreadable)
            unreadable = run.error();
        notChecked.push_back(fmt::format("what a process did: its trace cannot be read ({})", run.error().message));
    }
    if (runs.empty())
        return unreadable.value_or(Error{Error::Code::Io, "the program was ended before it had recorded anything", {}});
    std::ranges::stable_sort(runs, {}, &CheckedRun::numbers);
    noteMissingRanks(runs, 1);
    std::ranges::move(notChecked, std::back_inserter(runs.front().result.notChecked));
    return runs;
}

/// Of a program without a trace. One that only asks for the device's properties has nothing wrong with it.
int reportNoLaunch(const ProgramRun& run, const CheckOptions& options)
{
    if (run.code != 0)
        return fail("the program launched no kernel; nothing was checked");
    if (options.report.format == "text" && options.report.output.empty()) {
        fmt::print("no findings: the program launched no kernel\n");
        return kOk;
    }
    std::vector<CheckedRun> nothing;
    nothing.emplace_back();
    return report(nothing, options.report);
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

/// \p status: of the command as a whole.
int reportRun(std::vector<CheckedRun>& runs, const ExploredRun& explored, const CheckOptions& options, int status)
{
    const auto isComplete = [](const CheckedRun& run) { return run.result.complete(); };
    if (status != 0 && exitCodeOf(runs, options.report.strict) == kOk && std::ranges::all_of(runs, isComplete))
        runs.front().result.notChecked.push_back(
            fmt::format("what the command would have done had it not ended with exit status {}", status));
    if (options.explore > 0)
        runs.front().explored = Explored{explored.schedules, options.explore, options.shard.of};
    if (options.shard.of > 1)
        for (CheckedRun& run : runs)
            run.numbers["shard"] = options.shard.number;
    return report(runs, options.report);
}

/// Adds to the first run what its part of the launch touched. A launch that was refused has touched nothing.
Result<void> tellPart(std::vector<CheckedRun>& runs, const CheckOptions& options, const std::string& touched)
{
    CheckedRun& run = runs.front();
    const uint32_t launch = options.program.launch.value_or(0);
    if (!run.result.unsupported.empty())
        return {};
    Result<std::vector<TouchedBuffer>> buffers = readTouched(touched, launch);
    if (!buffers)
        return buffers.error();
    run.blockPart = BlockPart{launch, options.program.blocks, options.shard.of, std::move(buffers).value()};
    run.result.notChecked = {fmt::format("what the program does after launch {}", launch)};
    return {};
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
    request.stdoutToStderr = options.report.format != "text" && options.report.output.empty();
    request.progressFd = options.program.progressFd;
    const std::string touched = folder.file("touched.json");
    if (options.divides()) {
        Json settings = Json::parse(request.options);
        settings["part"] = {options.shard.number - 1, options.shard.of};
        settings["touched"] = touched;
        request.options = settings.dump();
    }
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
    ExploredRun explored;
    if (options.explore > 0) {
        Result<ExploredRun> found =
            explore({request.executable, request.name, request.arguments, request.environment, request.options, trace,
                     folder.path(), options.explore, options.shard.number, options.shard.of});
        if (!found)
            return fail(found.error());
        explored = std::move(found).value();
    }
    Result<std::vector<CheckedRun>> runs = runsBeside(trace, options, explored.findings);
    if (!runs)
        return fail(runs.error());
    if (options.divides())
        if (const Result<void> told = tellPart(runs.value(), options, touched); !told)
            return fail(told.error());
    const int code = reportRun(runs.value(), explored, options, run.value().code);
    // What it would still have done was not checked.
    if (code != kOk || run.value().code == 0)
        return code;
    return fail(run.value().signal != 0
                    ? fmt::format("the program was ended by signal {} ({}), and no finding says why",
                                  run.value().signal, strsignal(run.value().signal))
                    : fmt::format("the program ended with exit status {}, and no finding says why", run.value().code));
}

/// Errors name the option.
Result<void> prepareParts(CheckOptions& options)
{
    if (!options.divides())
        return {};
    if (options.program.device == "cuda")
        return Error{Error::Code::BadInput, "parts of a launch are the simulator's", "--device"};
    if (options.program.noChecks)
        return Error{Error::Code::BadInput, "parts of a launch are held against each other by its checks",
                     "--no-checks"};
    options.program.launch = options.program.launch.value_or(0);
    return {};
}

/// Errors name the option.
Result<void> prepare(CheckOptions& options)
{
    if (!options.shardText.empty()) {
        char rest = 0;
        Shard& shard = options.shard;
        // NOLINTNEXTLINE(cert-err34-c): numbers out of range are none of the range asked for
        if (std::sscanf(options.shardText.c_str(), "%u/%u%c", &shard.number, &shard.of, &rest) != 2 ||
            shard.number < 1 || shard.number > shard.of)
            return Error{Error::Code::BadInput,
                         fmt::format("found '{}', expected I/K with I from 1 to K", options.shardText), "--shard"};
        if (options.explore == 0 && options.program.blocks.empty())
            return Error{Error::Code::BadInput,
                         fmt::format("{} parts of nothing, expected --explore with at least as many schedules, or "
                                     "--blocks of a launch",
                                     shard.of),
                         "--shard"};
        if (options.explore > 0 && options.explore < shard.of)
            return Error{Error::Code::BadInput,
                         fmt::format("{} parts, expected --explore with at least as many schedules", shard.of),
                         "--shard"};
    }
    options.report.chooseFormat();
    return prepareParts(options);
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
                     "a .cu, .py or .mojo file, or traces (of a job's ranks); or, after --, any command")
        ->type_name("PROG|TRACE");
    command
        ->add_option(
            "--explain", options->explain,
            "say what a kind of finding means, what it does not see, an example, the repair; then nothing is checked")
        ->type_name("KIND");
    addReportOptions(*command, options->report);
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
    command
        ->add_option("--explore", options->explore,
                     "run the program under N other legal schedules too, and compare what its kernels leave in memory")
        ->type_name("N")
        ->check(CLI::Range(1, 1000));
    command
        ->add_option(
            "--shard", options->shardText,
            "of --explore's schedules run the I-th of K parts, or of the blocks of --blocks (all, or ranges) of "
            "one launch (--launch, else the first); lanescope merge makes one report of all parts")
        ->type_name("I/K");
    addCompileOptions(*command, options->program);
    addRecordOptions(*command, options->program);
    addRunOptions(*command, options->program);
    command->callback([options, &context] {
        if (options->program.source.empty() && options->explain.empty())
            throw CLI::RequiredError("input");
        context.run = [options, &context] {
            if (!options->explain.empty())
                return explain(options->explain);
            if (const Result<void> prepared = prepare(*options); !prepared)
                return fail(prepared.error());
            if (isForeign(options->program, context) || !isTrace(options->program.source))
                return recordAndReport(*options, context);
            if (options->explore != 0)
                return fail("--explore runs the program again: give the .cu file, not a trace");
            return reportTraces(*options);
        };
    });
}

}  // namespace lanescope::cli
