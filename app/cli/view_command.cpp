// SPDX-License-Identifier: GPL-3.0-or-later
// lanescope view, and lanescope alone: the window.
#include <cstdlib>
#include <filesystem>

#include "app/cli/commands.h"
#include "app/cli/foreign_program.h"
#include "app/gui/gui.h"
#include "core/base/temporary_folder.h"
#include "instrumented/compiler/installation.h"

namespace lanescope::cli {

namespace {

struct ViewOptions {
    gui::ViewRequest request;
    ProgramOptions program;  ///< a command, to be recorded first
};

/// Runs the command and records it, into a trace that the window then shows; its exit code when there is none.
Result<std::string> recordForWindow(const ProgramOptions& program, const Context& context, const std::string& folder)
{
    Result<std::string> settings = foreignOptions(program, context, FindingsAtExit::Silent);
    if (!settings)
        return settings;
    Result<ProgramRunRequest> request = foreignProgram(program, context);
    if (!request)
        return request.error();
    request.value().options = settings.value();
    request.value().trace = folder + "/" + std::filesystem::path(foreignName(program)).stem().string() + ".lanes";
    const Result<ProgramRun> run = runProgram(request.value());
    if (!run)
        return run.error();
    if (!std::filesystem::exists(request.value().trace))
        return Error{Error::Code::NotFound, "launched no kernel; there is nothing to show", program.source};
    return request.value().trace;
}

int view(gui::ViewRequest request, Context& context)
{
    const compiler::Installation installation = compiler::findInstallation();
    if (!request.input.empty() && !std::filesystem::exists(request.input))
        return fail(Error{Error::Code::NotFound, "no such file", request.input});
    for (const std::string& rank : request.ranks)
        if (!std::filesystem::exists(rank))
            return fail(Error{Error::Code::NotFound, "no such file", rank});
    if (!request.compare.empty() && !std::filesystem::exists(request.compare))
        return fail(Error{Error::Code::NotFound, "no such file", request.compare});
    request.executable = installation.executable;
    setenv("LANESCOPE_KERNELS", installation.kernels.c_str(), 0);  // for the window's list of the gallery
    return gui::runWindow(context.argc, context.argv, request);
}

}  // namespace

void addViewCommand(CLI::App& app, Context& context)
{
    auto options = std::make_shared<ViewOptions>();
    gui::ViewRequest* request = &options->request;
    CLI::App* command = app.add_subcommand("view", "the window");
    command
        ->add_option("input", request->input,
                     "a .cu, .py or .mojo file, or traces (of a job's ranks); or, after --, any command (default: what "
                     "was open last; at first the gallery's tiled matmul)")
        ->type_name("PROG|TRACE");
    command->add_option("--at", request->focus, "where to start")->type_name("FOCUS");
    command->add_option("--compare", request->compare, "another trace, shown beside the first in step")
        ->type_name("TRACE");
    command->add_option("args", options->program.arguments,
                        "further traces; or arguments of a command, which is recorded first");
    const auto start = [options, &context] {
        options->program.source = options->request.input;
        if (!isForeign(options->program, context)) {
            if (!options->program.arguments.empty() && !options->request.input.ends_with(".lanes"))
                return fail("several inputs are traces of a job's ranks; give one program, and its arguments in the "
                            "window (Record with…)");
            options->request.ranks = options->program.arguments;
            return view(options->request, context);
        }
        const TemporaryFolder folder("view");
        const Result<std::string> trace = recordForWindow(options->program, context, folder.path());
        if (!trace)
            return fail(trace.error());
        options->request.input = trace.value();
        return view(options->request, context);
    };
    command->callback([start, &context] { context.run = start; });
    context.run = start;  // without a subcommand
}

}  // namespace lanescope::cli
