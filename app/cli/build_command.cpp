// SPDX-License-Identifier: GPL-3.0-or-later
// lanescope build: the program as an executable that records when it is run with LANESCOPE_TRACE set.
#include "app/cli/commands.h"
#include "app/cli/program_options.h"

namespace lanescope::cli {

void addBuildCommand(CLI::App& app, Context& context)
{
    auto options = std::make_shared<ProgramOptions>();
    auto output = std::make_shared<std::string>();
    CLI::App* command =
        app.add_subcommand("build", "compile a CUDA program to an executable; LANESCOPE_TRACE=T.lanes records its run");
    command->add_option("program", options->source, "the .cu file")->required()->type_name("PROG.cu");
    command->add_option("-o,--output", *output, "the executable")->required()->type_name("EXE");
    addCompileOptions(*command, *options);
    command->callback([options, output, &context] {
        context.run = [options, output] { return compileProgram(*options, *output) ? kOk : kCouldNotRun; };
    });
}

}  // namespace lanescope::cli
