// SPDX-License-Identifier: GPL-3.0-or-later
// Programs that Lanescope does not compile: any command, a Python program, a Mojo program. Their calls of CUDA's
// driver, runtime and compilers reach Lanescope by stand-ins of NVIDIA's libraries, which the environment puts first.
#pragma once

#include "app/cli/child_program.h"
#include "app/cli/commands.h"
#include "app/cli/program_options.h"

namespace lanescope::cli {

/// Whether \p options name a command (all of it after "--") or a Python or Mojo program, in place of a .cu file.
bool isForeign(const ProgramOptions& options, const Context& context);

/// How to run it: the executable, its arguments, its environment. A Mojo program is compiled, its compiler's messages
/// go to stderr. Errors: an option is for programs that Lanescope compiles (names it); NotFound says what to install.
Result<ProgramRunRequest> foreignProgram(const ProgramOptions& options, const Context& context);

/// What is to be called the program in traces and messages: the source, where one is named.
std::string foreignName(const ProgramOptions& options);

/// runtimeOptions() for such a program.
Result<std::string> foreignOptions(const ProgramOptions& options, const Context& context, FindingsAtExit findings);

}  // namespace lanescope::cli
