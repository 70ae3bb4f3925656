// SPDX-License-Identifier: GPL-3.0-or-later
// lanescope record: compile, run, record.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>

#include "app/cli/child_program.h"
#include "app/cli/commands.h"
#include "app/cli/foreign_program.h"
#include "app/cli/program_options.h"
#include "app/cli/remote/remote_recording.h"
#include "core/attach/sanitizer_api.h"
#include "core/cuda/driver.h"
#include "core/trace/process_rank.h"
#include "instrumented/compiler/installation.h"

namespace lanescope::cli {

namespace fs = std::filesystem;

namespace {

struct RecordOptions {
    ProgramOptions program;
    RemoteOptions remote;
    std::string output;
    bool attach = false;
    bool isForeign = false;  ///< not to be compiled
    bool quiet = false;
};

/// Where the trace goes, absolute: the program may change its working folder.
Result<std::string> tracePath(const RecordOptions& options)
{
    const fs::path source = options.isForeign ? foreignName(options.program) : options.program.source;
    const fs::path output = options.output.empty() ? source.stem().concat(".lanes") : fs::path(options.output);
    std::error_code error;
    if (fs::equivalent(source, output, error))
        return Error{Error::Code::BadInput, "is the program itself, expected a new file for the trace",
                     output.string()};
    if (fs::is_directory(output, error))
        return Error{Error::Code::BadInput, "is a folder, expected a file for the trace", output.string()};
    const fs::path folder = fs::absolute(output).parent_path();
    if (!fs::is_directory(folder, error))
        return Error{Error::Code::NotFound, "no such folder for the trace", folder.string()};
    // A command's processes know their own ranks; ours is not theirs.
    if (options.isForeign)
        return fs::absolute(output).string();
    return trace::pathOfRank(fs::absolute(output).string(), trace::processRank().value_or(trace::ProcessRank{}));
}

void removeTracesOfRanks(const std::string& pattern)
{
    std::error_code ignored;
    std::vector<fs::path> old;
    for (const fs::directory_entry& entry : fs::directory_iterator(fs::path(pattern).parent_path(), ignored))
        if (trace::isPathOfRank(entry.path().string(), pattern))
            old.push_back(entry.path());
    for (const fs::path& one : old)
        fs::remove(one, ignored);
}

/// An old trace must not be taken for this run's: those of all ranks, where \p trace names the place of one.
void removeOldTraces(const std::string& trace)
{
    std::error_code ignored;
    const fs::path path = trace;
    if (path.extension() != ".lanes")
        return;
    fs::remove(path, ignored);
    // Where this is one of the ranks, the others' are none of its business.
    if (const std::optional<trace::ProcessRank> rank = trace::processRank())
        fs::remove(trace::pathOfRank(trace, *rank), ignored);
    else if (trace::isOfRanks(trace))
        removeTracesOfRanks(trace);
}

/// The option that --attach has no use for; empty: there is none.
const char* uselessForAttach(const ProgramOptions& options)
{
    const std::pair<const char*, bool> given[] = {{"--device", options.device != "simulator"},
                                                  {"--as-compiled", options.asCompiled},
                                                  {"--schedule", options.schedule != "lockstep"},
                                                  {"--max-steps", options.maxSteps != 0},
                                                  {"--max-seconds", options.maxSeconds != 0},
                                                  {"--sandbox", options.sandbox},
                                                  {"--count", options.count},
                                                  {"--counters", options.counters},
                                                  {"-I", !options.includeDirectories.empty()},
                                                  {"-D", !options.definitions.empty()},
                                                  {"--step-into", !options.stepInto.empty()},
                                                  {"--cuda-path", !options.toolkit.empty()}};
    const auto* found = std::ranges::find_if(given, [](const auto& option) { return option.second; });
    return found == std::end(given) ? "" : found->first;
}

/// A program that we did not build, on a GPU.
Result<ProgramRunRequest> attachedProgram(const RecordOptions& options)
{
    if (const std::string useless = uselessForAttach(options.program); !useless.empty())
        return Error{Error::Code::BadInput, "is for programs that Lanescope builds, not for --attach", useless};
    const Result<std::string> toolkit = attach::findToolkit();
    if (!toolkit)
        return toolkit.error();
    const std::string library = compiler::findInstallation().library + "/liblanescope_attach.so";
    if (!fs::exists(library))
        return Error{Error::Code::NotFound, "is missing: this Lanescope was built without clang 19's nvptx target",
                     library};
    if (const Result<const cuda::Driver*> driver = cuda::Driver::find(); !driver)
        return driver.error();
    ProgramRunRequest request;
    request.executable = request.name = options.program.source;
    request.environment = {"CUDA_INJECTION64_PATH=" + library, "LANESCOPE_TOOLKIT=" + toolkit.value()};
    return request;
}

/// Why there is no trace, when nothing else has been said about it.
std::string noLaunchMessage(const ProgramRun& run, bool isOurs)
{
    if (!isOurs && !run.status)
        return "the program did not use CUDA; nothing was recorded";
    if (run.status && !run.status->launchError.empty())
        return fmt::format("the program launched no kernel that could run (the last one failed with {}); "
                           "nothing was recorded",
                           run.status->launchError);
    return "the program launched no kernel; nothing was recorded";
}

/// What is to be started, compiled before if need be; nothing when that did not work, which has been said.
std::optional<ProgramRunRequest> requestOf(const RecordOptions& options, const Context& context)
{
    if (options.attach || options.isForeign) {
        Result<ProgramRunRequest> request =
            options.attach ? attachedProgram(options) : foreignProgram(options.program, context);
        if (request && options.attach)
            request.value().arguments = options.program.arguments;
        if (request)
            return std::move(request).value();
        fail(request.error());
        return std::nullopt;
    }
    const std::optional<compiler::CompiledProgram> program = compileProgram(options.program, "");
    if (!program)
        return std::nullopt;
    ProgramRunRequest request;
    request.executable = program->path;
    request.name = programName(options.program.source);
    request.arguments = options.program.arguments;
    return request;
}

void sayWhereTracesAre(const ProgramRun& run, const std::string& trace)
{
    std::error_code ignored;
    std::vector<ProgramRun::Trace> traces = run.traces;
    if (traces.empty() && fs::exists(trace, ignored))
        traces.push_back({trace, false});
    if (traces.empty())
        return;
    std::string names;
    for (const ProgramRun::Trace& written : traces)
        names += (names.empty() ? "" : ", ") + fs::proximate(written.path, ignored).string();
    fmt::print(stderr, "lanescope: recorded {} launch{} to {}\n", run.status->launches,
               run.status->launches == 1 ? "" : "es", names);
}

int record(const RecordOptions& options, const Context& context)
{
    const Result<std::string> trace = tracePath(options);
    if (!trace)
        return fail(trace.error());
    if (!options.remote.host.empty()) {
        removeOldTraces(trace.value());
        return recordRemotely({options.program, options.remote, context.commandLine, trace.value(), options.isForeign,
                               options.attach, options.quiet});
    }
    const Result<std::string> settings = options.isForeign
                                             ? foreignOptions(options.program, context, FindingsAtExit::Listed)
                                             : runtimeOptions(options.program, context.commandLine);
    if (!settings)
        return fail(settings.error());
    std::optional<ProgramRunRequest> wanted = requestOf(options, context);
    if (!wanted) {
        reportNotStarted(options.program.progressFd);
        return kCouldNotRun;
    }
    ProgramRunRequest& request = *wanted;
    request.options = settings.value();
    request.progressFd = options.program.progressFd;
    request.trace = trace.value();

    removeOldTraces(trace.value());
    const Result<ProgramRun> run = runProgram(request);
    if (!run)
        return fail(run.error());
    const int code = exitCodeOf(run.value());
    const bool isOurs = !options.attach && !options.isForeign;  // which says what it did, unless it was killed
    const bool recorded = run.value().status ? run.value().status->launches > 0 : isOurs;
    if (!recorded && code == 0)
        return fail(noLaunchMessage(run.value(), isOurs));
    const bool whole = run.value().status && run.value().status->traceError.empty();
    if (!options.quiet && recorded && whole)
        sayWhereTracesAre(run.value(), trace.value());
    return code;
}

}  // namespace

void addRecordCommand(CLI::App& app, Context& context)
{
    auto options = std::make_shared<RecordOptions>();
    CLI::App* command = app.add_subcommand("record", "compile and run a CUDA program, and record its kernels");
    command->add_option("program", options->program.source, "a .cu, .py or .mojo file; or, after --, any command")
        ->required()
        ->type_name("PROG");
    command
        ->add_option(
            "-o,--output", options->output,
            "the trace (default: PROG.lanes); of a command's processes the first that launches a kernel writes it, "
            "another one with the process id P writes T.P.lanes; %r in the name is the process's rank (mpirun, srun)")
        ->type_name("T.lanes");
    command->add_flag("--attach", options->attach,
                      "record a program that is built already on a GPU: lanescope record --attach -- ./app args");
    command->add_flag("-q,--quiet", options->quiet, "do not say where the trace went");
    addRemoteOptions(*command, options->remote);
    addCompileOptions(*command, options->program);
    addRecordOptions(*command, options->program);
    addRunOptions(*command, options->program);
    command->callback([options, &context] {
        context.run = [options, &context] {
            options->isForeign = !options->attach && isForeign(options->program, context);
            return record(*options, context);
        };
    });
}

}  // namespace lanescope::cli
