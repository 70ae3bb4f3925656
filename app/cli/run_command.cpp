// SPDX-License-Identifier: GPL-3.0-or-later
// lanescope run: compile and run without recording, checks on.
#include "app/cli/child_program.h"
#include "app/cli/commands.h"
#include "app/cli/program_options.h"

namespace lanescope::cli {

namespace {

int runOnly(const ProgramOptions& options, const std::string& commandLine)
{
    const Result<std::string> settings = runtimeOptions(options, commandLine);
    if (!settings)
        return fail(settings.error());
    const std::optional<compiler::CompiledProgram> program = compileProgram(options, "");
    if (!program)
        return kCouldNotRun;
    const Result<ProgramRun> run =
        runProgram({program->executable, programName(options.source), options.arguments, settings.value(), "", false});
    return run ? exitCodeOf(run.value()) : fail(run.error());
}

}  // namespace

void addRunCommand(CLI::App& app, Context& context)
{
    auto options = std::make_shared<ProgramOptions>();
    CLI::App* command = app.add_subcommand("run", "compile and run a CUDA program with checks, without recording");
    command->add_option("program", options->source, "the .cu file")->required()->type_name("PROG.cu");
    command->add_flag("--no-checks", options->noChecks, "do not look for errors in the kernels");
    addCompileOptions(*command, *options);
    addRunOptions(*command, *options);
    command->callback(
        [options, &context] { context.run = [options, &context] { return runOnly(*options, context.commandLine); }; });
}

}  // namespace lanescope::cli
