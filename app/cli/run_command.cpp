// SPDX-License-Identifier: GPL-3.0-or-later
// lanescope run: compile and run without recording, checks on.
#include "app/cli/child_program.h"
#include "app/cli/commands.h"
#include "app/cli/foreign_program.h"
#include "app/cli/program_options.h"

namespace lanescope::cli {

namespace {

int runForeign(const ProgramOptions& options, const Context& context)
{
    const Result<std::string> settings = foreignOptions(options, context, FindingsAtExit::Listed);
    if (!settings)
        return fail(settings.error());
    Result<ProgramRunRequest> request = foreignProgram(options, context);
    if (!request)
        return fail(request.error());
    request.value().options = settings.value();
    const Result<ProgramRun> run = runProgram(request.value());
    return run ? exitCodeOf(run.value()) : fail(run.error());
}

int runOnly(const ProgramOptions& options, const Context& context)
{
    if (isForeign(options, context))
        return runForeign(options, context);
    const Result<std::string> settings = runtimeOptions(options, context.commandLine);
    if (!settings)
        return fail(settings.error());
    const std::optional<compiler::CompiledProgram> program = compileProgram(options, "");
    if (!program)
        return kCouldNotRun;
    const Result<ProgramRun> run =
        runProgram({program->path, programName(options.source), options.arguments, settings.value(), "", false});
    return run ? exitCodeOf(run.value()) : fail(run.error());
}

}  // namespace

void addRunCommand(CLI::App& app, Context& context)
{
    auto options = std::make_shared<ProgramOptions>();
    CLI::App* command = app.add_subcommand("run", "compile and run a CUDA program with checks, without recording");
    command->add_option("program", options->source, "a .cu, .py or .mojo file; or, after --, any command")
        ->required()
        ->type_name("PROG");
    command->add_flag("--no-checks", options->noChecks, "do not look for errors in the kernels");
    addCompileOptions(*command, *options);
    addRunOptions(*command, *options);
    command->callback(
        [options, &context] { context.run = [options, &context] { return runOnly(*options, context); }; });
}

}  // namespace lanescope::cli
