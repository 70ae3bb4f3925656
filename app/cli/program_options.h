// SPDX-License-Identifier: GPL-3.0-or-later
// The options that record, run, build and check share: what to compile and how to run it.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "app/cli/arguments.h"
#include "core/base/result.h"
#include "instrumented/compiler/compiler.h"

namespace lanescope::cli {

/// As typed; checked by validate().
struct ProgramOptions {
    std::string source;
    std::vector<std::string> arguments;  ///< of the program, after "--"
    std::vector<std::string> includeDirectories;
    std::vector<std::string> stepInto;
    std::vector<std::string> definitions;
    std::string toolkit;
    bool asCompiled = false;
    std::string device = "simulator";
    unsigned devices = 0;  ///< 0: not said
    std::string schedule = "lockstep";
    std::optional<uint32_t> launch;
    std::string blocks;
    std::string maxBytes;
    uint64_t maxSteps = 0;
    unsigned threads = 0;
    bool noVariables = false;
    bool noChecks = false;
    bool sandbox = false;
    bool count = false;
    bool races = false;
    double maxSeconds = 0;
    bool counters = false;
    int progressFd = -1;
};

/// -I, -D, --cuda-path, --as-compiled.
void addCompileOptions(CLI::App& command, ProgramOptions& options);
/// --device, --devices, --schedule, --max-steps, --threads and the program's own arguments.
void addRunOptions(CLI::App& command, ProgramOptions& options);
/// --launch, --blocks, --max-bytes, --no-variables, --progress-fd.
void addRecordOptions(CLI::App& command, ProgramOptions& options);

/// Whether people are told how far long work is. LANESCOPE_PROGRESS=0: not, for who compares what is on stderr, which
/// must not depend on how fast the machine is.
bool wantsProgress();

/// Whether the program lists its findings on stderr when it ends.
enum class FindingsAtExit { Listed, Silent };

/// The runtime's LANESCOPE_OPTIONS document. Errors name the option.
Result<std::string> runtimeOptions(const ProgramOptions& options, const std::string& commandLine,
                                   FindingsAtExit findings = FindingsAtExit::Listed);

/// What a program finds in argv[0], as if nvcc had put it beside its source: "./a" for a.cu, "b/a" for b/a.cu.
std::string programName(const std::string& source);

/// Compiles, prints clang's warnings on stderr. Errors are printed too: then there is no value and the exit code is 2.
std::optional<compiler::CompiledProgram> compileProgram(const ProgramOptions& options, const std::string& output);

/// Says that \p source does not compile, or what else is wrong; returns kCouldNotRun.
int failToCompile(const Error& error, const std::string& source);

}  // namespace lanescope::cli
