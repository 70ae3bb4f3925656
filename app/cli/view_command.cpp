// SPDX-License-Identifier: GPL-3.0-or-later
// lanescope view, and lanescope alone: the window.
#include <cstdlib>
#include <filesystem>

#include "app/cli/commands.h"
#include "app/gui/gui.h"
#include "instrumented/compiler/installation.h"

namespace lanescope::cli {

namespace {

int view(gui::ViewRequest request, Context& context)
{
    const compiler::Installation installation = compiler::findInstallation();
    if (!request.input.empty() && !std::filesystem::exists(request.input))
        return fail(Error{Error::Code::NotFound, "no such file", request.input});
    if (!request.compare.empty() && !std::filesystem::exists(request.compare))
        return fail(Error{Error::Code::NotFound, "no such file", request.compare});
    request.executable = installation.executable;
    setenv("LANESCOPE_KERNELS", installation.kernels.c_str(), 0);  // for the window's list of the gallery
    return gui::runWindow(context.argc, context.argv, request);
}

}  // namespace

void addViewCommand(CLI::App& app, Context& context)
{
    auto request = std::make_shared<gui::ViewRequest>();
    CLI::App* command = app.add_subcommand("view", "the window");
    command
        ->add_option("input", request->input,
                     "a .cu file or a trace (default: what was open last; at first the gallery's tiled matmul)")
        ->type_name("PROG.cu|TRACE");
    command->add_option("--at", request->focus, "where to start")->type_name("FOCUS");
    command->add_option("--compare", request->compare, "another trace, shown beside the first in step")
        ->type_name("TRACE");
    const auto start = [request, &context] { return view(*request, context); };
    command->callback([start, &context] { context.run = start; });
    context.run = start;  // without a subcommand
}

}  // namespace lanescope::cli
